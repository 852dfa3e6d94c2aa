/** The user's own checkpointer beside a thread (semantics.md RC13). */
import { Command, MemorySaver, type StateSnapshot } from '@langchain/langgraph';
import { afterEach, describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { projectThread } from '../../src/langgraph/beside/project.ts';
import { type AttachedGraph, attachGraph, type GraphOptions, resumeGraph } from '../../src/langgraph/graph.ts';
import { Bank, shop, shopConfig } from './shop.ts';

/** A saver whose store stays when a process dies, and that fails where it is told to. */
class Lasting extends MemorySaver {
  fails: string | null = null;
  /** Resolves before a checkpoint is written. */
  before: (id: string) => Promise<void> = async () => {};

  /** The values by channel and version, as a saver keeps them that stores each once; and what was said of two. */
  readonly #blobs = new Map<string, string>();
  readonly twice: string[] = [];

  override async put(...[config, checkpoint, metadata, versions = {}]: Put) {
    await this.before(checkpoint.id);
    if (this.fails !== null) throw new Error(this.fails);
    for (const [channel, version] of Object.entries(versions)) {
      const [blob, value] = [`${channel} ${version}`, JSON.stringify(checkpoint.channel_values[channel] ?? null)];
      if ((this.#blobs.get(blob) ?? value) !== value) this.twice.push(blob);
      this.#blobs.set(blob, value);
    }
    return super.put(config, checkpoint, metadata);
  }

  override async getTuple(...given: Parameters<MemorySaver['getTuple']>) {
    if (this.fails !== null) throw new Error(this.fails);
    return super.getTuple(...given);
  }
}

type Put = [...Parameters<MemorySaver['put']>, versions?: Readonly<Record<string, string | number>>];

interface OwnGraph {
  invoke(input: unknown, config: object): Promise<Record<string, unknown>>;
  getState(config: object): Promise<StateSnapshot>;
  getStateHistory(config: object): AsyncIterable<StateSnapshot>;
}

const CHAT = { configurable: { thread_id: 'chat-1' } };
const open: AttachedGraph[] = [];
afterEach(async () => {
  for (const run of open.splice(0)) await run.close().catch(() => {});
});

/** A thread of the shop whose graph has a checkpointer, and the user's own graph object. */
function besideShop({
  pay = 'reversible',
  said = 'stands',
}: {
  pay?: 'reversible' | 'irreversible';
  said?: 'stands' | 'rewritten';
} = {}) {
  const [bank, saver, store] = [new Bank(), new Lasting(), memoryStore()];
  const own = shop(bank, { checkpointer: saver });
  const findings: string[] = [];
  const options: GraphOptions = {
    run: 'chat-1',
    config: shopConfig(pay),
    journal: store,
    thread: { said },
    undo: { undo: bank.undo },
    reconcilers: { find: bank.find },
    onFinding: ({ code }) => void (code === 'checkpointer_failed' && findings.push(code)),
  };
  const begun = async (opens: typeof attachGraph = attachGraph) => {
    const run = await opens(own, options);
    open.push(run);
    return run;
  };
  return { bank, saver, store, own: own as unknown as OwnGraph, graph: own, options, findings, begun };
}

const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);

/** A store that tells the last row of each flush that has come back. */
function flushesTold(store: ReturnType<typeof memoryStore>, told: (head: number) => void): typeof store {
  return bound(store, {
    open: async (...given: Parameters<typeof store.open>) => {
      const journal = await store.open(...given);
      const flush = async () => {
        const before = journal.head;
        const head = await journal.flush();
        told(before);
        return head;
      };
      return bound(journal, { flush });
    },
  });
}

/** The same object with some members in the place of its own. */
function bound<T extends object>(of: T, members: Partial<Record<keyof T, unknown>>): T {
  return new Proxy(of, {
    get: (target, name) => {
      if (name in members) return members[name as keyof T];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

async function historyOf(graph: OwnGraph) {
  const all: StateSnapshot[] = [];
  for await (const each of graph.getStateHistory(CHAT)) all.push(each);
  return all;
}

/** What a history says, newest first, without the inputs that LangGraph notes before a turn begins. */
const toldBy = (all: readonly StateSnapshot[]) =>
  all.flatMap(({ values, next, metadata }) =>
    metadata?.source === 'input' ? [] : [{ values, next, step: metadata?.step }],
  );

describe('RC13: the checkpointer of a graph beside its thread', () => {
  test('has the states of the thread as LangGraph by itself has them, superstep by superstep, over processes', async () => {
    const { begun, own } = besideShop();
    const plain = shop(new Bank(), { checkpointer: new MemorySaver() }) as unknown as OwnGraph;
    let run = await begun();
    for (const says of ['quote', 'quote pay', 'write']) {
      await run.invoke({ says });
      await plain.invoke({ says }, CHAT);
      expect((await own.getState(CHAT)).values).toEqual((await plain.getState(CHAT)).values);
      expect((await own.getState(CHAT)).next).toEqual([]);
      await run.close();
      run = await begun(resumeGraph);
    }
    expect(toldBy(await historyOf(own))).toEqual(toldBy(await historyOf(plain)));
    const all = await historyOf(own);
    expect(all.map(({ parentConfig }) => parentConfig?.configurable?.checkpoint_id)).toEqual([
      ...all.slice(1).map(({ config }) => config.configurable?.checkpoint_id),
      undefined,
    ]);
  });

  test('shows what the thread asks, by the id that answers it', async () => {
    const { begun, own } = besideShop();
    const run = await begun();
    await run.invoke({ says: 'quote ask' });
    const state = await own.getState(CHAT);
    expect(state.next).toEqual(['ask']);
    const [asked] = state.tasks.flatMap(({ interrupts }) => interrupts);
    expect(asked).toMatchObject({ value: 'well?', id: run.questions()[0]?.id });
    await run.resume(new Command({ resume: { [asked?.id ?? '']: 'yes' } }));
    expect(await own.getState(CHAT)).toMatchObject({ next: [], values: { log: ['quoted 100', 'answered yes'] } });
  });

  test('stands where a restore has put the thread, and keeps the branch that was left', async () => {
    const { begun, own, saver, bank } = besideShop();
    const run = await begun();
    await run.invoke({ says: 'quote' }, { id: 'm1' });
    await run.invoke({ says: 'quote ask' }, { id: 'm2' });
    const before = await historyOf(own);
    expect(await run.retract('m2')).toMatchObject({ is: 'done' });
    await run.invoke();
    expect((await own.getState(CHAT)).values).toEqual((await run.getState()).values);
    expect((await own.getState(CHAT)).next).toEqual([]);
    expect((await historyOf(own)).slice(-before.length).map(({ values }) => values)).toEqual(
      before.map(({ values }) => values),
    );
    expect(saver.twice).toEqual([]);
    await run.retract('m1');
    await run.invoke();
    // Channels that nothing was written to have what LangGraph gives them.
    expect((await own.getState(CHAT)).values).toEqual({ log: [] });
    bank.price = 200;
    await run.invoke({ says: 'quote ask' }, { id: 'm3' });
    expect(saver.twice).toEqual([]);
    const state = await own.getState(CHAT);
    expect(state.tasks.flatMap(({ interrupts }) => interrupts)).toMatchObject([{ id: run.questions()[0]?.id }]);
  });

  test('that throws is told of once, loses no turn, and stands where the thread stands by the next one', async () => {
    const { begun, own, saver, findings, bank } = besideShop();
    const run = await begun();
    await run.invoke({ says: 'quote' });
    saver.fails = 'no space left';
    expect(await run.invoke({ says: 'pay' })).toMatchObject({ log: ['quoted 100', 'paid 100'] });
    expect(await run.invoke({ says: 'quote' })).toMatchObject({ price: 100 });
    expect(findings).toEqual(['checkpointer_failed']);
    saver.fails = null;
    await run.invoke();
    expect((await own.getState(CHAT)).values).toMatchObject({ log: ['quoted 100', 'paid 100', 'quoted 100'] });
    await run.invoke({ says: 'quote' });
    expect((await own.getState(CHAT)).values).toEqual((await run.getState()).values);
    expect([bank.standing, findings]).toEqual([[100], ['checkpointer_failed']]);
  });

  test('that was not written when a process died is written by the next one, before its first answer', async () => {
    const { begun, own, saver } = besideShop();
    const first = await begun();
    await first.invoke({ says: 'quote' });
    saver.fails = 'the process is gone';
    await first.invoke({ says: 'pay' });
    await first.close();
    saver.fails = null;
    const second = await begun(resumeGraph);
    expect(await second.invoke()).toMatchObject({ log: ['quoted 100', 'paid 100'] });
    expect((await own.getState(CHAT)).values).toMatchObject({ log: ['quoted 100', 'paid 100'] });
  });

  test('stands where the thread stands, whichever write the process dies at', async () => {
    let isWhole = false;
    for (let nth = 0; !isWhole; nth += 1) {
      const { begun, own, saver, graph, store } = besideShop();
      let writes = 0;
      isWhole = true;
      saver.before = async () => {
        writes += 1;
        if (writes <= nth) return;
        isWhole = false;
        throw new Error('the process is gone');
      };
      const first = await begun();
      await first.invoke({ says: 'quote' }, { id: 'm1' });
      await first.invoke({ says: 'quote pay' }, { id: 'm2' });
      await first.retract('m2');
      await first.invoke();
      await first.close();
      saver.before = async () => {};
      const second = await begun(resumeGraph);
      await second.invoke();
      expect((await own.getState(CHAT)).values, `dies at ${nth}`).toEqual((await second.getState()).values);
      await second.close();
      await projectThread(graph, { run: 'chat-1', journal: store });
      expect((await historyOf(own)).length).toBe(6);
    }
  });

  test('is written behind the journal', async () => {
    const { graph, saver, store, options } = besideShop();
    let durable = 0;
    const journal = flushesTold(store, (head) => {
      durable = head;
    });
    const late: number[] = [];
    saver.before = async (id) => {
      const row = [...store.read('chat-1')].find((each) => JSON.stringify(each, bigints).includes(id));
      late.push((row?.seq ?? Number.POSITIVE_INFINITY) - durable);
    };
    const run = await attachGraph(graph, { ...options, journal });
    open.push(run);
    await run.invoke({ says: 'quote' });
    await run.invoke({ says: 'quote pay' });
    expect(late.length).toBeGreaterThan(4);
    expect(Math.max(...late)).toBeLessThanOrEqual(0);
  });

  test('is written anew from the journal, as it was written turn by turn', async () => {
    const { begun, own, saver, graph, store } = besideShop();
    const run = await begun();
    await run.invoke({ says: 'quote' }, { id: 'm1' });
    await run.invoke({ says: 'quote pay' }, { id: 'm2' });
    await run.retract('m2');
    await run.invoke();
    await run.invoke({ says: 'pay' }, { id: 'm3' });
    await expect(projectThread(graph, { run: 'chat-1', journal: store })).rejects.toMatchObject({
      code: 'graph_running',
    });
    await run.close();
    const before = await historyOf(own);
    await saver.deleteThread('chat-1');
    expect(await historyOf(own)).toEqual([]);
    expect(await projectThread(graph, { run: 'chat-1', journal: store })).toBe(before.length);
    expect(await historyOf(own)).toEqual(before);
    await expect(projectThread(shop(new Bank()), { run: 'chat-1', journal: store })).rejects.toMatchObject({
      code: 'unsupported_graph',
    });
  });

  test('is for threads alone', async () => {
    const { graph, options } = besideShop();
    const { thread: _, ...others } = options;
    await expect(attachGraph(graph, { ...others, input: { says: 'quote' } })).rejects.toThrow(
      /kept beside threads alone/,
    );
  });
});
