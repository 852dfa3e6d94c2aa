/** The agents that a worker carries: each release by its agent and the digests of its machine and its config, and the version of its code. */
import { readConfig } from '../boundaries/directory.ts';
import { type Carried, isUnder } from '../journal/work.ts';
import type { Guards } from '../predicates/compile.ts';
import { type AnyAgent, digestOfAgent, nameOfAgent } from './program-agent.ts';

/** A release of an agent that a worker carries. */
export interface CarriedAgent extends Carried {
  readonly by: AnyAgent;
}

/** The releases of a worker, in two lists. */
interface Releases {
  /** Those under which runs begin. */
  readonly agents: Iterable<AnyAgent>;
  /** Those that only go on with runs that are under them. */
  readonly releases?: Iterable<AnyAgent>;
  readonly guards?: Guards;
  /** The version of `agents`, in place of their own. */
  readonly version?: string;
}

/** The releases that a worker carries. @throws Error where a config cannot be read, or two releases would take the same runs. */
export function carriedBy({ agents, releases = [], guards, version }: Releases): readonly CarriedAgent[] {
  const carried: CarriedAgent[] = [];
  for (const agent of agents) carried.push({ by: agent, begins: true, ...digestsOf(agent, guards, version) });
  for (const agent of releases) carried.push({ by: agent, begins: false, ...digestsOf(agent, guards, undefined) });
  for (const [index, each] of carried.entries()) refuseTwice(each, carried.slice(0, index));
  return carried;
}

function refuseTwice(one: CarriedAgent, others: readonly CarriedAgent[]): void {
  for (const other of others.filter(({ agent }) => agent === one.agent)) {
    if (isUnder(one, other))
      throw new Error(`agent_twice two releases of ${one.agent} have the same machine and the same config: carry one`);
    if (one.begins && other.begins)
      throw new Error(
        `agent_twice there are two agents ${one.agent} for runs that begin: put the older one among the releases`,
      );
  }
}

function digestsOf(by: AnyAgent, guards: Guards | undefined, named: string | undefined) {
  const { config, version } = by;
  const agent = nameOfAgent(by);
  const { config: loaded, findings } = readConfig(config, guards === undefined ? {} : { guards });
  if (loaded !== null) {
    const digests = { machine: digestOfAgent(by, loaded), config: loaded.digest };
    return { agent, ...digests, version: named ?? version ?? null };
  }
  const first = findings.find(({ severity }) => severity === 'error');
  const where =
    first === undefined ? config : `${first.file}:${first.line}:${first.column} ${first.code} ${first.message}`;
  throw new Error(`the config of ${agent} cannot be read: ${where}`);
}
