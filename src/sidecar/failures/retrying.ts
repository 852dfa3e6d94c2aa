/** Tries steps again that threw, from the whole past: nothing goes back, nothing is undone, no try is charged (semantics.md TH1 to TH7). */
import type { SentRetry } from '../../effects/messages/retries.ts';
import type { DecisionEntry, Thrown } from '../../model/entry.ts';
import { questionOf } from '../../projection/open-decisions.ts';
import { whatComesFirst, whyNoRetry } from '../../reports/no-retry.ts';
import type { Raised } from '../parts.ts';
import { SidecarError } from '../sidecar-error.ts';
import type { RecoveryParts } from './recovery-parts.ts';

type Needs = Pick<RecoveryParts, 'parts' | 'write' | 'open' | 'queue' | 'lifecycle'>;

/** The word that the code may be another one by now (TH2). */
export interface RetryWord {
  /** The person who says so; null for another process or version. */
  readonly by: string | null;
  readonly why: string | null;
  /** The number of the message that asked for it; null if no message did. */
  readonly post: number | null;
}

/** The word of a process that takes a run up. */
const PROCESS: RetryWord = { by: null, why: null, post: null };

/** The trying again of one run. */
export class Retrying {
  readonly #run: Needs;
  /** The words that messages have brought and that nothing has answered, in their order. */
  #waiting: RetryWord[] = [];

  constructor(run: Needs) {
    this.#run = run;
  }

  /** Takes a message in, unless it was heard before. */
  take(post: number, { by, why }: SentRetry): void {
    const { asked, ended } = this.#run.parts.runState;
    if (asked.sent.has(post)) return;
    this.#waiting.push({ by, why, post });
    if (this.#run.lifecycle.isAwake || ended !== null) this.#answer();
  }

  /** The machine is there: the words that have waited for it are answered. */
  begin(): void {
    this.#answer();
  }

  #answer(): void {
    for (const word of this.#waiting.splice(0)) {
      // A broken journal reports its failure to the callers that wait for the run.
      const answered = this.retry(word).then(() => this.#run.write.durable());
      void answered.catch(() => {});
    }
  }

  /** Has the steps taken again that threw, before the machine is there: it then takes them by itself. */
  takenUp(): void {
    const { write, parts } = this.#run;
    const [said] = this.#waiting;
    const isAgain = (question: string, entry: DecisionEntry) =>
      said === undefined ? this.#isTaken(question, entry) : isLeft(entry);
    const questions = this.#mayGoOn
      ? [...parts.runState.open].flatMap(([question, entry]) => (isAgain(question, entry) ? [question] : []))
      : [];
    if (questions.length === 0) return;
    if (said !== undefined) this.#waiting.shift();
    write.append([this.#retried(said ?? PROCESS, questions)]);
  }

  /**
   * Has the steps taken again that threw, in place.
   * @throws SidecarError `stuck`; `not_advised` where no step threw, or something is found wrong. The refusal of a message is written instead.
   */
  async retry(word: RetryWord): Promise<void> {
    const { queue } = this.#run;
    for (let isSaid = false; !isSaid; ) isSaid = await queue.add(() => this.#retry(word));
  }

  /** @returns false where it is to be said behind steps that threw and are asked about again: the run is parked on them once more first. */
  #retry(word: RetryWord): boolean {
    const { open, write, lifecycle } = this.#run;
    if (!lifecycle.leave.aborted && [...open.queued].some(({ thrown }) => thrown !== undefined)) return false;
    if (word.post === null) open.refuseIfStuck();
    // The process that takes the run next hears it.
    else if (lifecycle.leave.aborted) return true;
    const again = this.#mayGoOn ? open.parked.filter(({ thrown, retry }) => isThere(thrown, retry)) : [];
    const retried = this.#retried(word, again.map(nameOf));
    if (again.length > 0 || word.post !== null) write.append([retried]);
    if (again.length === 0 && word.post === null) throw new SidecarError('not_advised', retried.refused ?? '');
    // The last one is the first to be handed on otherwise.
    for (const { retry } of [...again].reverse()) retry?.();
    open.unask(again);
    return true;
  }

  #retried({ by, why, post }: RetryWord, questions: readonly string[]) {
    const refused = questions.length > 0 ? null : (whyNoRetry(this.#run.parts.runState, () => false) ?? '');
    return { do: 'retried', questions, by, why, post, refused } as const;
  }

  /** False while something comes before the steps that threw (TH5), or the run is over. */
  get #mayGoOn(): boolean {
    const { runState } = this.#run.parts;
    return this.#run.lifecycle.answer('decide').is !== 'no' && whatComesFirst(runState) === null;
  }

  /** True where a process that takes the run up tries a step again. */
  #isTaken(question: string, entry: DecisionEntry): boolean {
    if (!isByItself(entry)) return false;
    const { version, limit, runState } = this.#run.parts;
    if (entry.thrown?.limit !== undefined) return limit !== entry.thrown.limit;
    return version === null || !runState.threwUnder(question).has(version);
  }

  /**
   * The versions of the code under which no process tries the parked steps again. Null if no other version would try
   * them either.
   */
  threwUnder(): readonly string[] | null {
    const { runState } = this.#run.parts;
    if (!this.#mayGoOn || this.#run.lifecycle.configuration.pause === 'on') return null;
    const open = [...runState.open].filter(([, entry]) => isByItself(entry) && entry.thrown?.limit === undefined);
    return open.length === 0 ? null : [...new Set(open.flatMap(([question]) => [...runState.threwUnder(question)]))];
  }
}

/** True for a step that a process tries again by itself, once the code or the limit is another one: where a rerun is advised, a person chooses. */
function isByItself(entry: DecisionEntry): boolean {
  return isLeft(entry) && entry.decision.verdict === 'escalate';
}

/** True for a step whose event comes again in another process. */
function isLeft({ thrown }: DecisionEntry): boolean {
  return thrown !== undefined && thrown.lost !== true;
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
