/** Child machines whose beginning no state tells, and whose root takes them out of their work. */
import { describe, expect, test } from 'vitest';
import { setup } from 'xstate';
import { machineShape } from '../../src/xstate/shape.ts';
import { said, work } from './linting.ts';

describe('of child machines a config is told right that', () => {
  const inner = setup({ actors: { leaf: work } }).createMachine({
    id: 'inner',
    initial: 'x',
    states: { x: { invoke: { src: 'leaf', onDone: 'y' } }, y: { type: 'final' } },
  });

  test('a machine that no state invokes may be spawned: control can be in it', () => {
    const outer = setup({ actors: { nest: inner, work } }).createMachine({
      id: 'm',
      initial: 'IDLE',
      states: { IDLE: { on: { go: 'BUSY' } }, BUSY: { invoke: { src: 'work', onDone: 'DONE' } }, DONE: {} },
    });
    const skeleton =
      '  Leaf: { entity: \'"x"\', states: [nest/x], entry: [nest/x], outputs: [], commit: [{ id: c, at: nest/x -> nest/y, when: \'state != ""\' }], rollback: { anchors: [c], resume: nest/x } }\n  Unit:';
    const lines = said(machineShape(outer), '  Unit:', skeleton).join();
    expect(lines).not.toMatch(/unreachable_entry|never_certifies/);
  });

  test('a transition of the root of a machine leaves the work in its states', () => {
    const child = setup({ actors: { leaf: work } }).createMachine({
      id: 'inner',
      initial: 'x',
      on: { stop: '.gone' },
      states: { x: { invoke: { src: 'leaf', onDone: 'y' } }, y: { type: 'final' }, gone: {}, lost: {} },
    });
    const outer = setup({ actors: { nest: child } }).createMachine({
      id: 'm',
      initial: 'IDLE',
      states: { IDLE: { on: { go: 'BUSY' }, invoke: { src: 'nest' } }, BUSY: { on: { end: 'DONE' } }, DONE: {} },
    });
    const about = (site: string) =>
      said(
        machineShape(outer),
        '  Unit:',
        `  Leaf: { entity: '"x"', states: [nest/x], entry: [nest/x], outputs: [], exit: [{ id: c, at: ${site}, when: 'state != ""' }], rollback: { anchors: [c], resume: nest/x } }\n  Unit:`,
      ).join();
    expect(about('nest/gone')).not.toContain('never_certifies');
    expect(about('nest/lost')).toContain('never_certifies');
  });
});
