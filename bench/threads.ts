/**
 * What a thread costs as it grows: `npm run bench threads -- [turns]`, 1,000 if left out. Each turn is a message and its answer, in a process that takes the
 * thread up and gives it back; the journal is an SQLite file. Prints the medians of the first and of the last tenth, their ratio, and the bytes of
 * each half. Nothing is asserted: a busy machine is no defect.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotation, StateGraph } from '@langchain/langgraph';
import { loadConfig } from 'belay-sidecar';
import { graphTool, resumeGraph } from 'belay-sidecar/langgraph';
import { sqliteStore } from 'belay-sidecar/sqlite';

const turns = Number(process.argv[2] ?? 1_000);
const { config } = loadConfig(
  `belay: 1
agent: chat
keys: { append: [messages] }
tools: { think: { reads: [], writes: [], effect: none } }
skeletons:
  Answer:
    entity: '"it"'
    states: [answer]
    entry: [answer]
    outputs: [messages]
    exit: [{ id: answered, at: answer -> end, when: 'true', outputs: [messages] }]
    rollback: { anchors: [answered], resume: answer }
`,
  { file: 'chat.yaml' },
);
if (config === null) throw new Error('the config of the bench is not right');

const State = Annotation.Root({
  messages: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});
const think = graphTool('think', async ({ input }: { input: { last: string } }) => `an answer to ${input.last}`);
const graph = new StateGraph(State)
  .addNode('answer', async ({ messages }) => ({ messages: [await think({ last: messages.at(-1) ?? '' })] }))
  .addEdge('__start__', 'answer')
  .compile({ name: 'chat' });

const folder = mkdtempSync(join(tmpdir(), 'belay-threads-'));
const file = join(folder, 'belay.sqlite');
const bytes = () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
const opens: number[] = [];
const taken: number[] = [];
let half = 0;
try {
  const journal = sqliteStore(file);
  for (let nth = 0; nth < turns; nth += 1) {
    const began = performance.now();
    const run = await resumeGraph(graph, { run: 'chat-1', config, journal, thread: true });
    const opened = performance.now();
    await run.invoke({ messages: [`message ${nth} of a person who talks on and on`] }, { id: `m${nth}` });
    taken.push(performance.now() - opened);
    opens.push(opened - began);
    await run.close();
    if (nth === Math.floor(turns / 2) - 1) half = bytes();
  }
  const all = bytes();
  console.log(`${turns} turns of one thread, each in an opening of its own`);
  for (const [name, times] of [
    ['open', opens],
    ['turn', taken],
  ] as const) {
    const tenth = Math.max(1, Math.floor(turns / 10));
    // What the first openings of a process cost besides is no part of a thread.
    const [first, last] = [median(times.slice(tenth / 2, tenth * 1.5)), median(times.slice(-tenth))];
    console.log(
      `${name}: ${first.toFixed(1)} ms at the beginning, ${last.toFixed(1)} ms at the end: ${(last / first).toFixed(2)} times`,
    );
  }
  console.log(
    `bytes: ${half} in the first half, ${all - half} in the second: ${((all - half) / half).toFixed(2)} times`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
