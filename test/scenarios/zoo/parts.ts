/** The parts of the machines of the zoo: their units of work, their tools, the states that all of them have. */
import { type AnyActorLogic, type AnyStateMachine, assign, setup } from 'xstate';
import { tool } from '../../../src/xstate/tool.ts';
import type { ZooWorld } from './world.ts';

export interface Exhibit {
  readonly name: string;
  /** The skeletons of its config; `EVERY` stands for the names of all of them. */
  readonly units: string;
  /** True where it takes errors itself: then what it comes to is its own business. */
  readonly handles?: true;
  /** What it has looked at once, also after what it looked at first was found wrong. */
  readonly keeps?: readonly string[];
  machine(world: ZooWorld): AnyStateMachine;
}

export interface Memory {
  a?: string;
  b?: string;
  n: number;
  receipt?: string;
  other?: string;
}
export type Event = { type: string; value?: string; output?: string };

export const look = (world: ZooWorld) => tool<string, { of: string }>(({ input }) => world.look(input.of));

/** The tools and actions of every machine, and the machines that one of them spawns. */
export function base<TActors extends Record<string, AnyActorLogic>>(world: ZooWorld, spawned: TActors = {} as TActors) {
  return setup({
    types: { context: {} as Memory, events: {} as Event },
    actors: {
      look: look(world),
      peek: look(world),
      send: tool<string, { value: string }>(({ input, key }) => world.send(input.value, key)),
      ...spawned,
    },
    actions: {
      a: assign(({ event }) => ({ a: event.output as string })),
      b: assign(({ event }) => ({ b: event.output as string })),
      receipt: assign(({ event }) => ({ receipt: event.output as string })),
    },
  });
}

export const of = (name: string) => ({ src: 'look' as const, input: { of: name } });
export const sending = (target = 'rest') => ({
  invoke: {
    src: 'send' as const,
    input: ({ context }: { context: Memory }) => ({ value: `${context.a}${context.b ?? ''}` }),
    onDone: { target, actions: 'receipt' as const },
  },
});
export const rest = { on: { over: 'end' } };
export const end = { type: 'final' as const };
export const unit = (name: string, states: string, outputs: string, exit: string, when: string, resume: string) => `
  ${name}:
    entity: '"it"'
    states: [${states}]
    entry: [${resume}]
    outputs: [${outputs}]
    exit: [{ id: out, at: ${exit}, when: '${when}' }]
    rollback: { anchors: [out], resume: ${resume}, compensable: undo, joint: [EVERY] }`;
export const has = (key: string) => `memory.?${key}.hasValue()`;
export const sends = unit('Send', 'sending', 'receipt', 'sending -> rest', has('receipt'), 'sending');
export const context: Memory = { n: 0 };
