/** The mutants of the rules about what commits say (semantics.md SP1 to SP4). */
import type { Mutant } from './mutant.ts';

const ROUNDS = { run: 'tests', file: 'test/semantics/rounds-commits.test.ts' } as const;
const BY = { run: 'tests', file: 'test/sidecar/announced.test.ts' } as const;

export const OF_COMMITS: readonly Mutant[] = [
  {
    rule: 'SP1',
    file: 'sidecar/commits/speaking.ts',
    off: 'a long message is kept whole',
    find: 'return text.length <= LONGEST ? text',
    replace: 'return text.length > 0 ? text',
    by: BY,
  },
  {
    rule: 'SP1',
    file: 'projection/redaction.ts',
    off: 'a message is journaled with what the config redacts',
    find: 'return entry.text === undefined ? entry : { ...entry, text: this.text(entry.text) };',
    replace: 'return entry;',
    by: BY,
  },
  {
    rule: 'SP2',
    file: 'projection/made-visible.ts',
    off: 'calls that have failed count among what a commit has made visible',
    find: "return repeats === null && !decides && status !== 'failed' && status !== 'compensated';",
    replace: 'return repeats === null && !decides && status !== null;',
    by: { run: 'tests', file: 'test/sidecar/announced-beside.test.ts' },
  },
  {
    rule: 'SP3',
    file: 'sidecar/commits/announcing.ts',
    off: 'the program is told of a commit whose held calls are not visible',
    find: 'if (isHeld || isOpen) return false;',
    replace: '',
    by: ROUNDS,
  },
  {
    rule: 'SP3',
    file: 'sidecar/commits/announcing.ts',
    off: 'nothing is journaled once the program was told',
    find: "this.#write.append([{ do: 'announced', id }]);",
    replace: 'this.#parts.runState.commits.announced(id);',
    by: ROUNDS,
  },
  {
    rule: 'SP4',
    file: 'sidecar/run/ending.ts',
    off: 'the end of a run does not wait for the program',
    find: 'if (this.#end?.rest === null) await announcing.atEnd();',
    replace: '',
    by: ROUNDS,
  },
  {
    rule: 'SP3',
    file: 'sidecar/commits/announcing.ts',
    off: 'a program that threw is told again in a pause',
    find: " || !lifecycle.may('commit')) return false;",
    replace: ') return false;',
    by: { run: 'tests', file: 'test/sidecar/announced-beside.test.ts' },
  },
];
