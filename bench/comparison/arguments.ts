/** Arguments of the benchmarks. */
import { InvalidArgumentError } from 'commander';

/** A whole number, not too large to be meant. */
export function whole(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('a whole number from 1 to 9999999 is needed.');
  return Number(text);
}

/** A number of steps of which a tenth is a step at least. */
export function tenOrMore(text: string): number {
  if (whole(text) < 10) throw new InvalidArgumentError('a whole number from 10 to 9999999 is needed.');
  return Number(text);
}
