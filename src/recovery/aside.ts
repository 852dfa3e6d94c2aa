/**
 * Work that a cut sets aside instead of undoing it (semantics.md C2): finished, certified work that rests on nothing
 * that is undone. It crosses no promise and no effect, and nothing sees it until a replay claims it.
 */
import { type Extent, extentOf } from '../history/extent.ts';
import type { History } from '../history/history.ts';
import type { Pieces } from '../history/pieces.ts';
import type { Place, Places } from '../history/places.ts';
import type { InstanceRecord } from '../history/registry.ts';
import { isOpen } from '../model/effect.ts';
import { instanceName, ROOT } from '../model/instance.ts';
import { keptUpTo, type Placement } from './crossings.ts';
import { ALL_REPORTED, Effort } from './effort.ts';

/** The moves of a line. */
export type Moves = ReadonlyMap<InstanceRecord, Placement>;

interface Piece {
  readonly record: InstanceRecord;
  readonly place: Place;
  readonly extent: Extent;
}

/** The work that a cut sets aside. */
export interface SetAside {
  /**
   * Each instance that is set aside, with the outermost instance that takes it along; null for an outermost instance.
   */
  readonly instances: ReadonlyMap<InstanceRecord, InstanceRecord | null>;
  /**
   * True if an act of a region's root at an event belongs to the set: a root outlives the work that it has a part in.
   */
  holds(root: InstanceRecord, at: number): boolean;
}

/**
 * The work that lies beyond a cut and is set aside.
 * @param suspects the names of the instances that were found wrong, the failed one among them.
 */
export function* setAside(
  history: History,
  places: Places,
  moves: Moves,
  suspects: ReadonlySet<string>,
  effort = new Effort(ALL_REPORTED),
): Pieces<SetAside> {
  const pieces = new Map<InstanceRecord, Piece>();
  for (const [record, { keep }] of moves) {
    effort.visited += 1;
    if (effort.endsPiece) yield;
    const piece = keep === null ? pieceOf(history, places, record, moves, suspects) : null;
    if (piece === null) continue;
    effort.visited += piece.extent.steps.length;
    pieces.set(record, piece);
  }
  yield* withoutReaders(history, moves, pieces, effort);
  const holds = (root: InstanceRecord, at: number) =>
    [...pieces.values()].some((piece) => piece.extent.members.has(instanceName(root.id)) && covers(piece, at));
  return { instances: outermost(history, pieces), holds };
}

/** A finished, certified instance with nothing open and no suspect in it; null for any other. */
function pieceOf(
  history: History,
  places: Places,
  record: InstanceRecord,
  moves: Moves,
  suspects: ReadonlySet<string>,
): Piece | null {
  const place = places.of(instanceName(record.id));
  if (place === undefined || place.root || !place.certified) return null;
  const extent = extentOf(places, place);
  if (extent === null) return null;
  for (const name of extent.members) {
    if (suspects.has(name)) return null;
    const member = history.registry.named(name);
    if (member === undefined || member.id.skeleton === ROOT) continue;
    // Work that is kept cannot be taken along: the piece around it is undone.
    if (!moves.has(member)) return null;
    if (history.effects.hasOpen(member)) return null;
  }
  const from = record.entry.at;
  for (const name of extent.members) {
    const root = history.registry.named(name);
    if (root === undefined || root.id.skeleton !== ROOT) continue;
    const upTo = (place.closed as NonNullable<Place['closed']>).to;
    if (history.effects.of(root, from, upTo).some(({ status }) => isOpen(status))) return null;
  }
  return { record, place, extent };
}

/**
 * Removes each member that read undone work, until none is left: a reader of undone work is undone, too. Roots' writes
 * are no reason.
 */
function* withoutReaders(
  history: History,
  moves: Moves,
  pieces: Map<InstanceRecord, Piece>,
  effort: Effort,
): Pieces<void> {
  const within = new Map<string, Piece[]>();
  for (const piece of pieces.values()) {
    for (const name of piece.extent.members) {
      const around = within.get(name);
      if (around === undefined) within.set(name, [piece]);
      else around.push(piece);
    }
  }
  const covering = (record: InstanceRecord, at: number) =>
    (within.get(instanceName(record.id)) ?? []).filter((piece) => covers(piece, at));
  const isAside = (record: InstanceRecord) => covering(record, 0).some((piece) => pieces.has(piece.record));
  const undone = [...moves.keys()].filter((record) => record.id.skeleton !== ROOT && !isAside(record));
  const drop = (piece: Piece) => {
    if (!pieces.delete(piece.record)) return;
    for (const name of piece.extent.members) {
      const member = history.registry.named(name);
      if (member !== undefined && member.id.skeleton !== ROOT && !isAside(member)) undone.push(member);
    }
  };
  // Only what is set aside can be dropped.
  for (let writer = undone.pop(); writer !== undefined && pieces.size > 0; writer = undone.pop()) {
    const after = keptUpTo(moves.get(writer) ?? { keep: null, cause: null });
    for (const { by, at } of restingOn(history, writer, after)) {
      effort.visited += 1;
      covering(by, at).forEach(drop);
      if (effort.endsPiece) yield;
    }
  }
}

/**
 * The accesses that rest on the acts of an instance after an event: the reads of its writes, and every access of an
 * instance that it started (`at` 0).
 */
function* restingOn(
  history: History,
  writer: InstanceRecord,
  after: number,
): Generator<{ readonly by: InstanceRecord; readonly at: number }> {
  for (const { started, at } of writer.starts) if (at > after) yield { by: started, at: 0 };
  for (const write of history.versions.writesBetween(writer, after, history.head))
    for (const { reads, from, until } of history.versions.readsOf(write)) yield* reads.slice(from, until);
}

/**
 * True if an access by a member at an event belongs to a piece; 0: whenever it was. Roots outlive the pieces that they have a
 * part in.
 */
function covers({ record, place }: Piece, at: number): boolean {
  return at === 0 || (at > record.entry.at && at <= (place.closed?.to ?? 0));
}

function outermost(
  history: History,
  pieces: ReadonlyMap<InstanceRecord, Piece>,
): Map<InstanceRecord, InstanceRecord | null> {
  const inside = new Map<InstanceRecord, InstanceRecord>();
  const ordered = [...pieces.values()].sort((a, b) => b.extent.steps.length - a.extent.steps.length);
  for (const { record, extent } of ordered) {
    if (inside.has(record)) continue;
    for (const name of extent.members) {
      const member = history.registry.named(name);
      if (member !== undefined && member !== record && member.id.skeleton !== ROOT) inside.set(member, record);
    }
  }
  const aside = new Map<InstanceRecord, InstanceRecord | null>();
  for (const { record } of ordered) if (!inside.has(record)) aside.set(record, null);
  for (const [member, around] of inside) if (aside.has(around)) aside.set(member, around);
  return aside;
}
