/** What the commands' machines are made of: states that call a tool and keep its answer, and the reviewed units around them. */
import { type AnyStateMachine, assign, fromPromise, setup } from 'xstate';
import type { ToolCall } from '../../src/index.ts';
import { tool } from '../../src/xstate/index.ts';
import { ACTS, type Called, LOOKS, TIMEOUT, type ToolName, type World } from './world.ts';

/** A machine's context, and what its functions are given. */
export type Context = Readonly<Record<string, unknown>>;
export type Given = { readonly context: Context };

/** An act that a final context calls for. */
export interface Needed {
  readonly site: string;
  readonly args: Called;
}

/** A machine under test. */
export interface Lab {
  readonly config: string;
  /** Where answers are kept: the key of the context, by the site that gave it. */
  readonly sites: Readonly<Record<string, string>>;
  machine(world: World): AnyStateMachine;
  /** The acts that stand once the run has ended with this context. */
  needs(context: Context): readonly Needed[];
}

/** The value that a context has under a path. */
export function valueAt(context: Context, path: string): unknown {
  return path.split('/').reduce((at: unknown, part) => (at as Context | undefined)?.[part], context);
}

function base(world: World) {
  const looks = LOOKS.map((name) => [
    name,
    fromPromise(({ input }: { input: Called }) => world.look(name, { input } as never)),
  ]);
  const acts = ACTS.map((name) => [name, tool((call: ToolCall<Called>) => world.act(name, call))]);
  return setup({ actors: Object.fromEntries([...looks, ...acts]) as never, types: { context: {} as Context } });
}

/** A state that calls a tool, keeps its answer under a key, and goes on. */
export function calls(name: ToolName, key: string, target: string, reads: readonly string[] = [], more: object = {}) {
  return {
    invoke: {
      src: name,
      input: ({ context }: Given) => ({ for: 'it', ...Object.fromEntries(reads.map((read) => [read, context[read]])) }),
      onDone: {
        target,
        actions: assign({ [key]: ({ event }: { event: { output: unknown } }) => event.output } as never),
      },
      ...more,
    },
  };
}

/** The last state, and the one before it, in which a run waits for the event that ends it. */
export const over = { type: 'final' };
export const rest = { on: { close: 'over' } };

/** A machine whose tools act upon a world. */
export function machineOf(world: World, id: string, definition: object): AnyStateMachine {
  return base(world).createMachine({ id, context: {}, ...definition } as never) as never;
}

/** The text of a config. */
export function text(agent: string, tools: Readonly<Record<string, string>>, skeletons: string): string {
  const listed = Object.entries(tools).map(([name, says]) => `  ${name}: { timeout: ${TIMEOUT}ms, ${says} }`);
  return `belay: 1\nagent: ${agent}\ntools:\n${listed.join('\n')}\nskeletons:${skeletons}\n`;
}

/** A unit of work: its states, its last edge, what it writes, and what else its rollback says. */
export function unit(name: string, states: string, at: string, writes: string, rollback = '', entity = '"it"'): string {
  const [entry = ''] = states.split(', ');
  const when = `memory.?${writes.replace('/{entity}', '')}`;
  return `
  ${name}:
    entity: '${entity}'
    states: [${states}]
    entry: [${entry}]
    outputs: ["${writes}"]
    exit: [{ id: done, at: ${at}, when: '${when}.hasValue()' }]
    rollback: { anchors: [done], resume: ${entry}, tries: 5${rollback} }`;
}

/** What configs say of a call whose counterparty can be asked, and of a payment. */
export const FIND = 'reconcile: { ask: find, tries: 2, wait: 1ms }';
export const PAY = `effect: irreversible, ${FIND}`;
/** The payment that a context calls for. */
export const pays = (context: Context, reads: readonly string[]): Needed => needs('pay', context, reads);

/** An act that a context calls for, with what its tool reads there. */
export function needs(name: ToolName, context: Context, reads: readonly string[]): Needed {
  return { site: `${name} it`, args: { for: 'it', ...Object.fromEntries(reads.map((read) => [read, context[read]])) } };
}

/** A state that calls a tool about the item at hand, and keeps its answer under that. */
export function each(name: ToolName, from: string, key: string, target: string) {
  return {
    invoke: {
      src: name,
      input: ({ context }: Given) => ({
        for: String(context.at),
        ...(from !== '' && { from: valueAt(context, `${from}/${context.at}`) }),
      }),
      onDone: {
        target,
        actions: assign(({ context, event }: { context: Context; event: object }) => ({
          [key]: { ...(context[key] as Context), [String(context.at)]: (event as { output?: unknown }).output },
        })) as never,
      },
    },
  };
}
