/** A release: a machine and its config, as a commit leaves them. */
import { type AnyActorLogic, type AnyStateMachine, createMachine } from 'xstate';
import type { BoundaryConfig } from '../../../src/boundaries/config.ts';
import type { MigrationMap } from '../../../src/boundaries/migration-map.ts';
import type { MachineShape } from '../../../src/model/machine.ts';
import { machineShape } from '../../../src/xstate/shape.ts';
import { pageOf, SUBJECTS } from './agents.ts';

/** A part of a machine's definition, or of its context: the agents have no type in common. */
// biome-ignore lint/suspicious/noExplicitAny: a commit edits whichever machine it is made to.
export type Loose = any;

/** A machine's definition, as a commit edits it. */
type State = Record<string, Loose>;

/** A commit to one agent: what it changes of the machine, and of the text of the config. */
export interface Commit {
  readonly agent: keyof typeof SUBJECTS;
  readonly what: string;
  /** Edits the definition of the machine. */
  readonly machine?: (definition: State) => void;
  /** Tools that are new, or that take the place of others. */
  readonly tools?: Readonly<Record<string, (known: Readonly<Record<string, AnyActorLogic>>) => AnyActorLogic>>;
  /** Texts of the config, and what takes the place of each. */
  readonly page?: readonly (readonly [string, string])[];
  /** The undos that the config names anew, by the name of the one before. */
  readonly undos?: Readonly<Record<string, string>>;
  /** The names that are others now. */
  readonly renamed?: {
    readonly states?: Names;
    readonly keys?: Names;
    readonly tools?: Names;
    readonly skeletons?: Names;
  };
}

/** New names by the old ones. */
export type Names = Readonly<Record<string, string>>;

/** One of the two releases of a commit. */
export interface Release {
  readonly machine: AnyStateMachine;
  readonly config: BoundaryConfig;
}

/** The releases before and behind a commit. */
export function releasesOf({ agent, machine, tools = {}, page = [] }: Commit): {
  readonly before: Release;
  readonly now: Release;
} {
  const subject = SUBJECTS[agent];
  const definition = copyOf(subject.machine.config) as State;
  machine?.(definition);
  const { implementations } = subject.machine;
  const known = implementations.actors as Record<string, AnyActorLogic>;
  const actors = { ...known };
  for (const [name, make] of Object.entries(tools)) actors[name] = make(known);
  const changed = createMachine(definition as never, { ...implementations, actors } as never);
  return {
    before: { machine: subject.machine, config: pageOf(subject.page) },
    now: { machine: changed as unknown as AnyStateMachine, config: pageOf(edited(subject.page, page)) },
  };
}

/** The map of a commit, with the machine that it leads from: the names that are others, and that runs may go on from where they stand. */
export function mapOf(commit: Commit): { readonly map: MigrationMap; readonly machineBefore: MachineShape } {
  const { before, now } = releasesOf(commit);
  const digestsOf = ({ machine, config }: Release) => ({
    machine: machineShape(machine).digest,
    config: config.digest,
  });
  const renames = { states: {}, keys: {}, tools: {}, skeletons: {}, ...commit.renamed };
  const map = { agent: commit.agent, from: digestsOf(before), to: digestsOf(now), renames, digest: '' };
  return { map, machineBefore: machineShape(before.machine) };
}

function edited(text: string, edits: NonNullable<Commit['page']>): string {
  return edits.reduce((page, [from, to]) => {
    if (!page.includes(from)) throw new Error(`the config has no ${JSON.stringify(from)}`);
    return page.replaceAll(from, to);
  }, text);
}

/** A copy of a definition, whose functions are the same ones. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyOf(member)]));
}
