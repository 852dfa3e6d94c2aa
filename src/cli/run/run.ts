/**
 * The verb `run`: begins a run of an agent, with a rehearsed failure if the options ask for one, and reports how it
 * ended.
 */
import { existsSync } from 'node:fs';
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { readConfig } from '../../boundaries/directory.ts';
import { redactionRules } from '../../boundaries/sections/redact.ts';
import { checkRunName } from '../../journal/rows.ts';
import { redacts } from '../../model/redaction.ts';
import { suggest } from '../../predicates/suggest.ts';
import type { Agent } from '../../xstate/agent.ts';
import { findMachines } from '../check/check.ts';
import { openJournal } from '../reading/journal-key.ts';
import { hasKey } from '../reading/key-file.ts';
import type { Machines } from '../reading/machines.ts';
import { isAddress } from '../reading/place.ts';
import { journalProblem } from '../reading/reading.ts';
import { parsed } from '../reading/typed-json.ts';
import { command } from '../terminal/wording.ts';
import type { Ending } from './ending.ts';
import { inSession, type NotBegun, worldFolder } from './session.ts';
import { faultOf, type Typed } from './step.ts';

/** Options of both `run` and `resume`. */
export interface AgentOptions extends Typed {
  readonly journal: string;
  /** JSON text. */
  readonly input: string | null;
  readonly config: string | null;
  /** The version of the agent's code; null for the one that the agent names. */
  readonly version: string | null;
  readonly reconcilers: boolean;
  readonly machines: string | null;
}

/** Options of `run`. */
export interface RunOptions extends AgentOptions {
  readonly agent: string | null;
  readonly run: string | null;
  /** True to keep it apart from others that touch the same things. */
  readonly claims: boolean;
}

/** Something that kept a run from starting, and the agents that exist. */
export interface Problem extends NotBegun {
  /** The agents that there are, for the person at the terminal. */
  readonly agents?: readonly Agent[];
}

/** Runs an agent; where none was named, lists the agents. */
export async function runAgent(options: RunOptions): Promise<Ending | Problem | { readonly agents: readonly Agent[] }> {
  const machines = await findMachines(options.machines);
  if ('problem' in machines) return machines;
  if (options.agent === null && machines.agents.size > 0) return { agents: [...machines.agents.values()] };
  const agent = agentNamed(options.agent, machines);
  if ('problem' in agent) return agent;
  const prepared = prepare(options, agent);
  if ('problem' in prepared) return prepared;
  const run = await freeName(options, agent.machine.id);
  if (typeof run !== 'string') return run;
  const { journal, config, version, reconcilers } = options;
  const { input, fault } = prepared;
  const ended = await inSession(
    { agent, run, journal, input, config, version, reconcilers, fault, begins: true, claims: options.claims },
    async (stop) => stop,
  );
  return 'problem' in ended ? ended : { ended, journal, machines: options.machines, fault, before: 0 };
}

/** An agent by the id of its machine, or the list of agents. */
export function agentNamed(name: string | null, { agents, programs }: Machines): Agent | Problem {
  const found = name === null ? undefined : agents.get(name);
  if (found !== undefined) return found;
  if (name !== null && programs.has(name))
    return {
      problem: `${JSON.stringify(name)} is no machine: belay start RUN --agent ${name} leaves a run of it for belay work`,
    };
  const all = [...agents.values()];
  if (all.length === 0) {
    const how = 'the module of the machines exports them as "agents" (docs/sidecar.md)';
    return {
      problem: `there are no agents to run: ${how}; --machines FILE names it, or belay.machines in package.json. A program that resumes its run itself is started again; belay settle KEY --run RUN leaves it what became of a call`,
    };
  }
  return { problem: `there is no agent ${JSON.stringify(name)}. ${suggest(name ?? '', agents.keys())}`, agents: all };
}

/** Parses the options: the input, and the rehearsed failure. */
export function prepare(options: AgentOptions, agent: Agent) {
  const input = parsed('--input', options.input);
  if (input !== null && 'problem' in input) return input;
  const config = configOf(options.config ?? agent.config);
  if (config !== null && 'problem' in config) return config;
  if (config !== null && redacts(redactionRules(config)) && !hasKey()) {
    const why = `${agent.machine.id}: redaction_needs_encryption its config redacts values, and the journal would keep them as they are`;
    return { problem: `${why}: give a key, --key-file FILE or BELAY_JOURNAL_KEY, and a new file` };
  }
  const fault = faultOf(options, agent.machine, config);
  if (fault !== null && 'problem' in fault) return fault;
  return { input: input?.value, fault, config };
}

/** The config as far as it can be read here: conditions in code come with the open agent. */
function configOf(file: string): BoundaryConfig | null | Problem {
  const { config, findings } = readConfig(file);
  const grave = findings.find(({ severity }) => severity === 'error');
  if (grave === undefined) return config;
  const others = findings.filter(({ severity }) => severity === 'error').length - 1;
  const more = others === 0 ? '' : ` (and ${others} more: belay check ${file})`;
  return { problem: `${grave.file}:${grave.line}:${grave.column} ${grave.code} ${grave.message}${more}` };
}

/** The name of a new run: the one that was typed, or the agent's with the next free number. */
async function freeName({ journal, run, machines }: RunOptions, agent: string): Promise<string | Problem> {
  const wrong = run === null ? null : nameProblem(run);
  if (wrong !== null) return { problem: `--run: ${wrong}` };
  try {
    const taken = new Set(isAddress(journal) || existsSync(journal) ? await recorded(journal) : []);
    if (run !== null) {
      if (!taken.has(run)) return run;
      const more = machines === null ? [] : ['--machines', machines];
      return {
        problem: `there is a run ${JSON.stringify(run)} already. To go on with it: ${command('resume', run, journal, ...more)}`,
      };
    }
    for (let number = 1; ; number += 1) {
      const name = `${agent}-${number}`;
      if (!taken.has(name) && !existsSync(worldFolder(journal, name))) return name;
    }
  } catch (error) {
    return { problem: journalProblem(journal, error) };
  }
}

/** The runs with at least one journaled entry; a run whose process ended before that may begin again. */
async function recorded(journal: string): Promise<string[]> {
  const store = await openJournal(journal, { readonly: true });
  try {
    return (await store.runs()).flatMap(({ run, head }) => (head > 0 ? [run] : []));
  } finally {
    await store.close();
  }
}

function nameProblem(run: string): string | null {
  try {
    checkRunName(run);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
