/**
 * What the sidecar adds to a node of a graph, beside LangGraph by itself: `npm run bench:langgraph`. Runs take turns, so that a machine that slows
 * down slows all. Prints medians and p90 of one run, per node; nothing is asserted: a busy machine is no defect.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotation, MemorySaver, StateGraph } from '@langchain/langgraph';
import { loadConfig } from '../src/boundaries/load.ts';
import { memoryStore } from '../src/journal/memory/store.ts';
import { sqliteStore } from '../src/journal/sqlite/store.ts';
import { attachGraph } from '../src/langgraph/graph.ts';
import { graphTool } from '../src/langgraph/tools/tool.ts';

const NODES = 20;
const RUNS = 60;
const WARM = 15;
const text = `
belay: 1
agent: bench
tools: { look: { reads: [n], writes: [], effect: none } }
skeletons:
  Work:
    entity: string(memory.n)
    states: [work]
    entry: [work]
    outputs: [n]
    exit: [{ id: worked, at: work -> end, when: 'true' }]
    rollback: { anchors: [worked], resume: work }
`;
const { config } = loadConfig(text, { file: 'bench.yaml' });
if (config === null) throw new Error('the config of the bench is not right');

const look = graphTool('look', async ({ input }: { input: number }) => input + 1);
const State = Annotation.Root({ n: Annotation<number> });
const built = new StateGraph(State)
  .addNode('work', async ({ n }) => ({ n: await look(n) }))
  .addEdge('__start__', 'work')
  .addConditionalEdges('work', ({ n }) => (n < NODES ? 'work' : '__end__'), ['work', '__end__']);
const bare = built.compile({ name: 'bench' });
const saved = built.compile({ name: 'bench', checkpointer: new MemorySaver() });
const settings = { recursionLimit: NODES + 5 };
const folder = mkdtempSync(join(tmpdir(), 'belay-bench-'));
const file = sqliteStore(join(folder, 'runs.db'));

let runs = 0;
async function attached(journal: Parameters<typeof attachGraph>[1]['journal']): Promise<void> {
  runs += 1;
  const run = await attachGraph(bare, {
    run: `r${runs}`,
    config: config as never,
    journal: journal as never,
    input: { n: 0 },
    settings,
  });
  await run.invoke();
  await run.close();
}

const ways: readonly (readonly [name: string, run: () => Promise<unknown>])[] = [
  ['LangGraph', () => bare.invoke({ n: 0 }, settings)],
  ['LangGraph, MemorySaver', () => saved.invoke({ n: 0 }, { ...settings, configurable: { thread_id: `${runs++}` } })],
  ['Belay in memory', () => attached(memoryStore())],
  ['Belay in a file', () => attached(file)],
];

const times = ways.map(() => ({ wall: [] as number[], cpu: [] as number[] }));
for (let turn = 0; turn < RUNS + WARM; turn += 1) {
  for (const [nth, [, run]] of ways.entries()) {
    const [start, used] = [performance.now(), process.cpuUsage()];
    await run();
    const { user, system } = process.cpuUsage(used);
    if (turn < WARM) continue;
    times[nth]?.wall.push((performance.now() - start) / NODES);
    times[nth]?.cpu.push((user + system) / 1_000 / NODES);
  }
}

const at = (list: readonly number[], share: number) =>
  ([...list].sort((a, b) => a - b)[Math.floor((list.length - 1) * share)] as number).toFixed(2);
console.log(`${cpus()[0]?.model ?? 'a processor'}, node ${process.version}; ${RUNS} runs of ${NODES} nodes in turns`);
console.log('ms per node'.padEnd(26), 'cpu p50', 'cpu p90', 'wall p50', 'wall p90');
for (const [nth, [name]] of ways.entries()) {
  const { cpu, wall } = times[nth] as (typeof times)[number];
  console.log(
    name.padEnd(26),
    [at(cpu, 0.5), at(cpu, 0.9), at(wall, 0.5), at(wall, 0.9)].map((text) => text.padStart(7)).join(' '),
  );
}
await file.close();
rmSync(folder, { recursive: true });
