/** The mutants of the rules about steps that threw (semantics.md TH1 to TH8): the oracle of those rules has to notice each. */
import type { Mutant } from './mutant.ts';

const ORACLE = { run: 'tests', file: 'test/lifecycle/throws-oracle.test.ts' } as const;

export const OF_THROWS: readonly Mutant[] = [
  {
    rule: 'TH1',
    file: 'sidecar/failures/retrying.ts',
    off: 'no process that takes a run up tries a step again',
    find: 'if (said !== undefined) this.#waiting.shift();',
    replace: 'return;',
    by: ORACLE,
  },
  {
    rule: 'TH2',
    file: 'sidecar/failures/retrying.ts',
    off: 'each process is a word, under whatever version',
    find: 'return version === null || !runState.threwUnder(question).has(version);',
    replace: 'return version !== question;',
    by: ORACLE,
  },
  {
    rule: 'TH2',
    file: 'projection/open-decisions.ts',
    off: 'only the last version that threw is known: two that throw take the run from each other for ever',
    find: 'this.threwUnder(question).add(thrown.version)',
    replace: 'new Set([thrown.version])',
    by: { run: 'tests', file: 'test/workers/retry.test.ts', name: 'of no version twice .memory' },
  },
  {
    rule: 'TH3',
    file: 'sidecar/queries/recovery-queries.ts',
    off: 'no restore comes before a person',
    find: 'runState.hasThrownOn(thrown.on))',
    replace: 'thrown.on !== null)',
    by: ORACLE,
  },
  {
    rule: 'TH4',
    file: 'sidecar/queries/recovery-queries.ts',
    off: 'the same throw on the same is restored again',
    find: 'if (thrown !== undefined && this.#runtime.machines !== null &&',
    replace: 'if (thrown !== undefined && this.#runtime.machines === null &&',
    by: ORACLE,
  },
  {
    rule: 'TH5',
    file: 'reports/no-retry.ts',
    off: 'a step is tried again on what is found wrong',
    find: 'if ([...open.values()].some(({ suspect }) => suspect === true) ||',
    replace: 'if (',
    by: ORACLE,
  },
  {
    rule: 'TH6',
    file: 'projection/run-state.ts',
    off: 'the event of the step is gone with it in another process',
    find: 'this.#comesAgain(decisions.thrownIn(entry.questions));',
    replace: '',
    by: ORACLE,
  },
  {
    rule: 'TH6',
    file: 'sidecar/failures/retrying.ts',
    off: 'nothing is handed on again in place',
    find: 'for (const { retry } of [...again].reverse()) retry?.();',
    replace: '',
    by: ORACLE,
  },
  {
    rule: 'TH7',
    file: 'sidecar/failures/retrying.ts',
    off: 'a limit counts anew in each process',
    find: 'if (entry.thrown?.limit !== undefined) return limit !== entry.thrown.limit;',
    replace: 'if (limit === 0) return false;',
    by: ORACLE,
  },
  {
    rule: 'TH8',
    file: 'projection/run-state.ts',
    off: 'tries stay spent after a fix',
    find: 'if (digests.version !== version) this.#run.decisions.giveBack();',
    replace: '',
    by: ORACLE,
  },
];
