/** DecisionPolicy where asking and retrying is as good as Belay, and where it is not: by set and regime, from the runs of both under the same faults. */
import { type Comparison, cellIn, type Run } from './compare.ts';
import { differenceOf, shareOf, signed } from './figures.ts';
import { only, type Table } from './table.ts';
import type { Cursor } from './unit-agent.ts';
import type { WrongRun } from './wrong-answers.ts';

/** The faults, in words. */
export const REGIME_NAMES = {
  'lost-replies': 'Lost replies alone',
  'unreliable-answers': 'Lost replies, and reads and status queries that fail and lag',
  'late-effects': 'Lost replies, and effects that land late',
  'wrong-answers': 'An answer found wrong later',
} as const;

/** The agents of unit-agent.ts, in words. */
export const CURSOR_NAMES: Readonly<Record<Cursor, string>> = {
  own: 'units with progress keys of their own',
  shared: 'units that share one cursor',
};

/** A comparison of ask-and-retry with Belay. */
export interface Verdict {
  readonly regime: keyof typeof REGIME_NAMES;
  readonly folder: string;
  /** Under which probability of faults, and with which agent. */
  readonly under: string;
  readonly asking: string;
  readonly belay: string;
  /** Belay minus ask-and-retry, in points. */
  readonly difference: string;
  readonly is: 'as good' | 'worse' | 'better';
}

/** DecisionPolicy every set and regime of which both policies were run. */
export function verdictsOf(comparison: Comparison): readonly Verdict[] {
  const { sets, cells, further, wrong, wanted } = comparison;
  const { seed } = wanted;
  const isGood = ({ score }: Run) =>
    score.equal && score.completed && score.duplicated + score.lost + score.collateral === 0;
  const lost = [...cells, ...further].flatMap(({ folder, regime, probability, policy, runs }): Verdict[] => {
    if (policy !== 'belay') return [];
    const asking = cellIn([...cells, ...further], folder, regime, probability, 'ask-and-retry');
    if (asking === null) return [];
    return [{ regime, folder, under: `p = ${probability}`, ...judged(asking.runs, runs, isGood, seed) }];
  });
  const isRight = ({ score }: WrongRun) => score.same && !score.harm;
  const later = wrong.flatMap((cell): Verdict[] => {
    const { folder, cursor, probability, policy, runs } = cell;
    const asking = wrong.find(
      (each) =>
        each.folder === folder &&
        each.cursor === cursor &&
        each.probability === probability &&
        each.policy === 'ask-and-retry',
    );
    if (policy !== 'belay' || asking === undefined) return [];
    const under = `p = ${probability}, ${CURSOR_NAMES[cursor]}`;
    return [{ regime: 'wrong-answers', folder, under, ...judged(asking.runs, runs, isRight, seed) }];
  });
  const order = sets.map(({ folder }) => folder);
  const regimes = Object.keys(REGIME_NAMES);
  const by = (verdict: Verdict) => regimes.indexOf(verdict.regime) * order.length + order.indexOf(verdict.folder);
  return [...lost, ...later].sort((a, b) => by(a) - by(b));
}

function judged<T extends { readonly task: string }>(
  theirs: readonly T[],
  ours: readonly T[],
  isGood: (run: T) => boolean,
  seed: number,
): Pick<Verdict, 'asking' | 'belay' | 'difference' | 'is'> {
  const share = (runs: readonly T[]) => shareOf(runs.filter(isGood).length, runs.length);
  const { mean, interval } = differenceOf(ours, theirs, (run) => Number(isGood(run)) * 100, seed);
  const [low, high] = interval;
  return {
    asking: share(theirs),
    belay: share(ours),
    difference: `${signed(mean)} [${interval.map(signed).join(' to ')}]`,
    is: low > 0 ? 'worse' : high < 0 ? 'better' : 'as good',
  };
}

/** Says a verdict in a sentence. */
export function sentenceOf({ regime, folder, under, asking, belay, is }: Verdict): string {
  const compared = is === 'as good' ? 'as good as' : `${is} than`;
  return `${REGIME_NAMES[regime]} (${under}): ask-and-retry is ${compared} Belay on ${folder} (${asking} vs ${belay}).`;
}

/** The verdicts as a table. */
export function verdictsTable(comparison: Comparison): Table {
  const verdicts = verdictsOf(comparison);
  return {
    id: 'workload-asking',
    title: 'Where asking and retrying is as good as Belay',
    notes: [
      'Good ends, in percent of runs: completed, the world (and after a wrong answer the context) as it should be, nothing twice, lost or spoilt. As good: the interval of the paired difference has zero in it.',
      ...verdicts.map(sentenceOf),
    ],
    groups: 1,
    columns: [
      { key: 'regime', title: 'what goes wrong' },
      { key: 'set', title: 'set' },
      { key: 'under', title: 'under' },
      { key: 'asking', title: 'ask-and-retry' },
      { key: 'belay', title: 'Belay' },
      { key: 'difference', title: 'Belay minus, points' },
      { key: 'verdict', title: 'ask-and-retry is' },
    ],
    rows: verdicts.map(({ regime, folder, under, asking, belay, difference, is }) =>
      [REGIME_NAMES[regime], folder, under, asking, belay, difference, is].map(only),
    ),
  };
}
