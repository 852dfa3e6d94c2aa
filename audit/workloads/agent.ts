/**
 * An agent that carries out a plan, for sets whose work is one: units of several kinds, one after the other. A unit is looked at, the
 * steps of the plan that belong to it are made, each by a tool, and it is looked at again. What a unit is, is the set's.
 */
import type { OpenAgent } from 'belay-sidecar/xstate';
import { assign } from 'xstate';
import { fieldOf, there } from '../../domains/there.ts';
import { generated } from './generated.ts';

/** A step of a plan. */
export interface Step {
  readonly kind: string;
  readonly unit: string;
  readonly tool: string;
  /** The input of the tool besides its place in the plan. */
  readonly with: Readonly<Record<string, unknown>>;
  /** The unit whose result it uses; `*` for all units before its own. */
  readonly uses?: string;
}

/** True for a value that has the fields of a step. */
export function isStep(value: unknown): value is Step {
  const [kind, unit, tool, more, uses] = ['kind', 'unit', 'tool', 'with', 'uses'].map((name) => fieldOf(value, name));
  const isText = [kind, unit, tool].every((each) => typeof each === 'string');
  return isText && typeof more === 'object' && more !== null && (uses === undefined || typeof uses === 'string');
}

/** The input of a tool: its step, and the number of that in the plan. */
export type Called = Step['with'] & { readonly unit: string; readonly step: number };

/** The known facts of a unit: the first read, the answers of its steps, and the last read. */
interface Unit {
  readonly seen?: unknown;
  readonly done?: Readonly<Record<string, unknown>>;
  readonly well?: unknown;
}

interface Memory {
  readonly plan: readonly Step[];
  /** The step that is due. */
  readonly at: number;
  readonly units: Readonly<Record<string, Unit>>;
}

const due = ({ plan, at }: Memory): Step | undefined => plan[at];
const made = ({ plan, at }: Memory): Step => there(plan[at - 1], 'step');
/** The call of a tool for a step of the plan: the one that is due, or the one before it. */
const called = ({ plan, at }: Memory, back: 0 | 1 = 0): Called => {
  const { unit, with: more } = there(plan[at - back], 'step');
  return { ...more, unit, step: at - back };
};

function learnt({ units }: Memory, unit: string, more: (known: Unit) => Unit): Pick<Memory, 'units'> {
  const known = units[unit] ?? {};
  return { units: { ...units, [unit]: { ...known, ...more(known) } } };
}

/**
 * The machine: for each kind of unit a state of its name, with `LOOKING`, `CHOOSING`, one state for each of its tools, `MADE` and
 * `VERIFYING` in it. Its tools are those, and `look` and `verify`, which are asked about a unit.
 * @param kinds the tools of each kind of unit.
 */
export function planned(id: string, kinds: Readonly<Record<string, readonly string[]>>): OpenAgent['machine'] {
  const names = [...new Set([...Object.values(kinds).flat(), 'look', 'verify'])];
  const is = (kind: string) => (step: Step | undefined) => step?.kind === kind;
  const state = (kind: string, tools: readonly string[]) => ({
    initial: 'LOOKING',
    states: {
      LOOKING: {
        invoke: {
          src: 'look',
          input: ({ context }: { context: Memory }) => ({ ...called(context), kind }),
          onDone: {
            target: 'CHOOSING',
            actions: assign(({ context, event }: { context: Memory; event: unknown }) => {
              const { unit } = there(due(context), 'step');
              return learnt(context, unit, () => ({ seen: answerOf(event) }));
            }),
          },
        },
      },
      CHOOSING: {
        always: tools.map((name) => ({
          guard: ({ context }: { context: Memory }) => due(context)?.tool === name,
          target: name,
        })),
      },
      ...Object.fromEntries(
        tools.map((name) => [
          name,
          {
            invoke: {
              src: name,
              input: ({ context }: { context: Memory }) => called(context),
              onDone: {
                target: 'MADE',
                actions: assign(({ context, event }: { context: Memory; event: unknown }) => ({
                  ...learnt(context, there(due(context), 'step').unit, ({ done }) => ({
                    done: { ...done, [context.at]: answerOf(event) },
                  })),
                  at: context.at + 1,
                })),
              },
            },
          },
        ]),
      ),
      MADE: {
        always: [
          {
            guard: ({ context }: { context: Memory }) =>
              due(context)?.unit === made(context).unit && is(kind)(due(context)),
            target: 'CHOOSING',
          },
          { target: 'VERIFYING' },
        ],
      },
      VERIFYING: {
        invoke: {
          src: 'verify',
          input: ({ context }: { context: Memory }) => ({ ...called(context, 1), kind }),
          onDone: {
            target: `#${id}.NEXT`,
            actions: assign(({ context, event }: { context: Memory; event: unknown }) =>
              learnt(context, made(context).unit, () => ({ well: answerOf(event) })),
            ),
          },
        },
      },
    },
  });
  return generated(names, {
    id,
    context: ({ input: { plan } }: { input: Pick<Memory, 'plan'> }) => ({ plan, at: 0, units: {} }),
    initial: 'NEXT',
    states: {
      NEXT: {
        always: [
          ...Object.keys(kinds).map((kind) => ({
            guard: ({ context }: { context: Memory }) => is(kind)(due(context)),
            target: kind,
          })),
          { target: 'DONE' },
        ],
      },
      ...Object.fromEntries(Object.entries(kinds).map(([kind, tools]) => [kind, state(kind, tools)])),
      DONE: { type: 'final' },
    },
  });
}

function answerOf(event: unknown): unknown {
  return fieldOf(event, 'output') ?? null;
}
