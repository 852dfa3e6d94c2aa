/** A desk that is written to, as a flow that receives: each word of a turn is a step. Its bank stays when a process dies. */
import { loadConfig } from '../../src/boundaries/load.ts';
import { flow } from '../../src/flow/flow.ts';
import type { JournalStore } from '../../src/journal/journal.ts';

/** The world outside of the desk. */
export class Bank {
  price = 100;
  quotes = 0;
  readonly paid: { readonly key: string; readonly cents: number; undone: boolean }[] = [];
  /** Called before a payment answers. */
  onPay: () => Promise<void> = async () => {};
  /** Called before a quote answers. */
  onQuote: () => Promise<void> = async () => {};

  get standing(): readonly number[] {
    return this.paid.flatMap(({ cents, undone }) => (undone ? [] : [cents]));
  }

  readonly undo = ({ key }: { readonly key: string }): void => {
    for (const payment of this.paid) if (payment.key === key) payment.undone = true;
  };

  readonly find = ({ key }: { readonly key: string }) => {
    const found = this.paid.find((payment) => payment.key === key && !payment.undone);
    return found === undefined
      ? ({ is: 'not_applied' } as const)
      : ({ is: 'applied', output: `paid ${found.cents}` } as const);
  };
}

/** The flow: its steps are named by the word and its number among all words. */
export function desk(bank: Bank) {
  return flow<string>('desk', async (step, _, receive) => {
    const log: string[] = [];
    let price = 0;
    for (let nth = 1; ; ) {
      for (const word of (await receive<string>([...log])).split(' ')) {
        if (word === 'end') return log;
        const of = `${nth}`;
        nth += 1;
        if (word === 'pay') {
          const paid = await step(`pay@${of}`, { of, cents: price }, async ({ key = '', input }) => {
            bank.paid.push({ key, cents: input.cents, undone: false });
            await bank.onPay();
            return `paid ${input.cents}`;
          });
          log.push(paid);
        } else {
          price = await step(`quote@${of}`, { of }, async () => {
            bank.quotes += 1;
            await bank.onQuote();
            return bank.price;
          });
          log.push(`quoted ${price}`);
        }
      }
    }
  });
}

/** The page of the desk. A step may be behind any other, and at the end of a turn; that it is taken depends on all that was said before. */
export function deskText(pay: 'reversible' | 'irreversible' = 'irreversible'): string {
  const undo = pay === 'reversible' ? ', undo: undo' : '';
  const tools = ['quote', 'pay'];
  return [
    'belay: 1\nagent: desk\ntools:',
    '  quote: { reads: [turns, steps], writes: [], effect: none }',
    `  pay: { reads: [turns, steps], writes: [], effect: ${pay}${undo}, reconcile: find }`,
    'skeletons:',
    ...tools.map(
      (tool) => `  ${tool}_:
    entity: args.of
    states: [${tool}]
    entry: [${tool}]
    outputs: ['steps/${tool}@{entity}']
    exit: [${[...tools, 'end'].map((to) => `{ id: ${tool}_${to}, at: ${tool} -> ${to}, when: 'true' }`).join(', ')}]
    rollback: { anchors: [${[...tools, 'end'].map((to) => `${tool}_${to}`).join(', ')}], resume: ${tool}, compensable: undo, joint: [quote_, pay_] }`,
    ),
    '',
  ].join('\n');
}

/** The options of a run of the desk. */
export function deskOptions(
  bank: Bank,
  journal: JournalStore,
  said: 'stands' | 'rewritten' = 'stands',
  pay?: 'reversible' | 'irreversible',
) {
  const { config, findings } = loadConfig(deskText(pay), { file: 'desk.yaml' });
  if (config === null) throw new Error(findings.map(({ message }) => message).join('\n'));
  const own = { run: 'r', config, journal, said, input: '' } as const;
  return { ...own, reconcilers: { find: bank.find }, undo: { undo: bank.undo } };
}
