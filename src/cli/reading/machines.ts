/**
 * Finds the machines of configs, and the agents that can be run: the exports of a built module, which only the user
 * names.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { within } from '../../clock/clock.ts';
import { encode } from '../../journal/codec.ts';
import type { GraphFacts } from '../../langgraph/shape.ts';
import type { MachineShape } from '../../model/machine.ts';
import type { Guards } from '../../predicates/compile.ts';
import { isProgram } from '../../sidecar/opening/handed-out.ts';
import { type AnyAgent, nameOfAgent, type ProgramAgent } from '../../workers/program-agent.ts';
import type { Agent } from '../../xstate/agent.ts';
import { keysAssigned } from '../../xstate/assigned.ts';
import { isMachine, type MachineLike, machineShape } from '../../xstate/shape.ts';
import { codeIn, type Holds } from '../../xstate/visible-code.ts';
import { graphsAmong } from './graphs.ts';

/** The contents of a module. */
export interface Machines {
  readonly shapes: ReadonlyMap<string, MachineShape>;
  /** The machines themselves, by their ids. */
  readonly machines: ReadonlyMap<string, MachineLike>;
  /** The compiled graphs of LangGraph, by their names. */
  readonly graphs: ReadonlyMap<string, GraphFacts>;
  /** The module's export `guards`: conditions in code that configs may name. */
  readonly guards: Guards;
  /** The agents of its export `agents`, by the ids of their machines. */
  readonly agents: ReadonlyMap<string, Agent>;
  /** The agents of its export `agents` that are loops, flows or threads of graphs, by their names: workers carry them. */
  readonly programs: ReadonlyMap<string, ProgramAgent>;
  /** The agents of its export `releases`: older releases, whose runs a worker goes on with. */
  readonly releases: readonly AnyAgent[];
}

/** The shape of the machine, or of the graph, that a config is about; null where there is none. */
export function shapeFor({ shapes, graphs }: Machines, config: BoundaryConfig): MachineShape | null {
  return graphs.get(config.agent)?.shapeFor(config) ?? shapes.get(config.agent) ?? null;
}

/** No module was named: there is nothing to hold configs against. */
export const NO_MACHINES: Machines = {
  shapes: new Map(),
  machines: new Map(),
  graphs: new Map(),
  guards: {},
  agents: new Map(),
  programs: new Map(),
  releases: [],
};

/** The time that a module may take to load, in milliseconds. */
const PATIENCE = 30_000;

/** The module that the nearest package.json names under `belay.machines`; null where none does. */
export function moduleOfPackage(from: string): { readonly file: string | null } | { readonly problem: string } {
  let folder = resolve(from);
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) return { file: null };
    folder = dirname(folder);
  }
  const path = join(folder, 'package.json');
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(path, 'utf8'))?.belay?.machines;
  } catch {
    return { problem: `${path}: cannot_read it is not JSON` };
  }
  if (found === undefined) return { file: null };
  if (typeof found === 'string' && found !== '') return { file: join(folder, found) };
  return { problem: `${path}: wrong_type belay.machines is not the name of a file` };
}

/** Loads a module that the user has named. */
export async function loadModule(
  file: string,
): Promise<{ readonly exports: Readonly<Record<string, unknown>> } | { readonly problem: string }> {
  if (!existsSync(file)) return { problem: `${file}: cannot_read there is no such file` };
  try {
    return { exports: await withinTime(imported(resolve(file))) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { problem: `${file}: cannot_import ${message.split('\n')[0]}` };
  }
}

/** Loads a module and takes the machines out of its exports, also out of lists and records of machines. */
export async function loadMachines(file: string): Promise<Machines | { readonly problem: string }> {
  const loaded = await loadModule(file);
  if ('problem' in loaded) return loaded;
  const { exports } = loaded;
  const machines = new Map<string, MachineLike>();
  for (const value of Object.values(exports)) {
    for (const machine of machinesIn(value)) if (!machines.has(machine.id)) machines.set(machine.id, machine);
  }
  const found = agentsIn(exports.agents);
  if ('problem' in found) return { problem: `${file}: bad_agent ${found.problem}` };
  const { agents, programs } = found;
  // A machine that is exported beside the agents may be that of an older release.
  for (const { machine } of agents.values()) machines.set(machine.id, machine);
  const releases = listOfAgents('releases', exports.releases);
  if ('problem' in releases) return { problem: `${file}: bad_agent ${releases.problem}` };
  const graphs = await graphsAmong(exports);
  const shapes = new Map([...graphs].map(([id, { shape }]) => [id, shape]));
  for (const [id, machine] of machines)
    shapes.set(id, { ...machineShape(machine), assigns: keysAssigned(machine), code: codeIn(machine, lostIn) });
  if (shapes.size === 0 && programs.size === 0)
    return { problem: `${file}: no_machine it exports no xstate machine and no compiled graph of LangGraph` };
  return { shapes, machines, graphs, guards: guardsIn(exports.guards), agents, programs, releases };
}

/** The agents of an export; a machine among them is only a machine. */
function agentsIn(exported: unknown): Pick<Machines, 'agents' | 'programs'> | { readonly problem: string } {
  const list = listOfAgents('agents', exported);
  if ('problem' in list) return list;
  const [agents, programs] = [new Map<string, Agent>(), new Map<string, ProgramAgent>()];
  for (const agent of list) {
    const name = nameOfAgent(agent);
    const what = 'program' in agent ? 'name' : 'machine';
    if (agents.has(name) || programs.has(name)) return { problem: `two of its agents have the ${what} "${name}"` };
    if ('program' in agent) programs.set(name, agent);
    else agents.set(name, agent);
  }
  return { agents, programs };
}

function listOfAgents(name: string, exported: unknown): readonly AnyAgent[] | { readonly problem: string } {
  if (exported === undefined) return [];
  if (typeof exported !== 'object' || exported === null)
    return { problem: `its export "${name}" is no record and no list of agents` };
  const agents: AnyAgent[] = [];
  for (const [key, value] of Object.entries(exported)) {
    if (isMachine(value)) continue;
    const lack = lackOf(value);
    if (lack !== null) return { problem: `"${key}" of its ${name} has no ${lack}` };
    agents.push(value as AnyAgent);
  }
  return agents;
}

/** The first thing that a value lacks for an agent, or null. */
function lackOf(value: unknown): string | null {
  const { machine, program, config, about, open } = (value ?? {}) as Partial<
    Record<keyof Agent | keyof ProgramAgent, unknown>
  >;
  if (program === undefined && !isMachine(machine)) return 'machine of xstate v5';
  if (program !== undefined && !isProgram(program)) return 'program that is a loop, a flow or the threads of a graph';
  if (typeof config !== 'string') return 'config, the path of its boundary config';
  if (typeof about !== 'string') return 'about, what it does in one line';
  return typeof open === 'function' ? null : 'function open';
}

function machinesIn(value: unknown) {
  if (isMachine(value)) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).filter(isMachine) : [];
}

/** The place in a value that no journal holds without a codec. */
function lostIn(value: unknown): ReturnType<Holds> {
  const encoded = encode(value);
  return 'text' in encoded ? null : encoded;
}

function guardsIn(value: unknown): Guards {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, guard]) => typeof guard === 'function'));
}

/** Imports a module; where Node reads no TypeScript, by the `tsx` that is installed where the module lies. */
async function imported(file: string): Promise<Record<string, unknown>> {
  const { href } = pathToFileURL(file);
  try {
    return await import(href);
  } catch (error) {
    if ((error as NodeJS.ErrnoException | null)?.code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error;
    await import(tsxBeside(file));
    // Node keeps that it could not load the address.
    return await import(`${href}?tsx`);
  }
}

function tsxBeside(file: string): string {
  try {
    return pathToFileURL(createRequire(file).resolve('tsx')).href;
  } catch {
    throw new Error(
      'this version of Node reads no TypeScript: npm install tsx where the module lies, or name the compiled file',
    );
  }
}

/** Limits the time of loading: a module that waits for ever at its top level would end the process without a word. */
async function withinTime<T>(loading: Promise<T>): Promise<T> {
  const loaded = await within(PATIENCE, loading);
  if (loaded === null) throw new Error(`it did not finish loading within ${PATIENCE / 1000} seconds`);
  return loaded.is;
}
