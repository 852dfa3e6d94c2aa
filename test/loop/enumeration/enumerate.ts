/** Goes through the cases of small loops, and counts how they end. */
import { actsAhead, actsOn } from './acts.ts';
import { type Case, complaintsAbout, drawn, nameOf, ofTwoTurns, type Turn } from './cases.ts';
import { type Result, runCase } from './drive.ts';
import { type Judged, judge, type Verdict } from './judge.ts';

/** What is gone through. */
export interface Options {
  /** `two`: all loops of two turns of one act; `drawn`: larger ones, drawn. */
  readonly of: 'two' | 'drawn';
  /** Of the deaths of a process, one in so many; every case without one is there. */
  readonly share?: number;
  /** The number of cases, where they are drawn. */
  readonly cases?: number;
  readonly seed?: number;
  /** `message`: turns are left for the run by another process. */
  readonly by?: 'message';
  /** `flow`: the programs are flows. */
  readonly as?: 'flow';
  /** True for flows whose tools are said to read nothing. */
  readonly narrow?: boolean;
  /** True where a person pauses each drawn run, behind an append of its own. */
  readonly pauses?: boolean;
  /** True for acts on turns in place of complaints; `ahead`: the later turns were left before the act, and wait. */
  readonly acts?: boolean | 'ahead';
  /** A case by its name. */
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

/** All cases of a loop in which no process dies. */
export function casesOf(turns: readonly Turn[], by?: 'message', acts: Options['acts'] = false): Case[] {
  const lost = [null, ...turns.keys()];
  if (acts)
    return (['stands', 'rewritten'] as const).flatMap((said) =>
      [...(acts === 'ahead' ? actsAhead : actsOn)(turns)].flatMap((act) =>
        lost.map((nth) => ({ turns, said, complaint: null, act, lost: nth, dies: null, ...(by && { by }) })),
      ),
    );
  return (['stands', 'rewritten'] as const).flatMap((said) =>
    complaintsAbout(turns).flatMap((complaint) =>
      lost.map((nth) => ({ turns, said, complaint, lost: nth, dies: null, ...(by && { by }) })),
    ),
  );
}

/** Goes through the cases. */
export async function enumerate(options: Options): Promise<Totals> {
  const totals: Totals = { cases: 0, shares: {}, told: [] };
  const began = performance.now();
  const { seed = 1, until = Number.POSITIVE_INFINITY, cases = Number.POSITIVE_INFINITY } = options;
  const draw = drawing(seed);
  const isOver = () => performance.now() - began > until || totals.cases >= cases;
  const run = async (one: Case): Promise<Result> => {
    const result = await runCase(one);
    const judged = judge(one, result);
    count(totals, one, judged);
    options.onCase?.(one, judged, result);
    return result;
  };
  for await (const one of options.of === 'two' ? twoTurns(options, draw, run) : larger(draw, options)) {
    if (isOver()) break;
    await run(one);
  }
  return totals;
}

/** Larger loops, drawn, each with one death or none. */
async function* larger(
  draw: (below: number) => number,
  { by, acts, as, pauses, narrow }: Options,
): AsyncGenerator<Case> {
  for (;;) {
    const all = casesOf(drawn(draw), by, acts);
    const whole = { ...(all[draw(all.length)] as Case), ...(as && { as }), ...(narrow && { isNarrow: true as const }) };
    const { appends } = await runCase(whole);
    yield {
      ...whole,
      ...(pauses && appends > 0 && { pauses: draw(appends) }),
      dies: draw(4) === 0 || appends === 0 ? null : draw(appends),
    };
  }
}

/** All loops of two turns of one act, with the deaths that are wanted. */
async function* twoTurns(
  { share = 1, only, by, acts, as }: Options,
  draw: (below: number) => number,
  run: (one: Case) => Promise<Result>,
): AsyncGenerator<Case> {
  for (const each of [...ofTwoTurns()].flatMap((turns) => casesOf(turns, by, acts))) {
    const whole = { ...each, ...(as && { as }) };
    if (only !== undefined && !only.startsWith(nameOf(whole).replace(/lives$/, ''))) continue;
    const { appends } = await (only === undefined || only === nameOf(whole) ? run : runCase)(whole);
    for (let dies = 0; dies < appends; dies += 1) {
      const one = { ...whole, dies };
      if (only === undefined ? share === 1 || draw(share) === 0 : only === nameOf(one)) yield one;
    }
  }
}

function count(totals: Totals, one: Case, judged: Judged): void {
  totals.cases += 1;
  const wrong = one.act !== undefined ? one.act.does : one.complaint === null ? 'nothing wrong' : 'found wrong';
  const of = `${one.as === undefined ? '' : one.isNarrow ? 'narrow flow: ' : 'flow: '}${one.by === undefined ? '' : 'sent, '}${one.said}, ${wrong}${one.lost === null ? '' : ', lost'}${one.pauses === undefined ? '' : ', paused'}${one.dies === null ? '' : ', killed'}`;
  const counts = totals.shares[of] ?? {};
  totals.shares[of] = counts;
  counts[judged.is] = (counts[judged.is] ?? 0) + 1;
  if (['wrong', 'hangs', 'needless'].includes(judged.is)) totals.told.push({ name: nameOf(one), judged });
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
  return [`${cases} cases, ${told.length} wrong, hanging or parked needlessly`, ...lines, ...bad].join('\n');
}
