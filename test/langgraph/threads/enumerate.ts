/** Goes through the cases of small threads, and counts how they end. */
import {
  actsOn,
  type Case,
  caseNamed,
  complaintsAbout,
  type LittleThread,
  nameOf,
  ofThreeTurns,
  ofTwoTurns,
  SETTINGS,
} from './cases.ts';
import { type Result, runCase } from './drive.ts';
import { type Judged, judge, type Verdict } from './judge.ts';

/** What is gone through. */
export interface Options {
  /** 2: all threads of two turns; 3: threads of three turns, drawn. */
  readonly turns: 2 | 3;
  /** Of the deaths of a process, one in so many; every case without one is there. */
  readonly share?: number;
  /** The number of cases, where they are drawn. */
  readonly cases?: number;
  readonly seed?: number;
  /** True for acts on turns in place of complaints. */
  readonly acts?: boolean;
  /** A case by its name: it alone is run. */
  readonly only?: string;
  /** Begins none after so many milliseconds. */
  readonly until?: number;
  onCase?(one: Case, judged: Judged, result: Result): void;
}

/** The counts of endings by setting, and the cases that are wrong. */
export interface Totals {
  cases: number;
  readonly shares: Record<string, Partial<Record<Verdict, number>>>;
  readonly told: { readonly name: string; readonly judged: Judged }[];
}

/** Draws numbers, the same of the same seed. */
export function drawing(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

function count(totals: Totals, one: Case, judged: Judged): void {
  totals.cases += 1;
  const wrong = one.act !== undefined ? one.act.does : one.complaint === null ? 'nothing wrong' : 'found wrong';
  const of = `${one.setting}, ${wrong}${one.dies === null ? '' : ', killed'}`;
  const counts = totals.shares[of] ?? {};
  totals.shares[of] = counts;
  counts[judged.is] = (counts[judged.is] ?? 0) + 1;
  if (judged.is === 'wrong' || judged.is === 'hangs') totals.told.push({ name: nameOf(one), judged });
}

/** Goes through the cases. */
export async function enumerate(options: Options): Promise<Totals> {
  const totals: Totals = { cases: 0, shares: {}, told: [] };
  const began = performance.now();
  const { seed = 1, until = Number.POSITIVE_INFINITY } = options;
  const draw = drawing(seed);
  const run = async (one: Case): Promise<Result> => {
    const result = await runCase(one);
    const judged = judge(one, result);
    count(totals, one, judged);
    options.onCase?.(one, judged, result);
    return result;
  };
  if (options.only !== undefined) {
    await run(caseNamed(options.only));
    return totals;
  }
  const isOver = () => performance.now() - began > until || totals.cases >= (options.cases ?? Number.POSITIVE_INFINITY);
  for (const whole of options.turns === 2 ? twoTurns(options) : threeTurns(draw, options)) {
    if (isOver()) break;
    if (options.turns === 3) {
      const { appends } = await runCase(whole);
      await run({ ...whole, dies: draw(5) === 0 || appends === 0 ? null : draw(appends) });
      continue;
    }
    const { appends } = await run(whole);
    for (const one of dying(options, whole, appends, draw)) if (!isOver()) await run(one);
  }
  return totals;
}

/** The same case with the deaths of its process that are wanted. */
function* dying(
  { share = 1 }: Options,
  whole: Case,
  appends: number,
  draw: (below: number) => number,
): Generator<Case> {
  for (let dies = 0; dies < appends; dies += 1) if (share === 1 || draw(share) === 0) yield { ...whole, dies };
}

function* twoTurns(options: Options): Generator<Case> {
  for (const thread of ofTwoTurns()) yield* casesOf(thread, options);
}

function* threeTurns(draw: (below: number) => number, options: Options): Generator<Case> {
  for (;;) {
    const all = [...casesOf(ofThreeTurns(draw), options)];
    yield all[draw(all.length)] as Case;
  }
}

/** All cases of a thread in which no process dies. */
export function* casesOf(thread: LittleThread, { acts = false }: Pick<Options, 'acts'>): Generator<Case> {
  for (const setting of SETTINGS)
    if (acts) for (const act of actsOn(thread)) yield { thread, setting, complaint: null, act, dies: null };
    else for (const complaint of complaintsAbout(thread)) yield { thread, setting, complaint, dies: null };
}

/** The totals as text. */
export function totalsText({ cases, shares, told }: Totals, most = 5): string {
  const lines = Object.entries(shares)
    .sort()
    .map(([of, counts]) => {
      const all = Object.values(counts).reduce((sum, each) => sum + each, 0);
      const parts = Object.entries(counts).map(([is, many]) => `${is} ${many} (${((100 * many) / all).toFixed(1)} %)`);
      return `${of}: ${all} cases: ${parts.join(', ')}`;
    });
  const bad = told.slice(0, most).map(({ name, judged: { is, why } }) => `${is}: ${name}\n   ${why}`);
  return [`${cases} cases, ${told.length} wrong or hanging`, ...lines, ...bad].join('\n');
}
