/** The questions and answers of a run that a person has cancelled, until it is over. */
import { keysLeft, standingActs } from '../../projection/left-calls.ts';
import { brokenIn, unannouncedIn } from '../../reports/left-at-end.ts';
import type { RecoveryParts } from './recovery-parts.ts';

type Needs = Pick<RecoveryParts, 'parts' | 'write' | 'open' | 'queue' | 'ending' | 'outbox'>;

/** The recoveries of one run, as far as they matter to its cancelling. */
export class EndedByPerson {
  readonly #run: Needs;

  constructor(run: Needs) {
    this.#run = run;
  }

  /** Resolves once every failure so far was answered. */
  answered(): Promise<void> {
    return this.#run.queue.add(() => {});
  }

  /** Lets go of a restore that an undo holds up: an abort takes its place (AB1). */
  letGoOfPlan(): void {
    this.#run.open.stuck = null;
  }

  /** Asks nothing any more that the run is parked on, but for commits that have begun to be visible. */
  letGo(): void {
    const { parts, write, open } = this.#run;
    const { publications, open: asked } = parts.runState;
    const isBegun = ({ commit }: { readonly commit?: string }) => publications.some(({ id }) => id === commit);
    const questions = [...asked].flatMap(([question, entry]) => (isBegun(entry) ? [] : [question]));
    if (questions.length > 0) write.append([{ do: 'retracted', questions }]);
    open.unask(open.parked.filter((raised) => !isBegun(raised)));
  }

  /** Goes on with the commits that were decided. */
  goOnPublishing(): void {
    this.#run.outbox.goOn();
  }

  /** Frees the claims of the run, and tells the callers that wait for it that it was cancelled. */
  async over(): Promise<void> {
    const { parts, ending } = this.#run;
    const { by, why } = parts.runState.asked.cancelled ?? { by: '', why: null };
    const standing = keysLeft(parts.runState);
    const untold = unannouncedIn(parts.runState);
    const broken = brokenIn(parts.runState);
    const left = {
      standing,
      ...(untold.length > 0 && { unannounced: untold }),
      ...(broken.length > 0 && { broken }),
    };
    const isAborted = parts.runState.ended === 'compensated';
    try {
      await parts.claims?.release(parts.run);
      ending.end(
        isAborted
          ? { status: 'compensated', by, why, ...left, stands: standingActs(parts.runState) }
          : { status: 'cancelled', by, why, ...left },
      );
    } catch (error) {
      ending.fail(error);
    }
  }
}
