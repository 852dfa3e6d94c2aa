/** Draws from a seed: the same seed gives the same faults, independent of other draws. */
import { createHash } from 'node:crypto';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** The fault at one attempt: none, a failure before anything happens, or one after it, with the reply lost. */
export type Fault = 'before' | 'after' | null;

/** Numbers from 0 on and below 1. */
export function draws(seed: string): () => number {
  // Seeds that are alike would begin alike: what is drawn first comes straight from the number.
  const generator = xoroshiro128plus(createHash('sha256').update(seed).digest().readInt32LE());
  return () => uniformFloat64(generator);
}

/** The faults of one run: each attempt fails with a probability, half before the effect and half after it. */
export function faults(seed: string, probability: number): () => Fault {
  const draw = draws(seed);
  return () => {
    const drawn = draw();
    if (drawn >= probability) return null;
    return drawn < probability / 2 ? 'before' : 'after';
  };
}
