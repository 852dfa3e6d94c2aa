/** Draws from a seed: the same seed gives the same faults, independent of other draws. */
import { createHash } from 'node:crypto';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** The fault at one attempt: none, a failure before anything happens, or one after it, with the reply lost. */
export type Fault = 'before' | 'after' | null;

/** The faults of one run: each attempt fails with a probability, half before the effect and half after it. */
export function faults(seed: string, probability: number): () => Fault {
  // Seeds that are alike would begin alike: what is drawn first comes straight from the number.
  const generator = xoroshiro128plus(createHash('sha256').update(seed).digest().readInt32LE());
  return () => {
    const drawn = uniformFloat64(generator);
    if (drawn >= probability) return null;
    return drawn < probability / 2 ? 'before' : 'after';
  };
}
