/** The random choices of the audit, from a seed: the duration of a call. */

import { setTimeout as pause } from 'node:timers/promises';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** The draws of one run. */
export interface Draw {
  /** Waits as long as the next draw says: not at all, or up to 3 ms. Seed 0 never waits. */
  pause(): Promise<void>;
}

/** The draws of a seed. */
export function drawOf(seed: number): Draw {
  const generator = xoroshiro128plus(seed);
  return {
    async pause() {
      const wait = seed === 0 ? 0 : uniformInt(generator, 0, 3);
      if (wait > 0) await pause(wait);
    },
  };
}
