/** Workers that carry a loop and a flow which quote and pay, and the words that are left for them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalStore } from '../../src/journal/journal.ts';
import type { WorkClient } from '../../src/workers/client.ts';
import type { ProgramAgent } from '../../src/workers/program-agent.ts';
import { startWorker } from '../../src/workers/worker.ts';
import { Bank as DeskBank, desk, deskText } from '../flow/desk.ts';
import { Bank, shop, shopText } from '../loop/shop.ts';
import { until } from '../poll.ts';

interface World {
  readonly paid: readonly { readonly key: string; readonly cents: number; readonly undone: boolean }[];
  readonly standing: readonly number[];
  readonly quotes: number;
  onQuote: () => Promise<void>;
}

/** An agent that quotes and pays, and its world. */
export interface Kind {
  readonly name: string;
  make(pay: 'reversible' | 'irreversible'): { readonly bank: World; readonly agent: ProgramAgent };
}

/** The loop and the flow. @param folder where their configs are written. */
export function kindsIn(folder: string): readonly Kind[] {
  const agentWith = (
    text: string,
    program: ProgramAgent['program'],
    bank: Pick<Bank, 'find' | 'undo'>,
  ): ProgramAgent => {
    const config = join(folder, `${text.length}.yaml`);
    writeFileSync(config, text);
    const world = { reconcilers: { find: bank.find }, undo: { undo: bank.undo } };
    return { program, config, about: 'quotes and sells', open: async () => ({ ...world, close: async () => {} }) };
  };
  return [
    {
      name: 'shop',
      make: (pay) => {
        const bank = new Bank();
        return { bank, agent: agentWith(shopText(pay), shop(bank), bank) };
      },
    },
    {
      name: 'desk',
      make: (pay) => {
        const bank = new DeskBank();
        return { bank, agent: agentWith(deskText(pay), desk(bank), bank) };
      },
    },
  ];
}

/** Starts a worker. */
export function workerOf(store: JournalStore, agent: ProgramAgent, folder: string) {
  return startWorker({ store, agents: [agent], folderOf: () => folder, pollMs: 5, claims: null });
}

/** Leaves turns one after the other, each by a sender, and waits for the last one. */
export async function says(client: WorkClient, words: Readonly<Record<string, string>>, by = 'ada'): Promise<void> {
  await leaves(client, words, by);
  await until(() => isOver(client, Object.keys(words).at(-1) ?? ''));
}

/** Leaves turns one after the other. */
export async function leaves(client: WorkClient, words: Readonly<Record<string, string>>, by = 'ada'): Promise<void> {
  for (const [id, input] of Object.entries(words)) await client.send('chat', { type: 'turn', input }, { id, by });
}

/** True once a turn is over, or was taken out. */
export async function isOver(client: WorkClient, id: string): Promise<boolean> {
  const told = await client.outcome('chat', id);
  return told?.turn?.isOver === true || told?.is === 'retracted' || told?.is === 'refused';
}

/** What a turn has said. */
export const said = async (client: WorkClient, id: string) => (await client.outcome('chat', id))?.turn?.said;

/** Leaves an act, and waits for its answer. */
export async function steers(client: WorkClient, act: Parameters<WorkClient['steer']>[1], by = 'ada') {
  const post = await client.steer('chat', act, { by });
  await until(async () => !['left', 'held', undefined].includes((await client.outcome('chat', post))?.is));
  return client.outcome('chat', post);
}
