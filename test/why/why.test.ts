/** WH1, WH2: why a call was made, or a value is what it is. */
import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { memoryStore } from '../../src/index.ts';
import { gathered } from '../../src/journal/gathered.ts';
import { ledgersOf, type WhyVersion, whyOf } from '../../src/reports/index.ts';
import { calm, until } from '../poll.ts';
import { calls, configOf, machineOf, run, World } from '../semantics/little.ts';
import { DECIDING, decidingScenarios } from './deciding-family.ts';
import { counting, duality, dualityOf, readingBeside } from './duality.ts';
import { trip } from './trip.ts';

/** What GO says is kept. */
const SAYS_SUM = assign({ sum: ({ event }: { event: { v?: number } }) => event.v } as never);

type Store = ReturnType<typeof memoryStore>;
async function rowsOf(store: Store) {
  await calm(20);
  return [...(await gathered(store.read('r')))];
}

/** A version in few words. */
function words({ key, source }: WhyVersion): unknown[] {
  const said = 'tool' in source ? [source.tool] : source.is === 'event' ? [source.name, source.version] : [];
  const under = 'on' in source ? source.on.map(words) : [];
  return [key, source.is, ...said, ...(under.length > 0 ? [under] : [])];
}

/** A run of the trip, at rest behind its booking. */
async function rested(options: Parameters<typeof trip>[0] = {}) {
  const { machine, config, more, world } = trip(options);
  const store = memoryStore();
  const it = await run(machine, config, { journal: store, ...more } as never);
  await it.at('resting');
  await calm(20);
  return { it, store, world };
}

describe('WH1, WH2: why', () => {
  test('a booking was made: the decision and its question, down to what was seen outside', async () => {
    const { store } = await rested();
    const [why, ...others] = whyOf(await rowsOf(store), { call: 'book' });
    expect(others).toEqual([]);
    expect(why?.call).toMatchObject({ tool: 'book', args: '{"choice":"SQ1"}', undone: false, approval: null });
    expect(why?.on.map(words)).toEqual([
      ['choice', 'decision', 'choose', [['asked', 'call', 'look', [['air:fares', 'outside']]]]],
    ]);
    expect(why?.on[0]?.source).toMatchObject({ asked: '{"asked":"look0"}', answered: '"SQ1"' });
  });

  test('a booking that was undone had been made: its reasons are those of then', async () => {
    const { it, store, world } = await rested();
    await it.wrong('TRIP', 'choice');
    await until(() => world.count('book') === 2);
    await it.at('resting');
    const whys = whyOf(await rowsOf(store), { call: 'book' });
    const answered = whys.map(({ on }) => on.map(({ source }) => 'answered' in source && source.answered));
    expect([whys.map(({ call }) => call?.undone), answered]).toEqual([
      [true, false],
      [['"SQ1"'], ['"TR9"']],
    ]);
  });

  test('a value is what it is, and none where nothing wrote it', async () => {
    const { store } = await rested();
    const rows = await rowsOf(store);
    const [why] = whyOf(rows, { key: 'booking' });
    expect([why?.call, why?.on.map(words)]).toEqual([
      null,
      [
        [
          'booking',
          'call',
          'book',
          [['choice', 'decision', 'choose', [['asked', 'call', 'look', [['air:fares', 'outside']]]]]],
        ],
      ],
    ]);
    expect([whyOf(rows, { key: 'never' }), whyOf(rows, { call: 'never' })]).toEqual([[], []]);
  });

  test('the ledger names the decision that a call rests on, and what the call itself has read', async () => {
    const { store } = await rested();
    const made = ledgersOf(await rowsOf(store), 0).decisions.flatMap((each) =>
      each.is === 'call' ? [[each.tool, each.relies.map(({ key }) => key), each.because?.tool ?? null]] : [],
    );
    expect(made).toEqual([
      ['choose', ['asked'], null],
      ['book', ['choice'], 'choose'],
    ]);
  });

  test('a payment was made: the event that gave it its sum', async () => {
    const world = new World();
    const pay = calls('pay', 'paid', 'resting', ['sum']);
    const machine = machineOf(
      { pay: world.tool('pay') },
      {
        initial: 'waiting',
        states: {
          waiting: { on: { GO: { target: 'paying', actions: SAYS_SUM } } },
          paying: pay,
          resting: { on: { close: 'end' } },
          end: { type: 'final' },
        },
      },
    );
    const unit = { states: ['paying'], at: 'paying -> resting', writes: ['paid'], reads: ['sum'] };
    const config = configOf({ pay: 'reads: [sum], writes: [paid], effect: irreversible' }, { PAY: unit });
    const store = memoryStore();
    const it = await run(machine, config, { journal: store } as never);
    await it.sidecar.send({ type: 'GO', v: 1 } as never, { id: 'go', by: 'ada' });
    await it.at('resting');
    const event = async () =>
      whyOf(await rowsOf(store), { call: 'pay' })
        .at(-1)
        ?.on.map(words);
    expect(await event()).toEqual([['sum', 'event', 'go', 0]]);
  });

  test('says no more than it may: long answers, and texts that turn the reading', async () => {
    const hostile = `\u202e<script>alert(1)</script>${'x'.repeat(1_000_000)}`;
    const { store } = await rested({ answers: [hostile] });
    const text = JSON.stringify(whyOf(await rowsOf(store), { key: 'booking' }));
    expect(text).toContain('<script>');
    expect(text.length).toBeLessThan(40_000);
  });
});

describe('WH1: where a call rests on a version, a complaint about that takes the call back, or is blocked by it', () => {
  test('in drawn programs, one in which calls were started again, and one in which a step kept an answer over a newer value', async () => {
    for (const [seed, from, runs] of [
      [3, 0, 20],
      [7, 122, 1],
      [7, 176, 1],
      [1, 76, 1],
    ] as const) {
      const { wrong, back, blocked, reverse } = await duality(seed, runs, from);
      expect(wrong).toEqual([]);
      expect(back + blocked + reverse).toBeGreaterThan(0);
    }
  });

  test('in programs with a tool that decides', async () => {
    const counts = counting();
    const all = Object.values(DECIDING).flatMap((family) =>
      [...family()].flatMap((one) => [...decidingScenarios(one)]),
    );
    for (let nth = 11; nth < all.length; nth += Math.ceil(all.length / 60)) await dualityOf(all[nth] as never, counts);
    expect(counts.wrong).toEqual([]);
    expect(counts.back + counts.blocked).toBeGreaterThan(3);
  });

  test('and where each unit is one call, what a complaint takes back for what it read rests on that version', async () => {
    const counts = counting();
    const all = readingBeside();
    for (let nth = 0; nth < all.length; nth += 5) await dualityOf(all[nth] as never, counts);
    expect(counts.wrong).toEqual([]);
    expect(counts.back).toBeGreaterThan(15);
    expect(counts.reverse).toBeGreaterThan(15);
  });
});
