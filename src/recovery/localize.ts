/**
 * The first question: the instance that failed. Exactly one fits, or the decision abstains (DART §4.2, semantics.md
 * §8.1). A suspect key must be one that the instance wrote: a suspicion about a write that never happened names
 * nothing.
 */
import type { History } from '../history/history.ts';
import type { InstanceRecord } from '../history/registry.ts';
import type { Failure } from '../model/failure.ts';
import { ROOT } from '../model/instance.ts';
import { overlaps } from '../model/key.ts';
import type { Abstention } from '../model/veto.ts';

/** The failed instance, and the number of its first suspect write (Infinity where none is suspected). */
export interface Located {
  readonly failed: InstanceRecord;
  readonly suspectAt: number;
}

/**
 * Localises a failure, or says why it names no instance. Costs the writes of the named instance where a key is
 * suspected.
 */
export function localize(history: History, failure: Failure): Located | Abstention {
  if (failure.in === null) return failure.why;
  // A root instance owns the steps outside every skeleton: it promises nothing, and a failure is never its own (§1).
  if (failure.in.skeleton === ROOT) return 'fits_nobody';
  const { key } = failure;
  const failed = history.registry.get(failure.in);
  if (failed === undefined) return 'never_entered';
  if (key === null) return { failed, suspectAt: Number.POSITIVE_INFINITY };
  const suspect = history.versions.firstWrite(failed, (written) => overlaps(written, key));
  return suspect === undefined ? 'never_wrote' : { failed, suspectAt: suspect.at };
}
