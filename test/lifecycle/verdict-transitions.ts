/** The changes of a run's life that boundaries with a judge make. */
import type { Transition } from './transition.ts';

const AFOOT = ['going', 'ending'] as const;

export const VERDICTS: readonly Transition[] = [
  {
    name: 'comes to a boundary with a judge',
    by: 'run',
    on: {
      verdict: ['none'],
      hold: ['held'],
      machine: ['awake', 'claiming'],
      will: AFOOT,
      question: ['clear', 'deciding'],
    },
    to: () => ({ verdict: 'awaited' }),
  },
  {
    name: 'is given a verdict',
    by: 'world',
    ask: 'judge',
    on: { verdict: ['awaited'], hold: ['held'], will: AFOOT },
    to: () => ({ verdict: 'none' }),
  },
  {
    name: 'is reviewed',
    by: 'person',
    on: { verdict: ['awaited'], hold: ['opening', 'held'], will: ['unbegun', ...AFOOT] },
    to: () => ({ verdict: 'none' }),
  },
];
