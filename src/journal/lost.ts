/** Values that no journal holds: their substitutes, and the reports about them (semantics.md §3). */
import { ACTOR_CODEC, type ActorCodec, ActorReference } from '../model/actor-reference.ts';
import { type Encoded, type EncodeOptions, encode, type Unencodable } from './codec.ts';
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
export type ValuePlace = Lost['of'] | 'computed' | 'arguments' | 'timer' | 'entry';

/** An actor that a state invokes has its input computed again from the restored memory; that of a spawned one is what the journal has (R7). */
export function inputPlace(at: string | null): 'input' | 'computed' {
  return at === null ? 'input' : 'computed';
}

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
  // A value that has a text is kept for readers.
  computed: { of: null, instead: withoutMember },
  // The step that started its actor has said what of this no journal holds.
  arguments: { of: null, instead: () => undefined },
  timer: {
    of: null,
    instead: (timer) => ({ ...(timer as object), event: typeOf((timer as { event: unknown }).event) }),
  },
  // Every other entry is made of what always has a text: one that has none is refused.
  entry: { of: null, instead: (entry) => entry },
};

/** A value without what lies at a path in it; of a container that is neither a plain record nor a list, nothing is left. Runs no code of the value's. */
function withoutMember(value: unknown, path: readonly string[]): unknown {
  try {
    return without(value, path);
  } catch {
    return undefined;
  }
}

function without(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || typeof value !== 'object' || value === null) return undefined;
  const own = Object.getOwnPropertyDescriptors(value) as Record<string, PropertyDescriptor>;
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain || Object.values(own).some(({ get, set }) => get !== undefined || set !== undefined)) return undefined;
  const inner = without(own[name]?.value, rest);
  if (Array.isArray(value)) return value.with(Number(name), inner);
  return { ...value, [name]: inner };
}

/** The number of members that are taken out of a value before all of it is. */
const MOST_MEMBERS = 32;

/** The text of what stands in the place of a value that has none. */
export function textInstead(
  value: unknown,
  { path }: Extract<Encoded, { path: unknown }>,
  instead: Loss['instead'],
  options: EncodeOptions,
): Encoded {
  let [left, lost]: [unknown, readonly string[]] = [value, path];
  for (let taken = 0; taken < MOST_MEMBERS; taken += 1) {
    left = instead(left, lost);
    const encoded = encode(left, options);
    if ('text' in encoded || instead !== withoutMember) return encoded;
    lost = encoded.path;
  }
  return encode(undefined, options);
}

/** Stands for a value that was lost. */
class Missing {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}

const MARK = '\u0000lost:';

/** Encodes the values of entries: actors and lost values by their places, other objects by the codecs of the caller. */
export function encodingWith(codecs: readonly ValueCodec[]): EncodeOptions {
  const actors = codecs.find(isOfActors);
  const reference = (value: object) => {
    if (value instanceof Missing) return `${MARK}${value.path}`;
    if (value instanceof ActorReference) return value.place;
    return actors?.is(value) === true ? actors.encode(value) : null;
  };
  return { reference, codecs };
}

/** True for the codec of the runtime's own, which writes references and no values. */
export function isOfActors(codec: ValueCodec): codec is ValueCodec & ActorCodec {
  return codec.name === ACTOR_CODEC;
}

/** The place of a lost value, from the reference that stands for it; null for a reference to an actor. */
export function lostAt(reference: string): string | null {
  return reference.startsWith(MARK) ? reference.slice(MARK.length) : null;
}
