/** The versions that judges are asked about, and the verdicts on them (semantics.md JU1, JU2). */
import { instanceName } from '../model/instance.ts';
import type { JudgedEntry, JudgingEntry } from '../model/judged-entries.ts';

/** What a base holds of judgments. */
export interface SavedJudgments {
  readonly asked: readonly JudgingEntry[];
  readonly verdicts: readonly JudgedEntry[];
}

/** The judgments of one run. */
export class Judgments {
  /** The boundaries whose version no verdict lets stand, by their instances and events. */
  readonly #asked = new Map<string, JudgingEntry>();
  /** The last verdict on each version. */
  readonly #verdicts = new Map<string, JudgedEntry>();

  get asked(): Iterable<JudgingEntry> {
    return this.#asked.values();
  }

  get isEmpty(): boolean {
    return this.#asked.size === 0;
  }

  /** True where a judge was ever to be asked. */
  get isUsed(): boolean {
    return this.#asked.size > 0 || this.#verdicts.size > 0;
  }

  /** The last verdict on a version; undefined before there is one. */
  verdictOn(id: string): JudgedEntry | undefined {
    return this.#verdicts.get(id);
  }

  ask(entry: JudgingEntry): void {
    if (this.#verdicts.get(entry.id)?.is === 'accepted') this.#asked.delete(nameOf(entry));
    else this.#asked.set(nameOf(entry), entry);
  }

  judge(entry: JudgedEntry): void {
    this.#verdicts.set(entry.id, entry);
    if (entry.is !== 'accepted') return;
    for (const [name, { id }] of [...this.#asked]) if (id === entry.id) this.#asked.delete(name);
  }

  get saved(): SavedJudgments {
    return { asked: [...this.#asked.values()], verdicts: [...this.#verdicts.values()] };
  }

  /** Takes over what a base has. */
  resumeAt({ asked, verdicts }: SavedJudgments): void {
    for (const entry of verdicts) this.#verdicts.set(entry.id, entry);
    for (const entry of asked) this.#asked.set(nameOf(entry), entry);
  }
}

function nameOf({ instance, at }: JudgingEntry): string {
  return `${instanceName(instance)} ${at}`;
}
