/** Draws samples by seed and name: whether a member is drawn first does not depend on the order of the list. */
import { createHash } from 'node:crypto';

/** Draws `size` members of a list by their names, in the order of the list; the whole list if it is shorter. */
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
