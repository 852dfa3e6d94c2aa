/** Runs a share of all cases, graph by graph, and counts how they end. */
import { type Case, casesAt, caseText, drawn, idOf, killed } from './cases.ts';
import { type Result, runCase } from './drive.ts';
import { judge, legalEnding, type Verdict } from './judge.ts';
import { configOf } from './little-config.ts';
import { digest, graphsOfUnits, type LittleGraph, littleGraph, pick } from './little-graph.ts';
import { allShapes, type Shape } from './shapes.ts';
import { isLine } from './units.ts';

export interface EnumerationOptions {
  readonly nodes: readonly number[];
  /** One of so many cases is run, and one of so many graphs looked at; `seed` says which. */
  readonly graphs: number;
  readonly cases: number;
  readonly seed: number;
  /** Has units over several nodes, in the graphs that run one node at a time. */
  readonly units?: boolean;
  /** Has the config call irreversible tools harmless, to show that the judge sees it. */
  readonly lies?: boolean;
  /** One shape alone, and one case of it. */
  readonly shape?: string;
  readonly id?: string;
  /** After so many seconds no other graph is begun. The graphs come in an order that the seed draws, so that those before are a fair sample. */
  readonly seconds?: number;
  /** One of several shares of the graphs: its number, and how many there are. */
  readonly share?: { readonly number: number; readonly of: number };
  /** Is called before a graph, with what was counted until then. */
  readonly onGraph?: (shape: Shape, totals: Counts) => void;
  readonly onCase?: (one: Case, verdict: Verdict, result: Result) => void;
}

/** How many cases ended how. */
export interface Counts {
  graphs: number;
  cases: number;
  same: number;
  needed: number;
  needless: number;
  wrong: number;
  hang: number;
}

/** A case that is worth a look. */
export interface Told {
  readonly id: string;
  readonly text: string;
  readonly is: 'wrong' | 'hang' | 'needless';
  readonly cause: string;
}

export interface Enumeration {
  readonly kinds: Readonly<Record<string, Counts>>;
  readonly totals: Counts;
  readonly told: readonly Told[];
  readonly seconds: number;
}

/** Runs the cases one after the other. */
export async function enumerate(options: EnumerationOptions): Promise<Enumeration> {
  const began = performance.now();
  const kinds: Record<string, Counts> = {};
  const totals = none();
  const told: Told[] = [];
  const graphs = shapesIn(options).flatMap((shape) => graphsIn(shape, options));
  for (const graph of graphs) {
    if (performance.now() - began > (options.seconds ?? Number.POSITIVE_INFINITY) * 1_000) break;
    options.onGraph?.(graph.shape, totals);
    totals.graphs += 1;
    const legal = await legalEnding(graph);
    for await (const [one, result] of outcomes(graph, options)) {
      const verdict = judge(one, result, legal);
      options.onCase?.(one, verdict, result);
      const kind = `${one.kind}${one.dies === null ? '' : ', and killed'}`;
      kinds[kind] ??= none();
      count(kinds[kind] as Counts, verdict);
      count(totals, verdict);
      const is = verdict.is === 'parked' ? (verdict.isNeeded ? 'needed' : 'needless') : verdict.is;
      if (is === 'same' || is === 'needed') continue;
      told.push({ id: idOf(one), text: caseText(one), is, cause: (verdict as { cause: string }).cause });
    }
  }
  return { kinds, totals, told, seconds: (performance.now() - began) / 1000 };
}

function graphsIn(shape: Shape, { seed, units = false }: EnumerationOptions): LittleGraph[] {
  return units ? graphsOfUnits(shape, seed) : [littleGraph(shape, seed)];
}

/** Adds the counts of shares up. */
export function together(shares: readonly Enumeration[]): Enumeration {
  const kinds: Record<string, Counts> = {};
  const totals = none();
  for (const share of shares) {
    add(totals, share.totals);
    for (const [kind, counts] of Object.entries(share.kinds)) {
      kinds[kind] ??= none();
      add(kinds[kind] as Counts, counts);
    }
  }
  const seconds = Math.max(...shares.map((share) => share.seconds));
  return { kinds, totals, told: shares.flatMap(({ told }) => told), seconds };
}

/** The graphs of a share, in an order that is drawn by the seed. */
export function shapesIn(options: Omit<EnumerationOptions, 'cases'>): Shape[] {
  const { nodes, graphs, seed, shape, units = false, share = { number: 0, of: 1 } } = options;
  const isDrawn = (text: string) => (!units || isLine(text)) && pick(`${text} ${seed}`, graphs) === 0;
  const isIn = (text: string) => (shape === undefined ? isDrawn(text) : text === shape);
  const drawn = nodes
    .flatMap((many) => [...allShapes(many, isIn)])
    .map((each) => [digest(`${each.text} ${seed}`), each] as const);
  const sorted = drawn.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  return sorted.filter((_, nth) => nth % share.of === share.number);
}

/** Runs the cases of one graph. What the next case is depends on how far the last one came. */
async function* outcomes(
  graph: LittleGraph,
  { cases, seed, id, lies = false }: EnumerationOptions,
): AsyncGenerator<readonly [Case, Result]> {
  const config = configOf(graph, lies);
  const isIn = (one: Case) => (id !== undefined ? idOf(one) === id : pick(`${caseText(one)} ${seed}`, cases) === 0);
  for (const next of ['oldest', 'newest'] as const) {
    const right = drawn({ graph, kind: 'nothing', call: '', later: 0, next });
    const whole = await runCase(right, config);
    if (next === 'oldest') yield [right, whole];
    // Where never two calls are under way, the order is the same.
    if (next === 'newest' && !whole.isSide) continue;
    let isOver = false;
    const both = async function* (one: Case): AsyncGenerator<readonly [Case, Result]> {
      const kills = killed(one, whole.appends);
      // A call without a key cannot be told from the one before it where a reply was lost with its process.
      const isKeyless =
        one.kind.startsWith('wrong') && isNone(graph, one.call) && whole.returned.includes(secondOf(one.call));
      for (const each of (isKeyless ? [one] : [one, kills]).filter(isIn)) {
        const result = await runCase(each, config);
        // Where the run was over before, nothing was found wrong.
        if (result.isTold || !each.kind.startsWith('wrong')) yield [each, result];
        else if (each === one) isOver = true;
      }
    };
    yield* both(right);
    for (const one of casesAt(graph, whole.returned, next)) yield* both(one);
    // A wrong answer may lead elsewhere, where fewer or more calls follow.
    for (const call of whole.returned)
      for (let later = 0; later <= whole.returned.length; later += 1) {
        const one = drawn({ graph, kind: 'wrong key', call, later, next });
        isOver = false;
        yield* both(one);
        if (isOver) break;
      }
  }
}

function isNone({ nodes }: LittleGraph, call: string): boolean {
  return nodes.some(({ name, class: is }) => is === 'none' && call.startsWith(`${name}/`));
}

function secondOf(call: string): string {
  return call.replace(/#.*$/, '#1');
}

function none(): Counts {
  return { graphs: 0, cases: 0, same: 0, needed: 0, needless: 0, wrong: 0, hang: 0 };
}

function add(to: Counts, more: Counts): void {
  for (const name of Object.keys(more) as (keyof Counts)[]) to[name] += more[name];
}

function count(counts: Counts, verdict: Verdict): void {
  counts.cases += 1;
  if (verdict.is === 'parked') counts[verdict.isNeeded ? 'needed' : 'needless'] += 1;
  else counts[verdict.is] += 1;
}
