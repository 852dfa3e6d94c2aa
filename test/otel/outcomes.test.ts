/** Outcomes that become known otherwise than by the answer of a call, and runs of flows. */
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { flow } from '../../src/flow/flow.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { until } from '../poll.ts';
import { held, Line, of, type Station } from '../sidecar/stations.ts';
import { Collected } from './collected.ts';

const idOf = (process: Collected, name: string, nth = 0) => process.span(name, nth).spanContext().spanId;
const linkedTo = (process: Collected, name: string, nth = 0) =>
  process.span(name, nth).links.map(({ context }) => context.spanId);

describe('the span of an outcome', () => {
  test('of an undo is linked to the call that was undone, and the call that follows replaces that', async () => {
    const process = new Collected();
    const stations: readonly Station[] = [
      { name: 'book', reads: ['wanted'], tool: 'effect: reversible, undo: cancel' },
      { name: 'rest2', reads: ['wanted'] },
    ];
    const line = new Line(stations, { book: ({ nth }) => `seat ${nth}` });
    const run = await line.begin(process.telemetry(line.options({ undo: { cancel: () => {} } }) as never));
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('book'), key: 'book' });
    await until(() => line.called('book') === 2);
    await run.at('rest');
    const told = { 'belay.call.outcome': 'compensated', 'belay.effect.class': 'reversible' };
    expect(process.span('outcome book').attributes).toMatchObject(told);
    expect(linkedTo(process, 'outcome book')).toEqual([idOf(process, 'execute_tool book')]);
    expect(linkedTo(process, 'execute_tool book', 1)).toEqual([idOf(process, 'execute_tool book')]);
    await run.close();
  });

  test('that comes after its deadline is linked to the call, which has ended by then', async () => {
    const process = new Collected();
    const late = held();
    const stations: readonly Station[] = [{ name: 'pay', tool: 'effect: irreversible, timeout: 20ms' }];
    const line = new Line(stations, { pay: () => late.promise });
    const run = await line.begin(process.telemetry(line.options() as never));
    run.send('go');
    await run.finished();
    expect([run.status, process.open]).toEqual(['parked', 0]);
    late.resolve('paid');
    await until(() => process.names.includes('outcome pay'));
    expect(process.span('execute_tool pay').attributes).toMatchObject({ 'error.type': 'TIMEOUT' });
    expect(process.span('outcome pay').attributes).toMatchObject({ 'belay.call.outcome': 'confirmed' });
    expect(linkedTo(process, 'outcome pay')).toEqual([idOf(process, 'execute_tool pay')]);
    await run.close();
  });

  test('of a call that was held until its commit says so, and then what became of it', async () => {
    const process = new Collected();
    const shelf = { publish: async () => {}, discard: async () => {} };
    const stations: readonly Station[] = [
      { name: 'mail', tool: 'effect: irreversible, buffer: shelf, reconcile: ask' },
    ];
    const line = new Line(stations);
    const more = { buffers: { shelf }, reconcilers: { ask: () => ({ is: 'not_applied' as const }) } };
    const run = await line.begin(process.telemetry(line.options(more) as never));
    run.send('go');
    await until(() => process.names.includes('outcome mail'));
    expect(process.span('execute_tool mail').attributes['belay.call.outcome']).toBe('buffered');
    expect(process.span('outcome mail').attributes['belay.call.outcome']).toBe('confirmed');
    expect(linkedTo(process, 'outcome mail')).toEqual([idOf(process, 'execute_tool mail')]);
    expect(process.open).toBe(0);
    await run.close();
  });
});

test('a flow is told as a machine is, in one trace over two processes', async () => {
  const text =
    'belay: 1\nagent: greeting\ntools:\n  greet: { effect: idempotent }\n  send: { effect: none }\nskeletons: {}\n';
  const { config } = loadConfig(text, { file: 'g.yaml' });
  if (config === null) throw new Error('the config has errors');
  const hangs = held();
  const journal = memoryStore();
  const greeting = flow<string>('greeting', async (step, name) => {
    const text = await step('greet', name, async ({ input }) => `hello ${input}`);
    return step('send', text, async () => hangs.promise);
  });
  const [first, second] = [new Collected(), new Collected()];
  const options = { run: 'greeting-1', config, input: 'you', journal };
  const run = await greeting.attach(first.telemetry(options));
  await until(() => first.open === 1);
  await run.close();
  const next = await greeting.resume(second.telemetry(options));
  hangs.resolve('sent');
  expect(await next.finished()).toEqual({ status: 'done', output: 'sent' });
  await next.close();
  expect(first.names.filter((name) => !name.startsWith('step'))).toEqual([
    'invoke_agent greeting',
    'execute_tool greet',
    'execute_tool send',
  ]);
  expect(second.names).toEqual(expect.arrayContaining(['resume greeting', 'execute_tool send', 'end done']));
  const traces = [...first.spans, ...second.spans].map((span) => span.spanContext().traceId);
  expect(new Set(traces).size).toBe(1);
});
