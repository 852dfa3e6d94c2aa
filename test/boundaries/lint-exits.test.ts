/** The policy that has exits restored (EX1): its values, its lint, and which way a change of it leans. */
import { expect, test } from 'vitest';
import { skeletonChanges } from '../../src/boundaries/compare/skeleton-changes.ts';
import { found, load } from './config.ts';
import { said } from './linting.ts';

const RESUME = 'resume: BUSY';
const unit = (to = RESUME) => load(RESUME, to).config?.skeletons.get('Unit') ?? null;

test('is refused where nothing is said, and takes two values', () => {
  expect(unit()?.rollback.exits).toBe('refused');
  expect(unit('resume: BUSY, exits: restorable')?.rollback.exits).toBe('restorable');
  expect(found(RESUME, 'resume: BUSY, exits: all')).toEqual([expect.stringContaining('not_one_of')]);
});

test('is said to be of no use where no exit is an anchor', () => {
  expect(said(null, RESUME, 'resume: BUSY, exits: restorable').join('\n')).toMatch(/warning exits_unused/);
  expect(said(null).join('\n')).not.toContain('exits_unused');
});

test('is looser where exits are restored, and stricter where they are not any more', () => {
  const [old, now] = [unit(), unit('resume: BUSY, exits: restorable')];
  expect(skeletonChanges(old, now)).toMatchObject([{ path: ['rollback', 'exits'], is: 'looser' }]);
  expect(skeletonChanges(now, old)).toMatchObject([{ path: ['rollback', 'exits'], is: 'stricter' }]);
});
