/** What a run of a task is made of, and what is observed of it. */
import { type BoundaryConfig, type Claims, type Decision, tool as toolOf } from 'belay-sidecar';
import type { Faults, Weather } from './faults.ts';
import type { DataSet, Rows, Task, World, Wrong } from './set.ts';
import type { Wire } from './wire.ts';

/** A call that told of wrong work, by the number of attempts made by then. */
export interface Found {
  readonly wrong: Wrong;
  readonly by: string;
  readonly after: number;
}

/** A call whose outcome nobody knew when the run was parked. */
export interface Open {
  readonly tool: string;
  /** Whether its counterparty, asked now, would have told; or the same call under its key would have decided it. */
  readonly decidable: boolean;
  /** Whom the decision names to be asked; empty where it names nobody. */
  readonly ask: readonly string[];
}

/** What was observed of a run. */
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
  /** Where the run is parked: the verdict, and the calls that stand in the way with nobody knowing what became of them. */
  readonly parked: {
    readonly verdict: Decision['verdict'];
    readonly why: string;
    readonly open: readonly Open[];
  } | null;
}

/** What a run is made of. */
export interface Setting {
  readonly set: DataSet;
  readonly config: BoundaryConfig;
  readonly task: Task;
  readonly faults: Faults;
  /** How reads, status queries and late effects go wrong; left out, they do not. */
  readonly weather?: Weather;
  /** Whether counterparties answer questions; left out, those of the set do. */
  readonly asks?: boolean;
  /** What keeps the run apart from others, where others are in its world. */
  readonly claims?: Claims;
}

/** Makes a call of a tool. `key` undefined where nothing names the decision to make it. */
type Client = (tool: string, args: unknown, key: string | undefined) => Promise<unknown>;

/** The agent with a client for each tool of its world. */
export function provided({ machine }: DataSet, world: World, client: Client): DataSet['machine'] {
  const actors = Object.keys(world.tools).map(
    (name) => [name, toolOf(({ input, key }) => client(name, input, key))] as const,
  );
  return machine.provide({ actors: Object.fromEntries(actors) }) as DataSet['machine'];
}
