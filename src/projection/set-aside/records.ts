/**
 * Records of work that was set aside (semantics.md C2-C6): all that a finished instance did, with the values that it
 * read. A record is invisible until a replay claims it. A replay claims it unchanged if every value that came from
 * outside the record is the same now.
 */

import type { LedgerCall } from '../../effects/ledger-call.ts';
import type { extentOf } from '../../history/extent.ts';
import { type Found, findIn } from '../../history/overlay.ts';
import type { Place, PlacedActor } from '../../history/places.ts';
import type { PlacedStep } from '../../history/step-lists.ts';
import { isSame } from '../../journal/value-codec.ts';
import { isExternal } from '../../model/external-keys.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import type { Key } from '../../model/key.ts';
import type { Region } from '../../model/region.ts';
import { split } from '../../model/region.ts';
import type { Started } from '../../model/step-entry.ts';
import type { RecordedStep, Timer } from '../state-types.ts';
import type { ContextReads } from './context-reads.ts';

/** A value that was read, as it was then. */
export interface ReadValue {
  readonly key: Key;
  /** The value in the context of the record's actor; for an external key, the version that was newest. */
  readonly saw: unknown;
  readonly of: 'memory' | 'version' | 'unknown';
}

/** One thing that a record holds, in the order in which it happened. */
type RecordItem =
  | { readonly is: 'step'; readonly step: RecordedStep; readonly reads: readonly ReadValue[] }
  | { readonly is: 'call'; readonly call: LedgerCall };

/** The record of an instance that was set aside. */
export interface WorkRecord {
  readonly id: InstanceId;
  /** The region without numbers of actors: where a replay finds it (C5). */
  readonly structure: string;
  readonly actor: number;
  readonly region: Region;
  /** The step that had entered it. */
  readonly entered: RecordedStep;
  /** The control of its region where it was entered: at another entry it is not claimed (C5). */
  readonly entry: string;
  /** Its reads when it was entered. */
  readonly first: readonly ReadValue[];
  readonly items: readonly RecordItem[];
  /** The names of the instances in it. */
  readonly members: ReadonlySet<string>;
  /** The actors that its last step started besides, the timers that it armed, and the events that it raised. */
  readonly next: {
    readonly event: unknown;
    readonly started: readonly Started[];
    /**
     * The numbers of those actors; recorded if a delayed event may be addressed to one: a claim starts new actors in
     * their places.
     */
    readonly numbers: readonly number[];
    readonly timers: readonly Timer[];
    readonly raised: readonly unknown[];
    /** The events that it sent to the parent of its machine. */
    readonly sent: readonly unknown[];
  };
  /** On whose account it was set aside: its policy says whose promises may be crossed. */
  readonly by: InstanceId | null;
}

/** The parts of a run that a record is made of. */
export interface Recordable {
  /** True where a step is retained. */
  readonly hasSteps: boolean;
  readonly places: {
    readonly actors: readonly PlacedActor[];
    within(inner: Region, outer: Region): boolean;
  };
  /** The calls of an instance whose intents lie between two numbers. */
  calls(name: string, after: number, upTo: number): readonly LedgerCall[];
  structureOf(region: Region): string;
  /** The contexts that were: what is asked for here is read once every record has asked. */
  readonly contexts: ContextReads;
  /** The identity of the newest version of a key outside, before a number, that none of some instances has written. */
  versionOf(key: Key, before: number, but: ReadonlySet<string>): unknown;
  enteredAt(name: string): number;
  /** The timers that a step armed. */
  armedBy(step: RecordedStep): readonly Timer[];
  /** The step of the same actor that follows. */
  nextOf(step: RecordedStep): RecordedStep | undefined;
  readonly account: InstanceId | null;
}

/** The key of a whole context. */
export const EVERYTHING: Key = { text: '**', segments: [], pattern: true };

/** The event of the step by which control comes behind a record that was claimed. */
export const CLAIMED = '@belay.claimed';

/**
 * Makes the record of a place, while everything still stands. Null where it is none: then its work is undone. The values that it read are in
 * it once `contexts` has read them.
 */
export function recordOf(
  run: Recordable,
  place: Place,
  extent: ReturnType<typeof extentOf<RecordedStep>>,
): WorkRecord | null {
  const { closed, id, region } = place;
  if (extent === null || closed === null) return null;
  const entered = place.entered as RecordedStep;
  const [actor, path] = split(region);
  const ids = new Set(extent.steps.flatMap(({ entry }) => (entry?.started ?? []).map((started) => started.id)));
  for (const started of entered.entry?.started ?? []) ids.add(started.id);
  const from = run.enteredAt(instanceName(id));
  const within = { actor, ids, members: extent.members };
  const saw = (
    keys: readonly Key[],
    step: RecordedStep,
    side: 'before' | 'after',
    at: number,
  ): readonly ReadValue[] => {
    const values: ReadValue[] = [];
    if (keys.length > 0)
      run.contexts.ask({ actor, step, side }, (context) => {
        values.push(...valuesIn(run, within, keys, context, at));
        return values.map(({ saw }) => saw);
      });
    return values;
  };
  const begins = readsIn(entered, new Set([instanceName(id)]));
  const last = closed as RecordedStep;
  const heard = (byItself: boolean) =>
    (last.leads as RecordedStep[])
      .filter((step) => !step.gone && step.ties.includes(last) && (step.actor === actor) === byItself)
      .map(({ entry }) => entry?.event);
  const lasts = [last, ...arrivalsAt(run, last)];
  const timers = lasts.flatMap((step) => run.armedBy(step)).filter(({ actor: of }) => of === actor);
  // Code of the state behind has made such an event, and it may tell anything, also where it is still to come: it is what it was where a claim
  // hands it on (K5, C5a).
  const tells = [...heard(true), ...heard(false), ...timers.map(({ event }) => event)].some(
    (event) => Object.keys(event ?? {}).length > 1,
  );
  const items: { at: number; item: RecordItem }[] = extent.steps.map((step) => {
    const own = [...readsIn(step, extent.members), ...(step === last && tells ? [EVERYTHING] : [])];
    // What the sender of an event inside may have seen stands first (PA10).
    const keys = step.isOutside ? [EVERYTHING, ...own] : own;
    const reads = step.actor === actor ? saw(keys, step, 'before', step.act + 1) : [];
    // The acts of a step follow the number at which the step begins: a call with the same number came before.
    return { at: step.act + 0.5, item: { is: 'step', step, reads } };
  });
  for (const name of extent.members)
    for (const call of run.calls(name, from, closed.to))
      items.push({ at: call.at as number, item: { is: 'call', call } });
  items.sort((a, b) => a.at - b.at);
  return {
    id,
    structure: run.structureOf(region),
    actor,
    region,
    entered,
    entry: JSON.stringify(partOf(entered.value, path) ?? null),
    first: saw(begins, entered, 'after', entered.to + 1),
    items: items.map(({ item }) => item),
    members: extent.members,
    next: {
      event: last.entry?.event ?? { type: '' },
      started: lasts.flatMap(({ entry }) => entry?.started ?? []),
      numbers: timers.some(({ to }) => to !== null) ? startedBy(run, lasts) : [],
      timers,
      // What it had sent with a delay comes by its timer.
      raised: heard(true).filter((event) => !timers.some((timer) => isEqual(timer.event, event))),
      sent: heard(false),
    },
    by: run.account,
  };
}

/** The values of keys that a record has read in a context, from outside of itself. */
function valuesIn(
  run: Recordable,
  { actor, ids, members }: { readonly actor: number; readonly ids: ReadonlySet<string> } & Pick<WorkRecord, 'members'>,
  keys: readonly Key[],
  context: unknown,
  before: number,
): ReadValue[] {
  const place = (path: readonly string[]) => findIn(context, path);
  return keys.flatMap((key): ReadValue[] => {
    if (isExternal(key)) return [{ key, of: 'version', saw: run.versionOf(key, before, members) }];
    if (key.segments[0] !== 'actor:') return [{ key, of: 'memory', saw: valueAt(place, key, false) }];
    const inner = key.segments[1];
    if (inner !== undefined && ids.has(inner)) return [];
    const own = run.hasSteps && actor !== 0;
    return own ? [{ key, of: 'memory', saw: valueAt(place, key, true) }] : [{ key, of: 'unknown', saw: null }];
  });
}

/** The numbers of the actors that steps started, in order. */
function startedBy({ places: { actors } }: Recordable, steps: readonly PlacedStep[]): number[] {
  return actors.flatMap(({ started }, number) => (started !== null && steps.includes(started) ? [number] : []));
}

/** Where the last step of an instance was claimed, control went on by a step of its own, which started what the last step had. */
function arrivalsAt(run: Recordable, last: RecordedStep): readonly RecordedStep[] {
  if (last.origins === null) return [];
  const next = run.nextOf(last);
  return (next?.entry?.event as { type?: unknown } | undefined)?.type === CLAIMED ? [next as RecordedStep] : [];
}

/** The keys that some instances read in a step. */
function readsIn({ entry }: RecordedStep, members: ReadonlySet<string>): Key[] {
  return (entry?.marks ?? []).flatMap((mark) => {
    const isRead = mark.do === 'read' || (mark.do === 'write' && mark.mode === 'update');
    return isRead && members.has(instanceName(mark.in)) ? [mark.key] : [];
  });
}

/** Tells what a context has at a place; undefined where nothing is there. */
type AtPlace = (path: readonly string[]) => Found | undefined;

/** True where a value that was read is the same in a context now. */
export function readsSame(read: ReadValue, place: AtPlace, version: (key: Key) => unknown): boolean {
  if (read.of === 'unknown') return false;
  if (read.of === 'version') return version(read.key) === read.saw;
  return isEqual(valueAt(place, read.key, read.key.segments[0] === 'actor:'), read.saw);
}

/** Stands for the value of a key that was not there. */
export const ABSENT = Symbol('absent');

/** The content of a context at a key: the value, or for a pattern every member that it fits, with its place. */
function valueAt(place: AtPlace, key: Key, ofActor: boolean): unknown {
  const segments = ofActor ? key.segments.slice(2) : key.segments;
  const first = segments.indexOf('*');
  if (first === -1) {
    const there = place(segments.map(unescaped));
    return there === undefined ? ABSENT : there.is;
  }
  const found: [string, unknown][] = [];
  const walk = (value: unknown, depth: number, path: readonly string[]): void => {
    const segment = segments[depth];
    if (segment === undefined) found.push([path.join('/'), value]);
    else if (typeof value !== 'object' || value === null) return;
    else if (segment === '*')
      for (const [name, inner] of Object.entries(value)) walk(inner, depth + 1, [...path, name]);
    else if (Object.hasOwn(value, segment))
      walk((value as Record<string, unknown>)[segment], depth + 1, [...path, segment]);
  };
  const around = segments.slice(0, first);
  walk(place(around)?.is, first, around);
  return found.sort(([a], [b]) => (a < b ? -1 : 1));
}

function unescaped(segment: string): string {
  if (segment === '%') return '';
  return segment.includes('%')
    ? segment.replace(/%u([0-9A-F]{4})|%([0-9A-F]{2})/g, (_, wide, narrow) =>
        String.fromCharCode(Number.parseInt(wide ?? narrow, 16)),
      )
    : segment;
}

/** True where two values are the same: those that are kept are shared, so that most are one. */
export function isEqual(a: unknown, b: unknown): boolean {
  return Object.is(a, b) || (a !== ABSENT && b !== ABSENT && isSame(a, b));
}

/** The part of a state value that is no region's at a path. */
export function besideOf(value: unknown, path: string): unknown {
  const [key = '', ...inner] = path.split('.');
  if (path === '' || typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
  const { [key]: part, ...others } = value as Record<string, unknown>;
  return inner.length === 0 ? others : { ...others, [key]: besideOf(part, inner.join('.')) };
}

/** The part of a state value that is a region's. */
export function partOf(value: unknown, path: string): unknown {
  let part = value;
  for (const key of path === '' ? [] : path.split('.'))
    part = typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[key] : undefined;
  return part;
}
