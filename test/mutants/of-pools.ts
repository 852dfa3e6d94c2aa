/** The mutants of the rules about pools (semantics.md ER10 to ER13). */
import type { Mutant } from './mutant.ts';

const POOLS = { run: 'tests', file: 'test/pools/pools.test.ts' } as const;

export const OF_POOLS: readonly Mutant[] = [
  {
    rule: 'ER10',
    file: 'journal/pools.ts',
    off: 'a pool has room for everything',
    find: 'return amount <= before || spent + held - before + amount <= limit;',
    replace: 'return amount <= before || spent + held - before < limit;',
    by: POOLS,
  },
  {
    rule: 'ER10',
    file: 'effects/budgets.ts',
    off: 'a call that leaves again reserves the most once more',
    find: 'isPooled ? Math.max(0, amount - (budgets.admitted(of)[name] ?? 0)) : amount;',
    replace: 'isPooled ? Math.max(0, amount) : amount;',
    by: POOLS,
  },
  {
    rule: 'ER11',
    file: 'effects/pools.ts',
    off: 'nothing is waited for',
    find: "? 'waits' : 'refused';",
    replace: "? 'refused' : 'refused';",
    by: POOLS,
  },
  {
    rule: 'ER12',
    file: 'sidecar/calls/calls.ts',
    off: 'a call without a key that failed counts with nothing',
    find: 'amounts: error instanceof NotApplied ?',
    replace: 'amounts: error !== null ?',
    by: POOLS,
  },
  {
    rule: 'ER12',
    file: 'sidecar/calls/pooling.ts',
    off: 'a call without a key is forgotten with its process',
    find: 'amounts: isRefused ? times(amounts, 0) : amounts }]);',
    replace: 'amounts: isRefused || !isRefused ? times(amounts, 0) : amounts }]);',
    by: POOLS,
  },
  {
    rule: 'ER12',
    file: 'effects/acting.ts',
    off: 'a try under a key that counts already keeps what it has reserved',
    find: 'const back = isOpenStill ?',
    replace: 'const back = port === null ?',
    by: POOLS,
  },
  {
    rule: 'ER13',
    file: 'sidecar/opening/config.ts',
    off: 'each run has its own limit',
    find: 'if (limit === own) continue;',
    replace: 'if (limit >= 0) continue;',
    by: POOLS,
  },
];
