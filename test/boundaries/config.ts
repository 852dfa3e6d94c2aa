/** A small config for tests, in YAML: each test says what it changes. */
import { loadConfig } from '../../src/boundaries/load.ts';
import type { Guards } from '../../src/predicates/compile.ts';

/** A config that nothing is to be said about. */
export const PLAIN = `belay: 1
agent: m
tools:
  work: { reads: [in], writes: ['out/{args.id}'], effect: none }
skeletons:
  Unit:
    entity: args.id
    states: [BUSY]
    entry: [BUSY]
    inputs: [in]
    outputs: ['out/{entity}']
    commit:
      - { id: done, at: BUSY -> DONE, when: 'memory.out[?entity].hasValue()' }
    rollback: { anchors: [done], resume: BUSY }
`;

/** Loads the plain config with one text in place of another; the text must be there. */
export function load(from = '', to = '', guards: Guards = {}) {
  if (!PLAIN.includes(from)) throw new Error(`the plain config has no ${from}`);
  return loadConfig(
    PLAIN.replace(from, () => to),
    { file: 'm.yaml', guards },
  );
}

/** What is found, as `line:column code`. */
export function found(from = '', to = '', guards: Guards = {}): string[] {
  return load(from, to, guards).findings.map(({ line, column, code }) => `${line}:${column} ${code}`);
}
