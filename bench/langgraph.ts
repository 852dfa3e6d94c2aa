/**
 * What the sidecar adds to a node of a graph, beside LangGraph by itself: `npm run bench langgraph`. Runs take turns, so that a machine that slows
 * down slows all. The package is the built one: run from its sources, every function that is made is given its name, which the package that is
 * installed does not pay. What a node costs is the difference between long runs and short ones, by their nodes; what a run costs besides, to
 * begin and to end, is printed beside it. Nothing is asserted: a busy machine is no defect.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotation, MemorySaver, StateGraph } from '@langchain/langgraph';
import { type JournalStore, loadConfig, memoryStore } from 'belay-sidecar';
import { attachGraph, graphTool } from 'belay-sidecar/langgraph';
import { sqliteStore } from 'belay-sidecar/sqlite';

/** The nodes of a short run, and of a long one. */
const [FEW, MANY] = [4, 44];
const RUNS = 80;
const WARM = 25;
/** The most processor time that a node may cost more under Belay, in memory. Milliseconds. */
const GOAL = 0.5;
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
const agent = config;

let nodes = FEW;
const look = graphTool('look', async ({ input }: { input: number }) => input + 1);
const State = Annotation.Root({ n: Annotation<number> });
const built = new StateGraph(State)
  .addNode('work', async ({ n }) => ({ n: await look(n) }))
  .addEdge('__start__', 'work')
  .addConditionalEdges('work', ({ n }) => (n < nodes ? 'work' : '__end__'), ['work', '__end__']);
const bare = built.compile({ name: 'bench' });
const saved = built.compile({ name: 'bench', checkpointer: new MemorySaver() });
const settings = { recursionLimit: MANY + 5 };
const folder = mkdtempSync(join(tmpdir(), 'belay-bench-'));
const file = sqliteStore(join(folder, 'runs.db'));

let runs = 0;
async function attached(journal: JournalStore): Promise<void> {
  runs += 1;
  const run = await attachGraph(bare, { run: `r${runs}`, config: agent, journal, input: { n: 0 }, settings });
  await run.invoke();
  await run.close();
}

const ways: readonly (readonly [name: string, run: () => Promise<unknown>])[] = [
  ['LangGraph', () => bare.invoke({ n: 0 }, settings)],
  ['LangGraph, MemorySaver', () => saved.invoke({ n: 0 }, { ...settings, configurable: { thread_id: `${runs++}` } })],
  ['Belay in memory', () => attached(memoryStore())],
  ['Belay in a file', () => attached(file)],
];

type Times = Record<'cpu' | 'wall', number[]>;
const none = (): Times => ({ cpu: [], wall: [] });
const times = ways.map(() => ({ few: none(), many: none() }));
for (let turn = 0; turn < RUNS + WARM; turn += 1) {
  for (const length of ['few', 'many'] as const) {
    nodes = length === 'few' ? FEW : MANY;
    for (const [nth, [, run]] of ways.entries()) {
      const [start, used] = [performance.now(), process.cpuUsage()];
      await run();
      const { user, system } = process.cpuUsage(used);
      if (turn < WARM) continue;
      times[nth]?.[length].wall.push(performance.now() - start);
      times[nth]?.[length].cpu.push((user + system) / 1_000);
    }
  }
}

const middle = (list: readonly number[]) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] as number;
/** The cost of a node, and of a run besides, in milliseconds. */
function costOf(few: readonly number[], many: readonly number[]): { readonly node: number; readonly run: number } {
  const node = (middle(many) - middle(few)) / (MANY - FEW);
  return { node, run: middle(few) - FEW * node };
}
const costs = times.map(({ few, many }) => ({ cpu: costOf(few.cpu, many.cpu), wall: costOf(few.wall, many.wall) }));
const shown = (value: number) => value.toFixed(2).padStart(10);
console.log(
  `${cpus()[0]?.model ?? 'a processor'}, node ${process.version}; ${RUNS} runs of ${FEW} nodes and of ${MANY}, in turns`,
);
console.log(
  'ms, medians'.padEnd(26),
  ...['cpu/node', 'wall/node', 'cpu/run', 'wall/run'].map((text) => text.padStart(10)),
);
for (const [nth, [name]] of ways.entries()) {
  const { cpu, wall } = costs[nth] as (typeof costs)[number];
  console.log(name.padEnd(26), shown(cpu.node), shown(wall.node), shown(cpu.run), shown(wall.run));
}
const [alone, , inMemory] = costs.map(({ cpu }) => cpu.node) as [number, number, number];
const adds = inMemory - alone;
console.log(
  `\nBelay in memory adds ${adds.toFixed(2)} ms of CPU a node, at most ${GOAL}: ${adds <= GOAL ? 'met' : 'MISSED'}; LangGraph's own is ${alone.toFixed(2)}, so ${(adds / alone).toFixed(2)} times that`,
);
await file.close();
rmSync(folder, { recursive: true });
