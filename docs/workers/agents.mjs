/** An order that is paid by a slow bank, for `belay work`: the bank has paid long before its answer comes. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { tool } from 'belay-sidecar/xstate';
import { assign, setup } from 'xstate';

/** The bank: a file of payments. Both workers find it, because it is beside the store. */
function bankIn(folder) {
  const file = join(folder, 'payments.jsonl');
  const payments = () => {
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line));
  };
  return {
    payments,
    async pay({ input: amount, key }) {
      appendFileSync(file, `${JSON.stringify({ key, amount })}\n`);
      await wait(5_000);
      return `receipt for ${amount}`;
    },
    find({ key }) {
      const paid = payments().find((payment) => payment.key === key);
      return paid === undefined ? { is: 'not_applied' } : { is: 'applied', output: `receipt for ${paid.amount}` };
    },
  };
}

const machine = setup({
  actors: { pay: tool(() => Promise.reject(new Error('the bank is not open'))) },
}).createMachine({
  id: 'order',
  context: ({ input }) => ({ price: input?.price ?? 5 }),
  initial: 'paying',
  states: {
    paying: {
      invoke: {
        src: 'pay',
        input: ({ context }) => context.price,
        onDone: { target: 'paid', actions: assign({ receipt: ({ event }) => event.output }) },
      },
    },
    paid: { type: 'final' },
  },
  output: ({ context }) => context.receipt,
});

export const agents = {
  order: {
    machine,
    config: fileURLToPath(new URL('order.yaml', import.meta.url)),
    about: 'pays for an order',
    async open({ folder, input }) {
      const bank = bankIn(folder);
      return {
        machine: machine.provide({ actors: { pay: tool((call) => bank.pay(call)) } }),
        input,
        reconcilers: { findPayment: bank.find },
        world: async () => ({ payments: bank.payments() }),
        close: async () => {},
      };
    },
  },
};
