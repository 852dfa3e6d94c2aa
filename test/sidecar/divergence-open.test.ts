/** A replay asks for other arguments than a call had of which it is not known what became (semantics.md E3, C7): its counterparty is asked first. */
import { expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { ReconcileResult } from '../../src/effects/counterparty.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { attach } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { until } from '../poll.ts';

const { config } = loadConfig(
  `belay: 1
agent: shop
tools:
  plan: { reads: [], writes: [plan], effect: none }
  pay: { reads: [plan], writes: [paid], effect: idempotent, reconcile: { ask: bank, tries: 1 } }
skeletons:
  Shop:
    entity: '"it"'
    states: [planning, paying]
    entry: [planning]
    outputs: [plan, paid]
    exit:
      - { id: paid, at: paying -> shopped, when: memory.paid, outputs: [paid] }
    rollback: { anchors: [paid], resume: planning }
`,
  { file: 'shop.yaml' },
);

/** A shop that is found wrong while it pays 50, and wants to pay 49 then. @param became what the bank says of the first payment. */
async function shop(became: (key: string) => ReconcileResult) {
  const plans = [50, 49];
  const paid: { readonly key: string | undefined; readonly cents: number }[] = [];
  const machine = setup({
    types: { context: {} as { plan: number; paid: boolean } },
    actors: {
      plan: tool(async () => plans.shift() as number),
      pay: tool(({ key, input, signal }: ToolCall<number>) => {
        paid.push({ key, cents: input });
        if (paid.length > 1) return Promise.resolve();
        return new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
      }),
    },
  }).createMachine({
    id: 'shop',
    context: { plan: 0, paid: false },
    initial: 'planning',
    states: {
      planning: {
        invoke: { src: 'plan', onDone: { target: 'paying', actions: assign({ plan: ({ event }) => event.output }) } },
      },
      paying: {
        invoke: {
          src: 'pay',
          input: ({ context }) => context.plan,
          onDone: { target: 'shopped', actions: assign({ paid: true }) },
        },
      },
      shopped: {},
    },
  });
  const sidecar = await attach(machine, {
    run: 'r',
    config: config as BoundaryConfig,
    reconcilers: { bank: ({ key }) => became(key) },
  });
  sidecar.actor.start();
  await until(() => paid.length === 1);
  void sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Shop', entity: 'it', ordinal: 0 } });
  await until(() => sidecar.status === 'parked' || sidecar.actor.getSnapshot().value === 'shopped');
  const { status } = sidecar;
  await sidecar.close();
  return { status, paid };
}

test('E3: it has not happened, so that other arguments are another decision, under a key of its own', async () => {
  const { status, paid } = await shop(() => ({ is: 'not_applied' }));
  expect([status, paid.map(({ cents }) => cents)]).toEqual(['running', [50, 49]]);
  expect(paid[1]?.key).toBe(`${paid[0]?.key}~1`);
});

test.each<ReconcileResult>([{ is: 'applied', output: null }, { is: 'unknown' }])(
  'C7: it has happened, or may have, so that the run is parked: $is',
  async (became) => {
    const { status, paid } = await shop(() => became);
    expect([status, paid.map(({ cents }) => cents)]).toEqual(['parked', [50]]);
  },
);
