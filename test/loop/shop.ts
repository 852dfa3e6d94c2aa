/** A shop that is talked to, as a loop: its model is scripted over what was said, and its bank stays when a process dies. */
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { loop } from '../../src/loop/loop.ts';

/** The world outside of the shop. */
export class Bank {
  price = 100;
  /** The questions that the model was asked. */
  asked = 0;
  quotes = 0;
  weathers = 0;
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

type Wanted = { readonly tool: string; readonly id: string };

/** The loop: each word of what is said is a tool that the model wants; `+` has two of them called together. */
export function shop(bank: Bank) {
  return loop('shop', async ({ think, act, receive }) => {
    const log: string[] = [];
    let price = 0;
    const call = async ({ tool, id }: Wanted): Promise<string> => {
      if (tool === 'pay')
        return act('pay', id, { cents: price }, async ({ input, key }) => {
          bank.paid.push({ key: key ?? '', cents: input.cents, undone: false });
          await bank.onPay();
          return `paid ${input.cents}`;
        });
      if (tool === 'weather')
        return act('weather', id, {}, async () => {
          bank.weathers += 1;
          return 'rain';
        });
      price = await act('quote', id, {}, async () => {
        bank.quotes += 1;
        await bank.onQuote();
        return bank.price;
      });
      return `quoted ${price}`;
    };
    for (;;) {
      const said = await receive<string>([...log]);
      for (const words of said.split(' ')) {
        const wanted = await think([...log, words], async () => {
          bank.asked += 1;
          return words.split('+').map((tool): Wanted => ({ tool, id: `call-${bank.asked}-${tool}` }));
        });
        log.push(...(await Promise.all(wanted.map(call))));
      }
    }
  });
}

/** The page of the shop: as long as its tools. */
export function shopText(pay: 'reversible' | 'irreversible' = 'irreversible', more = ''): string {
  const tools = ['model', 'quote', 'weather', 'pay'];
  const undo = pay === 'reversible' ? ', undo: undo' : '';
  return [
    'belay: 1\nagent: shop\ntools:',
    '  model: { reads: [], writes: [], effect: none }',
    '  quote: { reads: [], writes: [], effect: none }',
    '  weather: { reads: [], writes: [], effect: none }',
    `  pay: { reads: [], writes: [], effect: ${pay}${undo}${more === '' ? '' : `, ${more}`}, reconcile: find }`,
    'skeletons:',
    ...tools.map(
      (tool) => `  ${tool}_:
    entity: args.call
    states: [${tool}]
    entry: [${tool}]
    outputs: ['steps/${tool}@{entity}']
    exit: [{ id: ${tool}_over, at: ${tool} -> end, when: 'true', outputs: ['steps/${tool}@{entity}'] }]
    rollback: { anchors: [${tool}_over], resume: ${tool}, compensable: undo, joint: [${tools.map((each) => `${each}_`).join(', ')}] }`,
    ),
    '',
  ].join('\n');
}

export function shopConfig(pay?: 'reversible' | 'irreversible', more = ''): BoundaryConfig {
  const text = shopText(pay, more);
  const { config, findings } = loadConfig(text, { file: 'shop.yaml' });
  if (config === null) throw new Error(findings.map(({ message }) => message).join('\n'));
  return config;
}
