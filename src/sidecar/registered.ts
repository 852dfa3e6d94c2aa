/**
 * Checks the names in a config against the names that a program registers, before anything runs: a misspelt name is
 * found when the machine is attached, and not when a payment's outcome is unknown (semantics.md E2, E4, E5).
 */
import type { BoundaryConfig, Tool } from '../boundaries/config.ts';
import { nearest } from '../predicates/suggest.ts';
import { SidecarError } from './sidecar-error.ts';

/** The functions that a program brings, by name. */
interface Brought {
  readonly reconcilers?: object | undefined;
  readonly undo?: object | undefined;
  readonly buffers?: object | undefined;
  readonly checks?: object | undefined;
  readonly sandboxes?: object | undefined;
}

/** A kind of name: where a tool of the config has it, and whether a call that lacks it is held back for ever. */
interface Kind {
  readonly option: keyof Brought;
  readonly word: string;
  readonly holdsBack: boolean;
  of(tool: Tool, config: BoundaryConfig): string | null;
}

const KINDS: readonly Kind[] = [
  { option: 'reconcilers', word: 'reconciler', holdsBack: false, of: ({ reconcile }) => reconcile },
  { option: 'undo', word: 'undo', holdsBack: false, of: ({ undo }) => undo },
  { option: 'buffers', word: 'buffer', holdsBack: true, of: ({ buffer }) => nameOf(buffer) },
  { option: 'checks', word: 'check', holdsBack: true, of: ({ check }) => check },
  { option: 'sandboxes', word: 'sandbox provider', holdsBack: true, of: providerOf },
];

function providerOf({ in: inside }: Tool, { sandboxes }: BoundaryConfig): string | null {
  return sandboxes.get(inside?.sandbox ?? '')?.provider ?? null;
}

function nameOf(buffer: Tool['buffer']): string | null {
  return typeof buffer === 'object' && buffer !== null ? buffer.name : null;
}

/** The findings about the names of a config, before it runs. */
export interface NameFinding {
  readonly code: 'not_registered' | 'not_named';
  readonly text: string;
}

/**
 * Compares both sides. A reconciler or an undo that is missing only has a run parked more often, and a program may bring more than one
 * config needs: those are findings.
 * @throws SidecarError `not_registered` where a buffer or a check is missing, which would hold its call back for ever, and where a name
 * that is missing and one that is brought differ by a slip.
 */
export function compareNames(config: BoundaryConfig, brought: Brought): readonly NameFinding[] {
  const refused: string[] = [];
  const findings: NameFinding[] = [];
  for (const kind of KINDS) {
    const { word, holdsBack, option } = kind;
    const given = givenIn(brought[option]);
    const named = namedIn(config, kind);
    const unused = given.filter((name) => !named.has(name));
    const missing = [...named].filter(([name]) => broughtAs(brought[option] ?? {}, name) === undefined);
    for (const [name, users] of missing) {
      const meant = nearest(name, unused);
      const fix = meant === null ? 'Give it, or take the name out of the config.' : `Did you mean "${meant}"?`;
      const whose = `${users.join(', ')} ${users.length === 1 ? 'names' : 'name'}`;
      const text = `${whose} the ${word} "${name}", and attach() was not given it under "${option}". ${fix}`;
      if (holdsBack || meant !== null) refused.push(text);
      else findings.push({ code: 'not_registered', text });
    }
    for (const name of unused) {
      // The folders of a run are given to each run, whatever its config says.
      if (option === 'sandboxes' && name === 'folder') continue;
      const text = `attach() was given the ${word} "${name}", which no tool of the config names: it is never asked.`;
      findings.push({ code: 'not_named', text });
    }
  }
  if (refused.length > 0) throw new SidecarError('not_registered', refused.join('\n'));
  return findings;
}

/** The member of a name. Objects have members of their own kind, `constructor` say: those are not meant. */
export function broughtAs<T>(bag: Readonly<Record<string, T>> | object, name: string): T | undefined {
  return name in Object.prototype && !Object.hasOwn(bag, name) ? undefined : (bag as Readonly<Record<string, T>>)[name];
}

function givenIn(bag: object | undefined): readonly string[] {
  return Object.entries(bag ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

/** The names of a kind, each with the tools that use it. */
function namedIn(config: BoundaryConfig, { of }: Kind): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, string[]>();
  for (const tool of config.tools.values()) {
    const name = of(tool, config);
    if (name !== null) named.set(name, [...(named.get(name) ?? []), `"${tool.name}"`]);
  }
  return named;
}
