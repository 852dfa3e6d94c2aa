/** Tries steps again that threw, from the whole past: nothing goes back, nothing is undone, no try is charged (semantics.md TH1 to TH7). */
import type { DecisionEntry, Thrown } from '../../model/entry.ts';
import { questionOf } from '../../projection/open-decisions.ts';
import type { Raised } from '../parts.ts';
import { goneCalls } from '../queries/gone-effects.ts';
import { SidecarError } from '../sidecar-error.ts';
import type { RecoveryParts } from './recovery-parts.ts';

type Needs = Pick<RecoveryParts, 'parts' | 'write' | 'open' | 'queue'>;

/** The word that the code may be another one by now (TH2). */
export interface RetryWord {
  /** The person who says so; null for another process or version. */
  readonly by: string | null;
  readonly why: string | null;
  /** The number of the message that said so; null where none did. */
  readonly post: number | null;
}

/** The word of a process that takes a run up. */
const PROCESS: RetryWord = { by: null, why: null, post: null };

/** The trying again of one run. */
export class Retrying {
  readonly #run: Needs;

  constructor(run: Needs) {
    this.#run = run;
  }

  /** Has the steps taken again that threw, before the machine is there: it then takes them by itself. */
  takenUp(): void {
    const { write, parts } = this.#run;
    const questions = this.#mayGoOn
      ? [...parts.runState.open].flatMap(([question, entry]) => (this.#isTaken(entry) ? [question] : []))
      : [];
    if (questions.length > 0) write.append([this.#retried(PROCESS, questions)]);
  }

  /**
   * Has the steps taken again that threw, in place.
   * @throws SidecarError `stuck`; `not_advised` where no step threw, or something is found wrong.
   */
  async retry(word: RetryWord): Promise<void> {
    await this.#run.queue.add(() => this.#retry(word));
  }

  #retry(word: RetryWord): void {
    const { open, write } = this.#run;
    open.refuseIfStuck();
    const again = this.#mayGoOn ? open.parked.filter(({ thrown, retry }) => isThere(thrown, retry)) : [];
    const refused = this.#retried(word, again.map(nameOf));
    if (again.length > 0 || word.post !== null) write.append([refused]);
    if (again.length === 0 && word.post === null) throw new SidecarError('not_advised', refused.refused ?? '');
    // The last one is the first to be handed on otherwise.
    for (const { retry } of [...again].reverse()) retry?.();
    open.unask(again);
  }

  #retried({ by, why, post }: RetryWord, questions: readonly string[]) {
    const nothing = this.#mayGoOn
      ? 'the run is parked on no step that threw'
      : 'what the step rests on is in question: that comes first';
    return { do: 'retried', questions, by, why, post, refused: questions.length > 0 ? null : nothing } as const;
  }

  /** False while anything is found wrong, an effect of the past is gone, or a plan is under way (TH5). */
  get #mayGoOn(): boolean {
    const { runState } = this.#run.parts;
    const { pending, open } = runState;
    if ([...open.values()].some(({ suspect }) => suspect === true) || goneCalls(runState).length > 0) return false;
    return pending === null || pending.phase === 'DECIDED';
  }

  /** True where a process that takes the run up tries a step again. */
  #isTaken({ thrown, decision: { verdict } }: DecisionEntry): boolean {
    if (thrown === undefined || thrown.lost === true) return false;
    const { version, limit } = this.#run.parts;
    // Where a rerun is advised, a person chooses.
    if (verdict !== 'escalate') return false;
    if (thrown.limit !== undefined) return limit !== thrown.limit;
    return version === null || version !== thrown.version;
  }
}

/** True where the machine can take a step again: it is there still, or comes again by itself. */
function isThere(thrown: Thrown | undefined, retry: Raised['retry']): boolean {
  return thrown !== undefined && (thrown.lost !== true || retry !== undefined);
}

function nameOf({ failure, complaint }: Raised): string {
  const { in: failed, key } = failure;
  const named = complaint === undefined ? {} : { complaint: complaint as NonNullable<DecisionEntry['complaint']> };
  return questionOf({ failed, key: key?.text ?? null, call: null, ...named });
}
