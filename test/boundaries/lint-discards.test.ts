/** Edges by which work is discarded: their form, their places in a machine, and which way a change of them leans (PA11). */
import { describe, expect, test } from 'vitest';
import { skeletonChanges } from '../../src/boundaries/compare/skeleton-changes.ts';
import { found, load } from './config.ts';
import { busy, machine, said } from './linting.ts';

const BEFORE = '    rollback:';
const listing = (edge: string) => `    discard:\n      - ${edge}\n${BEFORE}`;
const left = machine({ BUSY: { ...busy, on: { skip: 'IDLE' } } });

describe('an edge under discard', () => {
  test('is read as an edge, and nothing is said of one that leads out of the states', () => {
    const { config } = load(BEFORE, listing('{ id: skipped, at: BUSY -> IDLE }'));
    expect(config?.skeletons.get('Unit')?.discards).toEqual([{ id: 'skipped', from: 'BUSY', to: 'IDLE' }]);
    const lines = said(left, BEFORE, listing('{ id: skipped, at: BUSY -> IDLE }')).join('\n');
    expect(lines).not.toMatch(/discard|not_recoverable/);
    expect(said(left).join('\n')).toContain('not_recoverable BUSY -> IDLE (skip)');
  });

  test.each([
    ['{ id: skipped, at: BUSY }', '15:28 bad_site'],
    ['{ id: done, at: BUSY -> IDLE }', '15:15 duplicate_boundary'],
    ['{ id: skipped, at: BUSY -> IDLE, when: "true" }', '15:42 unknown_field'],
  ])('is refused with its position: %s', (edge, line) => {
    expect(found(BEFORE, listing(edge))).toEqual([line]);
  });

  test.each([
    ['{ id: skipped, at: BUSY -> AWAY }', '15:36 error unknown_state'],
    ['{ id: skipped, at: IDLE -> DONE }', '15:9 warning never_discards the discard "skipped" never discards anything'],
    ['{ id: skipped, at: DONE -> BUSY }', 'error unknown_edge no transition goes from "DONE" to "BUSY"'],
  ])('is held against its machine: %s', (edge, line) => {
    expect(said(left, BEFORE, listing(edge)).join('\n')).toContain(line);
  });

  test('is looser where it is new, and stricter where it is gone: acts are undone by it that stood before', () => {
    const unit = (...of: Parameters<typeof load>) => load(...of).config?.skeletons.get('Unit') ?? null;
    const [old, now] = [unit(), unit(BEFORE, listing('{ id: skipped, at: BUSY -> IDLE }'))];
    expect(skeletonChanges(old, now)).toMatchObject([{ path: ['discard'], is: 'looser' }]);
    expect(skeletonChanges(now, old)).toMatchObject([{ path: ['discard'], is: 'stricter' }]);
  });
});
