/** Runs that are given back in the middle of anything, in every store: nothing is done twice, nothing is lost, and the first process does nothing more (E2). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Annotation, StateGraph } from '@langchain/langgraph';
import { describe, expect, test } from 'vitest';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { ReconcileResult, Undo } from '../../src/effects/counterparty.ts';
import { flow, type Step } from '../../src/flow/flow.ts';
import { gathered } from '../../src/journal/gathered.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { postgresStore } from '../../src/journal/postgres/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { attachGraph, resumeGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { workClient } from '../../src/workers/client.ts';
import { startWorker } from '../../src/workers/worker.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { until } from '../poll.ts';
import { agentOf } from '../workers/shop.ts';
import { everyStore } from './every-store.ts';
import { withCommit } from './staging.ts';
import { type Called, held, Line, of, type Station } from './stations.ts';

const { stores, path, database } = await everyStore('given-back');

const ASKED = 'effect: irreversible, timeout: 20ms, reconcile: { ask: bank, tries: 2, wait: 1ms }';

/** A bank: its payments, and the questions to it, with the process that asked. */
class Bank {
  readonly paid: string[] = [];
  readonly asked: string[] = [];
  readonly undone: string[] = [];

  pay(key: string | undefined): string {
    this.paid.push(key as string);
    return 'paid';
  }

  /** The truth of the moment, as a process asks for it. */
  asking(life: string) {
    return {
      bank: ({ key }: { readonly key: string }): ReconcileResult => {
        this.asked.push(life);
        return this.paid.includes(key) ? { is: 'applied', output: 'paid' } : { is: 'not_applied' };
      },
    };
  }
}

/** A line whose first payment waits for what a test lets go. */
function slowly(bank: Bank, more: Partial<Station> = {}) {
  const slow = held<void>();
  const pay = async ({ key, nth }: Called) => {
    if (nth === 0) await slow.promise;
    return bank.pay(key);
  };
  return { slow, line: new Line([{ name: 'a', tool: ASKED.replace('20ms', '200ms'), ...more }], { a: pay }) };
}

/** The keys that a journal names as given back, and those that came back. */
async function givenBack(journal: JournalStore) {
  const entries = entriesOf(await gathered(journal.read('r')));
  const given = entries.flatMap((entry) => (entry.do === 'given_back' ? [...entry.keys] : []));
  return [given, entries.flatMap((entry) => (entry.do === 'returned' ? [entry.key] : []))];
}

describe.each(Object.entries(stores))('a run in %s', (_, store) => {
  test.each([
    ['is closed', undefined],
    ['is closed after a drain that has run out', { drain: 20 }],
  ])('that %s with a payment under way goes on once that has come back, and no person is asked', async (_how, how) => {
    const [journal, bank] = [store(), new Bank()];
    const { slow, line } = slowly(bank);
    const first = await line.begin({ journal, reconcilers: bank.asking('first') });
    first.send('go');
    await until(() => line.called('a') === 1);
    await first.sidecar.close(how);
    const second = await line.resume({ journal, reconcilers: bank.asking('second') });
    expect((await second.finished()).status).toBe('parked');
    expect([line.called('a'), line.findings.includes('may_still_leave')]).toEqual([1, true]);
    const key = line.calls[0]?.key as string;
    expect(await givenBack(journal)).toEqual([[key], []]);
    slow.resolve();
    await second.at('rest');
    expect([bank.paid, line.called('a'), second.context.a]).toEqual([[key], 1, 'paid']);
    expect(bank.asked).not.toContain('first');
    await second.close();
    expect(await givenBack(journal)).toEqual([[key], [key]]);
    await journal.close();
  });

  test('that is closed while its counterparty is asked does nothing with the answer', async () => {
    const [journal, bank] = [store(), new Bank()];
    const answer = held<ReconcileResult>();
    const line = new Line([{ name: 'a', tool: ASKED }], {
      a: ({ key, nth }) => {
        if (nth === 0) throw new Error('connection reset');
        return bank.pay(key);
      },
    });
    let asked = 0;
    const slow = {
      bank: () => {
        asked += 1;
        return answer.promise;
      },
    };
    const first = await line.begin({ journal, reconcilers: slow });
    first.send('go');
    await until(() => asked === 1);
    await first.close();
    answer.resolve({ is: 'not_applied' });
    const second = await line.resume({ journal, reconcilers: bank.asking('second') });
    await second.at('rest');
    expect([line.called('a'), bank.paid.length, asked]).toEqual([2, 1, 1]);
    await second.close();
    await journal.close();
  });

  test.each([
    ['succeeds later', () => {}],
    ['fails later', () => Promise.reject(new Error('503'))],
  ])('that is closed while it undoes, and the undo %s, has it undone under one key', async (_how, ends) => {
    const [journal, bank] = [store(), new Bank()];
    const slow = held<void>();
    const line = new Line([{ name: 'a', tool: 'effect: reversible, undo: back' }], { a: ({ key }) => bank.pay(key) });
    const undoBy = (life: string): { readonly back: Undo } => ({
      back: async ({ undoKey }) => {
        bank.undone.push(`${life} ${undoKey}`);
        if (life !== 'first') return;
        await slow.promise;
        await ends();
      },
    });
    const first = await line.begin({ journal, undo: undoBy('first') });
    first.send('go');
    await first.at('rest');
    first.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' }).catch(() => {});
    await until(() => bank.undone.length === 1);
    await first.close();
    slow.resolve();
    const second = await line.resume({ journal, undo: undoBy('second') });
    await until(() => second.value === 'rest' && line.called('a') === 2);
    // The same undo under the same key: the counterparty sees one.
    expect(bank.undone.map((undo) => undo.split(' ')[0])).toEqual(['first', 'second']);
    expect(new Set(bank.undone.map((undo) => undo.split(' ')[1])).size).toBe(1);
    await second.close();
    await journal.close();
  });

  test('that is closed while a held call is made visible makes it once', async () => {
    const [journal, bank] = [store(), new Bank()];
    const slow = held<void>();
    const stations = [{ name: 'a', tool: `${ASKED}, buffer: true` }, { name: 'b' }];
    const line = withCommit(
      new Line(stations, {
        a: async ({ key, nth }) => {
          if (nth === 0) await slow.promise;
          bank.pay(key);
        },
      }),
    );
    const first = await line.begin({ journal, reconcilers: bank.asking('first') });
    first.send('go');
    await until(() => line.called('a') === 1);
    await first.close();
    const second = await line.resume({ journal, reconcilers: bank.asking('second') });
    slow.resolve();
    await until(() => bank.paid.length === 1);
    await until(async () => {
      if (second.status === 'parked') await second.sidecar.reconcile();
      return second.value === 'rest';
    });
    expect([line.called('a'), bank.paid.length]).toEqual([1, 1]);
    expect(bank.asked).not.toContain('first');
    await second.close();
    await journal.close();
  });

  test('that is closed while it waits for an approval asks for it anew, and calls once', async () => {
    const [journal, bank] = [store(), new Bank()];
    const line = new Line([{ name: 'a', tool: `${ASKED}, gate: { expires: 1h }` }], { a: ({ key }) => bank.pay(key) });
    const first = await line.begin({ journal });
    first.send('go');
    await until(() => first.sidecar.gates().length === 1);
    await first.close();
    const [gate] = first.sidecar.gates();
    const late = first.sidecar.answer(gate?.gate as string, 'approved', { by: 'ann' });
    await expect(late).rejects.toMatchObject({ code: 'journal_closed' });
    const second = await line.resume({ journal });
    await until(() => second.sidecar.gates().length === 1);
    expect(line.called('a')).toBe(0);
    await second.sidecar.answer(second.sidecar.gates()[0]?.gate as string, 'approved', { by: 'ann' });
    await second.at('rest');
    expect([line.called('a'), bank.paid.length]).toEqual([1, 1]);
    await second.close();
    await journal.close();
  });

  test('that is closed while it is parked is parked for the next process, and takes no word any more', async () => {
    const [journal, bank] = [store(), new Bank()];
    const line = new Line([{ name: 'a', tool: 'effect: irreversible' }], {
      a: ({ key, nth }) => {
        if (nth === 0) throw new Error('connection reset');
        return bank.pay(key);
      },
    });
    const first = await line.begin({ journal });
    first.send('go');
    expect((await first.finished()).status).toBe('parked');
    await first.close();
    const key = line.calls[0]?.key as string;
    await expect(first.sidecar.settle(key, 'failed')).rejects.toMatchObject({ code: 'journal_closed' });
    await expect(first.sidecar.reconcile()).rejects.toMatchObject({ code: 'journal_closed' });
    const second = await line.resume({ journal });
    expect((await second.finished()).status).toBe('parked');
    await second.sidecar.settle(key, 'failed');
    await second.at('rest');
    expect([line.called('a'), bank.paid.length]).toEqual([2, 1]);
    await second.close();
    await journal.close();
  });

  test('that a worker gives back in the middle of a payment is gone on with by the next one, paid once', async () => {
    const journal = store();
    const own = path('worker');
    mkdirSync(own);
    const told: string[] = [];
    const working = () =>
      startWorker({
        store: journal,
        agents: [agentOf('pays', { ms: 400 })],
        folderOf: () => own,
        pollMs: 20,
        drainMs: 10,
        onTold: (each) => void (each.is === 'left' && told.push(each.as.is)),
      });
    const payments = () => (existsSync(join(own, 'payments')) ? linesIn(join(own, 'payments')) : []);
    await workClient(journal).start({ run: 'r', agent: 'pays' });
    const first = working();
    await until(() => payments().length === 1);
    await first.stop();
    expect(told).toEqual(['given_back']);
    const second = working();
    await until(() => told.includes('done'));
    await second.stop();
    expect(payments()).toHaveLength(1);
    expect((await givenBack(journal))[0]).toEqual(payments());
    await journal.close();
  });

  test('of a flow that is closed in the middle of a step pays once', async () => {
    const [journal, bank, slow] = [store(), new Bank(), held<void>()];
    const { config } = loadConfig(`belay: 1\nagent: pays\ntools:\n  pay: { ${ASKED} }\nskeletons: {}\n`, {
      file: 'p.yaml',
    });
    let calls = 0;
    const pay: Parameters<Step>[2] = async ({ key }) => {
      calls += 1;
      if (calls === 1) await slow.promise;
      return bank.pay(key);
    };
    const pays = flow<object>('pays', async (step) => step('pay', {}, pay));
    const options = { run: 'r', config: config as BoundaryConfig, journal, input: {} };
    const first = await pays.attach({ ...options, reconcilers: bank.asking('first') });
    await until(() => calls === 1);
    await first.close();
    const second = await pays.resume({ ...options, reconcilers: bank.asking('second') });
    expect((await second.finished()).status).toBe('parked');
    slow.resolve();
    await until(() => second.status === 'done');
    expect(await second.finished()).toMatchObject({ status: 'done', output: 'paid' });
    expect([calls, bank.paid.length, bank.asked.includes('first')]).toEqual([1, 1, false]);
    await second.close();
    await journal.close();
  });

  test('of a graph that is closed in the middle of a node aborts the call, and pays once', async () => {
    const [journal, bank, slow] = [store(), new Bank(), held<void>()];
    const { config } = loadConfig(`belay: 1\nagent: pays\ntools:\n  pay: { ${ASKED} }\nskeletons: {}\n`, {
      file: 'p.yaml',
    });
    const signals: (AbortSignal | undefined)[] = [];
    const act = graphTool('pay', async ({ key, signal }: ToolCall<unknown>) => {
      signals.push(signal);
      if (signals.length === 1) await slow.promise;
      return bank.pay(key);
    });
    const graph = new StateGraph(Annotation.Root({ receipt: Annotation<unknown> }))
      .addNode('pay', async () => ({ receipt: await act({ cents: 5 }) }))
      .addEdge('__start__', 'pay')
      .compile({ name: 'pays' });
    const options = { run: 'r', config: config as BoundaryConfig, journal, input: {} };
    const first = await attachGraph(graph, { ...options, reconcilers: bank.asking('first') });
    first.invoke().catch(() => {});
    await until(() => signals.length === 1);
    await first.close();
    expect(signals[0]?.aborted).toBe(true);
    const second = await resumeGraph(graph, { ...options, reconcilers: bank.asking('second') });
    slow.resolve();
    expect(await second.invoke()).toEqual({ receipt: 'paid' });
    expect([signals.length, bank.paid.length, bank.asked.includes('first')]).toEqual([1, 1, false]);
    await second.close();
    await journal.close();
  });
});

function linesIn(file: string): string[] {
  return readFileSync(file, 'utf8').trim().split('\n');
}

const PROCESS = fileURLToPath(new URL('given-back-process.ts', import.meta.url));
const KILLED: Record<string, () => { readonly args: readonly string[]; readonly open: () => JournalStore }> = {
  'a file': () => {
    const file = path('runs.db');
    return { args: [file, ''], open: () => sqliteStore(file) };
  },
  ...(database !== null && {
    PostgreSQL: () => {
      const own = { ...database(), leaseMs: 2_000 };
      return { args: [own.address, own.schema], open: () => postgresStore(own) };
    },
  }),
};

test.each(Object.entries(KILLED))(
  'in %s, a process that is killed once it has named its call makes it no more: the next one asks, and pays once',
  async (_, place) => {
    const { args, open } = place();
    const own = path('killed');
    mkdirSync(own);
    const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), PROCESS, ...args, own], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    const journal = open();
    const book = join(own, 'paid');
    const line = new Line([{ name: 'a', tool: ASKED.replace('20ms', '20s') }], {
      a: ({ key }) => {
        appendFileSync(book, `${key}\n`);
        return 'paid';
      },
    });
    expect((await givenBack(journal))[0]).toHaveLength(1);
    const reconcilers = {
      bank: ({ key }: { readonly key: string }): ReconcileResult =>
        existsSync(book) && linesIn(book).includes(key) ? { is: 'applied', output: 'paid' } : { is: 'not_applied' },
    };
    // In a database the lease of the one that was killed is over only after its time.
    let next: Awaited<ReturnType<Line['resume']>> | null = null;
    await until(async () => {
      next = await line.resume({ journal, reconcilers }).catch((error: { readonly code?: string }) => {
        if (error.code === 'lease_held') return null;
        throw error;
      });
      return next !== null;
    });
    const second = next as unknown as Awaited<ReturnType<Line['resume']>>;
    await second.at('rest');
    expect([linesIn(book), line.findings.includes('may_still_leave')]).toEqual([(await givenBack(journal))[0], false]);
    await second.close();
    await journal.close();
  },
);
