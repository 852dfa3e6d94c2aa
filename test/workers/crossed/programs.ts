/** The programs that are drawn: a loop, a flow and the thread of a graph, each with its bank. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MemorySaver } from '@langchain/langgraph';
import { graphThreads } from '../../../src/langgraph/index.ts';
import { Bank, shop, shopText } from '../../langgraph/shop.ts';
import { calm } from '../../poll.ts';
import { kindsIn } from '../kinds.ts';
import type { CrossedKind } from './drive.ts';

/** The loop, the flow and the thread of a graph. @param folder where their configs are written. */
export function crossedKinds(folder: string): readonly CrossedKind[] {
  const programs = kindsIn(folder).map(
    ({ name, make }): CrossedKind => ({
      name,
      isThread: false,
      about: name === 'shop' ? 'loop' : 'flow',
      says: (words) => words,
      told: async (client, _, id) => (await client.outcome('chat', id))?.turn?.said as readonly string[] | undefined,
      make,
    }),
  );
  const savers = new WeakMap<object, MemorySaver>();
  const thread: CrossedKind = {
    name: 'shop',
    isThread: true,
    about: 'thread',
    says: (says) => ({ says }),
    told: async (_, bank) => {
      // The checkpointer beside a thread is behind its journal.
      await calm(40);
      const newest = await savers.get(bank)?.getTuple({ configurable: { thread_id: 'chat' } });
      return newest?.checkpoint.channel_values.log as readonly string[] | undefined;
    },
    make: (pay) => {
      const [bank, checkpointer] = [new Bank(), new MemorySaver()];
      savers.set(bank, checkpointer);
      const config = join(folder, `thread-${pay}.yaml`);
      writeFileSync(config, shopText(pay));
      const open = async () => ({ reconcilers: { find: bank.find }, undo: { undo: bank.undo }, close: async () => {} });
      return {
        bank,
        agent: { program: graphThreads(shop(bank, { checkpointer })), config, about: 'quotes and sells', open },
      };
    },
  };
  return [...programs, thread];
}
