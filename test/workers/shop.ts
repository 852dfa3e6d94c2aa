/** Agents for workers, and what a test waits for. Their worlds outlive the process in folders of their own. */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AnyStateMachine, assign, setup } from 'xstate';
import type { Undo } from '../../src/effects/counterparty.ts';
import type { Agent, OpenAgent } from '../../src/xstate/agent.ts';
import { tool } from '../../src/xstate/tool.ts';

export const folder = mkdtempSync(join(tmpdir(), 'belay-workers-'));

const none = async () => {
  throw new Error('opened by no run');
};

const states = {
  pays: {
    initial: 'paying',
    states: { paying: { invoke: { src: 'pay', onDone: 'paid' } }, paid: { type: 'final' } },
  },
  unknown: {
    initial: 'paying',
    states: { paying: { invoke: { src: 'pay', onDone: 'paid' } }, paid: { type: 'final' } },
  },
  asks: {
    initial: 'paying',
    states: { paying: { invoke: { src: 'pay', onDone: 'paid' } }, paid: { type: 'final' } },
  },
  // It pays, and then has no end of its own.
  stays: {
    initial: 'paying',
    states: { paying: { invoke: { src: 'pay', onDone: 'paid' } }, paid: {} },
  },
  waits: {
    initial: 'waiting',
    states: {
      waiting: { after: { 3000: 'paying' } },
      paying: { invoke: { src: 'pay', onDone: 'paid' } },
      paid: { type: 'final' },
    },
  },
  hears: {
    initial: 'idle',
    states: {
      idle: { on: { GO: { target: 'ready', actions: 'count' } } },
      ready: { on: { GO: { actions: 'count' }, PAY: 'paying' } },
      paying: { invoke: { src: 'pay', onDone: 'paid' } },
      paid: { type: 'final' },
    },
  },
} as const;

/** The rest of `pay` in the configs of some. */
const MORE: Readonly<Record<string, string>> = { asks: ', reconcile: find, gate: { expires: 2h }', unknown: '' };

/** A text of a config whose only tool is `pay`. */
const configOf = (agent: string, effect: string, more: string) =>
  `belay: 1\nagent: ${agent}\ntools:\n  pay: { effect: ${effect}, timeout: 20s${more} }\nskeletons: {}\n`;

/** How an agent pays: the time that takes, in milliseconds, and what takes a payment back. */
interface How {
  readonly ms?: number;
  readonly undo?: Undo;
}

/** An agent that pays once: `asks` waits for an approval, `waits` for a time, `hears` for events, `stays` for nothing. */
export function agentOf(name: keyof typeof states, how: How = {}): Agent {
  const config = join(folder, `${name}${how.undo === undefined ? '' : '-undone'}.yaml`);
  const more = MORE[name] ?? ', reconcile: find';
  const text = how.undo ? configOf(name, 'compensable', `${more}, undo: refund`) : configOf(name, 'irreversible', more);
  writeFileSync(config, text);
  const count = assign(({ context }: { context: { heard: number } }) => ({ heard: context.heard + 1 }));
  const made = setup({ actors: { pay: tool<string, void>(none) }, actions: { count: count as never } }).createMachine({
    id: name,
    context: { heard: 0 },
    ...(states[name] as object),
    output: ({ context }: { context: { heard: number } }) => context.heard,
  } as never);
  const machine = made as unknown as AnyStateMachine;
  return {
    machine,
    config,
    about: 'pays once',
    open: async ({ folder: own, input }): Promise<OpenAgent> => {
      if (input === 'refused') throw new Error('the shop is closed');
      const book = join(own, 'payments');
      const pay = async ({ key }: { readonly key?: string | undefined }) => {
        appendFileSync(book, `${key}\n`);
        if (name === 'unknown') throw new Error('the answer is lost');
        await new Promise((resolve) => setTimeout(resolve, how.ms ?? 0));
        return 'paid';
      };
      const find = ({ key }: { readonly key: string }) =>
        linesOf(book).includes(key) ? ({ is: 'applied', output: 'paid' } as const) : ({ is: 'not_applied' } as const);
      const open = machine.provide({ actors: { pay: tool<string, void>(pay) } });
      const undo = how.undo === undefined ? {} : { undo: { refund: how.undo } };
      return { machine: open, reconcilers: { find }, ...undo, close: async () => {} };
    },
  };
}

/** The lines of a file; none where it is not there. */
export function linesOf(file: string): string[] {
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
}
