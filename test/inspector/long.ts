/** A run with many steps, in memory: a machine that counts, in two regions. */
import { assign, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attach } from '../../src/xstate/attach.ts';

const CONFIG = `
belay: 1
agent: counter
tools: {}
skeletons:
  Two:
    entity: '"it"'
    states: [two.x]
    entry: [two.x]
    outputs: [n]
    exit: [{ id: halted, at: two.x -> two.y, when: 'memory.?n.hasValue()' }]
    rollback: { anchors: [halted], resume: two.x }
`;

const counter = setup({
  types: { context: {} as { n: number } },
  actions: { count: assign({ n: ({ context }) => context.n + 1 }) },
}).createMachine({
  id: 'counter',
  context: { n: 0 },
  type: 'parallel',
  states: {
    one: {
      initial: 'a',
      states: {
        a: { on: { go: { target: 'b', actions: 'count' } } },
        b: { on: { go: { target: 'c', actions: 'count' } } },
        c: { on: { go: { target: 'a', actions: 'count' } } },
      },
    },
    two: { initial: 'x', states: { x: { on: { halt: 'y' } }, y: {} } },
  },
});

/** A store with a run `long` of so many steps. */
export async function long(steps: number): Promise<JournalStore> {
  const store = memoryStore();
  const { config, findings } = loadConfig(CONFIG, { file: 'counter.yaml' });
  if (config === null) throw new Error(findings.map(({ message }) => message).join(', '));
  const sidecar = await attach(counter, { run: 'long', config, journal: store, onFinding: () => {} });
  sidecar.actor.start();
  for (let step = 0; step < steps; step += 1) {
    sidecar.actor.send({ type: 'go' });
    if (step % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await sidecar.close();
  return store;
}
