/** Machines within machines, regions, history states and wildcards, as a config is held against them. */
import { describe, expect, test } from 'vitest';
import { createMachine, setup } from 'xstate';
import { Reach } from '../../src/boundaries/lint/reach.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { said, work } from './linting.ts';

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
