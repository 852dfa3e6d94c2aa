/** The uncertainty of the figures: intervals of ninety-five percent. */
import jstat from 'jstat';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { mean, quantile } from 'simple-statistics';
import { there } from '../../domains/there.ts';

/** From, to. */
export type Interval = readonly [number, number];

const LEVEL = 0.95;
const SAMPLES = 1_000;

/** The exact interval of Clopper and Pearson for a share; it says something of zeros, too. */
export function exact(hits: number, all: number): Interval {
  if (all === 0) return [0, 1];
  const tail = (1 - LEVEL) / 2;
  const low = hits === 0 ? 0 : jstat.beta.inv(tail, hits, all - hits + 1);
  const high = hits === all ? 1 : jstat.beta.inv(1 - tail, hits + 1, all - hits);
  return [low, high];
}

/** A difference of means. */
export interface Difference {
  readonly mean: number;
  readonly interval: Interval;
}

/**
 * The paired bootstrap of a difference of means, by percentiles. Whole groups are drawn: runs of one task are no independent ones.
 * @param groups the differences, run by run, of each task.
 */
export function paired(groups: readonly (readonly number[])[], seed: number): Difference {
  const sums = groups.map((each) => ({ sum: each.reduce((all, one) => all + one, 0), count: each.length }));
  const all = mean(groups.flat());
  const generator = xoroshiro128plus(seed);
  const means = Array.from({ length: SAMPLES }, () => {
    let [sum, count] = [0, 0];
    for (let drawn = 0; drawn < sums.length; drawn += 1) {
      const each = there(sums[uniformInt(generator, 0, sums.length - 1)], 'sum');
      sum += each.sum;
      count += each.count;
    }
    return sum / count;
  });
  return { mean: all, interval: [quantile(means, (1 - LEVEL) / 2), quantile(means, (1 + LEVEL) / 2)] };
}
