/** Small agents of a test's own, and a worker with what it told. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnyStateMachine, setup } from 'xstate';
import { gathered } from '../../src/journal/gathered.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import type { Entry } from '../../src/model/entry.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { workClient } from '../../src/workers/client.ts';
import { startWorker, type Worker, type WorkerOptions } from '../../src/workers/worker.ts';
import type { Agent, OpenAgent } from '../../src/xstate/agent.ts';
import { tool } from '../../src/xstate/tool.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { sharedFolder } from '../scratch.ts';

const folder = sharedFolder('small');
const workers: Worker[] = [];

/** The act of a tool, in a run. */
type Act = (call: ToolCall<Record<string, string>>, run: string) => Promise<unknown>;

interface Small {
  readonly name: string;
  /** The text of its config, from `tools:` on. */
  readonly config: string;
  readonly initial: string;
  readonly states: object;
  readonly acts: Readonly<Record<string, Act>>;
  readonly more?: Partial<OpenAgent>;
}

/** Passes the context on as the input of a tool. */
export const all = ({ context }: { context: object }) => context;

export function small({ name, config: text, initial, states, acts, more = {} }: Small): Agent {
  const config = join(folder, `${name}.yaml`);
  writeFileSync(config, `belay: 1\nagent: ${name}\n${text}`);
  const provided = (run: string) => {
    const made = Object.entries(acts).map(([key, act]) => [
      key,
      tool((call: ToolCall<unknown>) => act(call as never, run)),
    ]);
    return Object.fromEntries(made) as Record<string, ReturnType<typeof tool>>;
  };
  const context = ({ input }: { input?: object }) => input ?? {};
  const made = setup({ actors: provided('') }).createMachine({ id: name, context, initial, states } as never);
  const machine = made as unknown as AnyStateMachine;
  const open: Agent['open'] = async ({ run, input }) => {
    return { machine: machine.provide({ actors: provided(run) } as never), input, close: async () => {}, ...more };
  };
  return { machine, config, about: 'small', open };
}

/** An agent that takes the desk of its input's `key`, waits for the event GO, and ends. */
export function taker(calls: string[]): Agent {
  return small({
    name: 'taker',
    config: "tools:\n  take: { effect: idempotent, writes: ['desk:{args.key}'] }\nskeletons: {}\n",
    initial: 'taking',
    states: {
      taking: { invoke: { src: 'take', input: all, onDone: 'waiting' } },
      waiting: { on: { GO: 'over' } },
      over: { type: 'final' },
    },
    acts: { take: async (_, run) => void calls.push(run) },
  });
}

export function working(store: JournalStore, agents: readonly Agent[], more: Partial<WorkerOptions> = {}) {
  const told: string[] = [];
  const folderOf = (run: string) => {
    mkdirSync(join(folder, run), { recursive: true });
    return join(folder, run);
  };
  const onTold: WorkerOptions['onTold'] = (each) => {
    if (each.is === 'left') told.push(`${each.run} ${each.as.is}`);
  };
  const worker = startWorker({ store, agents, folderOf, pollMs: 20, lingerMs: 0, onTold, ...more });
  workers.push(worker);
  return { worker, told, client: workClient(store) };
}

export async function entries(store: JournalStore, run: string): Promise<Entry[]> {
  return entriesOf(await gathered(store.read(run)));
}

/** Stops all workers. */
export async function stopped(): Promise<void> {
  for (const worker of workers.splice(0)) await worker.stop();
}

export function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
