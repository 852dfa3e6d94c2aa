/** Loops: turns, calls side by side, what a process leaves behind, and what is found wrong (semantics.md RC1 to RC5, LP1 to LP3). */
import { describe, expect, test } from 'vitest';
import type { StoredRow } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { type LoopOptions, loop } from '../../src/loop/loop.ts';
import { whyOf } from '../../src/reports/why.ts';
import { Bank, shop, shopConfig } from './shop.ts';

function opened(pay: 'reversible' | 'irreversible' = 'irreversible', said: 'stands' | 'rewritten' = 'stands') {
  const bank = new Bank();
  const findings: string[] = [];
  const options: LoopOptions = {
    run: 'chat-1',
    config: shopConfig(pay),
    journal: memoryStore(),
    said,
    ...(pay === 'reversible' && { undo: { undo: bank.undo } }),
    reconcilers: { find: bank.find },
    onFinding: ({ code, text }) => void findings.push(`${code}: ${text}`),
  };
  return { bank, findings, options, agent: shop(bank) };
}

const codeOf = (error: { readonly code: string }) => error.code;

describe('a loop', () => {
  test('answers each turn, and goes on in another process without asking or paying again', async () => {
    const { bank, agent, options, findings } = opened();
    const first = await agent.attach(options);
    expect(await first.invoke('quote', { id: 'm1' })).toEqual(['quoted 100']);
    expect(await first.invoke('pay', { id: 'm2' })).toEqual(['quoted 100', 'paid 100']);
    expect(await first.invoke('pay', { id: 'm2' })).toEqual(['quoted 100', 'paid 100']);
    expect(await first.invoke('quote', { id: 'm1' }).catch(codeOf)).toBe('turn_over');
    await first.close();
    const second = await agent.resume(options);
    expect(await second.invoke()).toEqual(['quoted 100', 'paid 100']);
    expect(await second.invoke('pay', { id: 'm3' })).toEqual(['quoted 100', 'paid 100', 'paid 100']);
    expect([bank.asked, bank.quotes, bank.standing]).toEqual([3, 1, [100, 100]]);
    expect(findings).toEqual([]);
    await second.close();
  });

  test('has the calls of one turn side by side', async () => {
    const { bank, agent, options } = opened();
    const run = await agent.attach(options);
    let isBoth = false;
    bank.onQuote = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      isBoth = bank.weathers === 1;
    };
    expect(await run.invoke('quote+weather pay')).toEqual(['quoted 100', 'rain', 'paid 100']);
    expect(isBoth).toBe(true);
    await run.close();
  });

  test('LP3: has a call rest on each answer from before its round', async () => {
    const { agent, options } = opened();
    const run = await agent.attach(options);
    await run.invoke('quote+weather pay', { id: 'm1' });
    await run.close();
    const rows: StoredRow[] = [];
    for await (const row of (await options.journal?.read('chat-1')) ?? []) rows.push(row);
    const [why] = whyOf(rows, { call: 'pay' });
    const on = why?.on.flatMap(({ key, source }) => ('tool' in source ? `${key} ${source.tool}` : key)) ?? [];
    // `steps` alone is the first context, in which there is none.
    const answers = ['steps', 'steps model', 'steps quote', 'steps weather'];
    expect([...new Set(on)].sort()).toEqual(['input', ...answers, 'turns']);
  });

  test('pays once where its process dies in the payment', async () => {
    const { bank, agent, options } = opened();
    const first = await agent.attach(options);
    let paid = () => {};
    const isPaid = new Promise<void>((resolve) => {
      paid = resolve;
    });
    bank.onPay = () => {
      paid();
      return new Promise(() => {});
    };
    first.invoke('quote+weather pay', { id: 'm1' }).catch(() => {});
    await isPaid;
    await first.close();
    bank.onPay = async () => {};
    const second = await agent.resume(options);
    expect(await second.invoke('quote+weather pay', { id: 'm1' })).toEqual(['quoted 100', 'rain', 'paid 100']);
    expect([bank.asked, bank.quotes, bank.weathers, bank.standing]).toEqual([2, 1, 1, [100]]);
    await second.close();
  });

  test('refuses a complaint about what it has said, and corrects nothing by itself', async () => {
    const { bank, agent, options } = opened('reversible');
    const run = await agent.attach(options);
    await run.invoke('quote');
    await run.invoke('pay');
    const about = { instance: { skeleton: 'quote_', entity: 'call-1-quote' } };
    expect(await run.fail('CONTRACT_VIOLATION', about).catch(codeOf)).toBe('said_to_person');
    expect(bank.standing).toEqual([100]);
    expect(await run.invoke('weather')).toEqual(['quoted 100', 'paid 100', 'rain']);
    await run.close();
  });

  test('goes back behind a turn where what it said is rewritten, and later inputs come again', async () => {
    const { bank, agent, options } = opened('reversible', 'rewritten');
    const run = await agent.attach(options);
    await run.invoke('quote', { id: 'm1' });
    await run.invoke('pay', { id: 'm2' });
    bank.price = 120;
    await run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'quote_', entity: 'call-1-quote' } });
    expect(await run.invoke()).toEqual(['quoted 120', 'paid 120']);
    expect(bank.standing).toEqual([120]);
    await run.close();
    const second = await agent.resume(options);
    expect(await second.invoke()).toEqual(['quoted 120', 'paid 120']);
    await second.close();
  });

  test('does a quote again that is found wrong while the turn pays, beside a call that stands', async () => {
    const { bank, agent, options } = opened('reversible');
    const run = await agent.attach(options);
    let paid = () => {};
    const isPaid = new Promise<void>((resolve) => {
      paid = resolve;
    });
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    bank.onPay = () => {
      paid();
      return held;
    };
    const saying = run.invoke('quote+weather pay');
    await isPaid;
    bank.price = 120;
    bank.onPay = async () => {};
    const failing = run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'quote_', entity: 'call-1-quote' } });
    goOn();
    await failing;
    expect(await saying).toEqual(['quoted 120', 'rain', 'paid 120']);
    expect([bank.standing, bank.weathers, bank.quotes]).toEqual([[120], 1, 2]);
    await run.close();
  });
});

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('LP1: a round', () => {
  test('has a call that is asked for meanwhile begin behind it', async () => {
    const { options } = opened();
    const order: string[] = [];
    const agent = loop('shop', async ({ act }) => {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const first = act('quote', '1', {}, async () => {
        order.push('the quote begins');
        await held;
        order.push('the quote is there');
        return 1;
      });
      while (order.length === 0) await tick();
      const second = act('weather', '2', {}, async () => {
        order.push('the weather');
        return 2;
      });
      for (let times = 0; times < 5; times += 1) await tick();
      release();
      return [await first, await second];
    });
    const run = await agent.attach(options);
    expect(await run.invoke()).toEqual([1, 2]);
    expect(order).toEqual(['the quote begins', 'the quote is there', 'the weather']);
    await run.close();
  });

  test('has no call within a call', async () => {
    const { options } = opened();
    let inner = 0;
    const agent = loop('shop', async ({ act }) =>
      act('quote', '1', {}, async () => {
        void act('weather', '2', {}, async () => {
          inner += 1;
        });
        for (let times = 0; times < 5; times += 1) await tick();
        return 1;
      }),
    );
    const run = await agent.attach(options);
    expect(await run.invoke().catch(({ message }: Error) => message)).toMatch(
      /"weather@2" was asked for within "quote@1"/,
    );
    expect(inner).toBe(0);
    await run.close();
  });
});

describe('LP2: a function that is entered again', () => {
  /** A loop that pays what is said each time it is entered. */
  const payingOf = (bank: Bank, cents: () => number | null) =>
    loop('shop', async ({ act, receive }) => {
      for (let said: unknown; ; ) {
        await receive(said);
        const amount = cents();
        if (amount === null) continue;
        said = await act('pay', 'only', { cents: amount }, async ({ input, key = '' }) => {
          bank.paid.push({ key, cents: input.cents, undone: false });
          return `paid ${input.cents}`;
        });
      }
    });

  test.each([[120], [null]])('fails where it pays %s, and its journal has another payment', async (later) => {
    const { bank, options } = opened();
    let amount: number | null = 100;
    const agent = payingOf(bank, () => amount);
    const first = await agent.attach(options);
    expect(await first.invoke('pay')).toBe('paid 100');
    await first.close();
    amount = later;
    const second = await agent.resume(options);
    expect(await second.invoke().catch(codeOf)).toBe('run_parked');
    expect(bank.standing).toEqual([100]);
    await second.close();
  });

  test('fails where it asks a model another question than its journal has', async () => {
    const { options } = opened();
    let [word, asked] = ['hello', 0];
    const agent = loop('shop', async ({ think, receive }) => {
      for (let said: unknown; ; ) {
        const given = await receive(said);
        said = await think([word, given], async () => {
          asked += 1;
          return `${word} to you`;
        });
      }
    });
    const first = await agent.attach(options);
    expect(await first.invoke('x')).toBe('hello to you');
    await first.close();
    word = 'good evening';
    const second = await agent.resume(options);
    expect(await second.invoke('y').catch(codeOf)).toBe('run_parked');
    expect(asked).toBe(1);
    await second.close();
  });
});
