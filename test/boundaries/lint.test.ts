/** A config held against its machine: states, edges, tools, entries and keys that do not fit. */
import { describe, expect, test } from 'vitest';
import { fromCallback, fromObservable, setup } from 'xstate';
import { machineShape } from '../../src/xstate/shape.ts';
import { always, lint, machine, said, states, work } from './linting.ts';

describe('against its machine, a config', () => {
  test('in order is told nothing but what is to be known', () => {
    expect(said(machine())).toEqual([always]);
  });

  test('without a machine is told that it was not held against one', () => {
    expect(said(null)).toEqual(['2:8 note no_machine there is no machine "m" to check the config against', always]);
  });

  test('without a machine is still told what needs none', () => {
    const never =
      '13:15 warning never_certifies the commit "done" can never certify: its condition is always no, so it is not Closed';
    expect(said(null, "'memory.out[?entity].hasValue()'", "'1 == 2'")).toContain(never);
    const other = '  Other: { entity: args.id, states: [BUSY.a], entry: [BUSY.a] }\n  Unit:';
    expect(said(null, '  Unit:', other)).toContainEqual(expect.stringContaining('error state_claimed_twice "BUSY.a"'));
  });

  test.each([
    ['an unknown state', 'states: [BUSY]', 'states: [BUSY, BSY]', '8:20 error unknown_state "BSY" is not a state of m'],
    [
      'an unknown state to resume from',
      'resume: BUSY',
      'resume: BUSI',
      '14:42 error unknown_state "BUSI" is not a state of m',
    ],
    [
      'an unknown end of an edge',
      'BUSY -> DONE',
      'BUSY -> DOEN',
      '13:33 error unknown_state "DOEN" is not a state of m',
    ],
    [
      'an edge that does not exist',
      'BUSY -> DONE',
      'BUSY -> IDLE',
      '13:25 error unknown_edge no transition goes from "BUSY" to "IDLE"',
    ],
    ['a site that is no state', 'BUSY -> DONE', 'DUNE', '13:25 error unknown_state "DUNE" is not a state of m'],
  ])('is told of %s', (_what, from, to, finding) => {
    expect(said(machine(), from, to)).toContain(finding);
  });

  test('is told which state was meant, and where an edge could go', () => {
    expect(lint(machine(), 'states: [BUSY]', 'states: [BUSY, BSY]')).toContainEqual(
      expect.objectContaining({ mend: 'Did you mean "BUSY"?' }),
    );
    expect(lint(machine(), 'BUSY -> DONE', 'BUSY -> IDLE')).toContainEqual(
      expect.objectContaining({ mend: 'From "BUSY" the machine goes to DONE.' }),
    );
  });

  test('may name the edge of a state around, one into a state around, and the states within', () => {
    const nested = {
      BUSY: { initial: 'a', states: { a: { invoke: { src: 'work', onDone: '#m.DONE' } } } },
      DONE: { initial: 'd', states: { d: {} } },
    };
    for (const edge of ['BUSY -> DONE', 'BUSY.a -> DONE', 'BUSY.a -> DONE.d', 'BUSY -> DONE.d']) {
      expect(said(machine(nested), 'BUSY -> DONE', edge).filter((line) => line.includes('unknown'))).toEqual([]);
    }
    expect(said(machine(nested), 'BUSY -> DONE', 'IDLE -> DONE')).toContain(
      '13:25 error unknown_edge no transition goes from "IDLE" to "DONE"',
    );
  });

  test('is told of tools: never called, not declared, inline', () => {
    expect(said(machine(), '  work:', '  wrok: { effect: none }\n  work:')).toContain(
      '4:3 warning tool_never_called no state of m calls "wrok"',
    );
    expect(said(machine(), '  work:', '  hidden: { effect: none }\n  work:')).toContain(
      '4:3 warning tool_never_called no state of m calls "hidden"',
    );
    expect(said(machine(), '  work:', '  go: { effect: none }\n  work:')).toEqual([
      expect.stringContaining('input_unprovided'),
    ]);
    expect(said(machine({ DONE: { invoke: { src: 'other' } } }))).toContain(
      '2:8 warning tool_undeclared m calls "other", which is not declared and so counts as irreversible',
    );
    expect(said(machine({ DONE: { invoke: { src: work } } }))).toContain(
      '2:8 warning invoke_inline "DONE" invokes inline logic, which Belay cannot guard',
    );
  });

  test('is told of actors whose outcome is never known', () => {
    const listen = setup({
      actors: {
        work: fromCallback(() => {}),
        other: fromObservable(() => ({ subscribe: () => ({ unsubscribe: () => {} }) })),
      },
    });
    const shape = machineShape(
      listen.createMachine({
        id: 'm',
        initial: 'IDLE',
        states: { ...states, DONE: { invoke: { src: 'other' } } },
      } as never),
    );
    const codes = said(shape, 'effect: none', 'effect: idempotent').filter((line) =>
      line.includes('outcome_never_known'),
    );
    expect(codes).toEqual([
      '2:8 warning outcome_never_known "other" is an observable and irreversible: its outcome is never known',
      '4:3 warning outcome_never_known "work" is a callback and idempotent: its outcome is never known',
    ]);
    expect(said(shape).filter((line) => line.includes('"work"'))).toEqual([]);
  });

  test('is told of an entry that nothing leads to, and of arrivals that are no entry', () => {
    expect(said(machine({ IDLE: {} }))).toContain(
      '9:13 warning unreachable_entry nothing in m leads to the entry "BUSY"',
    );
    const two = { IDLE: { on: { go: 'BUSY', jump: 'LATE' } }, LATE: { on: { go: 'BUSY' } } };
    expect(said(machine(two), 'states: [BUSY]', 'states: [BUSY, LATE]')).toContain(
      '6:3 warning entry_missing "IDLE" leads in "LATE", a state of Unit that is no entry',
    );
    expect(said(machine({}, { initial: 'BUSY' })).filter((line) => line.includes('entry_missing'))).toEqual([]);
    expect(said(machine({}, { initial: 'IDLE' }), 'states: [BUSY]', 'states: [BUSY, IDLE]')).toContain(
      '6:3 warning entry_missing the machine begins in "IDLE", a state of Unit that is no entry',
    );
  });

  test('is told of a skeleton that is entered around its entry, but not of one entered through its initial state', () => {
    const nested = {
      BUSY: { initial: 'a', states: { a: { on: { n: 'b' } }, b: { invoke: { src: 'work', onDone: '#m.DONE' } } } },
    };
    expect(said(machine(nested), 'entry: [BUSY]', 'entry: [BUSY.a]')).toEqual([always]);
    expect(said(machine(nested), 'entry: [BUSY]', 'entry: [BUSY.b]')).toContain(
      '6:3 warning entry_missing "IDLE" leads in "BUSY", a state of Unit that is no entry',
    );
  });

  test('is told of outputs that nobody writes and of conditions that read what is not declared', () => {
    expect(said(machine(), "writes: ['out/{args.id}']", 'writes: []')).toContain(
      '11:15 warning output_unwritten no tool writes "out/{entity}"',
    );
    expect(said(machine(), 'memory.out[?entity]', 'memory.?secret')).toContain(
      '13:45 warning read_undeclared the condition reads "secret", which is neither an input nor an output of Unit',
    );
    expect(said(machine(), 'entity: args.id', 'entity: memory.id')).toContainEqual(
      expect.stringContaining('7:13 warning read_undeclared'),
    );
  });

  test('is told of two skeletons that claim one state, also where one lies within the other', () => {
    const other = (state: string) => `  Other: { entity: '"x"', states: [${state}], entry: [${state}] }\n  Unit:`;
    const nested = machine({ BUSY: { initial: 'a', states: { a: {} } } });
    expect(said(nested, '  Unit:', other('BUSY.a'))).toContain(
      '6:36 error state_claimed_twice "BUSY.a" belongs to Other and to Unit of m',
    );
    expect(said(nested, '  Unit:', other('IDLE')).filter((line) => line.includes('claimed'))).toEqual([]);
  });
});
