/** The spans of a run: one trace whichever process tells it, none open while the run waits. */
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { freshPath } from '../journal/files.ts';
import { until } from '../poll.ts';
import { held, Line, type Station } from '../sidecar/stations.ts';
import { Collected } from './collected.ts';

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(() => context.disable());

/** Quotes, books where its answer may get lost, and pays once a person has approved. */
const TRIP: readonly Station[] = [
  { name: 'quote', reads: ['wanted'] },
  { name: 'book', reads: ['quote'], tool: 'effect: idempotent' },
  { name: 'pay', reads: ['book'], tool: 'effect: irreversible, gate: true' },
];

function begin(line: Line, process: Collected, journal: JournalStore, verb: 'begin' | 'resume' = 'begin') {
  return line[verb](process.telemetry(line.options({ journal: process.store(journal) }) as never));
}

test('a run that was killed, resumed elsewhere, parked, approved and finished is one trace', async () => {
  const path = freshPath();
  const hangs = held();
  const line = new Line(TRIP, {
    book: ({ nth }) => (nth === 0 ? hangs.promise : `booked ${nth}`),
    pay: ({ nth }) => {
      if (nth === 0) throw new Error('connection reset');
      return 'paid';
    },
  });
  const opener = new Collected();
  const first = new Collected();
  let store = sqliteStore(path);
  const request = opener.tracers.getTracer('test').startSpan('POST /trips');
  const run = await context.with(trace.setSpan(ROOT_CONTEXT, request), () => begin(line, first, store));
  request.end();
  run.send('go');
  await until(() => line.called('book') === 1);
  expect(first.open).toBe(1);
  await first.kill();
  await store.close();

  // Elsewhere, below a request of another trace.
  const second = new Collected();
  store = sqliteStore(path);
  const other = opener.tracers.getTracer('test').startSpan('POST /resume');
  const resumed = await context.with(trace.setSpan(ROOT_CONTEXT, other), () => begin(line, second, store, 'resume'));
  await until(() => resumed.sidecar.gates().length === 1);
  expect(second.open).toBe(0);
  await resumed.sidecar.answer(resumed.sidecar.gates()[0]?.gate as string, 'approved', { by: 'Ada' });
  await resumed.finished();
  expect([resumed.status, second.open]).toEqual(['parked', 0]);
  await resumed.close();
  await store.close();

  const third = new Collected();
  store = sqliteStore(path);
  const last = await begin(line, third, store, 'resume');
  await last.finished();
  await last.sidecar.settle(line.calls.at(-1)?.key as string, 'confirmed', 'paid');
  await last.at('rest');
  last.send('end');
  expect((await last.finished()).status).toBe('done');
  await last.close();
  await store.close();

  const all = [first, second, third].flatMap(({ spans }) => spans);
  const { traceId, spanId } = request.spanContext();
  expect([...new Set(all.map((span) => span.spanContext().traceId))]).toEqual([traceId]);
  const root = first.span('invoke_agent line');
  expect(root.parentSpanContext?.spanId).toBe(spanId);
  expect(
    new Set(all.filter((span) => span !== root).map(({ parentSpanContext }) => parentSpanContext?.spanId)),
  ).toEqual(new Set([root.spanContext().spanId]));
  expect(second.span('resume line').links.map((link) => link.context)).toEqual([other.spanContext()]);
  expect(first.names).toEqual(['invoke_agent line', 'step idle', 'step quote', 'execute_tool quote', 'step book']);
  expect(second.names.filter((name) => !name.startsWith('step'))).toEqual([
    'resume line',
    'execute_tool book',
    'ask approval',
    'answer approved',
    'execute_tool pay',
    'decide escalate',
    'ask outcome',
  ]);
  expect(third.names).toContain('outcome pay');
  expect(third.names.at(-1)).toBe('end done');
});

describe('the span of a call', () => {
  const one = (tool: string): Station[] => [{ name: 'book', tool }];

  test.each<[string, string, () => unknown, object, string | undefined]>([
    ['that was answered', 'effect: none', () => 'it', { 'belay.call.outcome': 'answered' }, undefined],
    ['that was confirmed', 'effect: idempotent', () => 'it', { 'belay.call.outcome': 'confirmed' }, undefined],
    [
      'that failed and may have happened',
      'effect: irreversible',
      () => Promise.reject(new Error('reset')),
      { 'belay.call.outcome': 'unknown' },
      'TOOL_EXCEPTION',
    ],
    [
      'that changes nothing and failed',
      'effect: none',
      () => Promise.reject(new Error('reset')),
      { 'belay.call.outcome': 'failed' },
      'TOOL_EXCEPTION',
    ],
    [
      'that was not answered in time',
      'effect: irreversible, timeout: 20ms',
      () => new Promise(() => {}),
      { 'belay.call.outcome': 'unknown' },
      'TIMEOUT',
    ],
  ])('%s says so', async (_, tool, does, attributes, error) => {
    const process = new Collected();
    const line = new Line(one(tool), { book: does as never });
    const run = await begin(line, process, memoryStore());
    run.send('go');
    await until(() => process.names.includes('execute_tool book'));
    const span = process.span('execute_tool book');
    expect(span.attributes).toMatchObject({
      ...attributes,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'book',
      'gen_ai.agent.name': 'line',
      'gen_ai.conversation.id': 'r',
      'belay.skeletons': ['BOOK'],
    });
    expect(span.attributes['gen_ai.tool.call.id']).toBe(line.calls[0]?.key);
    expect(span.attributes['error.type']).toBe(error);
    await run.close();
  });

  test('is active while the tool runs, so that what the tool does lies below it', async () => {
    const process = new Collected();
    const line = new Line(one('effect: idempotent'), {
      book: async () => {
        await null;
        process.tracers.getTracer('test').startSpan('GET /seats').end();
        return 'it';
      },
    });
    const run = await begin(line, process, memoryStore());
    run.send('go');
    await run.at('rest');
    const parent = process.span('GET /seats').parentSpanContext;
    expect(parent?.spanId).toBe(process.span('execute_tool book').spanContext().spanId);
    await run.close();
  });

  test('ends where nothing waits for the call any more: its state was left, or the run was closed', async () => {
    const process = new Collected();
    const line = new Line(one('effect: irreversible'), { book: () => new Promise(() => {}) });
    const run = await begin(line, process, memoryStore());
    run.send('go');
    await until(() => process.open === 1);
    await run.close();
    expect(process.open).toBe(0);
    expect(process.span('execute_tool book').attributes['belay.call.outcome']).toBe('abandoned');
  });
});

describe('a replay', () => {
  test('links its steps and calls to those that it replaces', async () => {
    const process = new Collected();
    const stations: readonly Station[] = [
      { name: 'quote', reads: ['wanted'], rollback: 'joint: [BOOK]' },
      { name: 'book', reads: ['quote'] },
    ];
    const line = new Line(stations, { quote: ({ nth }) => `quote ${nth}` });
    const run = await begin(line, process, memoryStore());
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'QUOTE', entity: 'it' }, key: 'quote' });
    await until(() => line.called('book') === 2);
    await run.at('rest');
    const linked = (name: string, nth: number) => process.span(name, nth).links.map(({ context: to }) => to.spanId);
    for (const name of ['execute_tool quote', 'execute_tool book', 'step book', 'step rest']) {
      expect([name, linked(name, 0)]).toEqual([name, []]);
      expect([name, linked(name, 1)]).toEqual([name, [process.span(name, 0).spanContext().spanId]]);
    }
    expect(process.span('restore').links[0]?.context.spanId).toBe(
      process.span('decide restore_joint').spanContext().spanId,
    );
    await run.close();
  });

  test('that was decided about a call links the decision to that call', async () => {
    const process = new Collected();
    const line = new Line([{ name: 'book', tool: 'effect: none' }], {
      book: ({ nth }) => (nth === 0 ? Promise.reject(new Error('reset')) : 'it'),
    });
    const run = await begin(line, process, memoryStore());
    run.send('go');
    await run.at('rest');
    const failed = process.span('execute_tool book', 0);
    const decision = process.span('decide restore');
    expect(decision.links.map(({ context: to }) => to.spanId)).toEqual([failed.spanContext().spanId]);
    expect(decision.attributes).toMatchObject({ 'belay.signal': 'TOOL_EXCEPTION', 'belay.decision.level': 0 });
    const replay = process.span('execute_tool book', 1);
    expect(replay.links.map(({ context: to }) => to.spanId)).toEqual([failed.spanContext().spanId]);
    await run.close();
  });
});

test('a run whose journal says nothing of a trace, or what is none, has a trace of its own from where it is resumed', async () => {
  const journal = memoryStore();
  const line = new Line([{ name: 'book' }]);
  const plain = await line.begin({ journal });
  plain.send('go');
  await plain.at('rest');
  await plain.close();
  const process = new Collected();
  const run = await begin(line, process, journal, 'resume');
  run.send('end');
  await run.finished();
  await run.close();
  const [root, ...others] = process.spans;
  expect([root?.name, root?.parentSpanContext]).toEqual(['resume line', undefined]);
  expect(others.length).toBeGreaterThan(1);
  for (const span of others) expect(span.parentSpanContext?.spanId).toBe(root?.spanContext().spanId);
});
