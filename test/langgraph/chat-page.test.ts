/** The example and the table of docs/chat-agents.md: compiled, run, and counted. */
import { type Command, MemorySaver } from '@langchain/langgraph';
import { afterAll, describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { belayed } from '../../src/langgraph/belayed.ts';
import { attachGraph, resumeGraph } from '../../src/langgraph/graph.ts';
import { blocks, compiled, read, tryout } from '../pages.ts';
import { Bank, shop, shopConfig } from './shop.ts';

const page = read('docs/chat-agents.md');
const [program = ''] = blocks(page, 'ts');
const [config = ''] = blocks(page, 'yaml');

interface Shown {
  readonly bought: { readonly log: readonly string[] };
  readonly again: object;
  readonly payments: readonly string[];
  readonly refused: unknown;
  readonly other: object;
}

describe('the example of the page of chat agents', () => {
  const { folder, write, remove } = tryout('chat-agents');
  write('shop.yaml', config);
  write('chat.ts', program);
  write('here.ts', program.replace("'shop.yaml'", JSON.stringify(`${folder}/shop.yaml`)));
  afterAll(remove);

  test('compiles under strict rules', () => {
    expect(compiled(folder, ['chat.ts'])).toBe('');
  });

  test('ends as the page says', async () => {
    const { bought, again, payments, refused, other } = (await import(`${folder}/here.ts`)) as Shown;
    expect(bought.log).toEqual(['it costs 4900', 'paid 4900']);
    expect([again, payments, refused]).toEqual([bought, ['paid 4900'], 'said_to_person']);
    expect(other).toMatchObject({ log: ['it costs 4900'] });
  });
});

const THREAD = { configurable: { thread_id: 'chat-1' } };

/** The options of the shop under Belay. */
function options(bank: Bank) {
  return { config: shopConfig('irreversible'), journal: memoryStore(), reconcilers: { find: bank.find } };
}

type Plain = { invoke(input: object | Command | null, config: object): Promise<object> };

/** The rows of the table: what plain LangGraph does, and what Belay does, each in a world of its own. */
const ROWS: Readonly<Record<string, { plain(bank: Bank): Promise<unknown>; belay(bank: Bank): Promise<unknown> }>> = {
  'The process dies after the payment, and the turn is taken up.': {
    async plain(bank) {
      const checkpointer = new MemorySaver();
      const graph = shop(bank, { checkpointer }) as unknown as Plain;
      await graph.invoke({ says: 'quote' }, THREAD);
      bank.onPay = () => Promise.reject(new Error('the process dies'));
      await graph.invoke({ says: 'pay' }, THREAD).catch(() => {});
      bank.onPay = async () => {};
      await (shop(bank, { checkpointer }) as unknown as Plain).invoke(null, THREAD);
    },
    async belay(bank) {
      const own = { ...options(bank), run: 'chat-1', thread: true };
      const first = await attachGraph(shop(bank), own);
      await first.invoke({ says: 'quote' });
      let isPaid = () => {};
      const paid = new Promise<void>((resolve) => {
        isPaid = resolve;
      });
      bank.onPay = () => {
        isPaid();
        return new Promise(() => {});
      };
      void first.invoke({ says: 'pay' }).catch(() => {});
      await paid;
      await first.close();
      bank.onPay = async () => {};
      const second = await resumeGraph(shop(bank), own);
      await second.invoke({ says: 'pay' });
      await second.close();
    },
  },
  'The message "buy it" is delivered twice.': {
    async plain(bank) {
      const graph = shop(bank, { checkpointer: new MemorySaver() }) as unknown as Plain;
      for (const says of ['quote', 'pay', 'pay']) await graph.invoke({ says }, THREAD);
    },
    async belay(bank) {
      const chat = belayed(shop(bank), options(bank));
      for (const says of ['quote', 'pay', 'pay'])
        await chat.invoke({ says }, { configurable: { thread_id: 'chat-1', turn_id: says } });
    },
  },
  '"buy it" comes while the turn asks something.': {
    async plain(bank) {
      const graph = shop(bank, { checkpointer: new MemorySaver() }) as unknown as Plain;
      for (const says of ['quote', 'pay ask', 'pay']) await graph.invoke({ says }, THREAD);
    },
    async belay(bank) {
      const chat = belayed(shop(bank), options(bank));
      for (const says of ['quote', 'pay ask', 'pay']) await chat.invoke({ says }, THREAD).catch(() => {});
    },
  },
};

describe('the table of the page of chat agents', () => {
  const shown = [...page.matchAll(/^\| (.+?) \| paid (\d) times? \| paid (\d) times? \|$/gm)];

  test('has the rows that are counted here', () => {
    expect(shown.map(([, what]) => what)).toEqual(Object.keys(ROWS));
  });

  test.each(shown.map(([, what = '', plain, belay]) => [what, Number(plain), Number(belay)] as const))(
    '%s',
    async (what, plain, belay) => {
      const [theirs, own] = [new Bank(), new Bank()];
      await ROWS[what]?.plain(theirs);
      await ROWS[what]?.belay(own);
      expect([theirs.standing.length, own.standing.length]).toEqual([plain, belay]);
    },
  );
});
