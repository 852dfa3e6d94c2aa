/** Says why an answer to an approval request does not count (semantics.md R4, PE1). */
import { edited } from '../../boundaries/edited.ts';
import { rulesOf } from '../../boundaries/version-rules.ts';
import type { Refusal } from '../../effects/gates.ts';
import type { Answer } from '../../effects/messages/answers.ts';
import { endingText } from '../../effects/messages/cancels.ts';
import { encode } from '../../journal/codec.ts';
import type { GateEntry } from '../../model/call-entries.ts';
import type { Shown } from '../../model/choice-entries.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import type { RunState } from '../../projection/run-state.ts';
import { argsOf } from '../calls/args.ts';
import { Preconditions } from '../calls/preconditions.ts';
import type { RunParts } from '../parts.ts';

/** The number of restores that an instance has been through. */
export function epochOf({ epochs }: RunState, instance: InstanceId): number {
  return epochs.get(instanceName(instance)) ?? 0;
}

/**
 * What an answer is one to: a yes or a no to a request for a branch is about the branch, and to a review about the
 * work.
 */
export function askedFor(
  { runState }: Pick<RunParts, 'runState'>,
  gate: string,
  asks: 'approval' | 'outcome',
): GateEntry['asks'] {
  const about = runState.asked.get(gate)?.asks;
  return asks === 'approval' && (about === 'branch' || about === 'review') ? about : asks;
}

/**
 * The reason why an answer does not fit its request; null if it does. @param bound the digest and epoch that
 * the answer names.
 */
export function refusalOf(
  { runState, lifecycle, now: clock }: RunParts,
  request: string,
  asks: GateEntry['asks'],
  bound: { digest?: string; epoch?: number },
): Refusal | null {
  const { asked, ledger } = runState;
  const isOver = asks !== 'outcome' && lifecycle.answer('approve').is === 'no';
  if (isOver && asked.cancelled !== null) return { code: 'run_over', why: endingText(asked.cancelled) };
  const now = clock();
  // A choice is for no call: its digest says what was shown.
  if (asks === 'branch' || asks === 'review') return asked.refuses(request, asks, { ...bound, now });
  const key = asked.get(request)?.key;
  const instance = key === undefined ? undefined : ledger.get(key)?.intent.instance;
  const epoch = instance === undefined ? undefined : epochOf(runState, instance);
  // Checks the answer against the request, then the request against the present epoch.
  return asked.refuses(request, asks, { ...bound, now }) ?? asked.refuses(request, asks, { epoch: epoch ?? -1, now });
}

/**
 * The reason why an outcome that a person reports cannot be true, by the declared output of the tool; null if it can.
 */
export function unlikelyOutcome({ runState, config, versions }: RunParts, answer: Answer): Refusal | null {
  if (answer.verdict !== 'settled') return null;
  const { asked, ledger } = runState;
  const request = asked.get(answer.gate);
  if (answer.status !== 'confirmed')
    return request?.like === undefined ? null : { code: 'other_question', why: 'it has not left yet: deny it instead' };
  if (request?.like !== undefined && answer.output === undefined) return null;
  const call = ledger.get(request?.key ?? '');
  const why = (call && rulesOf(config, versions, call)?.refuses(answer.output)) ?? null;
  return why === null ? null : { code: 'bad_output', why: `it is no answer of ${call?.intent.tool}: ${why}` };
}

/** The reason why an approval may not make this change of arguments; null if it may, or changes nothing. */
export function refusedEdit(
  parts: RunParts,
  gate: string,
  answer: { readonly verdict: string; readonly with?: unknown },
): Refusal | null {
  const candidates = parts.runState.asked.get(gate)?.candidates;
  if (candidates !== undefined && answer.verdict === 'approved') return refusedBranch(candidates, answer);
  if (!('with' in answer)) return null;
  if (parts.runState.asked.get(gate)?.asks === 'review')
    return { code: 'edit_not_allowed', why: 'a review changes nothing of the work' };
  if (answer.verdict !== 'approved') return { code: 'edit_not_allowed', why: 'only an approval changes arguments' };
  const key = parts.runState.asked.get(gate)?.key;
  return key === undefined ? null : refusedChange(parts, key, answer.with);
}

/** The reason why a person may not choose so; null where the person names a branch that was shown as over (AL13). */
function refusedBranch(candidates: readonly Shown[], answer: { readonly with?: unknown }): Refusal | null {
  const open = candidates.filter(({ is }) => is === 'over').map(({ branch }) => branch);
  if (open.some((branch) => branch === answer.with)) return null;
  return { code: 'bad_answer', why: `it has to name a branch that may be chosen: ${open.join(', ')}` };
}

/** The reason why the arguments of a call may not be changed so now; null where they may. */
export function refusedChange(parts: RunParts, key: string, change: unknown): Refusal | null {
  const { runState, config } = parts;
  const call = runState.ledger.get(key);
  if (call === undefined) return null;
  const { tool, actor, instance } = call.intent;
  // One key has one body (E3).
  if (call.status !== 'buffered')
    return { code: 'edit_not_allowed', why: `${tool} was sent under its key before: its arguments are what they are` };
  const lost = encode(change, { codecs: runState.codecs });
  if (!('text' in lost))
    return { code: 'bad_arguments', why: `bad_arguments: ${lost.reason} at ${lost.path.join('.')}` };
  const made = edited(config, tool, argsOf(runState, call.intent), change);
  if ('code' in made) return { code: made.code, why: `${made.code}: ${made.reason}` };
  const unmet = new Preconditions(parts).whenUnmet({ tool, input: made.args }, actor, instance);
  return unmet === null ? null : { code: 'condition_unmet', why: `condition_unmet: ${unmet}` };
}
