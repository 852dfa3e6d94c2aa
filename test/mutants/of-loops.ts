/** The mutants of the rules of loops. */
import type { Mutant } from './mutant.ts';

const by = { run: 'tests', file: 'test/loop/loop.test.ts' } as const;

const inWorkers = { run: 'tests', file: 'test/workers/programs.test.ts' } as const;

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
    find: 'if (notes.asked[name] !== is)',
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
    rule: 'LP2',
    file: 'loop/execution.ts',
    off: 'a model is answered that was asked something else',
    find: 'if (notes.asked[name] !== is)',
    replace: 'if (tool !== MODEL && notes.asked[name] !== is)',
    by,
  },
  {
    rule: 'RC6',
    file: 'sidecar/run/messages.ts',
    off: 'a turn is taken without the entry of its message',
    find: '() => write.append([taken])',
    replace: '() => void taken',
    by: inWorkers,
  },
  {
    rule: 'RC6',
    file: 'sidecar/run/messages.ts',
    off: 'a turn is begun while another one is open',
    find: 'if (program.isReady)',
    replace: 'if (program)',
    by: inWorkers,
  },
  {
    rule: 'RC6',
    file: 'runtime/turns.ts',
    off: 'a message is taken again whose id has a turn',
    find: 'if (known === undefined) return null;',
    replace: 'if (known !== null) return null;',
    by: inWorkers,
  },
  {
    rule: 'RC7',
    file: 'sidecar/run/rest.ts',
    off: 'a run is given back while its code runs',
    find: ' && !run.runtime.isRunning',
    replace: '',
    by: inWorkers,
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
