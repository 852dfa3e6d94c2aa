/** Commits that can never certify, effects before any commit, and edges that no boundary lies on. */
import { describe, expect, test } from 'vitest';
import { lostEdges } from '../../src/boundaries/lint/edges.ts';
import { Reach } from '../../src/boundaries/lint/reach.ts';
import { load } from './config.ts';
import { always, machine, said } from './linting.ts';

describe('against its machine, a config', () => {
  test.each([
    [
      'not in the anchors',
      'anchors: [done]',
      'anchors: []',
      'rollback.anchors does not list it, so it is not Controllable',
    ],
    [
      'outside the states without a state to resume from',
      ', resume: BUSY',
      '',
      '"DONE" lies outside the states and there is no rollback.resume, so it is not Separable',
    ],
    [
      'its condition constant',
      "'memory.out[?entity].hasValue()'",
      "'1 == 2'",
      'its condition is always no, so it is not Closed',
    ],
    [
      'its output written by nobody',
      "outputs: ['out/{entity}']",
      "outputs: ['result']",
      'nothing writes its output result, so it is not Closed',
    ],
    [
      'where the work is not live',
      'BUSY -> DONE',
      'IDLE -> BUSY',
      '"IDLE" is not among the states, so the work is not live there',
    ],
    ['where the work never arrives', 'BUSY -> DONE', 'IDLE', 'no step of the work arrives in "IDLE"'],
  ])('is told of a commit that can never certify: %s', (_what, from, to, why) => {
    expect(said(machine(), from, to)).toContainEqual(
      expect.stringMatching(/^13:15 warning never_certifies the commit "done" can never certify: /),
    );
    expect(said(machine(), from, to).join()).toContain(why);
  });

  test('only notes a commit whose review is pending, unless something else is in its way, too', () => {
    const pending = said(machine(), 'anchors: [done], resume: BUSY', 'pending: [done], resume: BUSY');
    expect(pending).toContainEqual(
      '13:15 note boundary_pending the commit "done" certifies nothing: its review is pending, so it is not Controllable',
    );
    expect(pending.join()).not.toContain('never_certifies');
    const lost = said(machine(), 'anchors: [done], resume: BUSY', 'pending: [done]').join();
    expect(lost).toMatch(/warning never_certifies .*its review is pending.*"DONE" lies outside the states/);
  });

  test('is told of a commit that nothing leads to', () => {
    expect(said(machine({ BUSY: { on: { stop: 'IDLE' } }, AWAY: { on: { x: 'DONE' } } })).join()).toContain(
      'nothing leads to "DONE"',
    );
  });

  test('is told of an irreversible tool before any commit', () => {
    const early =
      '2:8 warning irreversible_before_commit "BUSY" calls "work", which is irreversible, before any commit: then nothing before it is ever recoverable';
    expect(said(machine(), 'effect: none', 'effect: irreversible')).toContain(early);
    expect(said(machine()).join()).not.toContain('irreversible_before_commit');
    const later = machine({ DONE: { invoke: { src: 'other' } } });
    expect(said(later, '  work:', '  other: { effect: irreversible }\n  work:').join()).not.toContain(
      'irreversible_before_commit',
    );
    expect(said(later, 'anchors: [done]', 'anchors: []').join()).toContain(
      '"DONE" calls "other", which is irreversible, before any commit',
    );
  });

  test('is told which edges are legal but not recoverable, and why', () => {
    const shape = machine({ BUSY: { invoke: { src: 'work', onDone: 'DONE', onError: 'IDLE' } } });
    expect(said(shape)).toEqual([
      '6:3 note not_recoverable BUSY -> IDLE (xstate.error.actor.0.m.BUSY) leaves Unit and is legal but not recoverable: no boundary lies on it',
      always,
    ]);
    const { config } = load('anchors: [done], ', '');
    const lost = lostEdges(config as never, new Reach(shape));
    expect(lost.map(({ to, why }) => [to, why])).toEqual([
      ['DONE', ['done: rollback.anchors does not list it, so it is not Controllable']],
      ['IDLE', ['no boundary lies on it']],
    ]);
  });
});
