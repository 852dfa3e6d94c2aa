import { describe, expect, test } from 'vitest';
import { createMachine, fromCallback, fromObservable, fromPromise, setup } from 'xstate';
import { readConfig } from '../../src/boundaries/directory.ts';
import { lostEdges } from '../../src/boundaries/lint/edges.ts';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { propose } from '../../src/boundaries/lint/propose.ts';
import { Reach } from '../../src/boundaries/lint/reach.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { tool } from '../../src/xstate/tool.ts';
import { load } from './config.ts';
import { scheduleForm } from './fixtures/machines.mjs';

const work = fromPromise(async () => null);
const actors = { work, other: work, hidden: work };
const busy = { invoke: { src: 'work', onDone: 'DONE' } };
const states = { IDLE: { on: { go: 'BUSY' } }, BUSY: busy, DONE: {} };

/** A machine with id m: its states are those given, instead of IDLE, BUSY and DONE. */
function machine(given: object = {}, more: object = {}) {
  return machineShape(
    setup({ actors }).createMachine({ id: 'm', initial: 'IDLE', states: { ...states, ...given }, ...more } as never),
  );
}

/** What is said about the plain config, with one text in place of another, against a machine. */
function lint(shape: ReturnType<typeof machine> | null, from = '', to = '') {
  const { config, document, findings } = load(from, to);
  if (config === null) throw new Error(findings.map(({ message }) => message).join('; '));
  return lintConfig(config, document, shape);
}

const said = (...args: Parameters<typeof lint>) => {
  return lint(...args).map(
    ({ line, column, severity, code, message }) => `${line}:${column} ${severity} ${code} ${message}`,
  );
};

/** What the plain config is always told: nobody writes its input. */
const always = '10:14 note input_unprovided nothing that is declared writes "in"';

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
      'no tool writes its output result, so it is not Closed',
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

describe('nested and strange machines', () => {
  const inner = setup({ actors: { leaf: work } }).createMachine({
    id: 'inner',
    initial: 'x',
    states: { x: { invoke: { src: 'leaf', onDone: 'y' } }, y: { type: 'final' } },
  });

  test('a state of a machine that is invoked is named behind the tool, and its tools are called', () => {
    const outer = setup({ actors: { nest: inner, work } }).createMachine({
      id: 'm',
      initial: 'IDLE',
      states: {
        IDLE: { invoke: { src: 'nest', onDone: 'BUSY' } },
        BUSY: { invoke: { src: 'work', onDone: 'DONE' } },
        DONE: {},
      },
    });
    const shape = machineShape(outer);
    const skeleton =
      '  Leaf: { entity: \'"x"\', states: [nest/x], entry: [nest/x], outputs: [], commit: [{ id: c, at: nest/x -> nest/y, when: \'state != ""\' }], rollback: { anchors: [c], resume: nest/x } }\n  Unit:';
    const lines = said(shape, '  Unit:', skeleton);
    expect(lines).toEqual([
      expect.stringContaining('tool_undeclared m calls "leaf"'),
      expect.stringContaining('irreversible_before_commit "nest/x" calls "leaf"'),
      expect.stringContaining('input_unprovided'),
    ]);
    expect(said(shape, '  Unit:', skeleton.replaceAll('nest/y', 'nest/z'))).toContainEqual(
      expect.stringContaining('"nest/z" is not a state of m'),
    );
  });

  test('regions, history and wildcards lead where they lead', () => {
    const shape = machineShape(
      createMachine({
        id: 'm',
        initial: 'par',
        on: { '*': '.late' },
        states: {
          par: {
            type: 'parallel',
            states: {
              r: { initial: 'r1', states: { r1: { on: { n: 'r2' } }, r2: {} } },
              s: { initial: 's1', states: { s1: {} } },
            },
          },
          late: { initial: 'l1', states: { l1: { on: { back: 'l2' } }, l2: {}, h: { type: 'history' } } },
          again: { on: { x: 'late.h' } },
          never: { on: { x: 'again' } },
        },
      }),
    );
    const reach = new Reach(shape);
    expect([...reach.entered('par.r.r2')].sort()).toEqual(['', 'par', 'par.r', 'par.r.r2', 'par.s', 'par.s.s1']);
    expect([...reach.entered('')].sort()).toEqual(['', 'par', 'par.r', 'par.r.r1', 'par.s', 'par.s.s1']);
    const reached = reach.from(() => false);
    expect(['late.l2', 'par.r.r2'].every((state) => reached.has(state))).toBe(true);
    expect(['again', 'never'].some((state) => reached.has(state))).toBe(false);
    expect(reach.hasEdge('again', 'late.l2')).toBe(true);
    expect(reach.hasEdge('par.r.r1', 'late')).toBe(true);
    expect(reach.hasEdge('late', 'par')).toBe(false);
    expect([...reach.enteredBy('par.r.r1', 'par.r.r2')]).toEqual(['par.r.r2']);
    expect([...reach.enteredBy('par.r.r1', 'par.s.s1')].sort()).toEqual([...reach.entered('par.s.s1')].sort());
    expect([...reach.enteredBy('late.l1', 'par')]).toContain('par.s.s1');
  });

  test('an edge within a region does not lead into the regions beside it', () => {
    const shape = machineShape(
      createMachine({
        id: 'm',
        initial: 'before',
        states: {
          before: { on: { go: 'par' } },
          par: {
            type: 'parallel',
            states: {
              r: { initial: 'r1', states: { r1: { on: { n: 'r2' } }, r2: {} } },
              s: { initial: 's1', states: { s1: {} } },
            },
          },
        },
      }),
    );
    const skeleton =
      '  Whole: { entity: \'"x"\', states: [before, par.s], entry: [before], outputs: [], commit: [{ id: c, at: par.s.s1, when: \'state != ""\' }], rollback: { anchors: [c], resume: before } }\n  Unit:';
    expect(said(shape, '  Unit:', skeleton).filter((line) => line.includes('entry_missing'))).toEqual([]);
  });
});

describe('proposals', () => {
  test('group what belongs to no skeleton, with where it begins, where it ends and what would tell', () => {
    const { config } = readConfig(new URL('fixtures/schedule-form.yaml', import.meta.url).pathname);
    if (config === null) throw new Error('refused');
    const none = { ...config, skeletons: new Map() };
    const [all, ...rest] = propose(none, new Reach(machineShape(scheduleForm as never)));
    expect(rest).toEqual([]);
    expect(all).toEqual({
      states: ['SLOT_QUERYING', 'WAITING_SLOT_SELECTION', 'WAITING_SLOT_REFINEMENT', 'SLOT_READY', 'SUBMITTING'],
      entry: ['SLOT_QUERYING'],
      outputs: [
        'slots/{args.slot}/candidates',
        'slots/{args.slot}/value',
        'slots/{args.slot}/status',
        'receipt',
        'calendar:**',
      ],
      boundaries: [
        {
          kind: 'commit',
          id: 'SLOT_QUERYING-done',
          from: 'SLOT_QUERYING',
          to: 'WAITING_SLOT_SELECTION',
          when: 'memory.slots[?entity].?candidates.orValue(null) != null',
          outputs: ['slots/{args.slot}/candidates'],
        },
        expect.objectContaining({ id: 'WAITING_SLOT_SELECTION-done', to: 'WAITING_SLOT_REFINEMENT' }),
        {
          kind: 'exit',
          id: 'SUBMITTING-done',
          from: 'SUBMITTING',
          to: 'DONE',
          when: 'memory.?receipt.orValue(null) != null',
          outputs: ['receipt'],
        },
      ],
    });
    const [ready] = propose(config, new Reach(machineShape(scheduleForm as never)));
    expect(ready).toMatchObject({ states: ['SLOT_READY'], entry: ['SLOT_READY'], outputs: [] });
    expect(ready?.boundaries.map(({ to, when }) => [to, when])).toEqual([
      ['WAITING_SLOT_REFINEMENT', null],
      ['SUBMITTING', null],
    ]);
  });
});

describe('a strict check', () => {
  const shape = (logic: object) =>
    machineShape(
      setup({ actors: { work: logic as typeof work } }).createMachine({ id: 'm', initial: 'IDLE', states } as never),
    );
  const keys = (logic: object, strict: boolean, from = 'effect: none', to = 'effect: irreversible') => {
    const { config, document } = load(from, to);
    if (config === null) throw new Error('no config');
    return lintConfig(config, document, shape(logic), strict).flatMap(({ code, severity, message }) =>
      code === 'key_not_taken' ? [`${severity} ${message}`] : [],
    );
  };

  test('warns of an irreversible tool that does not take its key', () => {
    const said = [expect.stringMatching(/^warning "work" is irreversible and does not take the key of its call/)];
    expect(keys(work, true)).toEqual(said);
    expect(
      keys(
        tool(async ({ input }) => input),
        true,
      ),
    ).toEqual(said);
    expect(
      keys(
        tool(async ({ key }) => key),
        true,
      ),
    ).toEqual([]);
  });

  test('asks that of no other tool, and in no other check', () => {
    expect(keys(work, true, 'effect: none', 'effect: idempotent')).toEqual([]);
    expect(keys(work, false)).toEqual([]);
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
