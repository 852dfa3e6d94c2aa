import { assign, setup } from 'xstate';
import { attach, resume } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { testRuntime } from './contract.ts';
import type { Act, ShopStep } from './shop.ts';

type Context = { input: string; steps: Partial<Record<ShopStep, unknown>> };

function machineOf(act: Act) {
  const step = (name: ShopStep, next: string, input: (context: Context) => object) => ({
    invoke: {
      src: name,
      input: ({ context }: { context: Context }) => input(context),
      onDone: {
        target: next,
        actions: assign({
          steps: ({ context, event }: { context: Context; event: { type: string; output?: unknown } }) => ({
            ...context.steps,
            [name]: event.output,
          }),
        }),
      },
    },
  });
  const of = (name: ShopStep) => tool((call) => act(name, call));
  return setup({
    types: { context: {} as Context, input: {} as string },
    actors: { quote: of('quote'), reserve: of('reserve'), charge: of('charge'), ship: of('ship') },
  } as never).createMachine({
    id: 'shop',
    context: ({ input }: { input: string }) => ({ input, steps: {} }),
    initial: 'begin',
    states: {
      begin: { always: 'quote' },
      quote: step('quote', 'reserve', ({ input }) => ({ of: input })),
      reserve: step('reserve', 'charge', ({ input }) => ({ of: input })),
      charge: step('charge', 'ship', ({ steps }) => ({ quote: steps.quote })),
      ship: step('ship', 'end', ({ steps }) => ({ reserve: steps.reserve, charge: steps.charge })),
      end: { type: 'final' },
    },
    output: ({ context }: { context: Context }) => context.steps.ship,
  } as never);
}

testRuntime({
  name: 'state machines',
  open: async (how, act, options) => {
    const sidecar = await (how === 'attach' ? attach : resume)(machineOf(act) as never, options as never);
    sidecar.actor.start();
    return sidecar;
  },
});
