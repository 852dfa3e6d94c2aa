/** A shop that is talked to, as a graph: it quotes, pays and writes, and its bank stays when a process dies. */
import { Annotation, interrupt, StateGraph } from '@langchain/langgraph';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';

/** The world outside of the shop. */
export class Bank {
  price = 100;
  quotes = 0;
  /** The payments that were made, undone or not, by their keys. */
  readonly paid: { readonly key: string; readonly cents: number; undone: boolean }[] = [];
  readonly letters: string[] = [];
  /** Called before a payment answers. */
  onPay: () => Promise<void> = async () => {};

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

const State = Annotation.Root({
  says: Annotation<string>,
  log: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
  price: Annotation<number>,
  receipt: Annotation<string>,
});

type Input<T> = Pick<ToolCall<T>, 'input' | 'key'>;

/** The graph: what is said names the nodes that it leads through, `quote pay` for instance. `cheap` pays only up to 100, `fixed` pays 50. */
export function shop(bank: Bank, over: object = {}) {
  const quote = graphTool('quote', async () => {
    bank.quotes += 1;
    return bank.price;
  });
  const pay = graphTool('pay', async ({ input, key }: Input<{ cents: number }>) => {
    bank.paid.push({ key: key ?? '', cents: input.cents, undone: false });
    await bank.onPay();
    return `paid ${input.cents}`;
  });
  const write = graphTool('write', async ({ input }: Input<{ text: string }>) => void bank.letters.push(input.text));
  const next =
    (after: string) =>
    ({ says, price }: typeof State.State) => {
      const words = says.split(' ').filter((word) => ['quote', 'pay', 'write', 'ask'].includes(word));
      const rest = words.slice(words.indexOf(after) + 1);
      const [to] = says.includes('cheap') && price > 100 ? rest.filter((word) => word !== 'pay') : rest;
      return to ?? '__end__';
    };
  const nodes = ['quote', 'pay', 'write', 'ask'] as const;
  return new StateGraph(State)
    .addNode('quote', async () => {
      const price = Number(await quote({}));
      return { price, log: [`quoted ${price}`] };
    })
    .addNode('pay', async (state) => {
      const receipt = String(await pay({ cents: state.says.includes('fixed') ? 50 : state.price }));
      return { receipt, log: [receipt] };
    })
    .addNode('write', async ({ says }) => {
      await write({ text: says });
      return { log: ['written'] };
    })
    .addNode('ask', async () => ({ log: [`answered ${interrupt('well?')}`] }))
    .addConditionalEdges('__start__', next(''), [...nodes, '__end__'])
    .addConditionalEdges('quote', next('quote'), [...nodes, '__end__'])
    .addConditionalEdges('pay', next('pay'), [...nodes, '__end__'])
    .addConditionalEdges('write', next('write'), [...nodes, '__end__'])
    .addConditionalEdges('ask', next('ask'), [...nodes, '__end__'])
    .compile({ name: 'shop', ...over });
}

const skeleton = (name: string, node: string, key: string, extra: string) => `  ${name}:
    entity: '"it"'
    states: [${node}]
    entry: [${node}]
    outputs: [${key === '' ? '' : `${key}, `}log]
    exit: [{ id: ${node}-over, at: ${node} -> end, when: '${extra}'${key === '' ? '' : `, outputs: [${key}]`} }]
    rollback: { anchors: [${node}-over], resume: ${node}, compensable: undo, joint: [Quote, Pay, Write, Ask] }
`;

/** The text of its config. @param pay the class of the payment. @param written when a letter that is held back may leave. */
export function shopText(pay: 'reversible' | 'irreversible', written = 'true'): string {
  const undo = pay === 'reversible' ? ', undo: undo' : '';
  return `belay: 1
agent: shop
keys: { append: [log] }
tools:
  quote: { reads: [], writes: [], effect: none }
  pay: { reads: [], writes: [], effect: ${pay}${undo}, reconcile: find }
  write: { reads: [], writes: [], effect: irreversible, buffer: true }
skeletons:
${skeleton('Quote', 'quote', 'price', 'true')}${skeleton('Pay', 'pay', 'receipt', 'true')}${skeleton('Write', 'write', '', written)}${skeleton('Ask', 'ask', '', 'true')}`;
}

/** Its config. @see {@link shopText} */
export function shopConfig(...of: Parameters<typeof shopText>): BoundaryConfig {
  const text = shopText(...of);
  const { config, findings } = loadConfig(text, { file: 'shop.yaml' });
  if (config === null) throw new Error(`${findings.map(({ message }) => message)}\n${text}`);
  return config;
}
