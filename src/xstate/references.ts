/**
 * References to actors: a journal has their places in the system, and a machine that is put somewhere has the actors that are there now
 * (semantics.md §3, §11).
 */
import { type AnyActorRef, createActor, fromCallback } from 'xstate';
import { ACTOR_CODEC, type ActorCodec, ActorReference } from '../model/actor-reference.ts';
import { escapeSegment } from '../model/key.ts';
import type { ActorPlan } from '../runtime/restore-plan.ts';

/** An actor as far as its place matters. */
interface Placed {
  readonly id: string;
  readonly _parent?: Placed;
  getSnapshot(): { readonly children?: Readonly<Record<string, AnyActorRef | undefined>> } | undefined;
}

/** The actors of one run, by their places. */
export class ActorPlaces implements ActorCodec {
  readonly name = ACTOR_CODEC;
  #root: AnyActorRef | null = null;
  /** The actors of a restore that is under way: those that are put somewhere, that are made, and that stay. */
  readonly #made = new Map<string, AnyActorRef>();
  /** The places of those that are put somewhere: their snapshots still have the children of before, or are not there yet. */
  readonly #building = new Set<string>();
  #depth = 0;
  /** The settlements of values that refer to actors which were not made yet when they were put in place. */
  #owed: (() => void)[] = [];
  /** The places of actors that are gone, by the stopped actors that stand for them. */
  readonly #gone = new WeakMap<object, string>();
  /** The values that are known to hold no reference. A context is never changed in place (semantics.md §3), so they hold none for good. */
  readonly #free = new WeakSet<object>();

  /** Takes in the root of the run. */
  rootIs(root: AnyActorRef): void {
    this.#root = root;
  }

  is(value: object): boolean {
    if (value instanceof ActorReference || this.#gone.has(value)) return true;
    return isActor(value) && rootOf(value) === this.#root;
  }

  encode(value: object): string {
    if (value instanceof ActorReference) return value.place;
    return this.#gone.get(value) ?? placeOf(value as Placed);
  }

  decode(place: string): ActorReference {
    return new ActorReference(place);
  }

  /**
   * Runs a restore of an actor, in which new actors know each other at once. A value that refers to a later actor has
   * the actor when the outermost restore is over.
   */
  building<T>(self: AnyActorRef, build: () => T): T {
    this.#depth += 1;
    this.#building.add(placeOf(self));
    this.takeIn(self);
    try {
      return build();
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0) {
        for (const pay of this.#owed.splice(0)) pay();
        this.#made.clear();
        this.#building.clear();
      }
    }
  }

  /** Takes in an actor that a restore has made, or lets stay. */
  takeIn(ref: AnyActorRef): void {
    this.#made.set(placeOf(ref), ref);
  }

  /**
   * A value in which references are the present actors. Copies only values that hold a reference, and searches only
   * values that it has not searched.
   * @param later is called with the whole value once all actors are made; only if the value refers to an actor that
   * does not exist yet.
   */
  revived(value: unknown, later: (whole: unknown) => void): unknown {
    if (this.#isFree(value)) return value;
    let isWhole = true;
    const found = this.#revived(value, (place) => {
      const ref = this.#at(place);
      isWhole &&= ref !== undefined;
      return ref;
    });
    if (!isWhole) this.#owed.push(() => later(this.#settled(value)));
    return found;
  }

  /** An event, or another value that is handed to a machine: what refers to an actor that is no longer there refers to a stopped one. */
  settled<T>(value: T): T {
    return (this.#isFree(value) ? value : this.#settled(value)) as T;
  }

  /** The context of a plan; `later` as for {@link revived}. */
  contextOf({ context, since }: ActorPlan, later: (whole: unknown) => void): unknown {
    if (since !== undefined) this.#carryOver(context, since);
    return this.revived(context, later);
  }

  #settled(value: unknown): unknown {
    return this.#revived(value, (place) => this.#at(place) ?? this.#stopped(place));
  }

  #revived(value: unknown, find: (place: string) => AnyActorRef | undefined): unknown {
    if (!isSearched(value) || this.#free.has(value)) return value;
    if (value instanceof ActorReference) return find(value.place) ?? value;
    const inner = (member: unknown) => this.#revived(member, find);
    if (value instanceof Map) return new Map([...value].map(([name, member]) => [inner(name), inner(member)]));
    if (value instanceof Set) return new Set([...value].map(inner));
    let copy: Record<string, unknown> | undefined;
    for (const [name, member] of Object.entries(value)) {
      const now = inner(member);
      if (now === member) continue;
      copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
      copy[name] = now;
    }
    return copy ?? value;
  }

  /** The actor at a place; undefined where none is there. */
  #at(place: string): AnyActorRef | undefined {
    const made = this.#made.get(place);
    if (made !== undefined || place === '') return made ?? this.#root ?? undefined;
    const last = place.lastIndexOf('/');
    const around = last === -1 ? '' : place.slice(0, last);
    const parent = this.#building.has(around) ? undefined : this.#at(around);
    return parent && childAt(parent, place.slice(last + 1));
  }

  #stopped(place: string): AnyActorRef {
    const snapshot = { status: 'stopped', output: undefined, error: undefined, input: undefined };
    const id = place.slice(place.lastIndexOf('/') + 1);
    const nothing = fromCallback(() => {});
    const actor = createActor(nothing, { id, snapshot } as never);
    actor.stop();
    this.#gone.set(actor, place);
    return actor as unknown as AnyActorRef;
  }

  /** True where a value holds no reference. One that holds itself has come from no journal, and so holds none. */
  #isFree(value: unknown, around: Set<object> = new Set()): boolean {
    if (!isSearched(value) || this.#free.has(value) || around.has(value)) return true;
    if (value instanceof ActorReference) return false;
    around.add(value);
    const members = value instanceof Map ? [...value].flat() : value instanceof Set ? [...value] : Object.values(value);
    for (const member of members) if (!this.#isFree(member, around)) return false;
    this.#free.add(value);
    return true;
  }

  /** Changes that hold no reference leave a container that held none without one. */
  #carryOver(context: unknown, { context: before, edits }: NonNullable<ActorPlan['since']>): void {
    if (!edits.every((edit) => edit.op === 'delete' || this.#isFree(edit.value))) return;
    for (const { path } of edits) {
      let [old, now] = [before, context];
      for (const name of path) {
        if (!isRecord(old) || !isRecord(now)) break;
        if (this.#isFree(old)) this.#free.add(now);
        [old, now] = [old[name], now[name]];
      }
    }
  }
}

/** The ids on the way from the root to an actor: the root's own is none. */
function placeOf(ref: Placed | AnyActorRef): string {
  const ids: string[] = [];
  for (let at = ref as Placed; at._parent !== undefined; at = at._parent) ids.unshift(escapeSegment(at.id));
  return ids.join('/');
}

/** The child of an actor whose id a segment of a place is the text of. */
function childAt(ref: AnyActorRef, segment: string): AnyActorRef | undefined {
  const children = (ref as Placed).getSnapshot()?.children ?? {};
  if (!segment.includes('%')) return children[segment];
  return Object.entries(children).find(([id]) => escapeSegment(id) === segment)?.[1];
}

function rootOf(ref: Placed): unknown {
  let at = ref;
  while (at._parent !== undefined) at = at._parent;
  return at;
}

function isActor(value: object): value is Placed {
  return 'sessionId' in value && 'send' in value && 'ref' in value;
}

/** True for a value in which references are looked for, or that is one. */
function isSearched(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof ActorReference || value instanceof Map || value instanceof Set || isRecord(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
