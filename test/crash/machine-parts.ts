/** The steps, tools and work that the agents which are killed are made of. */
import { type AnyStateMachine, assign, fromPromise, setup } from 'xstate';
import { tool } from '../../src/xstate/tool.ts';
import type { Client } from './client.ts';
import type { Fault } from './counterparty.ts';

export interface Context {
  wanted: string;
  found?: string;
  checked?: string;
  booking?: string;
  note?: string;
  receipt?: string;
}

/** An agent, its reviewed config, and what goes wrong while it runs. */
export interface Agent {
  readonly config: string;
  /** What goes wrong on the way, without which it would need no recovery. */
  readonly faults: readonly Fault[];
  /** The acts that count once everything is over, in their order; regions beside each other have none. */
  readonly ordered: boolean;
  machine(world: Client): AnyStateMachine;
}

interface Input {
  input: string;
  key: string | undefined;
}

export function outputOf(event: object): string {
  return (event as { output: string }).output;
}

export function base(world: Client) {
  const looks = (site: string) =>
    fromPromise(({ input }: { input: string }) => world.act(site, null, `${site} ${input}`));
  const acts = (site: string) => tool(({ input, key }: Input) => world.act(site, key ?? 'none', `${site} ${input}`));
  return setup({
    types: { context: {} as Context, events: {} as { type: 'go' } },
    actors: { look: looks('look'), check: looks('check'), book: acts('book'), note: acts('note'), send: acts('send') },
    actions: {
      keepFound: assign(({ event }) => ({ found: outputOf(event) })),
      keepChecked: assign(({ event }) => ({ checked: outputOf(event) })),
      keepBooking: assign(({ event }) => ({ booking: outputOf(event) })),
      keepNote: assign(({ event }) => ({ note: outputOf(event) })),
      keepReceipt: assign(({ event }) => ({ receipt: outputOf(event) })),
    },
  });
}

export const step = <Src extends string, Action extends string>(
  src: Src,
  input: (context: Context) => string,
  target: string,
  actions: Action,
) => ({
  invoke: { src, input: ({ context }: { context: Context }) => input(context), onDone: { target, actions } },
});
export const looking = (target: string) => step('look', ({ wanted }) => wanted, target, 'keepFound');
export const checking = step('check', ({ found }) => found ?? '', 'sending', 'keepChecked');
export const sending = step('send', ({ found }) => found ?? '', 'sent', 'keepReceipt');
export const sent = { type: 'final' as const };

export const tools = `
  look: { reads: [wanted], writes: [found], effect: none }
  check: { reads: [found], writes: [checked], effect: none }
  send: { reads: [found], writes: [receipt], effect: irreversible, reconcile: ask }`;

export const work = (within: string, states: string) => `
  Work:
    entity: '"it"'
    states: [${states
      .split(' ')
      .map((state) => `${within}${state}`)
      .join(', ')}]
    entry: [${within}looking]
    inputs: [wanted]
    outputs: [found, checked, booking, receipt]
    commit:
      - { id: found, at: ${within}${states.split(' ')[1]}, when: 'memory.?found.hasValue()', outputs: [found] }
    exit:
      - { id: sent, at: ${within}sending -> ${within}sent, when: 'memory.?receipt.hasValue()', outputs: [found, receipt] }
    rollback: { anchors: [found, sent], compensable: undo, tries: 9 }`;
