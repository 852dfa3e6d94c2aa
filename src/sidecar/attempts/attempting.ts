/**
 * Has an attempt wait for the choice before a call that nothing takes back and at its end, says where it stands, and carries the choice out: the kept attempt
 * goes on, any other is aborted (semantics.md FK7 to FK9).
 */
import { isHeldInBranch } from '../../boundaries/lint/alternatives.ts';
import { setAlarm } from '../../clock/alarm.ts';
import type { Alarm } from '../../clock/clock.ts';
import type { SentCancel } from '../../effects/messages/cancels.ts';
import type { SentKeep } from '../../effects/messages/keeps.ts';
import type { KeptEntry, TriedEntry } from '../../model/attempt-entries.ts';
import { compileScore } from '../../predicates/compile.ts';
import type { Score } from '../../predicates/predicate.ts';
import type { RunParts } from '../parts.ts';
import type { Writing } from '../writing.ts';
import { bestOf, choiceOf, choose, groupOf, tellAll } from './group.ts';

/** The time between two looks at a choice that no message has told of, in milliseconds: its chooser may have died. */
const LOOK = 30_000;

/** The surroundings of an attempt. */
interface AttemptingPort {
  readonly parts: RunParts;
  readonly write: Writing;
  readonly run: {
    readonly heard: {
      /** Another attempt was kept. */
      loses(sent: SentCancel): void;
    };
    /** Has everything go on that has waited for the choice. */
    settled(): void;
  };
}

/** A word about the choice that was left for the run. */
interface Word {
  readonly post: number;
  readonly sent: SentKeep;
}

/** The attempt that one run is. */
export class Attempting {
  readonly #port: AttemptingPort;
  /** The calls that wait for the choice, by their tools. */
  readonly #waiting: string[] = [];
  /** The output of the machine, once it has come to its end. */
  #end: { readonly output: unknown } | null = null;
  /** The words that no entry has answered. */
  readonly #words: Word[] = [];
  #score: Score | null | undefined;
  #isLooking = false;
  #isOwed = false;
  #alarm: Alarm | undefined;
  #next: number | null = null;

  constructor(port: AttemptingPort) {
    this.#port = port;
    port.parts.lifecycle.whenever('choose', () => this.begin());
  }

  get #attempt() {
    return this.#port.parts.runState.attempt;
  }

  get #isTrying(): boolean {
    return this.#port.parts.lifecycle.configuration.attempt !== 'none';
  }

  /** The wall clock of the next look at the choice; null for a run that waits for none. */
  get next(): number | null {
    return this.#isTrying ? this.#next : null;
  }

  /** True for a tool whose calls wait for the choice: nothing undoes them, or their acts are one over all attempts (FK8). */
  holds(tool: string): boolean {
    const declared = this.#port.parts.config.tools.get(tool);
    return this.#isTrying && (isHeldInBranch(declared) || declared?.once?.scope === 'store');
  }

  /** Has a call wait for the choice. Resolves where the run was kept, or is not to make the call any more. */
  async stand(tool: string, signal: AbortSignal): Promise<void> {
    const { lifecycle, activity } = this.#port.parts;
    this.#waiting.push(tool);
    this.begin();
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    if (!signal.aborted) await activity.waitFor(Promise.race([lifecycle.past('leaveForGood'), aborted]));
    this.#waiting.splice(this.#waiting.indexOf(tool), 1);
  }

  /** The machine has come to its end. */
  atEnd(output: unknown): void {
    this.#end = { output };
    this.begin();
  }

  /** The machine goes on: it was put elsewhere. */
  goesOn(): void {
    this.#end = null;
  }

  /** A call stands in line for a claim. Where another attempt has it, that one may wait for the choice: this one waits for it, too. */
  standsInLine(reason: string): void {
    const { terms } = this.#attempt.now;
    if (terms === null || !this.#isTrying) return;
    const [, run = ''] = /by the run (.+?)(?:, which .*)?$/.exec(reason) ?? [];
    const number = run.startsWith(`${terms.of}-`) ? Number(run.slice(terms.of.length + 1)) : Number.NaN;
    if (run === this.#attempt.name || !(number >= 1 && number <= terms.count)) return;
    this.#say({ do: 'tried', at: 'key' });
    this.#look();
  }

  /** Takes a message in, unless it was heard before. */
  take(post: number, sent: SentKeep): void {
    if (this.#port.parts.runState.asked.sent.has(post) || this.#words.some((word) => word.post === post)) return;
    this.#words.push({ post, sent });
    this.begin();
  }

  /** Says where the run stands, if that was not said, and looks for the choice. */
  begin(): void {
    const { lifecycle } = this.#port.parts;
    if (this.#attempt.now.terms === null && this.#words.length === 0) return;
    if (!lifecycle.isAwake || lifecycle.isLeft) return;
    if (this.#isTrying && this.#attempt.now.tried?.at !== 'end' && lifecycle.may('choose')) {
      const [tool] = this.#waiting;
      if (this.#end !== null) this.#say({ do: 'tried', at: 'end' });
      else if (tool !== undefined && this.#attempt.now.tried?.at !== 'act') this.#say({ do: 'tried', at: 'act', tool });
    }
    this.#look();
  }

  /** Looks no more: the process takes leave of the run. */
  stop(): void {
    this.#alarm?.cancel();
  }

  #say(tried: TriedEntry): void {
    this.#port.write.append([{ ...tried, ...(tried.at !== 'key' && this.#scoreNow()) }]);
    void this.#port.write.durable().catch(() => {});
  }

  #scoreNow(): Pick<TriedEntry, 'score' | 'why'> {
    const score = this.#compiled();
    if (score === null) return {};
    const { context } = this.#port.parts.runState.actor(0);
    const event = this.#end === null ? {} : { output: this.#end.output };
    const found = score.evaluate({ state: '', action: '', args: null, entity: null, memory: context, event });
    return 'value' in found ? { score: found.value } : { why: found.reason };
  }

  #compiled(): Score | null {
    if (this.#score === undefined) {
      const text = this.#attempt.now.terms?.score;
      const compiled = text === undefined ? null : compileScore(text);
      this.#score = compiled !== null && 'ok' in compiled ? compiled.ok : null;
    }
    return this.#score;
  }

  /** Reads the choice, and makes it where the score can: one look after the other. */
  #look(): void {
    this.#isOwed = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    const ends = this.#port.parts.activity.begin();
    void this.#lookAll()
      // A store that cannot be read or written is looked at again.
      .catch(() => {})
      .finally(() => {
        this.#isLooking = false;
        this.#wake();
        ends();
      });
  }

  async #lookAll(): Promise<void> {
    const { parts, write } = this.#port;
    while (this.#isOwed && !parts.lifecycle.isLeft) {
      this.#isOwed = false;
      const { terms } = this.#attempt.now;
      const { runs } = parts.kin;
      if (terms === null) {
        this.#hear(null);
        continue;
      }
      await write.durable();
      const choice = (await choiceOf(runs, terms)) ?? (this.#isTrying ? await this.#chosen() : null);
      if (choice === null) continue;
      // The chooser may have died before it told the others; the first attempt has the choice in its own inbox.
      if (this.#attempt.name === `${terms.of}-1` || this.#isTrying) await tellAll(runs, terms, choice);
      if (!parts.lifecycle.isLeft) this.#hear(choice);
      await write.durable();
    }
  }

  /** The choice by the score, where it can be made now. */
  async #chosen(): Promise<SentKeep | null> {
    const { parts } = this.#port;
    const { terms } = this.#attempt.now;
    if (terms?.score === undefined || !parts.lifecycle.may('choose')) return null;
    const { runs } = parts.kin;
    const best = bestOf(await groupOf(runs, terms), parts.now());
    if (best === null || !parts.lifecycle.may('choose')) return null;
    return choose(runs, terms, {
      keep: best.run,
      of: terms.of,
      by: null,
      why: `the highest score, ${best.score}`,
    });
  }

  /** Carries a choice out. @param choice null for a run that is no attempt. */
  #hear(choice: SentKeep | null): void {
    const { write, run, parts } = this.#port;
    const { name } = this.#attempt;
    const words = this.#words.splice(0);
    if (parts.lifecycle.answer('outcome').is === 'no') return;
    const isNew = this.#isTrying && choice !== null;
    const own = choice === null ? undefined : words.find(({ sent }) => sent.keep === choice.keep);
    const entries: KeptEntry[] = words
      .filter((word) => !isNew || word !== own)
      .map(({ post, sent }) => entryOf(sent, post, this.#refusal(sent, choice)));
    if (isNew) entries.unshift(entryOf(choice, own?.post ?? null, null));
    if (entries.length === 0) return;
    write.together(() => {
      write.append(entries);
      if (isNew && choice.keep !== name) {
        const why = `${choice.keep} was kept${choice.why === null ? '' : `: ${choice.why}`}`.slice(0, 2_000);
        run.heard.loses({ by: choice.by ?? 'the score', why, undo: true });
      }
    }, false);
    void write.durable().catch(() => {});
    if (isNew && choice.keep === name) run.settled();
  }

  #refusal({ keep }: SentKeep, choice: SentKeep | null): string {
    if (choice === null) return 'the run is no attempt';
    if (choice.keep !== keep) return `${choice.keep} was kept`;
    return this.#attempt.now.kept === null ? 'a person has ended the run' : 'it was said before';
  }

  /** Sets the alarm for the next look. */
  #wake(): void {
    const { parts } = this.#port;
    this.#alarm?.cancel();
    this.#alarm = undefined;
    this.#next = null;
    if (!this.#isTrying || parts.lifecycle.isLeft) return;
    const { until = Number.POSITIVE_INFINITY } = this.#attempt.now.terms ?? {};
    this.#next = Math.min(parts.now() + LOOK, until > parts.now() ? until : Number.POSITIVE_INFINITY);
    this.#alarm = setAlarm(this.#next, parts.now, () => this.begin(), false);
  }
}

function entryOf({ keep, by, why }: SentKeep, post: number | null, refused: string | null): KeptEntry {
  return { do: 'kept', run: keep, post, by, why, refused };
}
