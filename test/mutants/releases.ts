/** The mutants of the rules of early release. */
import type { Mutant } from './mutant.ts';

const by = { run: 'tests', file: 'test/release/release.test.ts' } as const;

export const OF_RELEASES: readonly Mutant[] = [
  {
    rule: 'ER1',
    file: 'sidecar/calls/releasing.ts',
    off: 'a key is released though its unit has certified no boundary behind its touch',
    find: 'isOver: at <= upTo });',
    replace: 'isOver: at > 0 || upTo > 0 });',
    by,
  },
  {
    rule: 'ER2',
    file: 'sidecar/calls/releasing.ts',
    off: 'a key is released before the run has the others',
    find: 'if (!later.every((key) => has.some((own) => covers(own, key)))) return [];',
    replace: '',
    by,
  },
  {
    rule: 'ER2',
    file: 'sidecar/calls/releasing.ts',
    off: 'a key is released that a state to come may touch',
    find: 'return has.filter((own) => !later.some((key) => overlaps(own, key)));',
    replace: 'return has;',
    by,
  },
  {
    rule: 'ER2',
    file: 'journal/claim-board.ts',
    off: 'a key is released while a call of the run stands in line',
    find: 'if (this.#line.some((call) => call.run === run)) return [];',
    replace: '',
    by,
  },
  {
    rule: 'ER2',
    file: 'sidecar/calls/releasing.ts',
    off: 'a run claims anew while a key of it is released',
    find: 'if (wanted.every(({ key }) => has.some((own) => covers(own, key)))) return null;',
    replace: 'if (wanted.length + has.length >= 0) return null;',
    by,
  },
  {
    rule: 'ER3',
    file: 'sidecar/calls/releasing.ts',
    off: 'an act is undone under what another run was given',
    find: 'return over === undefined ? null : passedText(over);',
    replace: 'return over === undefined ? null : null;',
    by,
  },
  {
    rule: 'ER3',
    file: 'journal/claim-board.ts',
    off: 'the store forgets who was given a released key',
    find: 'return passed.map(({ key }) => ({ from, key: key.text }));',
    replace:
      'this.mark(from, passed.map(({ key }) => key.text), false); return passed.map(({ key }) => ({ from, key: key.text }));',
    by,
  },
  {
    rule: 'ER4',
    file: 'sidecar/calls/claiming.ts',
    off: 'a run that is taken up claims what it has released',
    find: 'const kept = touched.filter(({ key }) => !released.has(key.text));',
    replace: 'const kept = touched.filter(({ key }) => !released.has(key.text) || true);',
    by,
  },
  {
    rule: 'ER4',
    file: 'sidecar/calls/claiming.ts',
    off: 'the store is not told once more',
    find: 'await this.#releasing.again();',
    replace: '',
    by,
  },
  {
    rule: 'ER5',
    file: 'sidecar/opening/fork-run.ts',
    off: 'a fork is made behind a release',
    find: "if (runState.ledger.released.size > 0) return 'the run has released keys there';",
    replace: '',
    by,
  },
];
