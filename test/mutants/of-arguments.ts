/** The mutants of the rules about the arguments of calls (semantics.md CS1 to CS4). */
import type { Mutant } from './mutant.ts';

const BY = { run: 'tests', file: 'test/semantics/arguments.test.ts' } as const;

export const OF_ARGUMENTS: readonly Mutant[] = [
  {
    rule: 'CS1',
    file: 'boundaries/computed.ts',
    off: 'the input schema is not asked',
    find: "return 'reason' in found ? found.reason : (misfits?.(found.args) ?? null);",
    replace: "return 'reason' in found ? found.reason : null;",
    by: BY,
  },
  {
    rule: 'CS1',
    file: 'sidecar/calls/calls.ts',
    off: 'arguments are asked behind the claims and the governor',
    find: 'this.#misfit(call, number) === null ? null : refusedFor(',
    replace: 'this.#misfit(call, number) !== 0 ? null : refusedFor(',
    by: BY,
  },
  {
    rule: 'CS2',
    file: 'recording/record-step.ts',
    off: 'the step of a call has the arguments as they were given',
    find: 'const { seen, replaced } = computedIn(this.#config, told);',
    replace: 'const { replaced } = computedIn(this.#config, told);\n    const seen = told;',
    by: BY,
  },
  {
    rule: 'CS2',
    file: 'sidecar/run/calling.ts',
    off: 'a call is made with what the machine gives',
    find: 'const call = { ...asked, input: withComputed(parts.config, asked.tool, asked.input) };',
    replace: 'const call = asked;',
    by: BY,
  },
  {
    rule: 'CS3',
    file: 'recording/computed-arguments.ts',
    off: 'nothing is told of a value that was replaced',
    find: 'if (Object.hasOwn(given, name) && said !== undefined',
    replace: 'if (said === null',
    by: BY,
  },
  {
    rule: 'CS4',
    file: 'sidecar/calls/calls.ts',
    off: 'a call that is journaled is asked again',
    find: 'if (runState.ledger.ofActor(number) !== undefined) return null;',
    replace: '',
    by: BY,
  },
];
