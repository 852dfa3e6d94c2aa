/** Steps that threw are tried again from the whole past once the code may be another one (TH1 to TH8), in machines, flows and graphs. */
import { Annotation, StateGraph } from '@langchain/langgraph';
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { flow } from '../../src/flow/flow.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attachGraph, resumeGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';
import type { Ending } from '../../src/sidecar/report.ts';
import { resume } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';

const unit = (states: string, outputs: string, at: string) =>
  `{ entity: '"it"', states: [${states}], entry: [${states}], outputs: [${outputs}], exit: [{ id: over, at: ${at}, when: 'true' }], rollback: { anchors: [over], resume: ${states} } }`;
const config = (tools: string, skeletons: string) =>
  loadConfig(`belay: 1\nagent: agent\ntools: { ${tools} }\nskeletons: { ${skeletons} }`, { file: 'a.yaml' })
    .config as BoundaryConfig;

/** A world that counts payments and looks, and code that may throw over the receipt. */
class World {
  paid = 0;
  looked = 0;
  bug = true;
  readonly journal = memoryStore();
  readonly take = (id: unknown): unknown => {
    if (this.bug) throw new TypeError('no receipt');
    return id;
  };
  readonly charge = async () => {
    this.paid += 1;
    return 7;
  };
}

/** A run in one process. */
interface Process {
  finished(): Promise<Ending>;
  retry(word: { by: string }): Promise<void>;
  close(): Promise<void>;
}
type Kind = (world: World, version?: string) => Promise<Process>;

const PAY = 'pay: { writes: [id], effect: irreversible }';
const machine: Kind = async (world, version) => {
  const one = setup({ actors: { pay: tool(world.charge) } }).createMachine({
    id: 'agent',
    context: {},
    initial: 'paying',
    states: {
      paying: {
        invoke: {
          src: 'pay',
          onDone: { target: 'told', actions: assign(({ event }) => ({ id: world.take(event.output) })) },
        },
      },
      told: { type: 'final' },
    },
  });
  const named = version === undefined ? {} : { version };
  const own = config(PAY, `Pay: ${unit('paying', 'id', 'paying -> told')}`);
  const sidecar = await resume(one, { run: 'r', journal: world.journal, config: own, ...named });
  sidecar.actor.start();
  return sidecar;
};
const program: Kind = async (world, version) => {
  const agent = flow('agent', async (step) => world.take(await step('pay', {}, world.charge)));
  const named = version === undefined ? {} : { version };
  const own = config('pay: { effect: irreversible }', `Pay: ${unit('pay', 'steps/pay', 'pay -> end')}`);
  return agent.resume({ run: 'r', journal: world.journal, config: own, input: {}, ...named });
};
const graph: Kind = async (world, version) => {
  const pay = graphTool('pay', world.charge);
  const one = new StateGraph(Annotation.Root({ id: Annotation<unknown>() }))
    .addNode('pay', async () => ({ id: world.take(await pay({})) }))
    .addEdge('__start__', 'pay')
    .compile({ name: 'agent' });
  const named = version === undefined ? {} : { version };
  const own = config('pay: { effect: irreversible }', `Pay: ${unit('pay', 'id', 'pay -> end')}`);
  const run = await resumeGraph(one, { run: 'r', journal: world.journal, config: own, input: {}, ...named });
  void run.invoke().catch(() => {});
  return run;
};

describe.each([
  ['a machine', machine],
  ['a flow', program],
  ['a graph', graph],
] as const)('a step that threw behind a payment, in %s', (_, open) => {
  test('is tried again by another process with the code put right (TH1, case 57)', async () => {
    const world = new World();
    const first = await open(world);
    expect(await first.finished()).toMatchObject({
      status: 'parked',
      decision: { unblock: { leadsTo: 'retry', acts: [{ act: 'fix_and_retry', version: null }] } },
    });
    await first.close();
    world.bug = false;
    const second = await open(world);
    expect(await second.finished()).toMatchObject({ status: 'done' });
    expect(world.paid).toBe(1);
    await second.close();
  });

  test('is tried again in place on the word of a person, and parks again while the code throws', async () => {
    const world = new World();
    const run = await open(world);
    await run.finished();
    await run.retry({ by: 'ann' });
    expect(await run.finished()).toMatchObject({ status: 'parked' });
    world.bug = false;
    await run.retry({ by: 'ann' });
    expect(await run.finished()).toMatchObject({ status: 'done' });
    expect(world.paid).toBe(1);
    await run.close();
  });

  test('waits for another version where one is named (TH2)', async () => {
    const world = new World();
    const first = await open(world, '1');
    await first.finished();
    await first.close();
    world.bug = false;
    const same = await open(world, '1');
    expect(await same.finished()).toMatchObject({
      status: 'parked',
      decision: { unblock: { acts: [{ act: 'fix_and_retry', version: '1' }] } },
    });
    await same.close();
    const other = await open(world, '2');
    expect(await other.finished()).toMatchObject({ status: 'done' });
    expect(world.paid).toBe(1);
    await other.close();
  });
});

test('a limit of the runtime is met again by the same limit, and another one goes on (TH7, case 76)', async () => {
  const paid: number[] = [];
  const pay = graphTool('pay', async ({ input }: { input: { n: number } }) => {
    paid.push(input.n);
    return input.n;
  });
  const State = Annotation.Root({
    log: Annotation<number[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  });
  const one = () =>
    new StateGraph(State)
      .addNode('pass', async ({ log }) => ({ log: [await pay({ n: log.length })] }))
      .addEdge('__start__', 'pass')
      .addConditionalEdges('pass', ({ log }) => (log.length < 9 ? 'pass' : '__end__'))
      .compile({ name: 'agent' });
  const own = loadConfig(
    `belay: 1\nagent: agent\nkeys: { append: [log] }\ntools: { pay: { effect: irreversible } }\nskeletons: {}`,
    { file: 'a.yaml' },
  ).config as BoundaryConfig;
  const journal = memoryStore();
  const options = (recursionLimit: number) => ({
    run: 'r',
    journal,
    config: own,
    input: {},
    settings: { recursionLimit },
  });
  const first = await attachGraph(one(), options(4));
  await first.invoke().catch(() => {});
  expect(await first.finished()).toMatchObject({ decision: { unblock: { acts: [{ act: 'raise_limit', limit: 4 }] } } });
  await first.close();
  const same = await resumeGraph(one(), options(4));
  await expect(same.invoke()).rejects.toMatchObject({ code: 'run_parked' });
  expect(paid).toHaveLength(4);
  await same.close();
  const other = await resumeGraph(one(), options(20));
  await other.invoke();
  expect(paid).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  await other.close();
});

/** A machine that looks and then waits for GO, whose step throws while the code is wrong. */
async function waiting(world: World) {
  const one = setup({ actors: { pay: tool(world.charge) } }).createMachine({
    id: 'agent',
    context: {},
    initial: 'paying',
    states: {
      paying: {
        invoke: { src: 'pay', onDone: { target: 'waits', actions: assign({ id: ({ event }) => event.output }) } },
      },
      waits: { on: { GO: { target: 'told', actions: assign(({ event }) => ({ said: world.take(event.what) })) } } },
      told: { type: 'final' },
    },
    output: ({ context }) => context,
  });
  const own = config(
    PAY,
    `Pay: ${unit('paying', 'id', 'paying -> waits')}, Wait: ${unit('waits', 'said', 'waits -> told')}`,
  );
  const sidecar = await resume(one, { run: 'r', journal: world.journal, config: own });
  sidecar.actor.start();
  return sidecar;
}

test.each(['in place', 'in another process'])(
  'the event from outside that the step took comes again, %s (TH6)',
  async (where) => {
    const world = new World();
    let run = await waiting(world);
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (let sent = 0; sent < 4 && run.status !== 'parked'; sent += 1) {
      run.actor.send({ type: 'GO', what: 'tea' });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(run.status).toBe('parked');
    world.bug = false;
    if (where === 'in place') await run.retry({ by: 'ann' });
    else {
      await run.close();
      run = await waiting(world);
    }
    expect(await run.finished()).toMatchObject({ status: 'done', output: { id: 7, said: 'tea' } });
    await run.close();
  },
);

test('a step that threw is not tried again while anything is found wrong (TH5)', async () => {
  const world = new World();
  const first = await machine(world);
  await first.finished();
  const run = first as Awaited<ReturnType<typeof resume>>;
  await run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Pay', entity: 'it' } });
  world.bug = false;
  await expect(first.retry({ by: 'ann' })).rejects.toMatchObject({ code: 'not_advised' });
  await first.close();
  const second = await machine(world);
  expect(await second.finished()).toMatchObject({ status: 'parked' });
  await second.close();
});

test('a restore comes first, once for each version of the code, whose tries come back with the next (TH3, TH4, TH8)', async () => {
  const world = new World();
  const one = setup({ actors: { pay: tool(world.charge), look: tool(async () => 1) } }).createMachine({
    id: 'agent',
    context: {},
    initial: 'paying',
    states: {
      paying: {
        invoke: { src: 'pay', onDone: { target: 'looking', actions: assign({ id: ({ event }) => event.output }) } },
      },
      looking: {
        invoke: {
          src: 'look',
          onDone: { target: 'told', actions: assign(({ event }) => ({ seen: world.take(event.output) })) },
        },
      },
      told: { type: 'final' },
    },
  });
  const own = loadConfig(
    `belay: 1\nagent: agent\ntries: 1\ntools: { ${PAY}, look: { effect: none } }\nskeletons: { Pay: ${unit('paying', 'id', 'paying -> looking')}, Look: ${unit('looking', 'seen', 'looking -> told')} }`,
    { file: 'a.yaml' },
  ).config as BoundaryConfig;
  const decided = async (version: string) => {
    const verdicts: string[] = [];
    const run = await resume(one, {
      run: 'r',
      journal: world.journal,
      config: own,
      version,
      onDecision: ({ decision }) => void verdicts.push(decision.verdict),
    });
    run.actor.start();
    const { status } = await run.finished();
    await run.close();
    return [...verdicts, status];
  };
  expect(await decided('1')).toEqual(['restore', 'escalate', 'parked']);
  expect(await decided('1')).toEqual(['parked']);
  expect(await decided('2')).toEqual(['restore', 'escalate', 'parked']);
  world.bug = false;
  expect(await decided('3')).toEqual(['done']);
  expect(world.paid).toBe(1);
});
