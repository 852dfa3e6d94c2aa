/** The changes of a run's mandate that people and the run make. */
import type { Transition } from './transition.ts';

export const MANDATES: readonly Transition[] = [
  {
    name: 'loses its mandate',
    by: 'person',
    on: { mandate: ['stands'], hold: ['opening', 'held'], will: ['unbegun', 'going', 'ending'] },
    to: () => ({ mandate: 'over' }),
  },
  {
    name: 'wants another mandate',
    by: 'run',
    on: { mandate: ['over'], hold: ['held'], machine: ['awake', 'claiming'], will: ['going', 'ending'] },
    to: () => ({ mandate: 'wanted' }),
  },
  {
    name: 'is given another mandate',
    by: 'person',
    on: { mandate: ['over', 'wanted'], hold: ['opening', 'held'], will: ['unbegun', 'going', 'ending'] },
    to: () => ({ mandate: 'stands' }),
  },
];
