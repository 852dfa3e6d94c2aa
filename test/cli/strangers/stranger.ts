/** A machine of a stranger, and what goes on around it. */
import type { AnyStateMachine } from 'xstate';
import type { Shop } from './shop.ts';

export interface Stranger {
  /** Its id, and the name of its config. */
  readonly name: string;
  readonly machine: (shop: Shop) => AnyStateMachine;
  readonly input?: unknown;
  /** The tools that act; all others read. */
  readonly acts: readonly string[];
  /** What a person does where the machine has come to rest in a state: events, by a part of the state's value as JSON. */
  readonly person: readonly (readonly [
    state: string,
    event: { readonly type: string; readonly [key: string]: unknown },
  ])[];
}

export type Event = { type: string; [key: string]: unknown };
export const events = {} as Event;
