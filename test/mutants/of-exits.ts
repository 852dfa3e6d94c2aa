/** EX1 to EX3: exits that a policy has restored. */
import type { Mutant } from './mutant.ts';

const EXITS = { run: 'tests', file: 'test/semantics/exits.test.ts' } as const;
const ENUMERATED = { run: 'tests', file: 'test/enumeration/exits.test.ts' } as const;

export const OF_EXITS: readonly Mutant[] = [
  {
    rule: 'EX1',
    file: 'recovery/exits.ts',
    off: 'nothing that followed the closing step goes back with its exit',
    find: 'for (const later of places.afterIn(region, closed)) if (later.moves.includes(region)) return [later];',
    replace: '',
    by: EXITS,
  },
  {
    rule: 'EX2',
    file: 'recovery/exits.ts',
    off: 'a unit that the closing step entered is not behind the exit',
    find: "return behind === null ? null : { ...refused, why: 'behind', behind };",
    replace: 'return null;',
    by: ENUMERATED,
  },
  {
    rule: 'EX2',
    file: 'recovery/exits.ts',
    off: 'a unit that loses something with what followed is not behind the exit',
    find: 'if (other.skeleton === ROOT || instanceName(other) === instanceName(id)) continue;',
    replace: 'continue;',
    by: EXITS,
  },
  {
    rule: 'EX3',
    file: 'recovery/exits.ts',
    off: 'an exit is restored without the policy',
    find: 'if (!isExitAllowed(rules, id)) return refused;',
    replace: '',
    by: EXITS,
  },
];
