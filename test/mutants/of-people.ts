/** The mutants of the rules about people at a gate (semantics.md PE1 to PE7). */
import type { Mutant } from './mutant.ts';

const WORLD = { run: 'tests', file: 'test/semantics/people.test.ts' } as const;
const BY = { run: 'tests', file: 'test/sidecar/people.test.ts' } as const;
const FOLD = { run: 'tests', file: 'test/effects/gates.test.ts' } as const;

export const OF_PEOPLE: readonly Mutant[] = [
  {
    rule: 'PE1',
    file: 'boundaries/edited.ts',
    off: 'a part of the arguments is changed that the config does not list',
    find: 'if (places.includes(at)) return { args: change };',
    replace: "if (places.includes(at) || at !== 'args') return { args: change };",
    by: BY,
  },
  {
    rule: 'PE1',
    file: 'boundaries/edited.ts',
    off: 'changed arguments are not held against the schema',
    find: "return reason === null ? { args: all } : { code: 'bad_arguments', reason };",
    replace: 'return reason === undefined ? made : { args: all };',
    by: BY,
  },
  {
    rule: 'PE1',
    file: 'sidecar/approvals/refusals.ts',
    off: 'the condition of the tool is not asked of changed arguments',
    find: 'return unmet === null ? null : {',
    replace: "return unmet !== '' ? null : {",
    by: BY,
  },
  {
    rule: 'PE2',
    file: 'effects/awaiting-approval.ts',
    off: 'what was changed is not journaled as the call leaves',
    find: '...(changes !== null && { with: call.args }), ',
    replace: '',
    by: BY,
  },
  {
    rule: 'PE2',
    file: 'effects/guard.ts',
    off: 'a call that is sent again has the arguments of the machine',
    find: 'return recorded.intent.digest === digestOf(port, call) ? call.sending(recorded.intent.args) : call;',
    replace: 'return call;',
    by: WORLD,
  },
  {
    rule: 'PE2',
    file: 'effects/keys.ts',
    off: 'a changed call that has not happened is made again under its key',
    find: "return voided || (status === 'failed' && intent.instead !== undefined);",
    replace: 'return voided;',
    by: BY,
  },
  {
    rule: 'PE3',
    file: 'effects/gates.ts',
    off: 'an approval holds for work that went back',
    find: 'if (epoch !== gate.epoch)',
    replace: 'if (epoch < gate.epoch)',
    by: FOLD,
  },
  {
    rule: 'PE4',
    file: 'effects/gates.ts',
    off: 'a second answer counts',
    find: "if (gate.status !== 'pending')",
    replace: "if (gate.status !== 'pending' && gate.status !== 'approved')",
    by: BY,
  },
  {
    rule: 'PE5',
    file: 'projection/calls.ts',
    off: 'the approval of a call holds once a person has made its act by hand',
    find: 'this.asked.supplied(key, by, why);',
    replace: '',
    by: BY,
  },
  {
    rule: 'PE5',
    file: 'sidecar/failures/told-outcomes.ts',
    off: 'an answer by hand is not held against the output of the tool',
    find: 'rulesOf(parts.config, parts.versions, named)?.refuses(output) ?? null;',
    replace: 'rulesOf(parts.config, parts.versions, named)?.refuses(output) ? null : null;',
    by: BY,
  },
  {
    rule: 'PE6',
    file: 'sidecar/calls/undoing.ts',
    off: 'the program undoes what a person made by hand',
    find: 'const undo = byHand === undefined ? this.#undoOf(call) : null;',
    replace: 'const undo = this.#undoOf(call);',
    by: WORLD,
  },
  {
    rule: 'PE6',
    file: 'projection/calls.ts',
    off: 'an idempotent call that a person has made by hand is asked again',
    find: "const kept = call.intent.class === 'idempotent' ? 'irreversible' : call.intent.class;",
    replace: 'const kept = call.intent.class;',
    by: WORLD,
  },
  {
    rule: 'PE7',
    file: 'effects/acting.ts',
    off: 'a late reply takes the place of an act by hand',
    find: 'if (now?.intent.byHand !== undefined) return false;',
    replace: '',
    by: BY,
  },
];
