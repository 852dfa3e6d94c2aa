/** Values that no journal holds: what stands in their place, and what is said of them (semantics.md §3). */
import { isReference } from '../model/actor-reference.ts';
import type { EncodeOptions, Unencodable } from './codec.ts';
import type { ValueCodec } from './value-codec.ts';

/** A value that no journal holds: what it belongs to, where in it, and why. */
export interface Lost {
  readonly of: 'event' | 'memory' | 'input' | 'output';
  readonly path: readonly string[];
  readonly reason: Unencodable;
}

/** Says what was lost, with its place. */
export function lostText({ of, path, reason }: Lost): string {
  return `${of} ${path.join('/') || '(whole)'} cannot be journaled: ${reason.replaceAll('_', ' ')}`;
}

/** Where a value stands in an entry: that says what takes its place if it has no text. */
export type ValuePlace = Lost['of'] | 'arguments' | 'timer' | 'entry';

interface Loss {
  /** The report of the loss; null where something else has reported it, or nothing depends on it. */
  readonly of: Lost['of'] | null;
  /** Makes what is written in place of the value, which has no text at a path. */
  readonly instead: (value: unknown, path: readonly string[]) => unknown;
}

const typeOf = (event: unknown) => ({ type: (event as { type: string }).type });
const placeOf = (_: unknown, path: readonly string[]) => new Missing(path.join('/'));

/** The treatment of each value that has no text. */
export const LOSSES: Readonly<Record<ValuePlace, Loss>> = {
  event: { of: 'event', instead: typeOf },
  memory: { of: 'memory', instead: placeOf },
  input: { of: 'input', instead: placeOf },
  output: { of: 'output', instead: placeOf },
  // The step that started its actor has said what of this no journal holds.
  arguments: { of: null, instead: () => undefined },
  timer: {
    of: null,
    instead: (timer) => ({ ...(timer as object), event: typeOf((timer as { event: unknown }).event) }),
  },
  // Every other entry is made of what always has a text: one that has none is refused.
  entry: { of: null, instead: (entry) => entry },
};

/** Stands for a value that was lost. */
class Missing {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}

const MARK = '\u0000lost:';

/** Encodes the values of entries: actors by their ids, lost values by their places, other objects by the codecs of the caller. */
export function encodingWith(codecs: readonly ValueCodec[]): EncodeOptions {
  const reference = (value: object) =>
    value instanceof Missing ? `${MARK}${value.path}` : isReference(value) ? value.id : null;
  return { reference, codecs };
}

/** The place of a lost value, from the reference that stands for it; null for a reference to an actor. */
export function lostAt(reference: string): string | null {
  return reference.startsWith(MARK) ? reference.slice(MARK.length) : null;
}
