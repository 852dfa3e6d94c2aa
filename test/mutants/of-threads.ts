/** The mutants of the rules of threads. */
import type { Mutant } from './mutant.ts';

const by = { run: 'tests', file: 'test/langgraph/threads.test.ts' } as const;

export const OF_THREADS: readonly Mutant[] = [
  {
    rule: 'RC1',
    file: 'runtime/turns.ts',
    off: 'an open turn takes any input for its own',
    find: 'turn.id === id && (id !== undefined || turn.is === is)',
    replace: 'true',
    by,
  },
  {
    rule: 'RC2',
    file: 'sidecar/run/ending.ts',
    off: 'nothing is cleared at the end of a turn',
    find: 'if (!(await recovering.clearUnclaimed(again))) return;',
    replace: 'if (this.#end?.rest == null && !(await recovering.clearUnclaimed(again))) return;',
    by,
  },
  {
    rule: 'RC3',
    file: 'sidecar/run/complain.ts',
    off: 'a complaint about what was said is taken',
    find: '  refuseSaid(runState, suspicions);\n',
    replace: '',
    by,
  },
  {
    rule: 'RC4',
    file: 'sidecar/failures/decisions.ts',
    off: 'a decision goes behind the end of a turn',
    find: 'return heldToSaid(runState.history, runState.turns.said, decision);',
    replace: 'return decision;',
    by,
  },
  {
    rule: 'RC5',
    file: 'sidecar/run/ending.ts',
    off: 'what never left is held on',
    find: 'if (left.length > 0) await outbox.abandon();',
    replace: '',
    by,
  },
];
