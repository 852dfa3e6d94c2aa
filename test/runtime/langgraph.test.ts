import { Annotation, StateGraph } from '@langchain/langgraph';
import { attachGraph, resumeGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';
import { testRuntime } from './contract.ts';
import type { Act, ShopStep } from './shop.ts';

const State = Annotation.Root({
  input: Annotation<string>,
  steps: Annotation<Partial<Record<ShopStep, unknown>>>({
    reducer: (before, more) => ({ ...before, ...more }),
    default: () => ({}),
  }),
});

function graphOf(act: Act) {
  const of = (step: ShopStep) => graphTool(step, (call: Parameters<Act>[1]) => act(step, call));
  const [quote, reserve, charge, ship] = [of('quote'), of('reserve'), of('charge'), of('ship')];
  return new StateGraph(State)
    .addNode('quote', async ({ input }) => ({ steps: { quote: await quote({ of: input } as never) } }))
    .addNode('reserve', async ({ input }) => ({ steps: { reserve: await reserve({ of: input } as never) } }))
    .addNode('charge', async ({ steps }) => ({ steps: { charge: await charge({ quote: steps.quote } as never) } }))
    .addNode('ship', async ({ steps }) => ({
      steps: { ship: await ship({ reserve: steps.reserve, charge: steps.charge } as never) },
    }))
    .addEdge('__start__', 'quote')
    .addEdge('quote', 'reserve')
    .addEdge('reserve', 'charge')
    .addEdge('charge', 'ship')
    .addEdge('ship', '__end__')
    .compile({ name: 'shop' });
}

testRuntime({
  name: 'graphs',
  behind: 'end',
  stateOf: (value) => (typeof value === 'string' ? value : Object.keys(value as object)[0]),
  open: async (how, act, options) => {
    const open = how === 'attach' ? attachGraph : resumeGraph;
    const run = await open(graphOf(act), { ...options, input: { input: options.input } });
    run.invoke().catch(() => {});
    // A graph gives its whole state out; the shop's output is what was shipped.
    const finished = async () => {
      const ending = await run.finished();
      if (ending.status !== 'done') return ending;
      return { ...ending, output: (ending.output as typeof State.State).steps.ship };
    };
    return Object.create(run, { finished: { value: finished } }) as typeof run;
  },
});
