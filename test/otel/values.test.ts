/** Values leave a run only where that is wanted, and what its config redacts never does. */
import { describe, expect, test } from 'vitest';
import { until } from '../poll.ts';
import { Line, type Station } from '../sidecar/stations.ts';
import { Collected } from './collected.ts';

const CARD = '4111 1111/1111 1111';
const TOKEN = 'tok_9f8e7d';

/** Looks a card up, pays with it once a person has approved, and ships. */
const pays = (redacts: boolean): readonly Station[] => [
  { name: 'card', reads: ['wanted'] },
  {
    name: 'pay',
    reads: ['card'],
    tool: `effect: irreversible, gate: true${redacts ? ', redact: [output.token]' : ''}`,
    entity: 'memory.wanted',
  },
  { name: 'ship', reads: ['wanted', 'card'], tool: 'effect: idempotent' },
];
const does = {
  card: () => CARD,
  pay: () => ({ token: TOKEN, ok: true }),
  ship: ({ input }: { input: Record<string, unknown> }) => {
    throw new Error(`no parcel for ${input.card}`);
  },
};

async function paid(values: boolean, redacts = false): Promise<Collected> {
  const process = new Collected();
  const line = new Line(pays(redacts), does, redacts ? 'redact: [card]' : '');
  const run = await line.begin(process.telemetry(line.options() as never, { values }));
  run.send('go');
  await until(() => run.sidecar.gates().length === 1);
  await run.sidecar.answer(run.sidecar.gates()[0]?.gate as string, 'approved', { by: 'Ada', why: `${CARD} is hers` });
  await run.finished();
  await run.close();
  return process;
}

describe('what is told of values', () => {
  test('is nothing, if nobody asks for it: no argument, answer, instance, error or person', async () => {
    const process = await paid(false);
    const told = await process.everything();
    for (const value of [CARD, TOKEN, 'Ada', 'no parcel', 'PAY::x'])
      expect([value, told.includes(value)]).toEqual([value, false]);
    expect(told).not.toContain('gen_ai.tool.call.arguments');
    expect(process.span('execute_tool pay').attributes['belay.skeletons']).toEqual(['PAY']);
  });

  test('is arguments, answers, instances, errors and people, where it is wanted', async () => {
    const process = await paid(true);
    expect(process.span('execute_tool pay').attributes).toMatchObject({
      'gen_ai.tool.call.arguments': JSON.stringify({ card: CARD }),
      'gen_ai.tool.call.result': JSON.stringify({ token: TOKEN, ok: true }),
      'belay.instances': ['PAY::x::0'],
    });
    expect(process.span('execute_tool ship').attributes['belay.error']).toBe(`no parcel for ${CARD}`);
    expect(process.span('answer approved').attributes).toMatchObject({ 'belay.answer.by': 'Ada' });
  });

  test('is never what the config redacts, not even in the answer by which it first comes in', async () => {
    const process = await paid(true, true);
    const told = await process.everything();
    for (const value of [CARD, TOKEN, encodeURIComponent(CARD)])
      expect([value, told.includes(value)]).toEqual([value, false]);
    expect(process.span('execute_tool pay').attributes['gen_ai.tool.call.arguments']).toBe('{"card":"[redacted]"}');
    expect(process.span('execute_tool card').attributes['gen_ai.tool.call.result']).toBeUndefined();
    expect(process.span('step pay').attributes['gen_ai.tool.call.result']).toBe('"[redacted]"');
    expect(process.span('step ship').attributes['gen_ai.tool.call.result']).toBe('{"token":"[redacted]","ok":true}');
    expect(process.span('execute_tool ship').attributes['belay.error']).toBe('no parcel for [redacted]');
  });

  test('is cut where it is long, and says so where it has no text', async () => {
    const process = new Collected();
    const line = new Line([{ name: 'long' }, { name: 'odd' }], { long: () => 'x'.repeat(10_000), odd: () => () => 1 });
    const run = await line.begin(process.telemetry(line.options() as never, { values: true }));
    run.send('go');
    await run.at('rest');
    const result = (name: string) => String(process.span(`execute_tool ${name}`).attributes['gen_ai.tool.call.result']);
    expect([result('long').length, result('long').endsWith('x...')]).toEqual([4_003, true]);
    expect(result('odd')).toMatch(/^\(no text: /);
    await run.close();
  });

  test('leaves out a redacted value within an object of a class, and where it names an instance', async () => {
    const process = new Collected();
    class Card {
      readonly number = CARD;
    }
    const codec = {
      name: 'card',
      is: (value: object) => value instanceof Card,
      encode: ({ number }: Card) => ({ of: `card ${number}` }),
      decode: () => new Card(),
    };
    const stations: readonly Station[] = [
      { name: 'card', reads: ['wanted'] },
      { name: 'wrap', reads: ['card'], also: () => ({ tag: CARD }) },
      { name: 'pay', reads: ['wrap'], entity: 'memory.tag' },
    ];
    const line = new Line(stations, { card: () => CARD, wrap: () => new Card() }, 'redact: [card]');
    const run = await line.begin(process.telemetry(line.options({ codecs: [codec] }) as never, { values: true }));
    run.send('go');
    await run.at('rest');
    expect(process.span('execute_tool pay').attributes['gen_ai.tool.call.arguments']).toBe(
      '{"wrap":{"number":"[redacted]"}}',
    );
    expect(process.span('execute_tool pay').attributes['belay.instances']).toEqual(['PAY::[redacted]::0']);
    expect(await process.everything()).not.toContain(CARD);
    await run.close();
  });
});
