/**
 * The first question: which instance failed? Exactly one, or the decision abstains (DART §4.2, semantics.md §8.1). A
 * suspect key must be one that the instance wrote: a suspicion about a write that never happened names nothing.
 */
import type { History } from '../history/history.ts';
import type { InstanceRecord } from '../history/registry.ts';
import type { Failure } from '../model/failure.ts';
import { overlaps } from '../model/key.ts';
import type { Veto } from '../model/veto.ts';

/** The failed instance, with the number of its first suspect write (null where none is suspected); or the abstention. */
export type Located =
  | { readonly kind: 'found'; readonly failed: InstanceRecord; readonly suspectAt: number | null }
  | { readonly kind: 'abstained'; readonly veto: Extract<Veto, { code: 'ambiguous_instance' }> };

/** Localises a failure. Costs the writes of the named instance where a key is suspected, else a look-up. */
export function localize(history: History, failure: Failure): Located {
  const { key } = failure;
  const failed = history.registry.get(failure.in);
  if (failed === undefined) return abstain(failure, 'never_entered');
  if (key === null) return { kind: 'found', failed, suspectAt: null };
  const suspect = history.versions.writesOf(failed).find((write) => overlaps(write.key, key));
  return suspect === undefined ? abstain(failure, 'never_wrote') : { kind: 'found', failed, suspectAt: suspect.at };
}

function abstain(failure: Failure, why: 'never_entered' | 'never_wrote'): Located {
  const veto = {
    code: 'ambiguous_instance',
    candidate: null,
    instance: failure.in,
    key: failure.key?.text ?? null,
    why,
  } as const;
  return { kind: 'abstained', veto };
}
