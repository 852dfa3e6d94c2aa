/** A machine of three units that act one after the other, and a world that says which run has made and undone each act. */
import { type AnyStateMachine, assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { NotApplied } from '../../src/effects/signals.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { tool } from '../../src/xstate/tool.ts';

/**
 * The classes of the acts. `staged`: it waits for the commit of its unit. `gated`: it can be undone, and a person is asked first; `gated-final`: nothing undoes
 * it. `once`: a call with its arguments is one act of its run; `store`: one of all runs; `-final`: nothing undoes it.
 */
export type ActClass =
  | 'none'
  | 'idempotent'
  | 'compensable'
  | 'irreversible'
  | 'staged'
  | 'gated'
  | 'gated-final'
  | 'once'
  | 'once-final'
  | 'store'
  | 'store-final';

/** What a config says of the tools of a class. */
function termsOf(of: ActClass, isGated: boolean): string {
  const [kind = '', final] = of.split('-');
  const isUndone = of === 'compensable' || (final === undefined && ['staged', 'gated', 'once', 'store'].includes(kind));
  const effect = isUndone ? 'compensable, undo: undone' : final === undefined ? of : 'irreversible';
  const gate = of !== 'none' && (isGated || kind === 'gated') ? ', gate: true' : '';
  const once = kind === 'once' ? ', once: [args]' : kind === 'store' ? ', once: { by: [args], scope: store }' : '';
  return `effect: ${effect}${of === 'none' ? '' : ', reconcile: asked'}${gate}${once}${kind === 'staged' ? ', buffer: true' : ''}`;
}

export const UNITS = ['first', 'second', 'third'] as const;

/** The name of the tool of a unit. */
function toolOf(unit: string): string {
  return `act-${unit}`;
}

/** The config: a tool for each unit, of its class. */
export function configOf(
  classes: readonly ActClass[],
  gated = false,
  keys: readonly (string | null)[] = [],
): BoundaryConfig {
  const tools = classes.map((effect, index) => {
    const touched = keys[index] ?? null;
    const outside = touched === null || effect === 'none' ? '[]' : `['${touched}']`;
    const read = touched !== null && effect === 'none' ? `['${touched}']` : '[]';
    return `  ${toolOf(UNITS[index] as string)}: { reads: ${read}, writes: ${outside}, ${termsOf(effect, gated)} }`;
  });
  const skeletons = UNITS.map((unit, index) => {
    const inputs = index === 0 ? '' : (UNITS[index - 1] as string);
    return `  ${unit}:
    entity: '"it"'
    states: [${unit}]
    entry: [${unit}]
    inputs: [${inputs}]
    outputs: [${unit}]
    exit: [{ id: ${unit}-over, at: "${unit} -> ${unit}Over", when: "true" }]
    rollback: { anchors: [${unit}-over], compensable: undo${classes.includes('staged') ? `, resume: ${unit}` : ''} }`;
  });
  const text = `belay: 1\nagent: forked\ntools:\n${tools.join('\n')}\nskeletons:\n${skeletons.join('\n')}\n`;
  const { config, findings } = loadConfig(text, { file: 'forked.yaml' });
  if (config === null) throw new Error(JSON.stringify(findings));
  return config;
}

/** An act of the world. */
export interface WorldAct {
  readonly key: string;
  readonly tool: string;
  readonly input: number;
  /** The run that made it. */
  readonly by: string;
  readonly number: number;
  /** The run that has undone it; null while it stands. */
  undoneBy: string | null;
}

/** The world of all runs. */
export class World {
  readonly acts: WorldAct[] = [];
  /** The next looks at what is no act, each with another answer. */
  looks = 0;
  /** What becomes of the next calls: made by default. */
  next: ('made' | 'lost' | 'refused')[] = [];

  act(run: string, name: string, key: string, input: number): number {
    const known = this.acts.find((each) => each.key === key);
    if (known !== undefined) return known.number;
    const number = this.acts.length + 1;
    this.acts.push({ key, tool: name, input, by: run, number, undoneBy: null });
    return number;
  }

  /** The actors of a run's machine. */
  toolsOf(run: string, classes: readonly ActClass[]) {
    return Object.fromEntries(
      UNITS.map((unit, index) => [
        unit,
        tool(async ({ key = '', input }: ToolCall<number>): Promise<number> => {
          if (classes[index] === 'none') {
            this.looks += 1;
            return 100 + input;
          }
          const how = this.next.shift() ?? 'made';
          if (how === 'refused') throw new NotApplied('not now');
          const number = this.act(run, toolOf(unit), key, input);
          if (how === 'lost') throw new Error('the reply was lost');
          return number;
        }),
      ]),
    );
  }

  /** The undos of a run. */
  undosOf(run: string) {
    return {
      undone: async ({ key }: { key: string }) => {
        const act = this.acts.find((each) => each.key === key);
        if (act === undefined) throw new Error(`there is no act ${key}`);
        act.undoneBy ??= run;
      },
    };
  }

  readonly reconcilers = {
    asked: async ({ key }: { key: string }) => {
      const act = this.acts.find((each) => each.key === key);
      return act === undefined ? ({ is: 'not_applied' } as const) : ({ is: 'applied', output: act.number } as const);
    },
  };
}

/** The machine of a run: each unit acts with what the one before it was answered, and waits for `go`. An error is remembered as -1. */
export function machineOf(world: World, run: string, classes: readonly ActClass[]): AnyStateMachine {
  const made = world.toolsOf(run, classes);
  const actors = Object.fromEntries(UNITS.map((unit) => [toolOf(unit), made[unit]])) as Record<
    string,
    ReturnType<typeof tool<number, number>>
  >;
  const states = UNITS.map((unit, index) => ({
    [unit]: {
      invoke: {
        src: toolOf(unit),
        input: ({ context }: { context: Record<string, number> }) => context[UNITS[index - 1] ?? 'start'] ?? 0,
        onDone: {
          target: `${unit}Over`,
          actions: assign(({ event }: { event: unknown }) => ({ [unit]: (event as { output?: number }).output ?? 0 })),
        },
        onError: { target: `${unit}Over`, actions: assign(() => ({ [unit]: -1 })) },
      },
    },
    [`${unit}Over`]: { on: { go: UNITS[index + 1] ?? 'end' } },
  }));
  return setup({ types: { context: {} as Record<string, number> }, actors }).createMachine({
    id: 'forked',
    context: { start: 1 },
    initial: 'idle',
    states: Object.assign({ idle: { on: { go: 'first' } }, end: { type: 'final' } }, ...states),
  } as never) as unknown as AnyStateMachine;
}
