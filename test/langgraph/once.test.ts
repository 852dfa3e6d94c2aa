/** One decision, one act (semantics.md ON1 to ON6), in graphs: a node plans anew, and asks for a payment that an earlier node, round or task has made. */
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { Annotation, Command, interrupt, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { LocalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { type AttachedGraph, attachGraph, resumeGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';
import { ledgersOf } from '../../src/reports/ledgers.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { calm, until } from '../poll.ts';
import { Bank, type Payment } from '../sidecar/once.ts';

const FIRST: Payment = { invoice: 'i1', cents: 100 };
const MORE: Payment = { invoice: 'i1', cents: 200 };
const OTHER: Payment = { invoice: 'i2', cents: 100 };

const unit = (node: string, entity = '"it"', outputs = `paid/${node}`) => `  ${node}:
    entity: '${entity}'
    states: [${node}]
    entry: [${node}]
    outputs: ['${outputs}']
    exit: [{ id: ${node}-over, at: ${node} -> end, when: 'true' }]
    rollback: { anchors: [${node}-over], compensable: undo }
`;

/** The error of a graph that asks for an act with other arguments: no node is given it. */
const REFUSED = { code: 'run_parked', message: expect.stringContaining('over "act_repeated: ') };

interface Declared {
  readonly effect?: 'compensable' | 'irreversible';
  readonly once?: string;
  readonly units?: string;
}

function configOf({
  effect = 'compensable',
  once = '[args.invoice]',
  units = unit('first') + unit('second'),
}: Declared) {
  const undo = effect === 'compensable' ? 'undo: refund, ' : '';
  const { config, findings } = loadConfig(
    `belay: 1
agent: payers
tools:
  pay: { reads: [], writes: [], effect: ${effect}, reconcile: asked, ${undo}once: ${once} }
skeletons:
${units}`,
    { file: 'payers.yaml' },
  );
  if (config === null) throw new Error(JSON.stringify(findings));
  return config;
}

const State = Annotation.Root({
  paid: Annotation<Record<string, unknown>>({ reducer: (a, b) => ({ ...a, ...b }), default: () => ({}) }),
  round: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
});
type Plan = (by: string) => Payment;

/** Pays what is planned, and keeps the receipt. */
const paying = (bank: Bank, plan: Plan) => {
  const pay = graphTool('pay', (call: ToolCall<Payment>) => bank.pay(call));
  return async (by: string) => ({
    paid: { [by]: await pay(plan(by)) },
  });
};

/** A graph that pays in one node, then in the next, and asks whether to go on. */
function line(bank: Bank, plan: Plan) {
  const pays = paying(bank, plan);
  return new StateGraph(State)
    .addNode('first', () => pays('first'))
    .addNode('second', () => pays('second'))
    .addNode('rest', () => ({ round: interrupt('Go on?') === 'yes' ? 1 : 0 }))
    .addEdge('__start__', 'first')
    .addEdge('first', 'second')
    .addEdge('second', 'rest')
    .compile({ name: 'payers' });
}

/** A graph that pays in two nodes side by side. */
function beside(bank: Bank, plan: Plan) {
  const pays = paying(bank, plan);
  return new StateGraph(State)
    .addNode('first', () => pays('first'))
    .addNode('second', () => pays('second'))
    .addEdge('__start__', 'first')
    .addEdge('__start__', 'second')
    .compile({ name: 'payers' });
}

/** A graph whose one node comes again, and pays in each of its rounds. */
function rounds(bank: Bank, plan: Plan) {
  const pays = paying(bank, plan);
  return new StateGraph(State)
    .addNode('each', async ({ round }) => ({ ...(await pays(`round${round}`)), round: 1 }))
    .addEdge('__start__', 'each')
    .addConditionalEdges('each', ({ round }) => (round < 2 ? 'each' : '__end__'), ['each', '__end__'])
    .compile({ name: 'payers' });
}

/** A graph whose one node asks for the same twice in one step. */
function within(bank: Bank, plan: Plan) {
  const pays = paying(bank, plan);
  return new StateGraph(State)
    .addNode('first', async () => {
      const one = await pays('first');
      return { paid: { ...one.paid, ...(await pays('second')).paid } };
    })
    .addEdge('__start__', 'first')
    .compile({ name: 'payers' });
}

const optionsOf = (
  bank: Bank,
  declared: Declared = {},
  journal = memoryStore(),
  more: { readonly run?: string; readonly input?: object } = {},
) => ({
  journal,
  run: 'r',
  config: configOf(declared),
  input: {},
  reconcilers: bank.reconcilers,
  undo: bank.undos,
  ...more,
});

/** What the ledger says of the calls of a run: the act, or which act each repeats. */
function ledgerOf(journal: LocalStore, run = 'r') {
  const { effects } = ledgersOf(journal.read(run), 0);
  const name = new Map(effects.map(({ key }, nth) => [key, `call ${nth}`]));
  return effects.map(({ status, repeats }) =>
    repeats === null ? status : `${status}, repeats ${name.get(repeats) as string}`,
  );
}

/** Runs a graph to its end. @returns what each payment was answered, what the bank did, and what the ledger says. */
async function through(graph: typeof line, plan: Plan, declared: Declared = {}) {
  const bank = new Bank();
  const options = optionsOf(bank, declared);
  const run = await attachGraph(graph(bank, plan), options);
  const paid = await run.invoke().then(
    (state) => state.paid,
    (error: Error) => error,
  );
  await run.close();
  return { paid, acts: bank.acts.length, ledger: ledgerOf(options.journal) };
}

const UNITS = {
  'a later node': [line, ['first', 'second'], {}],
  'a later round of the same node': [
    rounds,
    ['round0', 'round1'],
    { units: unit('each', 'string(memory.round)', 'paid') },
  ],
  'a node beside it': [beside, ['first', 'second'], {}],
  'the same step of the same node': [within, ['first', 'second'], { units: unit('first', '"it"', 'paid') }],
} as const;

describe.each(Object.entries(UNITS))('a payment that is asked for again in %s', (_, [graph, [one, two], declared]) => {
  test('is answered from the ledger, where its arguments are equal (ON2)', async () => {
    const { paid, acts, ledger } = await through(graph as typeof line, () => FIRST, declared);
    expect([paid, acts]).toEqual([{ [one]: 1, [two]: 1 }, 1]);
    expect(ledger).toEqual(['confirmed', 'confirmed, repeats call 0']);
  });

  test('is refused where they are others, and the run is parked over that (ON3)', async () => {
    const plan = (by: string) => (by === one ? FIRST : MORE);
    const { paid, acts, ledger } = await through(graph as typeof line, plan, { ...declared, effect: 'irreversible' });
    expect(paid).toMatchObject(REFUSED);
    expect(acts).toBe(1);
    expect(ledger).toEqual(['confirmed', 'failed, repeats call 0']);
  });

  test('is an act of its own, where its identity is another (ON1)', async () => {
    const { paid, acts, ledger } = await through(graph as typeof line, (by) => (by === one ? FIRST : OTHER), declared);
    expect([paid, acts]).toEqual([{ [one]: 1, [two]: 2 }, 2]);
    expect(ledger).toEqual(['confirmed', 'confirmed']);
  });
});

test('a model that wants the same payment in two rounds of a ToolNode is told the first receipt twice', async () => {
  const bank = new Bank();
  const schema = z.object({ invoice: z.string(), cents: z.number() });
  const pay = langchainTool(
    async (input, { configurable, signal }) =>
      String(await bank.pay({ input, key: configurable?.idempotency_key, signal: signal as AbortSignal })),
    { name: 'pay', description: 'pays', schema },
  );
  const agent = ({ messages }: { messages: BaseMessage[] }) => {
    const nth = messages.filter((each) => each.getType() === 'tool').length;
    const tool_calls = nth < 2 ? [{ id: `plan-${nth}`, name: 'pay', args: { ...FIRST } }] : [];
    return { messages: [new AIMessage({ id: `says-${nth}`, content: '', tool_calls })] };
  };
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('agent', agent)
    .addNode('tools', new ToolNode([pay]))
    .addEdge('__start__', 'agent')
    .addConditionalEdges('agent', ({ messages }) => (messages.length < 5 ? 'tools' : '__end__'))
    .addEdge('tools', 'agent')
    .compile({ name: 'payers' });
  const options = optionsOf(bank, { units: unit('tools', '"it"', 'messages') }, memoryStore(), {
    input: { messages: [new HumanMessage('pay')] },
  });
  const run = await attachGraph(graph, options);
  const { messages } = (await run.invoke()) as { messages: BaseMessage[] };
  await run.close();
  expect(messages.flatMap((each) => (each.getType() === 'tool' ? [each.text] : []))).toEqual(['1', '1']);
  expect([bank.acts.length, ledgerOf(options.journal)]).toEqual([1, ['confirmed', 'confirmed, repeats call 0']]);
});

describe('ON5: two nodes side by side ask for one act', () => {
  /** Both nodes have asked, and the first call is in the hands of the bank. */
  async function held(declared: Declared = {}, second = FIRST) {
    const bank = new Bank();
    bank.next = ['held'];
    const options = optionsOf(bank, declared);
    const run = await attachGraph(
      beside(bank, (by) => (by === 'first' ? FIRST : second)),
      options,
    );
    const going = run.invoke();
    going.catch(() => {});
    await until(() => ledgerOf(options.journal).length > 0);
    await calm();
    return { bank, run, going, options };
  }

  test('the second waits while the first is under way, and is answered with it', async () => {
    const { bank, run, going, options } = await held();
    expect([bank.acts.length, ledgerOf(options.journal)]).toEqual([0, ['intended']]);
    bank.release();
    expect([(await going).paid, bank.acts.length]).toEqual([{ first: 1, second: 1 }, 1]);
    await run.close();
  });

  test('with other arguments the second waits too, and is refused once the first is known', async () => {
    const { bank, run, going } = await held({}, MORE);
    bank.release();
    await expect(going).rejects.toMatchObject(REFUSED);
    expect(bank.acts).toHaveLength(1);
    await run.close();
  });

  test('while nobody knows what became of the first, the run is parked; the word of a person answers both', async () => {
    const bank = new Bank();
    bank.next = ['lost'];
    bank.silent = true;
    const options = optionsOf(bank, { effect: 'irreversible' });
    const run = await attachGraph(
      beside(bank, () => FIRST),
      options,
    );
    await expect(run.invoke()).rejects.toMatchObject({ code: 'run_parked' });
    const [open] = ledgersOf(options.journal.read('r'), 0).effects;
    expect([bank.acts.length, ledgerOf(options.journal)]).toEqual([1, ['unknown']]);
    await run.settle(open?.key as string, 'confirmed', 1);
    expect([(await run.invoke()).paid, bank.acts.length]).toEqual([{ first: 1, second: 1 }, 1]);
    await run.close();
  });

  test('once the first is known not to have happened, the second makes the act, and the first repeats it', async () => {
    const bank = new Bank();
    bank.next = ['refused'];
    const options = optionsOf(bank, { effect: 'irreversible' });
    const run = await attachGraph(
      beside(bank, () => FIRST),
      options,
    );
    expect((await run.invoke()).paid).toEqual({ first: 1, second: 1 });
    expect([bank.acts.length, ledgerOf(options.journal).filter((text) => text.includes('repeats')).length]).toEqual([
      1, 1,
    ]);
    await run.close();
  });
});

describe('ON4: a repetition rests on the act', () => {
  /** A run that stands behind both payments, and asks whether to go on. */
  async function behindBoth(plan: Plan) {
    const bank = new Bank();
    const options = optionsOf(bank);
    const run = await attachGraph(line(bank, plan), options);
    const { __interrupt__: asks } = await run.invoke();
    expect([asks, bank.acts.length]).toMatchObject([[{ value: 'Go on?' }], 1]);
    return { bank, run, options };
  }
  const ends = async (run: AttachedGraph) => {
    await run.invoke();
    return run.resume(new Command({ resume: 'yes' }));
  };

  test.each([
    ['first', undefined],
    ['second', undefined],
    ['first', 'paid/first'],
    ['second', 'paid/second'],
  ])('the %s is found wrong (by its key: %s): both are made anew, as one act', async (skeleton, key) => {
    let cents = 100;
    const { bank, run } = await behindBoth(() => ({ invoice: 'i1', cents }));
    cents = 200;
    await run.fail('CONTRACT_VIOLATION', { instance: { skeleton, entity: 'it' }, ...(key && { key }) });
    expect((await ends(run)).paid).toEqual({ first: 2, second: 2 });
    expect(bank.acts.map(({ is, cents }) => [is, cents])).toEqual([
      ['paid', 100],
      ['refunded', 100],
      ['paid', 200],
    ]);
    await run.close();
  });

  test('the first is found wrong and pays something else: the second, refused before, pays by itself', async () => {
    let wanted = FIRST;
    const bank = new Bank();
    const run = await attachGraph(
      line(bank, (by) => (by === 'first' ? wanted : MORE)),
      optionsOf(bank),
    );
    await expect(run.invoke()).rejects.toMatchObject(REFUSED);
    wanted = OTHER;
    await run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'first', entity: 'it' } });
    expect((await ends(run)).paid).toEqual({ first: 2, second: 3 });
    expect([bank.standing('i1'), bank.standing('i2')]).toEqual([1, 1]);
    await run.close();
  });

  test('a process that takes the run up knows the act, and its repetition', async () => {
    const { bank, run, options } = await behindBoth(() => FIRST);
    await run.close();
    const second = await resumeGraph(
      line(bank, () => FIRST),
      options,
    );
    expect((await ends(second)).paid).toEqual({ first: 1, second: 1 });
    expect([bank.acts.length, ledgerOf(options.journal)]).toEqual([1, ['confirmed', 'confirmed, repeats call 0']]);
    await second.close();
  });
});

test('ON6: an act of the store is refused to a second run, which is told the first, and is free once it was undone', async () => {
  const bank = new Bank();
  const journal = memoryStore();
  const declared = { once: '{ by: [args.invoice], scope: store }' };
  let wanted = FIRST;
  const one = await attachGraph(
    line(bank, () => wanted),
    optionsOf(bank, declared, journal, { run: 'one' }),
  );
  await one.invoke();
  const other = async (run: string) => {
    const graph = new StateGraph(State)
      .addNode('first', () => paying(bank, () => FIRST)('first'))
      .addEdge('__start__', 'first')
      .compile({ name: 'payers' });
    const second = await attachGraph(graph, optionsOf(bank, declared, journal, { run }));
    const told = await second.invoke().then(
      ({ paid }) => paid,
      ({ message }: Error) => message,
    );
    await second.close();
    return told;
  };
  const refusal = (run: string) => expect.stringContaining(`over "act_repeated: run "${run}" has this act`);
  expect(await other('two')).toEqual(refusal('one'));
  wanted = OTHER;
  await one.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'first', entity: 'it' } });
  await one.invoke();
  expect([await other('three'), await other('four')]).toEqual([{ first: 3 }, refusal('three')]);
  expect([bank.standing('i1'), bank.standing('i2')]).toEqual([1, 1]);
  await one.close();
});
