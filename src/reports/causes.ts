/** The causes for which a run needs a person, each with a name: a cause is told once under its name. */
import { createHash } from 'node:crypto';
import type { Act } from '../model/decision.ts';
import { instanceName, ROOT } from '../model/instance.ts';
import { pendingRequests } from './approval-requests.ts';
import { shown } from './shown-values.ts';
import type { Decided, Timeline } from './timeline.ts';
import { isForPerson, type Wait } from './waits.ts';

/** The call that a cause is about; redacted as everywhere. */
export interface CauseCall {
  readonly tool: string;
  readonly key: string;
  readonly class: string;
  /** The name of its instance; null for the root. */
  readonly instance: string | null;
  /** Its arguments as text, cut where they are long. */
  readonly args: string;
}

/** A cause for which a run needs a person. */
export interface Cause {
  /** Names it among all runs of a store, and in every process the same. */
  readonly id: string;
  readonly run: string;
  readonly agent: string | null;
  /** `approval` or `outcome` for a request, `paused`, `undo_failed`, else the code of the decision. */
  readonly code: string;
  /** What is waited for, in words that name tools and no values. */
  readonly text: string;
  /** The verb of `belay` that answers it; null where none does. */
  readonly act: string | null;
  /** The wall clock at which the wait began, in milliseconds; null if unknown. */
  readonly since: number | null;
  /** The wall clock at which a request expires; null where it does not. */
  readonly expires: number | null;
  /** The request that a person is to answer; null where there is none. */
  readonly gate: string | null;
  readonly call: CauseCall | null;
  /** What failed; null where nothing has. */
  readonly error: string | null;
}

/** The longest error and arguments of a message, in characters. */
const LONGEST = 1_000;

/** The causes for which a run needs a person, the requests first; none of a run that needs none. */
export function causesOf(run: string, timeline: Timeline): readonly Cause[] {
  const { runState, agent, waits } = timeline;
  const of = { run, agent };
  const decisions = groups(waits.filter((wait) => isForPerson(wait) && !isRequest(wait)));
  const told = decisions.map((group) => decided(of, group, timeline));
  const about = new Set(told.flatMap(({ call }) => call?.key ?? []));
  if (!waits.some((wait) => isForPerson(wait) && isRequest(wait))) return told;
  const requests = pendingRequests(runState).flatMap((request): Cause[] => {
    const { gate, key, asks, epoch, digest, since, expires, reason } = request;
    if (about.has(key)) return [];
    const id = named([run, gate, epoch, digest, since]);
    const act = asks === 'outcome' ? 'settle' : 'approve';
    return [
      { id, ...of, code: asks, text: reason, act, since, expires, gate, call: callOf(key, timeline), error: null },
    ];
  });
  return [...requests, ...told];
}

function isRequest({ code }: Wait): boolean {
  return code === 'approval' || code === 'outcome' || code === 'branch' || code === 'review';
}

/** The cause for which a run needs a person that has ended so many processes that no worker takes it. */
export function crashedCause(run: string, agent: string, head: number): Cause {
  return {
    ...{ id: named([run, 'worker_crashed', head]), run, agent, code: 'worker_crashed', act: 'resume' },
    text: 'it has ended every process that took it up, and no worker takes it any more',
    ...{ since: null, expires: null, gate: null, call: null, error: null },
  };
}

/** The waits of one decision together. */
function groups(waits: readonly Wait[]): Wait[][] {
  const groups = new Map<string, Wait[]>();
  for (const wait of waits) {
    const name = JSON.stringify([wait.since, wait.code]);
    groups.set(name, [...(groups.get(name) ?? []), wait]);
  }
  return [...groups.values()];
}

/** The cause that the waits of one decision come to, of an undo that has failed, or of a pause. */
function decided(of: Pick<Cause, 'run' | 'agent'>, waits: readonly Wait[], timeline: Timeline): Cause {
  const [{ since, code, act } = { since: null, code: '', act: null }] = waits;
  const { runState, standing, open } = timeline;
  const decision = code === 'paused' ? undefined : open.findLast(({ time }) => time === since);
  const stuck = standing.is === 'stuck' ? standing : null;
  const key = stuck?.effect ?? (decision === undefined ? null : keyOf(decision, runState));
  const gate = runState.asked.pending().find((request) => request.key === key)?.gate ?? null;
  const error = stuck?.error ?? decision?.entry.error ?? null;
  return {
    id: named([of.run, code, decision?.seq ?? key, since]),
    ...of,
    code,
    text: waits.map(({ text }) => text).join(', '),
    act,
    since,
    expires: null,
    gate,
    call: key === null ? null : callOf(key, timeline),
    error: error === null ? null : cut(runState.redaction.text(error)),
  };
}

/** The call that the acts of a decision name, or the call that failed. */
function keyOf({ entry: { decision, call } }: Decided, { ledger }: Timeline['runState']): string | null {
  const acts: readonly Act[] = 'unblock' in decision ? decision.unblock.acts : [];
  const named = acts.flatMap((each) => ('effect' in each && each.effect.id !== null ? [each.effect.id] : []));
  return named[0] ?? (call === null ? null : (ledger.ofActor(call)?.key ?? null));
}

function callOf(key: string, { runState }: Timeline): CauseCall | null {
  const intent = runState.ledger.get(key)?.intent;
  if (intent === undefined) return null;
  const { tool, instance } = intent;
  const name = instance.skeleton === ROOT ? null : runState.redaction.text(instanceName(instance));
  const args = cut(shown(runState.redaction.args(tool, intent.args), runState));
  return { tool, key, class: intent.class, instance: name, args };
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}...` : text;
}

/** A name of what makes a cause itself. */
function named(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
