/**
 * Steps as rows of columns, in a base or in one of its pages. The columns that most steps have in common need no text.
 */
import type { HistoryValue, StateValue } from '../../model/step-entry.ts';
import type { RecordedStep } from '../state-types.ts';
import type { Loading } from './loading.ts';
import { RetainedStep } from './retained-step.ts';
import { Interned, type Saving } from './saving.ts';

/** The columns of steps, in their order. */
const COLUMNS = ['nth', 'act', 'acts', 'actor', 'parties', 'moves', 'looks', 'entered', 'flags', 'certified'] as const;
const MORE = ['time', 'firstStarted', 'remembered', 'recalled'] as const;
const [SPAWNS, GONE, OUTSIDE] = [1, 2, 4];

/** Steps as rows. */
export type StepRows = ReturnType<typeof stepRows>;

/** Lays steps down as rows. It goes through every one of them. */
export function stepRows(steps: readonly RecordedStep[], to: Saving) {
  const lists = new ListTable(to);
  const plain = new PlainTable();
  const rows: number[][] = [...COLUMNS, ...MORE].map(() => []);
  const add = (column: number, fact: number) => (rows[column] as number[]).push(fact);
  const entries: unknown[] = [];
  for (const step of steps) {
    const flags = (step.spawns ? SPAWNS : 0) + (step.gone ? GONE : 0) + (step.isOutside ? OUTSIDE : 0);
    add(0, step.nth);
    add(1, step.act);
    add(2, step.to - step.act);
    add(3, step.actor);
    add(4, lists.ofParties(step.parties));
    add(5, lists.of(step.moves));
    add(6, lists.of(step.looks));
    add(7, lists.of(step.entered));
    add(8, flags);
    add(9, plain.of(step.certified));
    add(10, to.texts.time(step.time));
    add(11, step.firstStarted);
    add(12, plain.of(step.remembered));
    add(13, plain.of(step.recalled));
    // An entry that a base has is not read to be laid down again.
    entries.push(step.isPlaced ? [plain.of(step.value)] : to.texts.step(step));
  }
  const columns = rows.map((row) => to.texts.numbers(row));
  return { columns, entries: packedEntries(entries, to), lists: lists.all, plain: plain.all };
}

/**
 * Makes the steps of rows.
 * @param known a step of a number that is at hand already.
 */
export function stepsOf(
  saved: StepRows,
  from: Loading,
  known: (nth: number, index: number) => RecordedStep | undefined,
): RecordedStep[] {
  const columns = saved.columns.map((column) => from.source.numbers(column));
  const [nth = [], act = [], acts = [], actor = [], parties = [], moves = [], looks = [], entered = []] = columns;
  const [flags = [], certified = [], time = [], firstStarted = [], remembered = [], recalled = []] = columns.slice(8);
  const lists = saved.lists.map((list) => list.map((word) => from.word(word)));
  const named = saved.lists.map((list) => partiesFrom(list, from));
  const others = new Map(saved.entries.others);
  const entries = from.source.numbers(saved.entries.numbers);
  const of = <T>(list: readonly T[], column: readonly number[], index: number) => list[column[index] as number] as T;
  return nth.map((number, index) => {
    const there = known(number, index);
    if (there !== undefined) return there;
    const flag = flags[index] as number;
    const entry = (entries[index] as number) >= 0 ? entries[index] : others.get(index);
    const placed = Array.isArray(entry) ? (saved.plain[entry[0]] as StateValue) : null;
    const facts = {
      nth: number,
      act: act[index] as number,
      to: (act[index] as number) + (acts[index] as number),
      actor: actor[index] as number,
      parties: of(named, parties, index),
      moves: of(lists, moves, index),
      looks: of(lists, looks, index),
      entered: of(lists, entered, index),
      spawns: (flag & SPAWNS) !== 0,
      gone: (flag & GONE) !== 0,
      owes: 0,
      remembered: of(saved.plain, remembered, index) as HistoryValue,
      recalled: of(saved.plain, recalled, index) as HistoryValue,
      certified: of(saved.plain, certified, index) as RecordedStep['certified'],
      time: time[index] as number,
      firstStarted: firstStarted[index] as number,
    };
    const step = new RetainedStep(facts, { entry: null, placed, isOutside: (flag & OUTSIDE) !== 0 });
    step.settle(from.source, entry);
    return step;
  });
}

/** The parties of a list of their names and regions. */
function partiesFrom(list: readonly number[], from: Loading): RecordedStep['parties'] {
  const parties: { name: string; region: string }[] = [];
  for (let at = 0; at + 1 < list.length; at += 2)
    parties.push({ name: from.word(list[at] as number), region: from.word(list[at + 1] as number) });
  return parties;
}

/** Lists of words, each once: most have one word, or none. */
class ListTable {
  readonly #to: Saving;
  readonly #lists = new Interned<readonly number[]>();
  readonly #single = new Map<string, number>();
  readonly #pairs = new Map<string, Map<string, number>>();

  constructor(to: Saving) {
    this.#to = to;
  }

  get all(): readonly (readonly number[])[] {
    return this.#lists.all;
  }

  of(words: readonly string[]): number {
    if (words.length !== 1) return this.#added(words);
    const [word] = words as [string];
    const known = this.#single.get(word) ?? this.#added(words);
    this.#single.set(word, known);
    return known;
  }

  /** Parties as a list of their names and regions. */
  ofParties(parties: RecordedStep['parties']): number {
    if (parties.length !== 1) return this.#added(parties.flatMap(({ name, region }) => [name, region]));
    const { name, region } = parties[0] as RecordedStep['parties'][number];
    const ofName = this.#pairs.get(name) ?? new Map<string, number>();
    this.#pairs.set(name, ofName);
    const known = ofName.get(region) ?? this.#added([name, region]);
    ofName.set(region, known);
    return known;
  }

  #added(words: readonly string[]): number {
    const numbers = words.map((word) => this.#to.word(word));
    return this.#lists.of(numbers, numbers.join());
  }
}

/** Plain data, each once: most of it is the same object, or an empty one. */
class PlainTable {
  readonly #all = new Interned<unknown>();
  readonly #known = new WeakMap<object, number>();

  get all(): readonly unknown[] {
    return this.#all.all;
  }

  of(value: unknown): number {
    const known = typeof value === 'object' && value !== null ? this.#known.get(value) : undefined;
    if (known !== undefined) return known;
    const number = this.#all.of(value, JSON.stringify(value));
    if (typeof value === 'object' && value !== null) this.#known.set(value, number);
    return number;
  }
}

/** Numbers of rows as a column, and what is no number beside them. */
function packedEntries(entries: readonly unknown[], to: Saving) {
  const others: [number, unknown][] = [];
  const numbers = entries.map((entry, index) => {
    if (typeof entry === 'number') return entry;
    others.push([index, entry]);
    return -1;
  });
  return { numbers: to.texts.numbers(numbers), others };
}
