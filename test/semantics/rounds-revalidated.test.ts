/** RV2 in a machine that loops: of the answers to one question the newest that was written over the others counts. Deaths at each append. */
import { expect, test } from 'vitest';
import { assign } from 'xstate';
import { tool } from '../../src/xstate/index.ts';
import { VirtualTime } from '../virtual-time.ts';
import { context, Dying, settledIn } from './dying.ts';
import { calls, configOf, type Given, machineOf } from './little.ts';

const ROUNDS = 3;
const CLASSES = ['irreversible', 'compensable, undo: un', 'reversible, undo: un', 'idempotent'] as const;

interface Case {
  readonly class: (typeof CLASSES)[number];
  readonly good: '0s' | '1h';
  /** True where an answer has a part that stays the same: only what differs is written. */
  readonly partly: boolean;
  readonly append: number;
}

/** A shop whose price rises with each payment, and which knows its keys. */
class Shop {
  readonly paid = new Map<string, number>();
  looks = 0;
  isDead = () => false;
  readonly #case: Case;

  constructor(one: Case) {
    this.#case = one;
  }

  async look(): Promise<object> {
    if (this.isDead()) return await new Promise(() => {});
    this.looks += 1;
    return { cents: this.paid.size, ...(this.#case.partly && { seat: 'A' }) };
  }

  async pay(key: string, cents: number): Promise<string> {
    if (this.isDead()) return await new Promise(() => {});
    if (!this.paid.has(key)) this.paid.set(key, cents);
    return `paid ${cents}`;
  }

  readonly find = ({ key }: { key: string }) =>
    this.paid.has(key)
      ? ({ is: 'applied', output: `paid ${this.paid.get(key)}` } as const)
      : ({ is: 'not_applied' } as const);
}

async function play(one: Case) {
  const shop = new Shop(one);
  const machine = machineOf(
    {
      look: tool(() => shop.look()),
      pay: tool(({ input, key }: { input: { offer: { cents: number } }; key: string | undefined }) =>
        shop.pay(key as string, input.offer.cents),
      ),
    },
    {
      context: { round: 0 },
      initial: 'look',
      states: {
        look: calls('look', 'offer', 'pay'),
        pay: calls('pay', 'receipt', 'next', ['offer', 'round']),
        next: {
          entry: assign({ round: ({ context: { round } }: Given) => (round ?? 0) + 1 } as never),
          always: [
            { guard: ({ context: { round } }: Given) => (round ?? 0) >= ROUNDS, target: 'end' },
            { target: 'look' },
          ],
        },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    {
      look: `writes: [offer], effect: none, revalidate: ${one.good}`,
      pay: `reads: [offer, round], writes: [receipt], effect: ${one.class}, reconcile: find`,
    },
    {
      ROUND: {
        states: ['look', 'pay'],
        at: 'pay -> next',
        writes: ['offer', 'receipt'],
        rollback: 'compensable: undo',
      },
    },
  );
  return new VirtualTime().during(async () => {
    const more = { now: () => Date.now(), undo: { un: () => {} }, reconcilers: { find: shop.find } };
    const dying = new Dying(machine, config, [{ append: one.append, when: 'after' }], more);
    shop.isDead = () => dying.isDead;
    const first = await dying.attached();
    first.actor.start();
    void first.finished().catch(() => null);
    for (let nth = 0; nth < 300 && !dying.isDead && first.status !== 'done'; nth += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const died = dying.isDead;
    dying.isDead = false;
    const last = died ? await dying.resumed(first) : first;
    await settledIn(last);
    const { receipt } = context(last) as { receipt?: string };
    const course = { died, status: last.status, receipt, paid: [...shop.paid.values()], looks: shop.looks };
    void last.close();
    return course;
  });
}

const CASES: readonly Case[] = CLASSES.flatMap((kind) =>
  (['0s', '1h'] as const).flatMap((good) =>
    [false, true].flatMap((partly) =>
      Array.from({ length: 24 }, (_, nth) => ({ class: kind, good, partly, append: nth + 1 })),
    ),
  ),
);

test('RV2: each round pays once, at the price of the round, and asks about the rounds before no more: deaths at each append', async () => {
  const wrong: string[] = [];
  let deaths = 0;
  for (const one of CASES) {
    const { died, status, receipt, paid, looks } = await play(one);
    deaths += Number(died);
    const most = (one.good === '0s' ? 2 : 1) * ROUNDS + (died ? 2 : 0);
    const isRight = status === 'done' && paid.join() === '0,1,2' && receipt === 'paid 2' && looks <= most;
    if (!isRight) wrong.push(`${status}, paid ${paid.join()}, ${receipt}, ${looks} looks: ${JSON.stringify(one)}`);
  }
  expect(wrong).toEqual([]);
  expect(deaths).toBeGreaterThan(100);
});

test('RV2: an answer whose place still stands is looked at again, whatever a later one under another key says', async () => {
  let price = 100;
  const paid: unknown[] = [];
  const machine = machineOf(
    {
      look: tool(async () => ({ cents: price })),
      pay: tool(async ({ input }: { input: { offer: unknown } }) => void paid.push(input.offer)),
    },
    {
      initial: 'first',
      states: {
        first: calls('look', 'offer', 'wait'),
        wait: { after: { 60000: 'second' } },
        second: calls('look', 'check', 'pay'),
        pay: calls('pay', 'receipt', 'end', ['offer', 'check']),
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    {
      look: 'writes: [offer, check], effect: none, revalidate: 30s',
      pay: 'reads: [offer, check], writes: [receipt], effect: irreversible',
    },
    { ALL: { states: ['first', 'wait', 'second', 'pay'], at: 'pay -> end', writes: ['receipt', 'offer', 'check'] } },
  );
  const status = await new VirtualTime().during(async () => {
    const dying = new Dying(machine, config, [], { now: () => Date.now() });
    const it = await dying.attached();
    it.actor.start();
    setTimeout(() => (price = 130), 30_000);
    await settledIn(it);
    void it.close();
    return it.status;
  });
  expect([status, paid]).toEqual(['done', [{ cents: 130 }]]);
});
