/** Samples that are the same for the same seed, whatever else is in the list. */
import { createHash } from 'node:crypto';

/** So many members of a list, in its order, drawn by their names; all of them where there are no more. */
export function sampled<T>(list: readonly T[], size: number, seed: number, name: (member: T) => string): readonly T[] {
  if (list.length <= size) return list;
  const lots = list.map((member, index) => {
    return {
      index,
      lot: createHash('sha256')
        .update(`${seed} ${name(member)}`)
        .digest('hex'),
    };
  });
  const drawn = lots.toSorted((one, other) => (one.lot < other.lot ? -1 : 1)).slice(0, size);
  return drawn.toSorted((one, other) => one.index - other.index).map(({ index }) => list[index] as T);
}
