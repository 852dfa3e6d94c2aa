/**
 * A treasury agent at the close of a day: it reads the balance and the rate, a model decides what is swept and says why, the currency is hedged
 * in two legs or not at all, the cash is wired once a person has approved it, the wire is posted to the general ledger, and the ratio is filed.
 */
import { tool } from 'belay-sidecar/xstate';
import { assign, setup } from 'xstate';

/** The decision of the model, with its why. */
type Plan = { cents: number; to: string; why: string; over: string[]; policy: string };
/** A leg of the hedge as the market answers: an order that finds no other side is not filled. */
type Trade = { ref: string; filled: boolean };
type Receipt = { ref: string };

type Memory = {
  day: string;
  account: string;
  pair: string;
  balance: { cents: number } | null;
  rate: { points: number } | null;
  plan: Plan | null;
  sold: Trade | null;
  bought: Trade | null;
  wired: Receipt | null;
  entry: Receipt | null;
  filed: Receipt | null;
};

type Call<Input> = { input: Input; key: string | undefined };
type Leg = { pair: string; cents: number };

/** The tools: a bank, a market, a model, a general ledger and a regulator. */
interface Desk {
  balances(call: Call<{ account: string }>): Promise<{ cents: number }>;
  rates(call: Call<{ pair: string }>): Promise<{ points: number }>;
  decide(call: Call<{ cents: number; points: number }>): Promise<Plan>;
  sell(call: Call<Leg>): Promise<Trade>;
  buy(call: Call<Leg>): Promise<Trade>;
  wire(call: Call<{ day: string; account: string; cents: number; to: string }>): Promise<Receipt>;
  post(call: Call<{ wire: string; cents: number; debit: string; credit: string }>): Promise<Receipt>;
  file(call: Call<{ day: string; percent: number }>): Promise<Receipt>;
}

const leg = ({ context: { pair, plan } }: { context: Memory }): Leg => ({ pair, cents: plan?.cents ?? 0 });
/** The share of the balance that is liquid behind the sweep, in percent. */
const ratio = ({ balance, plan }: Memory): number =>
  Math.round((100 * ((balance?.cents ?? 0) - (plan?.cents ?? 0))) / (balance?.cents ?? 1));

/** The machine over the tools of a desk. */
function treasuryAgent(desk: Desk) {
  return setup({
    types: { context: {} as Memory, input: {} as { pair: string } | undefined },
    actors: {
      balances: tool(desk.balances),
      rates: tool(desk.rates),
      decide: tool(desk.decide),
      sell: tool(desk.sell),
      buy: tool(desk.buy),
      wire: tool(desk.wire),
      post: tool(desk.post),
      file: tool(desk.file),
    },
  }).createMachine({
    id: 'treasury',
    context: ({ input }) => ({
      ...{ day: '2030-01-01', account: 'main', pair: input?.pair ?? 'EURUSD', balance: null, rate: null, plan: null },
      ...{ sold: null, bought: null, wired: null, entry: null, filed: null },
    }),
    initial: 'reading',
    states: {
      reading: {
        invoke: {
          src: 'balances',
          input: ({ context: { account } }) => ({ account }),
          onDone: { target: 'pricing', actions: assign({ balance: ({ event }) => event.output }) },
        },
      },
      pricing: {
        invoke: {
          src: 'rates',
          input: ({ context: { pair } }) => ({ pair }),
          onDone: { target: 'deciding', actions: assign({ rate: ({ event }) => event.output }) },
        },
      },
      deciding: {
        invoke: {
          src: 'decide',
          input: ({ context: { balance, rate } }) => ({ cents: balance?.cents ?? 0, points: rate?.points ?? 0 }),
          onDone: { target: 'selling', actions: assign({ plan: ({ event }) => event.output }) },
        },
      },
      selling: {
        invoke: {
          src: 'sell',
          input: leg,
          onDone: { target: 'buying', actions: assign({ sold: ({ event }) => event.output }) },
        },
      },
      buying: {
        invoke: {
          src: 'buy',
          input: leg,
          onDone: [
            {
              guard: ({ event }) => event.output.filled,
              target: 'wiring',
              actions: assign({ bought: ({ event }) => event.output }),
            },
            // One leg alone is a position that no one asked for: both are unwound.
            { target: 'unhedged' },
          ],
        },
      },
      wiring: {
        invoke: {
          src: 'wire',
          input: ({ context: { day, account, plan } }) => ({
            ...{ day, account, cents: plan?.cents ?? 0, to: plan?.to ?? '' },
          }),
          onDone: { target: 'posting', actions: assign({ wired: ({ event }) => event.output }) },
          onError: {
            guard: ({ event }) => event.error instanceof Error && event.error.name === 'Denied',
            target: 'declined',
          },
        },
      },
      posting: {
        invoke: {
          src: 'post',
          input: ({ context: { wired, plan, account } }) => ({
            ...{ wire: wired?.ref ?? '', cents: plan?.cents ?? 0, debit: plan?.to ?? '', credit: account },
          }),
          onDone: { target: 'filing', actions: assign({ entry: ({ event }) => event.output }) },
        },
      },
      filing: {
        invoke: {
          src: 'file',
          input: ({ context }) => ({ day: context.day, percent: ratio(context) }),
          onDone: { target: 'filed', actions: assign({ filed: ({ event }) => event.output }) },
        },
      },
      filed: { type: 'final' },
      unhedged: { type: 'final' },
      declined: { type: 'final' },
    },
  });
}

/** A real counterparty answers a second call of the same key with its first receipt. */
const receipt = (_key: string | undefined, ref: string): Receipt => ({ ref });

/** A desk that acts on nothing. The other side of a hedge in lira cannot be found. */
const paperDesk: Desk = {
  balances: async () => ({ cents: 9_000_000 }),
  rates: async () => ({ points: 108 }),
  decide: async ({ input: { cents } }) => ({
    ...{ cents: cents - 1_000_000, to: 'money market fund', why: 'all above the floor earns more overnight' },
    ...{ over: ['leave it', 'a term deposit'], policy: 'cash@2029-11' },
  }),
  sell: async ({ input: { pair } }) => ({ ref: `sold ${pair}`, filled: true }),
  buy: async ({ input: { pair } }) => ({ ref: `bought ${pair}`, filled: pair !== 'EURTRY' }),
  wire: async ({ input: { day, to }, key }) => receipt(key, `wire of ${day} to ${to}`),
  post: async ({ input: { wire } }) => ({ ref: `entry of ${wire}` }),
  file: async ({ input: { percent }, key }) => receipt(key, `${percent} percent`),
};

export const machine = treasuryAgent(paperDesk);
