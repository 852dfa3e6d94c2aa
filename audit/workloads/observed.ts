/** The parts of a run of a task, and its observations. */
import type { BoundaryConfig, Claims, Decision } from 'belay-sidecar';
import { tool as toolOf } from 'belay-sidecar/xstate';
import type { Faults, Weather } from './faults.ts';
import type { DataSet, Rows, Task, World, Wrong } from './set.ts';
import type { Wire } from './wire.ts';

/** A call that told of wrong work, by the number of attempts made by then. */
export interface Found {
  readonly wrong: Wrong;
  readonly by: string;
  readonly after: number;
}

/** A call whose outcome was unknown when the run was parked. */
export interface Open {
  readonly tool: string;
  /** True if its counterparty, asked now, would have told; or the same call under its key would have decided it. */
  readonly decidable: boolean;
  /** The party that the decision names to be asked; empty where it names none. */
  readonly ask: readonly string[];
}

/** The observations of a run. */
export interface Observed {
  /** `broken`: it stood still, or an error ended it. `spent`: its policy's tries were used up. */
  readonly status: 'done' | 'parked' | 'spent' | 'broken';
  /** The calls that were left without an answer while the agent went on. */
  readonly left: readonly string[];
  readonly wire: Wire;
  readonly rows: Rows;
  /** The context of the machine in the end; null where it did not come to its end. */
  readonly context: unknown;
  readonly found: readonly Found[];
  /** The place where the run is parked: the verdict, and the calls of unknown outcome that stand in the way. */
  readonly parked: {
    readonly verdict: Decision['verdict'];
    readonly why: string;
    readonly open: readonly Open[];
  } | null;
}

/** The parts of a run. */
export interface Setting {
  readonly set: DataSet;
  readonly config: BoundaryConfig;
  readonly task: Task;
  readonly faults: Faults;
  /** The faults of reads, status queries and late effects; left out, there are none. */
  readonly weather?: Weather;
  /** True if counterparties answer questions; left out, those of the set do. */
  readonly asks?: boolean;
  /** The claims that keep the run apart from others in its world. */
  readonly claims?: Claims;
}

/** Makes a call of a tool. `key` undefined where nothing names the decision to make it. */
type Client = (tool: string, args: unknown, key: string | undefined) => Promise<unknown>;

/** The agent with a client for each tool of its world. */
export function provided({ machine }: DataSet, world: World, client: Client): DataSet['machine'] {
  const actors = Object.keys(world.tools).map(
    (name) => [name, toolOf(({ input, key }) => client(name, input, key))] as const,
  );
  return machine.provide({ actors: Object.fromEntries(actors) });
}
