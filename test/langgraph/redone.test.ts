/** A node that fails before it has done anything is run again: nothing has to be taken back for that. */
import { Annotation, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { attachGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const { config } = loadConfig(
  `belay: 1
agent: little
tools:
  pay: { reads: [], writes: [], effect: irreversible }
skeletons:
  Think:
    entity: '"it"'
    states: [think]
    entry: [think]
    outputs: [thought]
    exit: [{ id: thought, at: think -> end, when: 'true', outputs: [thought] }]
    rollback: { anchors: [thought], resume: think, tries: 2 }
  Pay:
    entity: '"it"'
    states: [pay]
    entry: [pay]
    outputs: [paid]
    exit: [{ id: paid, at: pay -> end, when: 'true', outputs: [paid] }]
    rollback: { anchors: [paid], resume: pay }
`,
  { file: 'little.yaml' },
);
const State = Annotation.Root({ thought: Annotation<string>, paid: Annotation<string> });

/** A node that fails so many times, beside one that pays. */
async function thinking(failures: number) {
  let [thoughts, payments] = [0, 0];
  const pay = graphTool('pay', async () => {
    payments += 1;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return 'paid';
  });
  const graph = new StateGraph(State)
    .addNode('think', () => {
      thoughts += 1;
      if (thoughts <= failures) throw new Error('the model is down');
      return { thought: 'well' };
    })
    .addNode('pay', async () => ({ paid: await pay({}) }))
    .addEdge('__start__', 'think')
    .addEdge('__start__', 'pay')
    .compile({ name: 'little' });
  const run = await attachGraph(graph, { run: 'r', config: config as BoundaryConfig, input: {} });
  const ending = await run.invoke().catch((error: Error) => error.message);
  const { status } = run;
  await run.close();
  return { ending, thoughts, payments, status };
}

test('and what runs beside it is not done twice', async () => {
  const { ending, thoughts, payments } = await thinking(1);
  expect(ending).toEqual({ thought: 'well', paid: 'paid' });
  expect([thoughts, payments]).toEqual([2, 1]);
});

test('as often as its config allows, and then the run is parked', async () => {
  const { ending, thoughts, status } = await thinking(9);
  expect(ending).toContain('over "the model is down"');
  expect([thoughts, status]).toEqual([3, 'parked']);
});
