/** The aborts that are tried: one and two calls of every class, at every moment, with every way in which a call, its undo and a person may fail. */

/** The kinds of calls. `bare` is compensable with no undo declared; `gated` waits for an approval. */
const KINDS = ['idempotent', 'reversible', 'compensable', 'irreversible', 'bare', 'gated'] as const;
export type Kind = (typeof KINDS)[number];

/**
 * The shapes of a machine. `rests`: the second call reads what the first has answered; `apart`: one after the other, and neither reads the other;
 * `beside`: both at once; `restored`: as `rests`, and a complaint about the first has a restore under way.
 */
export const SHAPES = ['one', 'rests', 'apart', 'beside', 'restored'] as const;
export type Shape = (typeof SHAPES)[number];

/**
 * The call that is under way at the abort, and what becomes of it: its reply comes after all; it is lost; the call never arrives; the tool does not
 * hear that it is aborted.
 */
const FLIGHTS = ['replies', 'lost', 'unsent', 'deaf'] as const;
type Flight = (typeof FLIGHTS)[number];

/** The ways of an undo: it works; its reply is lost once; it fails once; it fails for ever; it works and never says so; it had been made before; it can be made no more. */
const UNDOS = ['ok', 'lost', 'flaky', 'never', 'mute', 'gone', 'moved'] as const;
export type UndoWay = (typeof UNDOS)[number];

/** The person: does what is owed by hand, has it stand, or never comes. */
export const PEOPLE = ['helps', 'stands', 'never'] as const;
type Person = (typeof PEOPLE)[number];

export type CallName = 'a' | 'b';

/** The moment of the word: at an append, or once a call is under way. */
export type Moment = { readonly append: number } | { readonly under: readonly CallName[]; readonly flight: Flight };

/** A crash: so many appends after the word that the run is to end. */
export interface Crash {
  readonly append: number;
  readonly when: 'before' | 'after' | 'lost';
}

export interface Scenario {
  readonly shape: Shape;
  readonly a: Kind;
  readonly b: Kind;
  readonly moment: Moment;
  /** True where the counterparty tells what became of a call. */
  readonly tells: boolean;
  readonly undoA: UndoWay;
  readonly undoB: UndoWay;
  readonly crash: Crash | null;
  readonly person: Person;
}

/** A scenario that says all but its moment, its crash and its person: those follow from its course. */
export type Case = Omit<Scenario, 'moment' | 'crash' | 'person'>;

const isUndoable = (kind: Kind) => kind === 'reversible' || kind === 'compensable' || kind === 'gated';
const undosOf = (kind: Kind, isThere: boolean): readonly UndoWay[] => (isThere && isUndoable(kind) ? UNDOS : ['ok']);

/** Every case: complete for one call and for two. */
export function cases(): Case[] {
  return SHAPES.flatMap((shape) => KINDS.flatMap((a) => casesWith(shape, a)));
}

function casesWith(shape: Shape, a: Kind): Case[] {
  const others: readonly Kind[] = shape === 'one' ? ['compensable'] : KINDS;
  const ways = others.flatMap((b) => undosOf(b, shape !== 'one').map((undoB) => ({ b, undoB })));
  const told = ways.flatMap((way) => [true, false].map((tells) => ({ ...way, tells })));
  return told.flatMap((way) => undosOf(a, true).map((undoA) => ({ shape, a, undoA, ...way })));
}

/** The moments of a case at which a call is under way; those at appends follow from its course. */
export function momentsUnderWay({ shape, a, b, tells }: Case): Moment[] {
  const sets: readonly (readonly CallName[])[] =
    shape === 'one'
      ? [['a']]
      : shape === 'beside'
        ? [['a'], ['b'], ['a', 'b']]
        : shape === 'restored'
          ? []
          : [['a'], ['b']];
  const flights: readonly Flight[] = tells ? FLIGHTS : ['replies', 'lost', 'unsent'];
  const leaves = (name: CallName) =>
    (name === 'a' ? a : b) !== 'gated' && (shape === 'beside' || name === 'a' || a !== 'gated');
  return sets.filter((under) => under.every(leaves)).flatMap((under) => flights.map((flight) => ({ under, flight })));
}
