/** Calls that may be made twice: tools that do not take their key, and machines that call again by themselves. */
import { describe, expect, test } from 'vitest';
import { setup } from 'xstate';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { tool } from '../../src/xstate/tool.ts';
import { load } from './config.ts';
import { lint, machine, states, work } from './linting.ts';

describe('an irreversible tool that does not take its key', () => {
  const keys = (logic: object, effect = 'irreversible') => {
    const { config, document } = load('effect: none', `effect: ${effect}`);
    if (config === null) throw new Error('no config');
    const shape = machineShape(
      setup({ actors: { work: logic as typeof work } }).createMachine({ id: 'm', initial: 'IDLE', states } as never),
    );
    return lintConfig(config, document, shape).flatMap(({ code, severity, message }) =>
      code === 'key_not_taken' ? [`${severity} ${message}`] : [],
    );
  };

  test('is warned of by every check', () => {
    const said = [expect.stringMatching(/^warning "work" is irreversible and does not take the key of its call/)];
    expect(keys(work)).toEqual(said);
    expect(keys(tool(async ({ input }) => input))).toEqual(said);
    expect(keys(tool(async ({ key }) => key))).toEqual([]);
  });

  test('is no finding of another class', () => {
    expect(keys(work, 'idempotent')).toEqual([]);
  });
});

describe('a tool that is called in a state of no skeleton', () => {
  const outside = (shape: ReturnType<typeof machineShape>) =>
    lint(shape).flatMap(({ code, severity, message }) =>
      code === 'call_outside_skeletons' ? [`${severity} ${message.split(' and ')[0]}`] : [],
    );

  test('is warned of, in the machine and in a machine that it invokes', () => {
    const calls = { initial: 'in', states: { in: { invoke: { src: 'work' } } } } as const;
    expect(outside(machine({ DONE: { invoke: { src: 'work' } } }))).toEqual(['warning "DONE" calls "work"']);
    const inner = setup({ actors: { work } }).createMachine(calls);
    const outer = setup({ actors: { work, inner } }).createMachine({
      id: 'm',
      initial: 'IDLE',
      states: { ...states, DONE: { invoke: { src: 'inner' } } },
    } as never);
    expect(outside(machineShape(outer))).toEqual(['warning "inner/in" calls "work"']);
  });

  test('is no finding where a skeleton has the state or a state around it', () => {
    expect(outside(machine())).toEqual([]);
    const within = { initial: 'in', states: { in: { invoke: { src: 'work', onDone: '#m.DONE' } } } };
    expect(outside(machine({ BUSY: within }))).toEqual([]);
  });
});

describe('a machine that calls again by itself', () => {
  const again = (given: object, from = 'effect: none', to = 'effect: irreversible') =>
    lint(machine(given), from, to).flatMap(({ code, severity, message }) =>
      code === 'own_retry' ? [`${severity} ${message.split(' by itself')[0]}`] : [],
    );
  const waits = { BUSY: { invoke: { src: 'work', onDone: 'DONE', onError: 'WAIT' } }, WAIT: { after: { 10: 'BUSY' } } };

  test('after a wait, with a tool of which nobody can be asked, is warned of', () => {
    expect(again(waits)).toEqual(['warning "BUSY" is entered again']);
  });

  test('is noted where the tool has a reconciler', () => {
    expect(again(waits, 'effect: none', 'effect: irreversible, reconcile: find')).toEqual([
      'note "BUSY" is entered again',
    ]);
  });

  test.each([
    ['at once', { BUSY: { invoke: { src: 'work', onDone: 'DONE', onError: { target: 'BUSY', reenter: true } } } }],
    [
      'by a delay of its own',
      { BUSY: { invoke: { src: 'work', onDone: 'DONE' }, after: { 10: { target: 'BUSY', reenter: true } } } },
    ],
    [
      'through the state around it',
      {
        BUSY: { initial: 'IN', states: { IN: { invoke: { src: 'work', onDone: '#m.DONE', onError: '#m.WAIT' } } } },
        WAIT: { always: 'BUSY' },
      },
    ],
  ])('is found where it does so %s', (_, given) => {
    expect(again(given)).toHaveLength(1);
  });

  test.each([
    ['the tool changes nothing', waits, 'effect: none'],
    ['the same call again changes nothing', waits, 'effect: idempotent'],
    ['a person has it call again', { ...waits, WAIT: { on: { retry: 'BUSY' } } }, 'effect: irreversible'],
  ])('is no finding where %s', (_, given, effect) => {
    expect(again(given, 'effect: none', effect)).toEqual([]);
  });
});
