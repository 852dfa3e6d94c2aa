/** The mutants of the rules of loops. */
import type { Mutant } from './mutant.ts';

const by = { run: 'tests', file: 'test/loop/loop.test.ts' } as const;

export const OF_LOOPS: readonly Mutant[] = [
  {
    rule: 'LP1',
    file: 'loop/execution.ts',
    off: 'a round begins beside the one that goes on',
    find: 'else if (open.length === 0) this.#round(entry);',
    replace: 'else this.#round(entry);',
    by,
  },
  {
    rule: 'LP1',
    file: 'loop/entry.ts',
    off: 'a call within a call is made',
    find: 'if (outer !== undefined)',
    replace: 'if (outer === "none")',
    by,
  },
  {
    rule: 'LP2',
    file: 'loop/execution.ts',
    off: 'an act is answered that has other arguments',
    find: 'if (tool !== MODEL && notes.asked[name] !== is)',
    replace: 'if (tool === "none")',
    by,
  },
  {
    rule: 'LP2',
    file: 'loop/execution.ts',
    off: 'a turn ends without a call that the journal has',
    find: 'if (left !== undefined)',
    replace: 'if (left === "none")',
    by,
  },
  {
    rule: 'LP3',
    file: 'loop/memory.ts',
    off: 'a call reads none of the answers before it',
    find: "[['input'], ['turns'], ['steps']]",
    replace: "[['input'], ['turns']]",
    by,
  },
];
