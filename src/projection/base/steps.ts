/** The steps of a run in a base, and where its instances live. */
import type { PlacedStep, Places } from '../../history/places.ts';
import { instanceName } from '../../model/instance.ts';
import type { HistoryValue, StateValue } from '../../model/step-entry.ts';
import type { ActorState, RecordedStep } from '../state-types.ts';
import type { Loading } from './loading.ts';
import { RetainedStep } from './retained-step.ts';
import { Interned, type Saving } from './saving.ts';

/** The columns of steps, in their order. */
const COLUMNS = ['nth', 'act', 'acts', 'actor', 'parties', 'moves', 'looks', 'entered', 'flags', 'certified'] as const;
const MORE = ['time', 'firstStarted', 'remembered', 'recalled'] as const;
const [SPAWNS, GONE, OUTSIDE] = [1, 2, 4];

/** The steps of an actor after which its context is laid down. */
const CONTEXT_EVERY = 1_024;

/** Lays down where everything is. The steps themselves follow, once all are met: `savedSteps`. */
export function savedPlaces(places: Places<RecordedStep>, to: Saving) {
  for (const step of places.steps) to.step(step);
  const retained = to.steps.all.length;
  const { places: all, roots, regions } = places.parts;
  const lived = [...all.values()].map(({ id, region, root, entered, closed, certified }) => {
    const flags = (root ? 1 : 0) + (certified ? 2 : 0);
    return [to.id(id), to.word(region), flags, to.step(entered), to.step(closed)] as const;
  });
  const ofRegions = [...roots].map(([region, id]) => [to.word(region), to.id(id)] as const);
  const words = regions.map((region) => to.word(region));
  return { retained, next: places.next, removals: places.removals, lived, roots: ofRegions, regions: words };
}

/** Lays down all steps that were met, and those that they lead to. It goes through every step of the run: what most have in common is found without a text. */
export function savedSteps(to: Saving) {
  const lists = new ListTable(to);
  const plain = new PlainTable();
  const rows: number[][] = [...COLUMNS, ...MORE].map(() => []);
  const add = (column: number, fact: number) => (rows[column] as number[]).push(fact);
  const entries: unknown[] = [];
  const rare: unknown[] = [];
  for (let index = 0; index < to.steps.all.length; index += 1) {
    const step = to.steps.all[index] as RecordedStep;
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
    const seldom = savedRare(step, to);
    if (seldom !== null) rare.push([index, ...seldom]);
  }
  const columns = rows.map((row) => to.texts.numbers(row));
  return { columns, entries: packedEntries(entries, to), rare, lists: lists.all, plain: plain.all };
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

function savedRare({ leads, ties, owes, closes, origins }: RecordedStep, to: Saving) {
  if (leads.length === 0 && ties.length === 0 && owes === 0 && closes.length === 0 && origins === null) return null;
  const numbers = (steps: readonly PlacedStep[]) => steps.map((step) => to.step(step));
  const first = origins?.map((origin) => origin ?? -1) ?? null;
  return [numbers(leads), numbers(ties), owes, closes.map((name) => to.word(name)), first] as const;
}

/** The steps whose contexts are kept however old they are. */
function* keptContexts(places: Places<RecordedStep>): Generator<RecordedStep> {
  const since = new Map<number, number>();
  for (const step of places.steps) {
    const count = (since.get(step.actor) ?? 0) + 1;
    const isKept = step.context !== null && count >= CONTEXT_EVERY;
    since.set(step.actor, isKept ? 0 : count);
    if (isKept) yield step;
  }
}

/** Has old steps keep no contexts but those that a base has: a wide context that every step copies would be held as often as there are steps. */
export function dropContexts(places: Places<RecordedStep>): void {
  const kept = new Set(keptContexts(places));
  const old = places.steps.slice(0, -CONTEXT_EVERY);
  for (const step of old) if (!kept.has(step)) step.context = null;
}

/** Lays down the contexts after some of the steps: the edits lead from there to all others. */
export function savedContexts(places: Places<RecordedStep>, actors: readonly ActorState[], to: Saving) {
  const contexts: (readonly [step: number, context: unknown])[] = [];
  for (const step of keptContexts(places)) contexts.push([to.step(step), to.texts.value(step.context?.is, 'memory')]);
  const present = actors.map(({ context }) => (context === undefined ? -1 : to.texts.value(context, 'memory')));
  return { contexts, present };
}

/** Makes the steps again: first of all, since everything refers to them. */
export function loadSteps(saved: ReturnType<typeof savedSteps>, from: Loading): void {
  const columns = saved.columns.map((column) => from.source.numbers(column));
  const [nth = [], act = [], acts = [], actor = [], parties = [], moves = [], looks = [], entered = []] = columns;
  const [flags = [], certified = [], time = [], firstStarted = [], remembered = [], recalled = []] = columns.slice(8);
  const lists = saved.lists.map((list) => list.map((word) => from.word(word)));
  const named = saved.lists.map((list) => partiesFrom(list, from));
  const others = new Map(saved.entries.others);
  const entries = from.source.numbers(saved.entries.numbers);
  const of = <T>(list: readonly T[], column: readonly number[], index: number) => list[column[index] as number] as T;
  for (let index = 0; index < nth.length; index += 1) {
    const flag = flags[index] as number;
    const entry = (entries[index] as number) >= 0 ? entries[index] : others.get(index);
    const placed = Array.isArray(entry) ? (saved.plain[entry[0]] as StateValue) : null;
    const facts = {
      nth: nth[index] as number,
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
    const isOutside = (flag & OUTSIDE) !== 0;
    const step = new RetainedStep(facts, { entry: null, placed, isOutside });
    step.settle(from.source, entry);
    from.steps.push(step);
  }
}

/** The parties of a list of their names and regions. */
function partiesFrom(list: readonly number[], from: Loading): RecordedStep['parties'] {
  const parties: { name: string; region: string }[] = [];
  for (let at = 0; at + 1 < list.length; at += 2)
    parties.push({ name: from.word(list[at] as number), region: from.word(list[at + 1] as number) });
  return parties;
}

/** Puts the steps and the instances in their places. */
export function loadPlaces(
  places: Places<RecordedStep>,
  saved: ReturnType<typeof savedPlaces>,
  steps: ReturnType<typeof savedSteps>,
  from: Loading,
): void {
  places.resumeAt(
    0,
    0,
    saved.regions.map((region) => from.word(region)),
  );
  for (const step of from.steps.slice(0, saved.retained)) places.add(step);
  places.resumeAt(saved.next, saved.removals);
  for (const row of steps.rare as [number, ...NonNullable<ReturnType<typeof savedRare>>][]) {
    const [index, leads, ties, owes, closes, origins] = row;
    const step = from.step(index);
    if (leads.length > 0) step.leads = leads.map((lead) => from.step(lead));
    if (ties.length > 0) step.ties = ties.map((tie) => from.step(tie));
    step.owes = owes;
    if (closes.length > 0) step.closes = closes.map((name) => from.word(name));
    step.origins = origins?.map((origin) => (origin === -1 ? undefined : origin)) ?? null;
  }
  const { places: all, roots } = places.parts;
  for (const [id, region, flags, entered, closed] of saved.lived)
    all.set(instanceName(from.id(id)), {
      id: from.id(id),
      region: from.word(region),
      root: (flags & 1) !== 0,
      entered: from.step(entered),
      closed: from.stepOrNull(closed),
      certified: (flags & 2) !== 0,
    });
  for (const [region, id] of saved.roots) roots.set(from.word(region), from.id(id));
}
