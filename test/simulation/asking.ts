/** Machines that send each other events: one asks, another one answers, each at once or later. */
import { createMachine, sendParent, sendTo } from 'xstate';
import { laterOf } from './raising.ts';
import type { Step } from './scenario.ts';

/** Asks the machine that invoked this one, or one that only answers. */
export type Asking = Extract<Step, { step: 'ask' }>;

interface Asked {
  /** The actor that asks, by the name that its parent has for it. */
  readonly from: string;
  /** The state that waits for the answer, and so the type of the answer. */
  readonly at: string;
  readonly value: number;
  readonly later?: number;
}

const answer = ({ event: { at, value } }: { event: Asked }) => ({ type: at, value });
const later = { delay: ({ event }: { event: Asked }) => event.later };

/** The transitions of a state that answers the machines that it invokes. */
export const answers = {
  ask: { actions: sendTo((({ event }: { event: Asked }) => event.from) as never, answer as never, later as never) },
};

/** The name of the machine that only answers. */
export const ECHO = 'echo';
export const echo = createMachine({ on: { ask: { actions: sendParent(answer as never, later as never) } } } as never);

/** True where the question is what comes later, false where the answer does. */
function asksLater({ at }: Asking): boolean {
  return Number(at.slice(1)) % 2 === 0 && laterOf({ at }) !== undefined;
}

/** A state that asks as it is entered. @param value what it asks about. */
export function asking(step: Asking, value: (args: never) => number): object {
  const { at, of } = step;
  const delay = laterOf(step);
  const isLate = asksLater(step);
  const event = (args: { readonly self: { readonly id: string } }) => ({
    type: 'ask',
    from: args.self.id,
    at,
    value: value(args as never),
    later: isLate ? undefined : delay,
  });
  const after = { delay: isLate ? delay : undefined };
  return of === 'parent'
    ? { entry: sendParent(event as never, after as never) }
    : { invoke: { src: ECHO, id: `${at}e` }, entry: sendTo(`${at}e` as never, event as never, after as never) };
}
