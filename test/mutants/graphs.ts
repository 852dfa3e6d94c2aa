/** The mutants of the rules of control as graphs keep them. */
import type { Mutant } from './mutant.ts';

export const OF_GRAPHS: readonly Mutant[] = [
  {
    rule: 'C1a',
    file: 'runtime/lane-steps.ts',
    off: 'the barrier of a graph is a step of one of the tasks behind it',
    find: '...lanesOf(to)].map(',
    replace: '...lanesOf(to).slice(0, 1)].map(',
    by: { run: 'tests', file: 'test/langgraph/rules/cut.test.ts' },
  },
  {
    rule: 'C1b',
    file: 'langgraph/execution.ts',
    off: 'a question of a graph that was taken back can still be answered',
    find: 'this.program.asks([]);',
    replace: '',
    by: { run: 'tests', file: 'test/langgraph/rules/cut.test.ts' },
  },
];
