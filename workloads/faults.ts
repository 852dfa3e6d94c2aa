/** Which attempts fail: drawn from a seed, for each attempt by itself, so that every policy meets the same faults. */
import { createHash } from 'node:crypto';

/** What goes wrong at an attempt: nothing, a failure before anything happens, or one after it, with the reply lost. */
export type Fault = 'before' | 'after' | null;

/** The faults of one run: the nth attempt (from 0) at a change, by the name of the change. */
export type Faults = (change: string, attempt: number) => Fault;

/** A run without faults. */
export const NO_FAULTS: Faults = () => null;

/** Each attempt fails with a probability, half of them before the effect and half after it. */
export function faultsOf(seed: string, probability: number): Faults {
  return (change, attempt) => {
    const drawn = draw(`${seed}\n${change}\n${attempt}`);
    if (drawn >= probability) return null;
    return drawn < probability / 2 ? 'before' : 'after';
  };
}

/** A number from 0 to below 1 that a text stands for. */
function draw(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}
