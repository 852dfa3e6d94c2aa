/** The verb `steer`: leaves an act on an event for a run, and reports the run's answer. */
import type { SteerFrom } from '../../model/message-entries.ts';
import type { RunMessage } from '../../reports/messages.ts';
import { type SteerAct, workClient } from '../../workers/client.ts';
import { parsed } from '../reading/typed-json.ts';
import type { Problem } from '../run/run.ts';
import { inStore, outcomeOf } from '../workers/leaving.ts';

/** Options of `steer`. */
export interface SteerOptions {
  readonly journal: string;
  readonly run: string;
  readonly act: string;
  readonly event: string;
  /** The members of the event from here on, as a JSON object; null for none. */
  readonly to: string | null;
  readonly from: SteerFrom | null;
  /** The names of later events that hold with it. */
  readonly later: readonly string[];
  /** The keys of the calls that a person has undone by hand for it. */
  readonly undone: readonly string[];
  readonly base: string | null;
  readonly id: string | null;
  readonly by: string;
  readonly why: string | null;
}

/** An act that was left. */
export interface LeftSteer {
  readonly run: string;
  readonly act: string;
  readonly event: string;
  /** The number of the message. */
  readonly post: number;
  /** The result; null where no process has the run. */
  readonly outcome: Pick<RunMessage, 'is' | 'why'> | null;
}

/** Leaves an act on an event for a run, and waits for what a living process makes of it. */
export async function steerRun(options: SteerOptions): Promise<LeftSteer | Problem> {
  const { journal, run, event, by, why } = options;
  const act = actIn(options);
  if ('problem' in act) return act;
  return inStore(journal, async (store) => {
    const post = await workClient(store).steer(run, act.act, { by, ...(why !== null && { why }) });
    const isHeld = (await store.run(run))?.held === true;
    return { run, act: options.act, event, post, outcome: isHeld ? await outcomeOf(store, run, post) : null };
  });
}

/** The act that options say. */
export function actIn({
  act,
  event,
  to,
  from,
  later,
  undone,
  base,
  id,
}: SteerOptions): { readonly act: SteerAct } | Problem {
  const odd = oddOption({ act, to, from, later, undone });
  if (odd !== null) return { problem: odd };
  const version = base === null ? null : Number(base);
  if (version !== null && !(Number.isSafeInteger(version) && version >= 0))
    return { problem: `--base is the number of a version, from 0 on; it is ${JSON.stringify(base)}` };
  const more = { ...(version !== null && { base: version }), ...(id !== null && { id }) };
  const holds = {
    ...(later.length > 0 && { later: { confirm: later } }),
    ...(undone.length > 0 && { undoneByHand: undone }),
  };
  if (act === 'retract') return { act: { retract: event, ...holds, ...more } };
  if (act === 'confirm') return { act: { confirm: event, ...more } };
  if (act !== 'revise') return { problem: `an act is one of: revise, retract, confirm; it is ${JSON.stringify(act)}` };
  if (to === null) return { problem: `revise needs --to with what the event says from here on: --to '{"words":8000}'` };
  const members = parsed('--to', to);
  if (members === null || 'problem' in members) return members ?? { problem: '--to is not JSON' };
  const { value } = members;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: `--to is a JSON object, the members of the event without its type: {"words":8000}` };
  const revised = { revise: event, to: value as Readonly<Record<string, unknown>> };
  return { act: { ...revised, ...(from !== null && { from }), ...holds, ...more } };
}

/** The reason why an option does not go with an act; null where all do. */
function oddOption({
  act,
  to,
  from,
  later,
  undone,
}: Pick<SteerOptions, 'act' | 'to' | 'from' | 'later' | 'undone'>): string | null {
  if (act !== 'revise' && to !== null) return '--to goes with revise: it is what the event says from here on';
  if (act !== 'revise' && from !== null) return '--from goes with revise: it is where the event says something else';
  const isInPlace = act !== 'confirm' && from !== 'here';
  if (later.length > 0 && !isInPlace)
    return '--later goes with revise and retract in their place: nothing else changes what events rest on';
  if (undone.length > 0 && !isInPlace)
    return '--undone goes with revise and retract in their place: nothing else takes calls back';
  return null;
}
