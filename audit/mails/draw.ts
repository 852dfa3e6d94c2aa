/** Draws from a seed: the same seed gives the same faults, whoever else draws. */

/** A source of numbers from 0 to below 1 (mulberry32). */
function draws(seed: string): () => number {
  let state = [...seed].reduce((sum, char) => (Math.imul(sum, 31) + char.charCodeAt(0)) | 0, 7);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What goes wrong at one attempt: nothing, a failure before anything happens, or one after it, with the reply lost. */
export type Fault = 'before' | 'after' | null;

/** The faults of one run: each attempt fails with a probability, half before the effect and half after it. */
export function faults(seed: string, probability: number): () => Fault {
  const draw = draws(seed);
  return () => {
    const drawn = draw();
    if (drawn >= probability) return null;
    return drawn < probability / 2 ? 'before' : 'after';
  };
}
