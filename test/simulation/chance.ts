/** Seeded choices: the same seed makes the same scenario, whatever ran before. */
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** A source of choices. */
export class Chance {
  readonly #source: ReturnType<typeof xoroshiro128plus>;

  /** Makes the source of one run of a campaign. */
  constructor(seed: number, index: number) {
    this.#source = xoroshiro128plus((Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) | 0);
    // The first numbers of neighbouring seeds are alike.
    for (let i = 0; i < 8; i++) this.int(0, 1);
  }

  /** Draws a whole number, both ends included. */
  int(from: number, to: number): number {
    return uniformInt(this.#source, from, to);
  }

  /** True in `percent` of a hundred cases. */
  percent(percent: number): boolean {
    return this.int(1, 100) <= percent;
  }

  /** Draws one of a list that has at least one. */
  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length - 1)] as T;
  }

  /** Draws one of a list by weight. */
  weighed<T>(list: readonly (readonly [T, number])[]): T {
    let at = this.int(
      1,
      list.reduce((sum, [, weight]) => sum + weight, 0),
    );
    for (const [item, weight] of list) {
      at -= weight;
      if (at <= 0) return item;
    }
    return (list[0] as readonly [T, number])[0];
  }

  /** Draws some of a list, in its order, at most `most`. */
  some<T>(list: readonly T[], most: number): T[] {
    const wanted = this.int(0, Math.min(most, list.length));
    const chosen = new Set<number>();
    while (chosen.size < wanted) chosen.add(this.int(0, list.length - 1));
    return list.filter((_, index) => chosen.has(index));
  }
}
