/** Says why an answer to an approval request does not count (semantics.md R4). */
import type { Answer } from '../../effects/messages/answers.ts';
import { endingText } from '../../effects/messages/cancels.ts';
import type { GateEntry } from '../../model/call-entries.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { RunParts } from '../parts.ts';

/** The number of restores that an instance has been through. */
export function epochOf({ epochs }: RunState, instance: InstanceId): number {
  return epochs.get(instanceName(instance)) ?? 0;
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
): string | null {
  const { asked, ledger } = runState;
  const isOver = asks === 'approval' && lifecycle.answer('approve').is === 'no';
  if (isOver && asked.cancelled !== null) return endingText(asked.cancelled);
  const now = clock();
  const key = asked.get(request)?.key;
  const instance = key === undefined ? undefined : ledger.get(key)?.intent.instance;
  const epoch = instance === undefined ? undefined : epochOf(runState, instance);
  // Checks the answer against the request, then the request against the present epoch.
  return asked.refuses(request, asks, { ...bound, now }) ?? asked.refuses(request, asks, { epoch: epoch ?? -1, now });
}

/**
 * The reason why an outcome that a person reports cannot be true, by the declared output of the tool; null if it can.
 */
export function unlikelyOutcome({ runState, config }: RunParts, answer: Answer): string | null {
  if (answer.verdict !== 'settled') return null;
  const { asked, ledger } = runState;
  const request = asked.get(answer.gate);
  if (answer.status !== 'confirmed') return request?.like === undefined ? null : 'it has not left yet: deny it instead';
  if (request?.like !== undefined && answer.output === undefined) return null;
  const call = ledger.get(request?.key ?? '');
  const why = config.tools.get(call?.intent.tool ?? '')?.refuses(answer.output) ?? null;
  return why === null ? null : `it is no answer of ${call?.intent.tool}: ${why}`;
}
