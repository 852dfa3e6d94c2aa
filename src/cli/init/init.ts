/** `belay init`: a boundary config to start from, made from the structure of a machine, which a person then completes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { lintConfig } from '../../boundaries/lint/lint.ts';
import { propose } from '../../boundaries/lint/propose.ts';
import { Reach } from '../../boundaries/lint/reach.ts';
import { type Loaded, loadConfig } from '../../boundaries/load.ts';
import type { Finding } from '../../boundaries/page/finding.ts';
import type { MachineShape } from '../../model/machine.ts';
import { suggest } from '../../predicates/suggest.ts';
import { type AnswersAssigned, answersAssigned } from '../../xstate/assigned.ts';
import { findMachines } from '../check/check.ts';
import type { Machines } from '../reading/machines.ts';
import {
  type Channels,
  type DraftLine,
  type DraftTool,
  draftText,
  loopLines,
  skeletonLines,
  toolLines,
  withFindings,
} from './draft.ts';
import { type McpTool, readMcpTools } from './mcp-tools.ts';
import { readToolModule } from './tool-module.ts';

/** The request: null, or a module, for the only machine of that module, for the module of package.json, for no list of tools, for standard output. */
export interface InitOptions {
  readonly machine: string | null;
  readonly machines: string | null;
  readonly mcp: string | null;
  /** The module of the tools of a loop, whose name is `machine`; null, or left out, for a machine or a graph. */
  readonly tools?: string | null;
  readonly out: string | null;
  /** True where a file may be written over. */
  readonly force: boolean;
  /** Told of the module that package.json names, and whose code is about to be run. */
  onModule(file: string): void;
}

/** A config to start from. */
export interface Drafted {
  readonly agent: string;
  /** The file that was written; null where none was. */
  readonly file: string | null;
  readonly config: string;
  readonly tools: number;
  readonly skeletons: number;
  /** The lines that ask something, from 1. */
  readonly todos: readonly { readonly line: number; readonly text: string }[];
  /** The findings of `belay check`: each is named on its line. */
  readonly findings: readonly Finding[];
}

/** Makes a config for a machine; a problem is something that kept it from being made or written. */
export async function initConfig(options: InitOptions): Promise<Drafted | { readonly problem: string }> {
  const { machine, mcp, tools = null, out, force } = options;
  if (tools !== null) return saved(await ofTools(machine, tools), out, force);
  const machines = await findMachines(isModule(machine) ? machine : options.machines, options.onModule);
  if ('problem' in machines) return machines;
  const agent = agentOf(isModule(machine) ? null : machine, machines);
  if ('problem' in agent) return agent;
  const described = mcp === null ? new Map<string, McpTool>() : readMcpTools(mcp);
  if ('problem' in described) return described as { readonly problem: string };
  return saved(draft(agent, described), out, force);
}

/** A config for a loop that has the tools of a module. */
async function ofTools(agent: string | null, file: string): Promise<Drafted | { readonly problem: string }> {
  if (agent === null || isModule(agent))
    return { problem: 'no_agent belay init NAME --tools MODULE: the name is that of the loop' };
  const tools = await readToolModule(file);
  if ('problem' in tools) return tools as { readonly problem: string };
  const lines = loopLines(agent, tools);
  const loaded = load(lines);
  if (loaded.config === null) return { problem: `bad_name ${agent} cannot be described: ${firstError(loaded)}` };
  const config = draftText(withFindings(lines, loaded.findings));
  return draftedOf(agent, config, tools.length, loaded);
}

function saved(
  drafted: Drafted | { readonly problem: string },
  out: string | null,
  force: boolean,
): Drafted | { readonly problem: string } {
  if ('problem' in drafted) return drafted;
  const refused = out === null ? null : written(out, drafted.config, force);
  return refused === null ? { ...drafted, file: out } : { problem: refused };
}

/** True for the name of a module, where the id of a machine could stand, too. */
export function isModule(machine: string | null): machine is string {
  return machine !== null && /\.[cm]?[jt]sx?$/.test(machine);
}

/** A machine or a graph of which a config is made. */
interface Origin {
  readonly shape: MachineShape;
  /** The keys that a machine assigns once a tool has answered; null for a graph. */
  readonly assigned: AnswersAssigned | null;
  /** The channels of a graph; null for a machine. */
  readonly channels: Channels | null;
}

/** The machine of an id, or the only one. */
function agentOf(id: string | null, { shapes, machines }: Machines): Origin | { readonly problem: string } {
  const ids = [...shapes.keys()];
  if (ids.length === 0)
    return {
      problem:
        'no_machine no module of machines was named: belay init FILE.ts, --machines FILE, or belay.machines in package.json',
    };
  if (id === null && ids.length > 1)
    return { problem: `which_machine the module exports ${ids.length}: belay init ${ids.join(', belay init ')}` };
  const named = id ?? (ids[0] as string);
  const [shape, machine] = [shapes.get(named), machines.get(named)];
  if (shape === undefined)
    return { problem: `no_machine the module exports no machine "${named}". ${suggest(named, ids)}` };
  const assigned = machine === undefined ? null : answersAssigned(machine);
  const { channels, appended = [] } = shape;
  return { shape, assigned, channels: channels === undefined ? null : { all: channels, appended } };
}

function draft(
  { shape, assigned, channels }: Origin,
  described: ReadonlyMap<string, McpTool>,
): Drafted | { readonly problem: string } {
  const tools = toolsOf(shape, assigned?.byTool ?? new Map(), described);
  const names = new Set(tools.map(({ name }) => name));
  const head = toolLines(
    shape.id,
    tools,
    [...described.keys()].filter((name) => !names.has(name)),
    channels,
  );
  const base = load([...head, ...skeletonLines(shape.id, [], null)]);
  if (base.config === null) return { problem: `bad_name ${shape.id} cannot be described: ${firstError(base)}` };
  const proposals = propose(base.config, new Reach(shape), assigned ?? undefined);
  const whole = [...head, ...skeletonLines(shape.id, proposals, null, channels)];
  const refused = errorsOf(whole, shape)[0];
  // What no config can name, such as a state with an arrow in its name, is left to the person.
  const lines =
    refused === undefined
      ? whole
      : [...head, ...skeletonLines(shape.id, [], `none could be proposed: ${refused.message}`)];
  const loaded = load(lines);
  if (loaded.config === null) return { problem: `bad_name ${shape.id} cannot be described: ${firstError(loaded)}` };
  const findings = [...loaded.findings, ...lintConfig(loaded.config, loaded.document, shape)];
  const config = draftText(withFindings(lines, findings));
  return draftedOf(shape.id, config, tools.length, { config: loaded.config, findings });
}

function draftedOf(agent: string, config: string, tools: number, loaded: Pick<Loaded, 'config' | 'findings'>): Drafted {
  const todos = config.split('\n').flatMap((text, index) => {
    const at = text.indexOf('TODO ');
    return at < 0 ? [] : [{ line: index + 1, text: text.slice(at) }];
  });
  const { findings } = loaded;
  return { agent, file: null, config, tools, skeletons: loaded.config?.skeletons.size ?? 0, todos, findings };
}

/** Every actor that a config can name: those that the machine calls, and those that are provided and may be spawned. */
function toolsOf(
  { actors, states }: MachineShape,
  assigned: ReadonlyMap<string, readonly string[]>,
  described: ReadonlyMap<string, McpTool>,
): readonly DraftTool[] {
  const machines = new Set(actors.flatMap(({ name, kind }) => (kind === 'machine' ? [name] : [])));
  const called = states.flatMap(({ invokes }) => invokes.flatMap(({ tool }) => tool ?? []));
  const names = new Set([...called, ...actors.map(({ name }) => name)].filter((name) => !machines.has(name)));
  return [...names].map((name) => {
    const writes = (assigned.get(name) ?? []).filter((key) => /^[A-Za-z0-9_-]+$/.test(key));
    return { name, writes, mcp: described.get(name) ?? null };
  });
}

function load(lines: readonly DraftLine[]): Loaded {
  return loadConfig(draftText(lines), { file: 'draft' });
}

function errorsOf(lines: readonly DraftLine[], shape: MachineShape): readonly Finding[] {
  const { config, findings, document } = load(lines);
  const all = config === null ? findings : [...findings, ...lintConfig(config, document, shape)];
  return all.filter(({ severity }) => severity === 'error');
}

function firstError({ findings }: Loaded): string {
  return findings.find(({ severity }) => severity === 'error')?.message ?? '';
}

/** Writes a file, in a folder that is made where it is not there, and says what kept it from being written, or null. A file that is there stays, unless it may be written over. */
function written(file: string, text: string, force: boolean): string | null {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: force ? 'w' : 'wx' });
    return null;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error;
    return error.code === 'EEXIST' && error.syscall === 'open'
      ? `${file}: exists it is not written over; --force does`
      : `${file}: cannot_write ${error.message}`;
  }
}

/** The text for the terminal: the config itself, or where it was written and how much it asks. */
export function draftedText({ file, config, agent, tools, skeletons, todos }: Drafted): string {
  if (file === null) return config;
  const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;
  return `${file}: ${agent}, ${count(tools, 'tool')}, ${count(skeletons, 'skeleton')}, ${count(todos.length, 'TODO')}\n`;
}
