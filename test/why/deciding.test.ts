/** WH3: a tool that decides does nothing to the world, and what it was asked and answered is history. */
import { describe, expect, test } from 'vitest';
import { loadConfig, memoryStore } from '../../src/index.ts';
import { entriesOf } from '../../src/journal/entries.ts';
import { gathered } from '../../src/journal/gathered.ts';
import { ledgersOf } from '../../src/reports/index.ts';
import { calm, until } from '../poll.ts';
import { context, Dying, value } from '../semantics/dying.ts';
import { run } from '../semantics/little.ts';
import { DECIDING, decidingScenarios, judged } from './deciding-family.ts';
import { DECIDES, trip } from './trip.ts';

describe('WH3: a decision', () => {
  test('stands where the act behind it is found wrong: the equal question has its old answer', async () => {
    const { world, machine, config, more } = trip();
    const it = await run(machine, config, { journal: memoryStore(), ...more } as never);
    await it.at('resting');
    await it.wrong('TRIP', 'booking');
    await until(() => world.count('book') === 2);
    await it.at('resting');
    expect(it.context()).toMatchObject({ choice: 'SQ1', booking: 'SQ1 booked 1' });
    expect([world.count('choose'), world.undone.length, world.keys('choose')]).toEqual([1, 1, [undefined]]);
  });

  test.each([
    ['by its key', 'choice'],
    ['with its unit', undefined],
  ])('is asked for anew once it was found wrong %s', async (_how, key) => {
    const { world, machine, config, more } = trip();
    const it = await run(machine, config, { journal: memoryStore(), ...more } as never);
    await it.at('resting');
    await it.wrong('TRIP', key);
    await until(() => world.count('book') === 2);
    await it.at('resting');
    expect([world.count('choose'), it.context().booking]).toEqual([2, 'TR9 booked 1']);
  });

  test('that is made again as it was found wrong is the same failure, and the run is parked in the end', async () => {
    const { world, machine, config, more } = trip({ answers: Array.from({ length: 20 }, () => 'SQ1') });
    const it = await run(machine, config, { journal: memoryStore(), ...more } as never);
    await it.at('resting');
    await it.wrong('TRIP', 'choice');
    await until(() => it.sidecar.status === 'parked');
    expect([world.count('book'), world.undone.length]).toEqual([1, 1]);
    expect(world.count('choose')).toBeGreaterThan(2);
  });

  test('of another question is asked for: nothing diverges', async () => {
    const { world, machine, config, more } = trip({ book: 'none' });
    const it = await run(machine, config, { journal: memoryStore(), ...more } as never);
    await it.at('resting');
    await it.wrong('LOOK', 'asked');
    await until(
      () => world.count('book') === 2,
      () => it.sidecar.status,
    );
    await it.at('resting');
    expect(it.context()).toMatchObject({ asked: 'look1', choice: 'TR9', booking: 'TR9 booked 1' });
    expect(it.codes()).toEqual([]);
    // The decision of before is no act that the end of the run would have to look for (C9).
    it.sidecar.actor.send({ type: 'close' } as never);
    await until(() => it.sidecar.status === 'done');
    expect(it.codes()).toEqual([]);
  });

  test('is in the journal with its question, and in no ledger of what was done to the world', async () => {
    const store = memoryStore();
    const { machine, config, more } = trip({ choose: `${DECIDES}, redact: [args.asked]` });
    const it = await run(machine, config, { journal: store, ...more } as never);
    await it.at('resting');
    await it.sidecar.close();
    const rows = [...(await gathered(store.read('r')))];
    const asked = [...entriesOf(rows)].flatMap(({ entry }) =>
      entry.do === 'intent' ? [[entry.tool, entry.args]] : [],
    );
    expect(asked).toEqual([
      ['choose', { asked: 'look0' }],
      ['book', { choice: 'SQ1' }],
    ]);
    const { effects, decisions } = ledgersOf(rows, 0);
    expect(effects.map(({ tool }) => tool)).toEqual(['book']);
    const shown = decisions.flatMap((each) => (each.is === 'call' ? [[each.tool, each.args]] : []));
    expect(shown).toEqual([
      ['choose', { asked: '[redacted]' }],
      ['book', { choice: 'SQ1' }],
    ]);
  });

  test('that was asked for before a complaint and comes while that is carried out is kept for no replay (C11)', async () => {
    const { world, machine, config, more } = trip();
    let answer = (_output: string) => {};
    const held = new Promise<string>((resolve) => {
      answer = resolve;
    });
    const slow = machine.provide({
      actors: { choose: world.tool('choose', ({ nth }) => (nth === 0 ? held : 'TR9')) } as never,
    });
    const it = await run(slow, config, { journal: memoryStore(), ...more } as never);
    await until(() => world.count('choose') === 1);
    const complaint = it.wrong('TRIP');
    answer('SQ1');
    await complaint;
    await it.at('resting');
    expect([world.count('choose'), it.context().choice]).toEqual([2, 'TR9']);
  });

  test('outlives its process, whenever that dies: it is asked for again only where no journal had its answer', async () => {
    let again = 0;
    for (let append = 1; append < 60; append += 1) {
      const { world, machine, config, more } = trip();
      const dying = new Dying(machine, config, [{ append, when: 'after' }], { ...more });
      const first = await dying.attached().catch(() => null);
      if (first === null) continue;
      first.actor.start();
      await until(() => dying.isDead || value(first) === 'resting');
      if (!dying.isDead) break;
      await calm();
      const next = await dying.resumed(first);
      await until(() => value(next) === 'resting');
      const { choice } = context(next) as { choice: string };
      expect([choice, world.count('choose') > 2], `append ${append}`).toEqual([
        world.count('choose') === 1 ? 'SQ1' : 'TR9',
        false,
      ]);
      const booked = world.acts.filter(({ tool }) => tool === 'book').map(({ input }) => input);
      for (const input of booked) expect(input, `append ${append}`).toEqual({ choice });
      again += world.count('choose') === 1 ? 0 : 1;
      await next.close();
    }
    expect(again).toBeGreaterThan(0);
  });
});

describe('in a config, `decides`', () => {
  const said = (tool: string) =>
    loadConfig(`belay: 1\nagent: a\ntools:\n  choose: { ${tool} }\nskeletons: {}\n`, { file: 'a.yaml' });

  test('is true of a tool of the class none alone', () => {
    expect(said('effect: none, decides: true').config?.tools.get('choose')?.decides).toBe(true);
    expect(said('effect: none').config?.tools.get('choose')?.decides).toBe(false);
    const { config, findings } = said('effect: idempotent, decides: true');
    const shown = findings.map(({ line, column, code, mend }) => [line, column, code, mend]);
    expect([config, shown]).toEqual([null, [[4, 42, 'bad_decides', 'Call it effect: none, or take decides out.']]]);
  });
});

test.each(Object.keys(DECIDING))(
  'WH3, ST7: a share of the family %s: no act is blocked by a decision, none is asked for twice, and each end is one of plain xstate',
  async (family) => {
    const programs = [...(DECIDING[family] as () => Generator<never>)()];
    const all = programs.flatMap((one) => [...decidingScenarios(one)]);
    const counts: Record<string, number> = {};
    for (let nth = 7; nth < all.length; nth += Math.ceil(all.length / 60)) {
      const { verdict, why } = await judged(all[nth] as (typeof all)[number]);
      expect(verdict.startsWith('unsafe'), `${nth} ${verdict}: ${why}`).toBe(false);
      counts[verdict] = (counts[verdict] ?? 0) + 1;
    }
    expect(counts.ok).toBeGreaterThan(15);
  },
);
