/** LC3, LC5: from the moment a complaint is taken until it is answered nothing leaves and nothing is committed that may rest on its subject. */
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { loadConfig } from '../../src/index.ts';
import { attach, tool } from '../../src/xstate/index.ts';
import { calm, until } from '../poll.ts';

/** A promise that is kept by hand. */
function gate() {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const lookAndPay = {
  initial: 'looking',
  states: {
    looking: {
      invoke: {
        src: 'look',
        onDone: {
          target: 'paying',
          actions: assign({ price: ({ event }: { event: { output: number } }) => event.output }),
        },
      },
    },
    paying: {
      invoke: { src: 'pay', input: ({ context }: { context: { price?: number } }) => context.price, onDone: 'over' },
    },
    over: { type: 'final' },
  },
} as const;

const noteAndRest = {
  initial: 'noting',
  states: {
    noting: { invoke: { src: 'note', onDone: 'noted' } },
    noted: { on: { GO: 'over' } },
    over: { type: 'final' },
  },
} as const;

/** A price that is looked up and paid, beside a note that is staged and published. */
function shop(pay: string) {
  const paid: unknown[] = [];
  let looked = 0;
  const machine = setup({
    types: {} as { context: { price?: number } },
    actors: {
      look: tool(async () => (++looked === 1 ? 500 : 700)),
      pay: tool(async ({ input }: { input: unknown }) => void paid.push(input)),
      note: tool(async () => 1),
    },
  }).createMachine({
    id: 'agent',
    context: {},
    initial: 'work',
    states: {
      work: { type: 'parallel', states: { a: noteAndRest, b: lookAndPay }, onDone: 'end' },
      end: { type: 'final' },
    },
  } as never);
  const unit = (name: string, at: string, inputs: string, outputs: string, to: string) =>
    `  ${name}: { entity: '"it"', states: [${at}], entry: [${at}], inputs: [${inputs}], outputs: [${outputs}], exit: [{ id: out, at: ${at} -> ${to}, when: 'true' }], rollback: { anchors: [out], resume: ${at} } }`;
  const text = [
    'belay: 1',
    'agent: agent',
    'tools:',
    '  look: { writes: [price], effect: none }',
    `  pay: { reads: [price], ${pay} }`,
    '  note: { effect: reversible, undo: unnote, buffer: book }',
    'skeletons:',
    unit('Note', 'work.a.noting', '', '', 'work.a.noted'),
    unit('Price', 'work.b.looking', '', 'price', 'work.b.paying'),
    unit('Pay', 'work.b.paying', 'price', '', 'work.b.over'),
  ].join('\n');
  return { machine, config: loadConfig(`${text}\n`, { file: 'belay.yaml' }).config as never, paid };
}

const wrongPrice = { instance: { skeleton: 'Price', entity: 'it' }, key: 'price' } as const;

describe('LC5: a complaint that waits for its turn', () => {
  test.each([
    ['an irreversible payment', 'effect: irreversible'],
    ['an idempotent payment', 'effect: idempotent'],
    ['a payment that changes nothing here', 'effect: none'],
  ])('%s does not leave on the value that was found wrong', async (_, pay) => {
    const [published, visible, asked] = [gate(), gate(), gate()];
    let asks = 0;
    const { machine, config, paid } = shop(pay);
    const sidecar = await attach(machine as never, {
      run: 'r',
      config,
      undo: { unnote: () => {} },
      buffers: {
        book: {
          publish: async () => {
            published.open();
            await visible.opened;
          },
          discard() {},
        },
      },
      governor: async ({ tool: name }) => {
        if (name === 'pay' && ++asks === 1) await asked.opened;
        return null;
      },
    });
    sidecar.actor.start();
    await published.opened;
    await until(() => asks === 1);
    const taken = sidecar.fail('CONTRACT_VIOLATION', wrongPrice);
    asked.open();
    await calm();
    expect(paid).toEqual([]);
    visible.open();
    await taken;
    await until(() => paid.length === 1);
    sidecar.actor.send({ type: 'GO' } as never);
    expect((await sidecar.finished()).status).toBe('done');
    expect(paid).toEqual([700]);
    await sidecar.close();
  });
});
