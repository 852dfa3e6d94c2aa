/** The complaint of a run about an answer that was looked at again, and is another one now (semantics.md RV3). */
import type { MovedAnswer } from '../../effects/guarded-call.ts';
import { isExternal } from '../../model/external-keys.ts';
import { instanceName, ROOT } from '../../model/instance.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Raised } from '../parts.ts';

/**
 * The complaint. It is about the version that the call rests on; work outside every skeleton has no failure of its own.
 * @param before the tool whose call was about to leave, @param actor the machine that makes it.
 */
export function complaintAboutMoved(
  runState: RunState,
  { tool, instance, key, at }: MovedAnswer,
  before: string,
  actor: number,
): Raised {
  const error = new Error(`${tool} was looked at again before ${before}, and it has changed`);
  const of = { signal: 'CONTRACT_VIOLATION', error, actor, call: null, moved: true } as const;
  if (instance.skeleton === ROOT) return { ...of, failure: { in: null, key: null, why: 'fits_nobody' } };
  const epoch = runState.epochs.get(instanceName(instance)) ?? 0;
  const about = { write: runState.originOf(at), head: runState.history.head, epoch };
  return { ...of, suspect: true, about, failure: { in: instance, key: isExternal(key) ? null : key } };
}
