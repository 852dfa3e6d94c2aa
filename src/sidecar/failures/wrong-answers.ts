/** Recorded answers that were found wrong: which are not served again, and which still stand (semantics.md C10). */
import { isAskedAgain, type LedgerCall } from '../../effects/ledger-call.ts';
import type { Failure } from '../../model/failure.ts';
import { instanceName } from '../../model/instance.ts';
import type { Kept } from '../../projection/rollback.ts';
import type { Raised } from '../parts.ts';
import type { RecoveryQueries } from '../queries/recovery-queries.ts';
import type { RestoredParts } from './recovered-machine.ts';

/** A failure, as far as it says that an answer was wrong. */
interface Complaint {
  readonly suspect?: true | undefined;
  readonly failure: Failure;
}

/** The wrong answers of one run. */
export class WrongAnswers {
  readonly #queries: RecoveryQueries;
  /** The failures whose wrong answers a cut has taken out of service. */
  readonly #cutFor = new WeakSet<Failure>();

  constructor(queries: RecoveryQueries) {
    this.#queries = queries;
  }

  /**
   * The recorded answers that are not served again after a restore: of the work that was found wrong, and of all other work that goes back
   * and that a complaint is about which waits for its answer; this is its answer, too (C12).
   */
  distrusted(kept: readonly Kept[], complaints: readonly Complaint[]): Pick<RestoredParts, 'wrong' | 'sure'> {
    const positions = new Map(kept.map(([id, position]) => [instanceName(id), position]));
    const wrong = new Set<string>();
    const sure = new Set<string>();
    for (const { failure, suspect } of complaints) {
      const at = failure.in === null ? undefined : positions.get(instanceName(failure.in));
      if (suspect !== true || failure.in === null || at === undefined) continue;
      this.#cutFor.add(failure);
      const answers = this.#queries.wrongAnswers(failure.in, failure.key?.text ?? null, at);
      for (const key of answers.keys) wrong.add(key);
      if (answers.isSure) for (const key of answers.keys) sure.add(key);
    }
    return { wrong: [...wrong], sure: [...sure] };
  }

  /**
   * The standing calls of undone work that a complaint is about; with a key, unless a cut has answered it, which knew the call.
   */
  standing({ failure, suspect }: Raised): LedgerCall[] {
    if (suspect !== true || failure.in === null) return [];
    return failure.key !== null && this.#cutFor.has(failure) ? [] : this.#queries.lost(failure.in);
  }

  /**
   * The calls of a live instance from before it was last taken back that its replay has not come to, and that no key of a complaint leaves
   * out: they would be served to that replay. An idempotent call is none of it: it is asked again.
   */
  unreached(raised: Raised): LedgerCall[] {
    if (raised.failure.key !== null) return [];
    return this.standing(raised).filter((call) => !isAskedAgain(call));
  }
}
