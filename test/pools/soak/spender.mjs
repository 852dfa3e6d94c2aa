/**
 * An agent that spends of two pools, one payment after the other, in the order of its input, and goes on where it is refused one. What the world knows
 * are files: a payment, a refund, an amount that a payment has not taken, and a refusal, each with its time.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { NotApplied } from 'belay-sidecar';
import { tool } from 'belay-sidecar/xstate';
import { assign, setup } from 'xstate';

const unopened = () => Promise.reject(new Error('opened by no run'));
const paymentOf = ({ context: { payments, next } }) => payments[next];
const onward = assign({ next: ({ context }) => context.next + 1 });
const isRefused = ({ event }) => event.error?.code === 'pool_spent';

const machine = setup({ actors: { pay: tool(unopened) }, actions: { refused: () => {} } }).createMachine({
  id: 'spender',
  context: ({ input }) => ({ run: input.run, payments: input.payments, next: 0, paid: null, refused: 0 }),
  initial: 'choosing',
  states: {
    choosing: { always: [{ guard: (each) => paymentOf(each) === undefined, target: 'over' }, { target: 'paying' }] },
    paying: {
      invoke: {
        src: 'pay',
        input: paymentOf,
        onDone: { target: 'choosing', actions: [onward, assign({ paid: ({ event }) => event.output })] },
        onError: [
          {
            guard: isRefused,
            target: 'choosing',
            actions: ['refused', onward, assign({ refused: ({ context }) => context.refused + 1 })],
          },
          { target: 'choosing', actions: onward },
        ],
      },
    },
    over: { type: 'final' },
  },
  output: ({ context: { refused } }) => ({ refused }),
});

/** The agent over a folder of facts. */
export function agentIn(world, ms) {
  const place = (kind, name) => join(world, kind, `${encodeURIComponent(name)}.json`);
  const put = (kind, name, fact) => {
    const file = place(kind, name);
    if (existsSync(file)) return;
    mkdirSync(join(world, kind), { recursive: true });
    const part = `${file}.${process.pid}.${Math.random()}`;
    writeFileSync(part, JSON.stringify({ at: Date.now(), ...fact }));
    renameSync(part, file);
  };
  const told = (kind, name) =>
    existsSync(place(kind, name)) ? JSON.parse(readFileSync(place(kind, name), 'utf8')) : null;
  return {
    machine,
    config: join(world, 'spending.yaml'),
    about: 'spends of two pools',
    async open({ run, input }) {
      const pay = async ({ input: { east, west, takes, fails }, key }) => {
        await wait(ms);
        if (told('void', key) !== null) throw new NotApplied('the key is void');
        // A counterparty that says no says so once, and takes the payment when it is asked again.
        if (fails === 'refused' && told('unmade', key) === null) {
          put('unmade', key, { run, east, west });
          throw new NotApplied('busy');
        }
        const took = { east: Math.ceil(east * takes), west: Math.ceil(west * takes) };
        put('unspent', key, { run, east: east - took.east, west: west - took.west });
        put('paid', key, { run, ...took });
        await wait(ms);
        if (fails === 'lost') throw new Error('the reply is lost');
        return took;
      };
      const undo = {
        refund: async ({ key }) => {
          await wait(ms);
          const { east, west } = told('paid', key);
          put('refunded', key, { run, east, west });
        },
      };
      const asked = async ({ key }) => {
        const fact = told('paid', key);
        if (fact === null) put('void', key, { run });
        return fact === null ? { is: 'not_applied' } : { is: 'applied', output: { east: fact.east, west: fact.west } };
      };
      const actions = {
        refused: ({ context }) => put('refused', `${run}.${context.next}`, { run, ...context.payments[context.next] }),
      };
      const provided = machine.provide({ actors: { pay: tool(pay) }, actions });
      return { machine: provided, input: { run, ...input }, undo, reconcilers: { asked }, close: async () => {} };
    },
  };
}
