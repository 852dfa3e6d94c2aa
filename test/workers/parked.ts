/** A run that is parked over a throw behind a payment: its processes are of one version of the code or another, which is put right or not. */
import { assign, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import type { RetriedEntry } from '../../src/model/message-entries.ts';
import { workClient } from '../../src/workers/client.ts';
import { resume } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { entries } from './small.ts';

const config = loadConfig(
  `belay: 1
agent: agent
tools: { pay: { writes: [id], effect: irreversible } }
skeletons: { Pay: { entity: '"it"', states: [paying], entry: [paying], outputs: [id], exit: [{ id: over, at: paying -> told, when: 'true' }], rollback: { anchors: [over], resume: paying } } }`,
  { file: 'a.yaml' },
).config;

/** The run `r` in a store. */
export class Parked {
  paid = 0;
  bug = true;
  readonly store: JournalStore;
  readonly client;

  constructor(store: JournalStore) {
    this.store = store;
    this.client = workClient(store);
  }

  /** A process that has taken the run up, under one version of the code. */
  async opened(version = '1') {
    const pay = tool(async () => {
      this.paid += 1;
      return 7;
    });
    const take = (id: unknown) => {
      if (this.bug) throw new TypeError('no receipt');
      return id;
    };
    const machine = setup({ actors: { pay } }).createMachine({
      id: 'agent',
      context: {},
      initial: 'paying',
      states: {
        paying: {
          invoke: {
            src: 'pay',
            onDone: { target: 'told', actions: assign(({ event }) => ({ id: take(event.output) })) },
          },
        },
        told: { type: 'final' },
      },
    });
    const run = await resume(machine, { run: 'r', journal: this.store, config: config as never, version });
    run.actor.start();
    return run;
  }

  async retried(): Promise<RetriedEntry[]> {
    return (await entries(this.store, 'r')).filter((entry) => entry.do === 'retried') as RetriedEntry[];
  }
}
