/** The mutants of the rules of forks. */
import type { Mutant } from './mutant.ts';

const by = { run: 'tests', file: 'test/forking/fork.test.ts' } as const;

export const OF_FORKS: readonly Mutant[] = [
  {
    rule: 'FK6',
    file: 'journal/claim-board.ts',
    off: 'kin wait for each other on what their common past has touched',
    find: 'return !own.some(({ key, from = call.run }) => key.text === claim.key.text && from === owner);',
    replace: 'return own.length >= 0 && owner !== null;',
    by,
  },
  {
    rule: 'FK6',
    file: 'journal/claim-board.ts',
    off: 'a fork that is taken up stands in line behind a run that waits for its kin',
    find: 'call.wanted.filter((claim) => !this.#joins(claim))',
    replace: 'call.wanted.filter((claim) => !this.#joins(claim) || true)',
    by,
  },
  {
    rule: 'FK6',
    file: 'sidecar/calls/claiming.ts',
    off: 'what a run touches behind a fork is shared with its kin, too',
    find: 'const of = this.#ownerOf((fork) => index < fork.calls);',
    replace: 'const of = this.#ownerOf((fork) => index < fork.calls || fork.calls >= 0);',
    by,
  },
  {
    rule: 'FK1',
    file: 'sidecar/opening/fork-run.ts',
    off: 'a past is shared wherever the row is',
    find: 'if (why !== null) refuse(why, nearestIn(rows, at));',
    replace: '',
    by,
  },
  {
    rule: 'FK2',
    file: 'sidecar/opening/fork-run.ts',
    off: 'the acts of the common past are undone by a fork as its own',
    find: "    return [{ key, class: classKept(intent.class, 'irreversible'), undo: false }];",
    replace: '    return [];',
    by,
  },
  {
    rule: 'FK2',
    file: 'sidecar/aborting/acts.ts',
    off: 'an abort of a fork takes the acts of its parent for its own',
    find: ' && !common.has(key),',
    replace: ',',
    by,
  },
  {
    rule: 'FK3',
    file: 'effects/ledger.ts',
    off: 'a fork keys its calls by the name of its parent',
    find: 'return made ?? nameIn(run);',
    replace: 'return made ?? nameIn(this.forks[0]?.of ?? run);',
    by,
  },
  {
    rule: 'FK4',
    file: 'sidecar/calls/kin.ts',
    off: 'nothing that the parent has done behind the fork is asked about',
    find: 'if (newest !== undefined) return { run: of, key: newest.key };',
    replace: '',
    by,
  },
  {
    rule: 'FK4',
    file: 'sidecar/approvals/approvals.ts',
    off: 'an approval that was asked for before the parent acted holds behind that act',
    find: 'return kin === null || (asked?.run === kin.run && asked.key === kin.key);',
    replace: 'return kin === null || asked !== null;',
    by,
  },
  {
    rule: 'FK5',
    file: 'sidecar/failures/taking-gone.ts',
    off: 'what the parent has undone of the common past stands for its fork',
    find: "await recovering.settleEffect(key, 'compensated');",
    replace: 'void [key, recovering];',
    by,
  },
];
