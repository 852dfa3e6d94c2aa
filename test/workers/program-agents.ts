/** The module of a loop's agent, as the command loads it; the folder of its page is that of the run. */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProgramAgent } from '../../src/workers/program-agent.ts';
import { Bank, shop, shopText } from '../loop/shop.ts';

export const bank = new Bank();
const config = join(tmpdir(), `belay-program-agents-${process.pid}.yaml`);
writeFileSync(config, shopText());

export const agents: Record<string, ProgramAgent> = {
  shop: {
    program: shop(bank),
    config,
    about: 'quotes and sells',
    open: async () => ({ reconcilers: { find: bank.find }, close: async () => {} }),
  },
};
