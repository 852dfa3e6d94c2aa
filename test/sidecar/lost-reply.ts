/** A line of two stations whose first loses its reply: a person has to say what became of the call. */
import type { Station } from './stations.ts';

/** The call by what its key is made of, as a person may name it. */
export const KEY = JSON.stringify(['r', 'A', 'it', 0, 'a', 0]);

export const UNKNOWN: readonly Station[] = [
  { name: 'a', reads: ['wanted'], tool: 'effect: irreversible' },
  { name: 'b', reads: ['a'] },
];

export const loses = {
  a: ({ nth }: { nth: number }) => {
    if (nth === 0) throw new Error('connection reset');
    return 'done again';
  },
};
