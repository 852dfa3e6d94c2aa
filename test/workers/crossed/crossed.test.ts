/** All that reaches a program at once (semantics.md RC1, RC3, RC6, RC8, RC9, RC11, RC12, LC10): a small share of `npm run prove programs`. */
import { describe, expect, test } from 'vitest';
import { scratchFolder } from '../../scratch.ts';
import { drawnCrossed } from './draw.ts';
import { played } from './drive.ts';
import { crossedKinds } from './programs.ts';

const folder = scratchFolder('crossed');
const kinds = crossedKinds(folder);

describe('turns, acts, complaints, pauses and deaths at once', () => {
  test.each(Array.from({ length: 12 }, (_, nth) => nth))('end as the turns that stand say, number %s', async (nth) => {
    const { wrong, isHung } = await played(drawnCrossed(kinds, 2, nth), folder);
    expect({ wrong, isHung }).toEqual({ wrong: [], isHung: false });
  });
});
