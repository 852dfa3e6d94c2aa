/** Little machines that ask tools one behind the other, in one pass or in several: each order of them is a release. */
import { assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { EffectClass } from '../../src/model/effect.ts';
import { tool } from '../../src/xstate/tool.ts';
import type { World } from './world.ts';

/** The tools of a machine in their order. */
export interface Sequence {
  readonly tools: readonly string[];
  /** How often it asks them; 1 where it is left out. Machines with another number have other guards and the same states. */
  readonly passes?: 1 | 2;
  /** True where it has the edge of another pass, taken or not. */
  readonly isLoop?: boolean;
  /** The tool behind which it waits for a word. */
  readonly waitsBehind?: string;
  /** The tool that it may leave out, and does not. */
  readonly mayLeaveOut?: string;
  /** The tool in front of which it waits for a word, in a state of its own. */
  readonly waitsBefore?: string;
  /** The name of that state; `wait` where it is left out. */
  readonly waitsIn?: string;
  /** The milliseconds after which it waits no more. */
  readonly lapses?: number;
  /** The transition of a run that was moved: where it leads from and to, and what its code does. */
  readonly moved?: { readonly at: string; readonly to: string | null; readonly does: keyof typeof ON_MOVED };
}

/** A unit for each tool: its name with a capital. */
function unitOf(name: string): string {
  return name.toUpperCase();
}

export function sequenceConfig({ tools: ordered }: Sequence, effect: EffectClass = 'idempotent'): BoundaryConfig {
  // The order of the tools is the machine's: releases that have the same tools have one config.
  const tools = [...ordered].sort();
  const undo = effect === 'reversible' ? ', undo: refund' : '';
  const lines = tools.map((name) => `  ${name}: { reads: [], writes: [${name}], effect: ${effect}${undo} }`);
  const units = tools.map(
    (name) => `  ${unitOf(name)}:
    entity: '"it"'
    states: [in-${name}]
    entry: [in-${name}]
    outputs: [${name}]
    exit: [{ id: left, at: in-${name} -> out-${name}, when: 'true' }]
    rollback: { anchors: [left], resume: in-${name}, compensable: undo, joint: [${tools.map(unitOf).join(', ')}] }
`,
  );
  const text = `belay: 1\nagent: shop\ntools:\n${lines.join('\n')}\nskeletons:\n${units.join('')}`;
  const { config, findings } = loadConfig(text, { file: 'shop.yaml' });
  if (config === null) throw new Error(findings.map(({ message }) => message).join('\n'));
  return config;
}

let taken = 0;

/** The code of the event of a move: the first notes how many tools are done, the others are hostile. */
export const ON_MOVED = {
  sum: ({ context }: { context: object }) => Object.values(context).filter((value) => value === 'done').length,
  throws: () => {
    throw new Error('no');
  },
  chance: () => Math.random(),
  clock: () => new Date().getTime(),
  counts: () => {
    taken += 1;
    return taken;
  },
  code: () => () => 1,
  promise: () => Promise.resolve(1),
  deaf: () => 0,
} as const;

type Passing = { readonly context: { readonly passes?: number; readonly plenty?: boolean } };

export function sequenceMachine(
  {
    tools,
    passes = 1,
    isLoop = passes > 1,
    waitsBehind,
    mayLeaveOut,
    waitsBefore,
    waitsIn = 'wait',
    lapses,
    moved,
  }: Sequence,
  world: World,
) {
  const act = (name: string) => tool<unknown, unknown>(({ key, input }) => world.act(name, '1', key, input)) as never;
  const inOf = (name: string | undefined) => (name === undefined ? 'passed' : `in-${name}`);
  const entryOf = (name: string | undefined) => (name !== undefined && name === waitsBefore ? waitsIn : inOf(name));
  const onMoved = {
    on: { '@belay.moved': { ...(moved?.to != null && { target: `#shop.${moved.to}` }), actions: 'hear' } },
  };
  const hears = (name: string): Partial<typeof onMoved> => (moved?.at === name ? onMoved : {});
  const states = tools.flatMap((name, index) => {
    const next = entryOf(tools[index + 1]);
    const skips = mayLeaveOut !== undefined && tools[index + 1] === mayLeaveOut;
    const out =
      waitsBehind === name
        ? { on: { word: next } }
        : { always: [...(skips ? [{ guard: 'isPlenty', target: entryOf(tools[index + 2]) }] : []), { target: next }] };
    return [
      [
        `in-${name}`,
        { ...hears(`in-${name}`), invoke: { src: name, onDone: { target: `out-${name}`, actions: `take-${name}` } } },
      ],
      [`out-${name}`, out],
    ] as const;
  });
  const again = passes === 2 ? 'isFirstPass' : 'isNoPass';
  return setup({
    actors: Object.fromEntries(tools.map((name) => [name, act(name)])) as never,
    guards: {
      isFirstPass: (({ context }: Passing) => (context.passes ?? 0) < 2) as never,
      isNoPass: (() => false) as never,
      isPlenty: (({ context }: Passing) => context.plenty === true) as never,
    },
    actions: {
      count: assign({ passes: ({ context }: Passing) => (context.passes ?? 0) + 1 } as never),
      hear: assign({
        told: ({ context }: { context: { told?: number } }) => (context.told ?? 0) + 1,
        sum: ON_MOVED[moved?.does ?? 'sum'] as () => unknown,
      } as never),
      ...Object.fromEntries(tools.map((name) => [`take-${name}`, assign({ [name]: 'done' } as never)])),
    },
  }).createMachine({
    id: 'shop',
    context: { start: 1 } as never,
    initial: 'idle',
    states: {
      idle: { on: { go: entryOf(tools[0]) } },
      ...Object.fromEntries(states),
      ...(waitsBefore !== undefined && {
        [waitsIn]: {
          ...(lapses !== undefined && { after: { [lapses]: 'over' } }),
          on: { ...hears(waitsIn).on, word: inOf(waitsBefore) },
        },
        aside: { always: waitsIn },
      }),
      passed: {
        entry: 'count',
        always: [...(isLoop ? [{ guard: again, target: entryOf(tools[0]) }] : []), { target: 'over' }],
      },
      over: { on: { end: 'ended' } },
      ended: { type: 'final' as const },
    },
  } as never);
}
