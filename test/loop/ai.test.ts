/** Agents of the AI SDK, on a scripted model: paid once and asked once, wherever the process dies and whatever reply is lost. */
import { generateText, stepCountIs, streamText, ToolLoopAgent, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type AiWays, aiAgent } from '../../src/ai/index.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { read } from '../pages.ts';
import { Bank, shopConfig } from './shop.ts';

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

/** A model that asks for a quote and the weather together, pays, and says what was paid; each time under ids of its own. */
function scripted(bank: Bank) {
  const answer = (prompt: readonly { readonly role: string; readonly content: unknown }[]) => {
    bank.asked += 1;
    const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? (content as Result[]) : []));
    const call = (toolName: string, input: object) => ({
      type: 'tool-call',
      toolCallId: `${toolName}-${bank.asked}`,
      toolName,
      input: JSON.stringify(input),
    });
    const quoted = results.find(({ toolName }) => toolName === 'quote')?.output.value;
    if (results.length === 0) return [call('quote', {}), call('weather', {})];
    if (results.length === 2) return [call('pay', { cents: quoted })];
    return [{ type: 'text', text: `${results.at(-1)?.output.value}` }];
  };
  const finishOf = (content: readonly { readonly type: string }[]) => ({
    unified: content[0]?.type === 'text' ? 'stop' : 'tool-calls',
  });
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const content = answer(prompt);
      return { content, finishReason: finishOf(content), usage, warnings: [] } as never;
    },
    doStream: async ({ prompt }) => {
      const content = answer(prompt);
      const chunks = content.flatMap<object>((each: object) =>
        'text' in each
          ? [
              { type: 'text-start', id: '1' },
              { type: 'text-delta', id: '1', delta: each.text },
              { type: 'text-end', id: '1' },
            ]
          : [each],
      );
      const all = [
        { type: 'stream-start', warnings: [] },
        ...chunks,
        { type: 'finish', finishReason: finishOf(content), usage },
      ];
      return { stream: ReadableStream.from(all) } as never;
    },
  });
}

interface Result {
  readonly toolName: string;
  readonly output: { readonly value: unknown };
}

function toolsOf(bank: Bank) {
  return {
    quote: tool({
      inputSchema: z.object({}),
      execute: async () => {
        bank.quotes += 1;
        return bank.price;
      },
    }),
    weather: tool({
      inputSchema: z.object({}),
      execute: async () => {
        bank.weathers += 1;
        return 'rain';
      },
    }),
    pay: tool({
      inputSchema: z.object({ cents: z.number() }),
      execute: async ({ cents }, { experimental_context }) => {
        const { idempotencyKey: key = '' } = (experimental_context ?? {}) as { readonly idempotencyKey?: string };
        bank.paid.push({ key, cents, undone: false });
        await bank.onPay();
        return `paid ${cents}`;
      },
    }),
  };
}

type Given = Pick<AiWays, 'model' | 'tools'>;

const WAYS = {
  generateText: async ({ model, tools }: Given, bank: Bank) => {
    const own = { model: model(scripted(bank)), tools: tools(toolsOf(bank)), stopWhen: stepCountIs(8) };
    return (await generateText({ ...own, prompt: 'buy a lamp' })).text;
  },
  streamText: async ({ model, tools }: Given, bank: Bank) => {
    const own = { model: model(scripted(bank)), tools: tools(toolsOf(bank)), stopWhen: stepCountIs(8) };
    let text = '';
    for await (const part of streamText({ ...own, prompt: 'buy a lamp' }).textStream) text += part;
    return text;
  },
  ToolLoopAgent: async ({ model, tools }: Given, bank: Bank) => {
    const own = { model: model(scripted(bank)), tools: tools(toolsOf(bank)), stopWhen: stepCountIs(8) };
    return (await new ToolLoopAgent(own).generate({ prompt: 'buy a lamp' })).text;
  },
};

const PLAIN = { model: (model: object) => model, tools: (tools: object) => tools } as unknown as Given;

function optionsOf(bank: Bank) {
  return { run: 'shop-1', config: shopConfig(), journal: memoryStore(), reconcilers: { find: bank.find } };
}

describe.each(Object.entries(WAYS))('%s', (_, way) => {
  test('pays once where the reply of the payment is lost, and the model is told what was paid', async () => {
    const bank = new Bank();
    bank.onPay = () => Promise.reject(new Error('socket hang up'));
    const run = await aiAgent('shop', (ways) => way(ways, bank)).attach(optionsOf(bank));
    expect(await run.invoke()).toBe('paid 100');
    expect([bank.standing, bank.asked, bank.weathers]).toEqual([[100], 3, 1]);
    await run.close();
    const plain = new Bank();
    plain.onPay = bank.onPay;
    expect(await way(PLAIN, plain)).toContain('socket hang up');
  });

  test('pays once and asks no model again where the process dies in the payment', async () => {
    const bank = new Bank();
    const options = optionsOf(bank);
    const agent = aiAgent('shop', (ways) => way(ways, bank));
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
});

test('a tool that asks a person by itself, and one that the provider executes, is refused', async () => {
  const bank = new Bank();
  const codes: string[] = [];
  const agent = aiAgent('shop', async ({ tools }) => {
    const asks = tool({ inputSchema: z.object({}), needsApproval: true, execute: async () => 'done' });
    const elsewhere = {
      type: 'provider',
      id: 'x.search',
      name: 'search',
      args: {},
      inputSchema: z.object({}),
    } as never;
    for (const each of [asks, elsewhere])
      try {
        tools({ pay: each });
      } catch (error) {
        codes.push((error as { readonly code: string }).code);
      }
  });
  const run = await agent.attach(optionsOf(bank));
  await run.invoke();
  expect(codes).toEqual(['unsupported_tool', 'unsupported_tool']);
  await run.close();
});

/** What became of it: the payments, what the model was told of the last, and how often it was asked. */
interface Counted {
  readonly paid: number;
  readonly told: string;
  readonly asked: number;
}

/** Counts a row of the table, on a bank of its own. @param begin begins the agent: anew, or in the process behind the one that died. */
async function counted(bank: Bank, isKilled: boolean, begin: (isFirst: boolean) => Promise<unknown>): Promise<Counted> {
  const isPaid = new Promise<void>((paid) => {
    bank.onPay = () => {
      paid();
      return isKilled ? new Promise(() => {}) : Promise.reject(new Error('socket hang up'));
    };
  });
  const first = begin(true);
  if (!isKilled) return { told: String(await first), ...standing(bank) };
  first.catch(() => {});
  await isPaid;
  bank.onPay = async () => {};
  return { told: String(await begin(false)), ...standing(bank) };
}

const standing = (bank: Bank) => ({ paid: bank.standing.length, asked: bank.asked });

test('the table of the page of loops is what is counted', async () => {
  const row = async (isKilled: boolean): Promise<readonly [Counted, Counted]> => {
    const [theirs, own] = [new Bank(), new Bank()];
    const plain = await counted(theirs, isKilled, () => WAYS.generateText(PLAIN, theirs));
    const agent = aiAgent('shop', (ways) => WAYS.generateText(ways, own));
    const options = optionsOf(own);
    let last: Awaited<ReturnType<typeof agent.attach>> | null = null;
    const belay = await counted(own, isKilled, async (isFirst) => {
      await last?.close();
      last = await (isFirst ? agent.attach(options) : agent.resume(options));
      return last.invoke();
    });
    return [plain, belay];
  };
  const told = ({ paid, told: by }: Counted) =>
    `paid ${paid} time${paid === 1 ? '' : 's'}, told "${by.includes('socket') ? 'socket hang up' : by}"`;
  const asked = ({ paid, asked: many }: Counted) => `paid ${paid} time${paid === 1 ? '' : 's'}, ${many} model calls`;
  const page = read('docs/loops.md');
  expect(page).toContain(`| The reply of the payment is lost. | ${(await row(false)).map(told).join(' | ')} |`);
  expect(page).toContain(
    `| The process dies after the payment, and is started again. | ${(await row(true)).map(asked).join(' | ')} |`,
  );
});
