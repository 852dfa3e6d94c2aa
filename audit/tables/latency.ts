/** Paired statistics of latency (DART table 10): the same case and seed, rerun whole and recovered. Context, and never a target. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { binomialDistribution, median, quantile } from 'simple-statistics';
import { there } from '../../domains/there.ts';
import type { Strategy } from '../case.ts';
import type { JudgedCase } from '../judge.ts';
import type { Paper } from '../paper.ts';
import { beside, only, type Table } from '../workloads/table.ts';
import { domainsOf, REGIMES, round } from './recovery.ts';

const SAMPLES = 2_000;

/** The bound below which a chance counts as significant. */
export const SIGNIFICANT = 0.05;

interface Paired {
  readonly regime: string;
  readonly domain: string;
  readonly strategy: Strategy;
  readonly pairs: readonly (readonly [retry: number, own: number])[];
  readonly p: number;
}

/** The pairs, tested. */
export function latencyTable(judged: readonly JudgedCase[], paper: Paper): Table {
  const tested = REGIMES.flatMap((regime) =>
    domainsOf(judged, paper).flatMap((domain) =>
      (['comp-frozen', 'belay'] as const).flatMap((strategy): Paired[] => {
        const pairs = pairsOf(judged, regime, domain, strategy);
        return pairs.length === 0 ? [] : [{ regime, domain, strategy, pairs, p: signTest(pairs) }];
      }),
    ),
  );
  const adjusted = holm(tested.map(({ p }) => p));
  return {
    id: 'latency',
    title: 'From the failure to the success of what had failed, against a whole rerun',
    notes: [
      'Pairs of the same case and seed that both succeed; milliseconds of this machine with a scripted planner. The difference is the median of the pairs, with the 95 % interval of a paired bootstrap; p is that of a two-sided sign test, adjusted after Holm; faster is the share of pairs in which the strategy is.',
      'The paper’s medians are those of hosted models on another machine: context, and never a target.',
    ],
    columns: [
      { key: 'regime', title: 'regime' },
      { key: 'domain', title: 'domain' },
      { key: 'strategy', title: 'strategy' },
      { key: 'pairs', title: 'pairs' },
      { key: 'retry', title: 'Retry-Only' },
      { key: 'own', title: 'strategy ms' },
      { key: 'difference', title: 'difference' },
      { key: 'low', title: 'from' },
      { key: 'high', title: 'to' },
      { key: 'faster', title: 'faster' },
      { key: 'p', title: 'p' },
      { key: 'significant', title: 'p < 0.05', better: 'equal' },
    ],
    groups: 2,
    rows: tested.map(({ regime, domain, strategy, pairs }, index) => {
      const theirs = paper.latency.rows[regime]?.[domain];
      const differences = pairs.map(([retry, own]) => own - retry);
      const [low, high] = interval(differences);
      return [
        only(regime),
        only(domain),
        only(strategy),
        only(pairs.length),
        beside(round(median(pairs.map(([retry]) => retry))), theirs?.[0], 'lower', false),
        beside(round(median(pairs.map(([, own]) => own))), theirs?.[1], 'lower', false),
        only(round(median(differences))),
        only(round(low)),
        only(round(high)),
        only(round(differences.filter((each) => each < 0).length / pairs.length)),
        only(chance(adjusted[index] ?? 1)),
        // The paper has one row a domain, and finds each of its differences significant.
        beside((adjusted[index] ?? 1) < SIGNIFICANT, theirs === undefined ? null : true, 'equal'),
      ];
    }),
  };
}

function pairsOf(judged: readonly JudgedCase[], regime: string, domain: string, strategy: Strategy): Paired['pairs'] {
  return judged
    .filter((each) => each.regime === regime && each.domain === domain)
    .flatMap(({ rows }) =>
      rows
        .filter((row) => row.strategy === strategy && row.success && row.latency !== null)
        .flatMap((row): [number, number][] => {
          const retry = rows.find(
            (other) => other.strategy === 'retry-only' && other.seed === row.seed && other.success,
          );
          return retry?.latency == null ? [] : [[retry.latency, there(row.latency, 'latency')]];
        }),
    );
}

/** The chance of as lopsided a split of the pairs or worse, if neither side were faster. Ties are left out. */
function signTest(pairs: Paired['pairs']): number {
  const faster = pairs.filter(([retry, own]) => own < retry).length;
  const slower = pairs.filter(([retry, own]) => own > retry).length;
  const all = faster + slower;
  if (all === 0) return 1;
  const chances = binomialDistribution(all, 0.5) ?? [];
  const tail = chances.slice(Math.max(faster, slower)).reduce((sum, chance) => sum + chance, 0);
  return Math.min(1, 2 * tail);
}

/** A chance as it is read. The library adds up no tail below a ten-thousandth. */
function chance(p: number): string {
  return p < 0.001 ? '< 0.001' : p.toPrecision(2);
}

/** Holm's step-down: the smallest p is held against all tests, the next against one fewer. */
function holm(ps: readonly number[]): readonly number[] {
  const order = ps.map((p, index) => [p, index] as const).sort(([a], [b]) => a - b);
  const adjusted: number[] = [];
  let least = 0;
  for (const [rank, [p, index]] of order.entries()) {
    least = Math.max(least, Math.min(1, p * (ps.length - rank)));
    adjusted[index] = least;
  }
  return adjusted;
}

/** The 95 % interval of the median difference, from resampled pairs. The same pairs give the same interval. */
function interval(differences: readonly number[]): readonly [number, number] {
  const generator = xoroshiro128plus(1);
  const medians = Array.from({ length: SAMPLES }, () =>
    median(differences.map(() => there(differences[uniformInt(generator, 0, differences.length - 1)], 'difference'))),
  );
  return [quantile(medians, 0.025), quantile(medians, 0.975)];
}
