/**
 * An agent whose units do not share one cursor: each unit keeps its progress, what it saw and what it relied on under keys of its own, so
 * that a unit depends on the units whose results it uses and on no other. With `cursor: 'shared'` every step counts in one key as well, and
 * everything depends on everything that came before, as in `planned()`.
 */
import type { OpenAgent } from 'belay-sidecar/xstate';
import { assign } from 'xstate';
import { fieldOf, there } from '../../domains/there.ts';
import { generated } from './generated.ts';
import type { UnitOfWork } from './set.ts';
import { RELIED_ON } from './wire.ts';

/** Where the progress of the agent's units is kept. */
export const CURSORS = ['own', 'shared'] as const;
export type Cursor = (typeof CURSORS)[number];

/** A unit as far as it got: its reading, the readings that it took over, its answers, and the check in the end. */
interface Progress {
  readonly seen?: unknown;
  readonly relied?: Readonly<Record<string, unknown>>;
  readonly done?: Readonly<Record<string, unknown>>;
  readonly at?: number;
  readonly well?: unknown;
}

interface Context {
  readonly plan: readonly UnitOfWork[];
  readonly units: Readonly<Record<string, Progress>>;
  /** The steps that were made, where they share one cursor. */
  readonly at?: number;
}

type Heard = { readonly context: Context; readonly event: unknown };

/** The unit that is due: the first one that is not checked yet. */
const due = ({ plan, units }: Context): UnitOfWork | undefined =>
  plan.find(({ unit }) => units[unit]?.well === undefined);
const current = (context: Context): UnitOfWork => there(due(context), 'unit');
const progress = (context: Context): Progress => context.units[current(context).unit] ?? {};
const next = (context: Context) => current(context).calls[progress(context).at ?? 0];
/** The unit whose result is to be taken over next. */
const wanted = (context: Context): string | undefined =>
  current(context).uses.find((used) => progress(context).relied?.[used] === undefined);

/** The readings that a unit rests on: its own, and those that it took over. */
function basisOf({ seen, relied = {} }: Progress): readonly unknown[] {
  return [...new Set([String(seen), ...Object.values(relied).flat()])].sort();
}

function learnt(context: Context, more: Progress): Pick<Context, 'units' | 'at'> {
  const { unit } = current(context);
  return {
    units: { ...context.units, [unit]: { ...progress(context), ...more } },
    ...(context.at !== undefined && { at: context.at + 1 }),
  };
}

/** The state in which a tool is called, and what becomes of its answer. */
function calling(src: string, target: string, input: (context: Context) => object, more: (heard: Heard) => Progress) {
  return {
    invoke: {
      src,
      input: ({ context }: Heard) => ({ unit: current(context).unit, ...input(context) }),
      onDone: { target, actions: assign((heard: Heard) => learnt(heard.context, more(heard))) },
    },
  };
}

const answer = ({ event }: Heard) => fieldOf(event, 'output') ?? null;

/** A call of a set's own tool, with what it was decided on where the tool carries that. */
function act(name: string, carries: boolean) {
  const input = (context: Context) => ({
    ...next(context)?.args,
    ...(carries && { [RELIED_ON]: basisOf(progress(context)) }),
  });
  return calling(name, 'MADE', input, (heard) => {
    const { done, at = 0 } = progress(heard.context);
    return { done: { ...done, [at]: answer(heard) }, at: at + 1 };
  });
}

/**
 * Makes the machine: one state for units, with `LOOKING`, `CONSULTING`, one state for each tool, `MADE` and `VERIFYING` in it.
 * @param tools the set's own tools, each with true where its calls carry what they were decided on.
 */
export function unitMachine(id: string, tools: Readonly<Record<string, boolean>>): OpenAgent['machine'] {
  const guarded = (by: (context: Context) => boolean, target: string) => ({
    guard: ({ context }: Heard) => by(context),
    target,
  });
  const chosen = Object.keys(tools).map((name) => guarded((context) => next(context)?.tool === name, name));
  const onward = [
    guarded((context) => wanted(context) !== undefined, 'CONSULTING'),
    ...chosen,
    { target: 'VERIFYING' },
  ];
  const names = ['look', 'consult', 'verify', ...Object.keys(tools)];
  return generated(names, {
    id,
    context: ({ input }: { input: Pick<Context, 'plan' | 'at'> }) => ({ ...input, units: {} }),
    initial: 'NEXT',
    states: {
      NEXT: { always: [guarded((context) => due(context) !== undefined, 'unit'), { target: 'DONE' }] },
      unit: {
        initial: 'LOOKING',
        states: {
          LOOKING: calling(
            'look',
            'CHOOSING',
            () => ({}),
            (heard) => ({ seen: answer(heard) }),
          ),
          CONSULTING: calling(
            'consult',
            'CHOOSING',
            (context) => {
              const of = there(wanted(context), 'unit to consult');
              return { of, [RELIED_ON]: basisOf(context.units[of] ?? {}) };
            },
            (heard) => {
              const { relied } = progress(heard.context);
              return {
                relied: {
                  ...relied,
                  [there(wanted(heard.context), 'unit to consult')]: fieldOf(heard.event, 'output'),
                },
              };
            },
          ),
          CHOOSING: { always: onward },
          ...Object.fromEntries(Object.entries(tools).map(([name, carries]) => [name, act(name, carries)])),
          MADE: { always: onward },
          VERIFYING: calling(
            'verify',
            `#${id}.NEXT`,
            () => ({}),
            (heard) => ({ well: answer(heard) }),
          ),
        },
      },
      DONE: { type: 'final' },
    },
  });
}
