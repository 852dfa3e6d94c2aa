/**
 * Counts how often what the rules of control are for has happened (semantics.md §10), in what runs have told and in the rows of their
 * journals. A campaign in which a rule was never needed says nothing about it.
 */
import type { Decision, Journal } from 'belay-sidecar';

/** What is counted, each with what counts. */
const COUNTERS = {
  aside: 'instances that decisions set aside (C2)',
  claimed: 'records that replays took over (C5)',
  redone: 'records given up because their reads differ, or because they were done again (C7)',
  accused: 'records given up because they were found wrong (C12)',
  diverged: 'kept calls that a replay asks for with other arguments: undone and made again, or parked on (C7)',
  unclaimed: 'parks on effects that nothing has claimed (C8, C9)',
  orphans: 'records that were given up, and effects undone outside of any plan, because nothing claimed them (C9)',
  owed: 'events from outside that a restore took back and that were heard again (C1b)',
  dropped: 'calls that decisions drop, and answers that come too late to be heard (C11)',
} as const;

export type Counter = keyof typeof COUNTERS;
export type Counted = Record<Counter, number>;

type Row = Parameters<Journal['append']>[0][number];

/** The kinds of rows that are read here. A kind is never given another meaning. */
const KIND = { step: 3, intent: 4, phase: 8, restored: 9, late: 11, end: 13, claimed: 21, dismissed: 22 } as const;
/** Where a step's row says that its event came from outside, and where a number begins to stand for so many members that say nothing. */
const [OUTSIDE, GAPS] = [13, 5];

export function noneCounted(): Counted {
  return Object.fromEntries(Object.keys(COUNTERS).map((name) => [name, 0])) as Counted;
}

export function addCounted(to: Counted, more: Counted): void {
  for (const name of Object.keys(COUNTERS) as Counter[]) to[name] += more[name];
}

/** The counts as lines of a report. */
export function countedLines(counted: Counted): string[] {
  const names = Object.keys(COUNTERS) as Counter[];
  return names.map((name) => `${String(counted[name]).padStart(7)}  ${name.padEnd(10)}${COUNTERS[name]}`);
}

/** What one run has told and journaled. */
export class Counters {
  readonly counts = noneCounted();
  /** The events that restores took back and nobody has heard again, as text. */
  readonly #takenBack: string[] = [];
  /** Whether a plan is being carried out: its undos are its own. */
  #isPlan = false;
  /** Undos outside of any plan: what comes next tells what they were for. */
  #undone = 0;

  /** Takes in what `onDecision` is told. */
  decided(decision: Decision, takenBack: readonly unknown[]): void {
    const { counts } = this;
    if ('aside' in decision) counts.aside += decision.aside?.length ?? 0;
    if ('dropped' in decision) counts.dropped += decision.dropped?.length ?? 0;
    this.#takenBack.push(...takenBack.map((event) => JSON.stringify(event)));
    const codes = decision.refusals.map((refusal) => ('code' in refusal ? refusal.code : ''));
    if (codes.includes('unclaimed_effect')) counts.unclaimed += 1;
    if (codes.includes('effect_diverged')) counts.diverged += 1;
  }

  /** Takes in rows as they are appended. */
  appended(rows: readonly Row[]): void {
    for (const { kind, body } of rows) this.#row(kind, body);
  }

  #row(kind: number, body: string): void {
    const { counts } = this;
    if (kind === KIND.step) this.#heard(JSON.parse(body) as unknown[]);
    else if (kind === KIND.claimed) counts.claimed += 1;
    else if (kind === KIND.late) counts.dropped += 1;
    else if (kind === KIND.dismissed) this.#dismissed((JSON.parse(body) as { why: string }).why);
    else if (kind === KIND.phase) this.#phase((JSON.parse(body) as { phase: string }).phase);
    else if (kind === KIND.restored) this.#isPlan = false;
    else if (kind === KIND.intent) this.#undoneFor('diverged');
    else if (kind === KIND.end) this.#undoneFor('orphans');
  }

  #phase(phase: string): void {
    if (phase === 'FENCED') this.#isPlan = true;
    else if (phase === 'COMPENSATED' && !this.#isPlan) this.#undone += 1;
  }

  #undoneFor(counter: Counter): void {
    this.counts[counter] += this.#undone;
    this.#undone = 0;
  }

  #dismissed(why: string): void {
    if (why === 'undone_before') return;
    const counter = why === 'unclaimed' ? 'orphans' : why === 'found_wrong' ? 'accused' : 'redone';
    this.#undoneFor(counter);
    this.counts[counter] += 1;
  }

  #heard(step: readonly unknown[]): void {
    const members = step.flatMap((member, at) =>
      at >= GAPS && typeof member === 'number' ? Array.from({ length: member }, () => []) : [member],
    );
    const isOutside = (members[OUTSIDE] as readonly unknown[] | undefined)?.[0] === 1;
    const index = isOutside ? this.#takenBack.indexOf(JSON.stringify(step[1])) : -1;
    if (index === -1) return;
    this.#takenBack.splice(index, 1);
    this.counts.owed += 1;
  }
}
