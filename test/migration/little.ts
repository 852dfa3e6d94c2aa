/** Little machines and the changes of them: a run of one release is taken up with another, at each row, and judged by the world. */
import { assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { EffectClass } from '../../src/model/effect.ts';
import { type ToolOptions, tool } from '../../src/xstate/tool.ts';

/** What a release says: each member is one thing that a change may change. */
export interface Release {
  /** The states that stand beside the way of the run, and that no run comes to. */
  readonly beside?: string;
  /** An edge that no run takes. */
  readonly edge?: boolean;
  /** The number from which on a run pays by the other state. */
  readonly from?: keyof typeof GUARDS;
  /** The factor of what is assigned. */
  readonly factor?: number;
  /** What the call of `pay` is asked beyond its amount. */
  readonly asks?: keyof typeof INPUTS;
  /** The version of `pay`. */
  readonly pay?: ToolOptions;
  readonly effect?: EffectClass;
  readonly timeout?: string;
  /** The key of the context that the answer is written to. */
  readonly key?: string;
  /** An action on the entry of `check`. */
  readonly entry?: 'nothing' | 'log' | 'assign';
  /** The delay of the state in which a run waits. */
  readonly delay?: number;
  /** The order of the two calls. */
  readonly isSwapped?: boolean;
  /** The name of the state that pays. */
  readonly paying?: string;
}

interface Context {
  readonly total: number;
}

/** Guards and inputs as texts of their own: a function that only closes over something else has the text of the one before. */
const GUARDS = {
  5: ({ context }: { context: Context }) => context.total >= 5,
  50: ({ context }: { context: Context }) => context.total >= 50,
  100: ({ context }: { context: Context }) => context.total >= 100,
};
const INPUTS = {
  amount: ({ context }: { context: Context }) => ({ amount: context.total }),
  more: ({ context }: { context: Context }) => ({ amount: context.total, more: 1 }),
};

/** A world: the acts of each tool by their keys, and what each was asked. */
export class World {
  readonly acts = new Map<string, Map<string, number>>();
  readonly asked: { readonly tool: string; readonly version: string; readonly input: unknown }[] = [];
  /** Holds each call back until it is let go; null lets each through. */
  hold: string | null = null;

  async act(name: string, version: string, key: string | undefined, input: unknown): Promise<unknown> {
    this.asked.push({ tool: name, version, input });
    const acts = this.acts.get(name) ?? new Map<string, number>();
    this.acts.set(name, acts);
    acts.set(key ?? `plain ${this.asked.length}`, 1);
    if (this.hold === name) return new Promise(() => {});
    return `${name} done`;
  }

  undo(name: string, key: string): void {
    this.acts.get(name)?.delete(key);
  }

  /** The acts that stand, of one tool. */
  standing(name: string): number {
    return this.acts.get(name)?.size ?? 0;
  }
}

/** The config of a release. */
export function configOf({
  effect = 'idempotent',
  timeout,
  paying = 'paying',
  key = 'receipt',
}: Release): BoundaryConfig {
  const undo = effect === 'reversible' ? ', undo: refund' : '';
  const text = `
belay: 1
agent: shop
tools:
  look: { writes: [price], effect: none }
  pay: { reads: [total], writes: [${key}], effect: ${effect}${undo}${timeout === undefined ? '' : `, timeout: ${timeout}`} }
  post: { reads: [total], writes: [posted], effect: idempotent }
skeletons:
  Look:
    entity: '"it"'
    states: [looking]
    entry: [looking]
    outputs: [price]
    exit: [{ id: looked, at: looking -> check, when: 'true' }]
    rollback: { anchors: [looked], resume: looking }
  Pay:
    entity: '"it"'
    states: [${paying}]
    entry: [${paying}]
    outputs: [${key}]
    exit: [{ id: paid, at: ${paying} -> waiting, when: 'true' }]
    rollback: { anchors: [paid], resume: ${paying}, compensable: undo, joint: [Look, Pay] }
`;
  const { config, findings } = loadConfig(text, { file: 'shop.yaml' });
  if (config === null) throw new Error(findings.map(({ message }) => message).join('\n'));
  return config;
}

/** The machine of a release: it looks, checks, pays, waits for a word, and posts. */
export function machineOf(release: Release, world: World) {
  const { from = 100, factor = 2, asks = 'amount', pay, key = 'receipt', delay = 60_000, paying = 'paying' } = release;
  const act = (name: string, options?: ToolOptions) =>
    tool<unknown, unknown>(
      ({ key: named, input }) => world.act(name, options?.version ?? '1', named, input),
      options,
    ) as never;
  const [first, second] = release.isSwapped === true ? ['post', 'pay'] : ['pay', 'post'];
  const entry = release.entry ?? 'nothing';
  const onEntry = { nothing: {}, log: { entry: () => {} }, assign: { entry: assign({ checked: true } as never) } }[
    entry
  ];
  const states = {
    idle: { on: { go: 'looking', ...(release.edge === true && { stop: 'over' }) } },
    looking: { invoke: { src: 'look', onDone: { target: 'check', actions: 'keep' } } },
    check: { ...onEntry, always: [{ guard: 'isDear', target: 'asking' }, { target: paying }] },
    asking: { on: { yes: paying } },
    [paying]: {
      invoke: {
        src: first,
        input: INPUTS[asks],
        onDone: { target: 'waiting', actions: 'receive' },
      },
    },
    waiting: { after: { [delay]: 'late' }, on: { word: 'posting' } },
    posting: {
      invoke: {
        src: second,
        input: INPUTS[asks],
        onDone: { target: 'over', actions: 'post' },
      },
    },
    late: {},
    over: { on: { end: 'ended' } },
    ended: { type: 'final' as const },
    ...(release.beside !== undefined && { [release.beside]: {} }),
  };
  return setup({
    actors: { look: act('look'), pay: act('pay', pay), post: act('post') } as never,
    actions: {
      keep: assign({ price: 10, total: 10 * factor } as never),
      receive: assign({ [key]: 'received' } as never),
      post: assign({ posted: true } as never),
    },
    guards: { isDear: GUARDS[from] as never },
  }).createMachine({ id: 'shop', context: { start: 1 } as never, initial: 'idle', states } as never);
}
