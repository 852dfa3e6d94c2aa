/** E3: the key of a call protects it for as long as its counterparty remembers keys. Deaths at each append, over two days of a driven clock. */
import { expect, test } from 'vitest';
import { vetoes } from '../../src/index.ts';
import { tool } from '../../src/xstate/index.ts';
import { VirtualTime } from '../virtual-time.ts';
import { Dying, settledIn } from './dying.ts';
import { calls, configOf, machineOf } from './little.ts';

const HOUR = 3_600_000;
const VALID = 24 * HOUR;

interface Case {
  readonly class: 'idempotent' | 'irreversible';
  /** How the counterparty is asked: by the key, which it forgets; by the order, which it keeps; or nobody answers. */
  readonly asked: 'key' | 'order' | 'never';
  /** What becomes of the first call: it is done and its reply is lost, or it never arrives. */
  readonly first: 'done' | 'lost';
  readonly append: number;
  readonly hours: number;
}

/** A counterparty that remembers keys for a day: sent later, the same key is another charge. */
class Till {
  readonly sent: { readonly key: string; readonly at: number }[] = [];
  readonly charges: { readonly key: string; readonly at: number }[] = [];
  isDead = () => false;
  readonly #case: Case;

  constructor(one: Case) {
    this.#case = one;
  }

  #known(key: string) {
    return this.charges.find((charge) => charge.key === key && Date.now() - charge.at <= VALID);
  }

  async charge(key: string): Promise<string> {
    if (this.isDead()) return await new Promise(() => {});
    const isFirst = this.sent.length === 0;
    this.sent.push({ key, at: Date.now() });
    const arrives = !isFirst || this.#case.first === 'done';
    if (arrives && this.#known(key) === undefined) this.charges.push({ key, at: Date.now() });
    if (isFirst) throw new Error('socket hang up');
    return 'charged';
  }

  readonly find = ({ key }: { key: string }) => {
    if (this.#case.asked === 'never') return { is: 'unknown' } as const;
    const charge = this.#case.asked === 'order' ? this.charges[0] : this.#known(key);
    return charge === undefined ? ({ is: 'not_applied' } as const) : ({ is: 'applied', output: 'charged' } as const);
  };
}

/** What is wrong with the end of a case. */
function wrongIn(end: { late: boolean; isOver: boolean; isDone: boolean; charges: number }): string[] {
  return [
    ...(end.late ? ['sent again under a key that is forgotten'] : []),
    ...(end.charges > 1 ? [`${end.charges} charges`] : []),
    ...(end.isOver ? [] : ['it hangs']),
    ...(end.isDone && end.charges !== 1 ? ['it ended without its charge'] : []),
  ];
}

/** Plays a case. @returns what is wrong with it; the codes of what it is parked on; and whether it died. */
async function play(one: Case, keyValid = ', key_valid: 24h') {
  const till = new Till(one);
  const charge = tool(({ key }: { key: string | undefined }) => till.charge(key as string));
  const machine = machineOf(
    { charge },
    { initial: 'charge', states: { charge: calls('charge', 'receipt', 'end'), end: { type: 'final' } } },
  );
  const outlives = one.asked === 'order' ? ', outlives_key: true' : '';
  const config = configOf(
    { charge: `writes: [receipt], effect: ${one.class}, reconcile: { ask: find${outlives} }${keyValid}` },
    { CHARGE: { states: ['charge'], at: 'charge -> end', writes: ['receipt'] } },
  );
  const died = { is: false };
  const clock = new VirtualTime();
  return clock.during(async () => {
    const dying = new Dying(machine, config, [{ append: one.append, when: 'after' }], {
      reconcilers: { find: till.find },
      now: () => Date.now(),
    });
    till.isDead = () => dying.isDead;
    const first = await dying.attached();
    first.actor.start();
    const over = first.finished().catch(() => null);
    for (let nth = 0; nth < 200 && !dying.isDead && !first.rest().idle; nth += 1) await sleep(50);
    void over;
    died.is = dying.isDead;
    if (!dying.isDead) await first.close();
    await sleep(one.hours * HOUR);
    dying.isDead = false;
    const next = await dying.resumed(first).catch(() => null);
    const ending = next === null ? null : await settledIn(next);
    const codes = ending !== null && 'decision' in ending ? [...vetoes(ending.decision)].map(({ code }) => code) : [];
    await next?.close();
    const first1 = (key: string) => till.sent.find((sent) => sent.key === key)?.at ?? 0;
    const late = till.sent.some(({ key, at }) => at - first1(key) > VALID);
    const isOver = next === null || ending !== null;
    const wrong = wrongIn({ late, isOver, isDone: ending?.status === 'done', charges: till.charges.length });
    return { wrong, codes, status: ending?.status ?? 'none', died: died.is, charges: till.charges.length };
  });
}

const sleep = (wait: number) => new Promise<void>((resolve) => setTimeout(resolve, wait));

const KINDS = ['idempotent', 'irreversible'] as const;
const ASKED = ['key', 'order', 'never'] as const;
const CASES: readonly Case[] = KINDS.flatMap((kind) =>
  ASKED.flatMap((asked) =>
    (['done', 'lost'] as const).flatMap((first) =>
      [1, 25, 47].flatMap((hours) =>
        Array.from({ length: 9 }, (_, nth) => ({ class: kind, asked, first, hours, append: nth + 1 })),
      ),
    ),
  ),
);

test('E3: no call is sent again under a key that its counterparty may have forgotten: deaths at each append, over two days', async () => {
  const wrong: string[] = [];
  const ends = new Map<string, number>();
  for (const one of CASES) {
    const course = await play(one);
    for (const why of course.wrong) wrong.push(`${why}: ${JSON.stringify(one)}`);
    const end = `${course.status} ${course.codes.join(' ')}`.trim();
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  expect(wrong).toEqual([]);
  expect([...ends.keys()]).toContain('parked key_expired');
  expect(ends.get('done') ?? 0).toBeGreaterThan(50);
});
