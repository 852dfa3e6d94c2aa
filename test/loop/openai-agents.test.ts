/** Agents of the OpenAI Agents SDK, on a scripted model: paid once and asked once, wherever the process dies and whatever reply is lost. */
import { Agent, type Model, tool as plainTool, Runner, Usage, webSearchTool } from '@openai/agents';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { type AgentsWays, keyOf, openaiAgent } from '../../src/openai/index.ts';
import { read } from '../pages.ts';
import { Bank, shopConfig } from './shop.ts';

interface Item {
  readonly type?: string;
  readonly output?: { readonly text?: string } | string;
}

/** A model that asks for a quote and the weather together, pays, and says what was paid; each time under ids of its own. */
function scripted(bank: Bank): Model {
  const answer = (input: string | readonly Item[]) => {
    bank.asked += 1;
    const items = typeof input === 'string' ? [] : input;
    const results = items
      .filter(({ type }) => type === 'function_call_result')
      .map(({ output }) => (typeof output === 'object' ? output.text : output));
    const call = (name: string, args: object) => ({
      type: 'function_call',
      callId: `${name}-${bank.asked}`,
      name,
      arguments: JSON.stringify(args),
      status: 'completed',
    });
    if (results.length === 0) return [call('quote', {}), call('weather', {})];
    if (results.length === 2) return [call('pay', { cents: Number(results[0]) })];
    const content = [{ type: 'output_text', text: String(results.at(-1)) }];
    return [{ type: 'message', role: 'assistant', status: 'completed', content }];
  };
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  return {
    getResponse: async ({ input }: { input: string | Item[] }) => ({ usage: new Usage(usage), output: answer(input) }),
    async *getStreamedResponse({ input }: { input: string | Item[] }) {
      yield { type: 'response_started' };
      yield { type: 'response_done', response: { id: `r${bank.asked}`, usage, output: answer(input) } };
    },
  } as unknown as Model;
}

/** The tools, as the SDK makes them or guarded. */
function toolsOf(bank: Bank, tool: AgentsWays['tool']) {
  return [
    tool({
      name: 'quote',
      description: 'the price',
      parameters: z.object({}),
      execute: async () => {
        bank.quotes += 1;
        return bank.price;
      },
    }),
    tool({
      name: 'weather',
      description: 'the weather',
      parameters: z.object({}),
      execute: async () => {
        bank.weathers += 1;
        return 'rain';
      },
    }),
    tool({
      name: 'pay',
      description: 'pays',
      parameters: z.object({ cents: z.number() }),
      execute: async ({ cents }, _context, details) => {
        bank.paid.push({ key: keyOf(details) ?? '', cents, undone: false });
        await bank.onPay();
        return `paid ${cents}`;
      },
    }),
  ];
}

type Given = Pick<AgentsWays, 'model' | 'tool' | 'provider'>;
const PLAIN: Given = { model: (model) => model, tool: plainTool, provider: (provider) => provider };

const runner = () => new Runner({ tracingDisabled: true });

const WAYS = {
  run: async ({ model, tool }: Given, bank: Bank) => {
    const agent = new Agent({ name: 'shop', model: model(scripted(bank)), tools: toolsOf(bank, tool) });
    return (await runner().run(agent, 'buy a lamp')).finalOutput;
  },
  'a stream': async ({ model, tool }: Given, bank: Bank) => {
    const agent = new Agent({ name: 'shop', model: model(scripted(bank)), tools: toolsOf(bank, tool) });
    const stream = await runner().run(agent, 'buy a lamp', { stream: true });
    await stream.completed;
    return stream.finalOutput;
  },
  'a provider of models, and a hand-off': async ({ provider, tool }: Given, bank: Bank) => {
    const seller = new Agent({ name: 'shop', model: 'scripted', tools: toolsOf(bank, tool) });
    const modelProvider = provider({ getModel: () => scripted(bank) });
    return (await new Runner({ tracingDisabled: true, modelProvider }).run(seller, 'buy a lamp')).finalOutput;
  },
};

function optionsOf(bank: Bank) {
  return { run: 'shop-1', config: shopConfig(), journal: memoryStore(), reconcilers: { find: bank.find } };
}

describe.each(Object.entries(WAYS))('%s', (_, way) => {
  test('pays once where the reply of the payment is lost, and the model is told what was paid', async () => {
    const bank = new Bank();
    bank.onPay = () => Promise.reject(new Error('socket hang up'));
    const run = await openaiAgent('shop', (ways) => way(ways, bank)).attach(optionsOf(bank));
    expect(await run.invoke()).toBe('paid 100');
    expect([bank.standing, bank.asked, bank.weathers]).toEqual([[100], 3, 1]);
    expect(bank.paid[0]?.key).not.toBe('');
    await run.close();
    const plain = new Bank();
    plain.onPay = bank.onPay;
    expect(await way(PLAIN, plain)).toContain('error occurred');
  });

  test('pays once and asks no model again where the process dies in the payment', async () => {
    const bank = new Bank();
    const options = optionsOf(bank);
    const agent = openaiAgent('shop', (ways) => way(ways, bank));
    const first = await agent.attach(options);
    const isPaid = new Promise<void>((paid) => {
      bank.onPay = () => {
        paid();
        return new Promise(() => {});
      };
    });
    first.invoke().catch(() => {});
    await isPaid;
    await first.close();
    bank.onPay = async () => {};
    const second = await agent.resume(options);
    expect(await second.invoke()).toBe('paid 100');
    expect([bank.standing, bank.asked, bank.quotes, bank.weathers]).toEqual([[100], 3, 1, 1]);
    await second.close();
  });

  test('does a quote again that is found wrong while it pays, beside a call that stands', async () => {
    const bank = new Bank();
    const config = shopConfig('reversible');
    const run = await openaiAgent('shop', (ways) => way(ways, bank)).attach({
      ...optionsOf(bank),
      config,
      undo: { undo: bank.undo },
    });
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const isPaid = new Promise<void>((paid) => {
      bank.onPay = () => {
        paid();
        return held;
      };
    });
    const saying = run.invoke();
    await isPaid;
    bank.price = 120;
    bank.onPay = async () => {};
    const failing = run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'quote_', entity: 'quote-1' } });
    goOn();
    await failing;
    expect(await saying).toBe('paid 120');
    expect([bank.standing, bank.weathers, bank.quotes]).toEqual([[120], 1, 2]);
    await run.close();
  });
});

test('a chat of three turns goes on in another process, and its payment is made once', async () => {
  const bank = new Bank();
  const options = optionsOf(bank);
  const agent = openaiAgent('shop', async ({ model, tool, receive }) => {
    const seller = new Agent({ name: 'shop', model: model(scripted(bank)), tools: toolsOf(bank, tool) });
    for (let said: unknown; ; ) said = (await runner().run(seller, await receive<string>(said))).finalOutput;
  });
  for (const turn of ['a lamp', 'a chair', 'a table']) {
    const run = await agent.resume(options);
    expect(await run.invoke(turn, { id: turn })).toBe('paid 100');
    expect(await run.invoke(turn, { id: turn })).toBe('paid 100');
    await run.close();
  }
  expect([bank.standing, bank.asked, bank.quotes]).toEqual([[100, 100, 100], 9, 3]);
});

describe('a tool', () => {
  const own = { name: 'pay', description: 'pays', parameters: z.object({}), execute: async () => 'x' };

  test.each([
    ['needs an approval', { needsApproval: true }, /say "gate"/],
    ['gives up by itself', { timeoutMs: 5 }, /say "timeout"/],
  ])('that %s is refused', async (_, more, why) => {
    const run = await openaiAgent('shop', async ({ tool }) => tool({ ...own, ...more }).name).attach(
      optionsOf(new Bank()),
    );
    const error = await run.invoke().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'run_parked', message: expect.stringMatching(why) });
    await run.close();
  });

  test.each([
    ['that the SDK made', plainTool(own)],
    ['of the provider', webSearchTool()],
  ])('%s is refused as the model is asked', async (_, other) => {
    const bank = new Bank();
    const agent = openaiAgent('shop', async ({ model }) => {
      const seller = new Agent({ name: 'shop', model: model(scripted(bank)), tools: [other] });
      return (await runner().run(seller, 'buy a lamp')).finalOutput;
    });
    const run = await agent.attach(optionsOf(bank));
    const error = await run.invoke().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'run_parked', message: expect.stringMatching(/was not made by/) });
    expect(bank.asked).toBe(0);
    await run.close();
  });

  test('with an errorFunction tells the model of no lost reply', async () => {
    const bank = new Bank();
    bank.onPay = () => Promise.reject(new Error('socket hang up'));
    const agent = openaiAgent('shop', (ways) => {
      const tool = ((options: object) => ways.tool({ ...options, errorFunction: () => 'oops' } as never)) as never;
      return WAYS.run({ ...ways, tool }, bank);
    });
    const run = await agent.attach(optionsOf(bank));
    expect(await run.invoke()).toBe('paid 100');
    expect(bank.standing).toEqual([100]);
    await run.close();
  });
});

test('the table of the page is what is counted', async () => {
  const rows = read('docs/openai-agents.md')
    .split('\n')
    .filter((line) => line.startsWith('| The '));
  const counted: string[] = [];
  {
    const [plain, own] = [new Bank(), new Bank()];
    const lost = () => Promise.reject(new Error('socket hang up'));
    plain.onPay = lost;
    own.onPay = lost;
    const text = await WAYS.run(PLAIN, plain);
    const run = await openaiAgent('shop', (ways) => WAYS.run(ways, own)).attach(optionsOf(own));
    const said = await run.invoke();
    await run.close();
    const told = `told "${String(text).slice(0, 17)}…"`;
    counted.push(
      `| The reply of the payment is lost. | paid ${plain.paid.length} time, ${told} | paid ${own.paid.length} time, told "${said}" |`,
    );
  }
  {
    const [plain, own] = [new Bank(), new Bank()];
    const dies = (bank: Bank) =>
      new Promise<void>((paid) => {
        bank.onPay = () => {
          paid();
          return new Promise(() => {});
        };
      });
    const died = dies(plain);
    void WAYS.run(PLAIN, plain).catch(() => {});
    await died;
    plain.onPay = async () => {};
    await WAYS.run(PLAIN, plain);
    const options = optionsOf(own);
    const agent = openaiAgent('shop', (ways) => WAYS.run(ways, own));
    const first = await agent.attach(options);
    const dead = dies(own);
    first.invoke().catch(() => {});
    await dead;
    await first.close();
    own.onPay = async () => {};
    const second = await agent.resume(options);
    await second.invoke();
    await second.close();
    const of = (bank: Bank) =>
      `paid ${bank.paid.length} ${bank.paid.length === 1 ? 'time' : 'times'}, ${bank.asked} model calls`;
    counted.push(`| The process dies after the payment, and is started again. | ${of(plain)} | ${of(own)} |`);
  }
  expect(rows).toEqual(counted);
});
