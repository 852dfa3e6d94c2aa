/**
 * The answers of revalidated tools that a call rests on (semantics.md RV2): the dependences of K6 read backward, as `why` reads them (WH1), up to the acts
 * that stand. It follows more than `why` shows: an event from outside and an answer may be kept under a value that was computed of others.
 */
import type { LedgerCall } from '../effects/ledger-call.ts';
import type { Access } from '../history/key-tree.ts';
import type { PlacedStep } from '../history/step-lists.ts';
import { isSame } from '../journal/value-codec.ts';
import type { HistoryEvent } from '../model/event.ts';
import { isExternal } from '../model/external-keys.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { type Key, overlaps } from '../model/key.ts';
import { answeringChild, eventType } from '../model/reply-event.ts';
import { RESTART } from '../model/step-entry.ts';
import type { LookedAt } from './looks.ts';
import type { RunState } from './run-state.ts';
import type { ActorState, RecordedStep } from './state-types.ts';

/** True for a mark of a step that may be of a call which the step begins: what it reads, and what it may come to write outside. */
export function isOfCall(mark: HistoryEvent): boolean {
  return mark.do === 'read' || (mark.do === 'write' && mark.mode === 'append');
}

/** The step that made a call; null where the past does not have it. */
export function beganBy(runState: RunState, actor: number): RecordedStep | null {
  const { by } = runState.actor(actor);
  return by === null || by.gone ? null : (runState.places.stepAt(by.to) ?? null);
}

/** The reads of some work, by its name. */
export function readsOf(runState: RunState, name: string): readonly Access[] {
  return readsBetween(runState, name, -1, Number.POSITIVE_INFINITY);
}

function readsBetween({ history }: RunState, name: string, after: number, upTo: number): readonly Access[] {
  const record = history.registry.named(name);
  return record === undefined ? [] : history.versions.readsBetween(record, after, upTo);
}

/**
 * The reads of a call, as the step that began it and the restores that have started it again (R7) recorded them. In that step they stand behind all that
 * the step did before: behind its last mark that no call makes. @param actor the number of its actor.
 */
export function readsOfCall(runState: RunState, step: RecordedStep, actor: number, name: string): readonly Access[] {
  let [number, behind] = [step.act, step.act];
  for (const mark of step.entry?.marks ?? []) {
    if (mark.do !== 'enter') number += 1;
    if (!isOfCall(mark)) behind = number;
  }
  const again = restartsOf(runState, step, actor).flatMap(({ act, to }) => readsBetween(runState, name, act, to));
  return [...readsBetween(runState, name, behind, step.to), ...again];
}

/** The steps by which restores had a call read anew that they started again, in order. */
export function restartsOf(runState: RunState, began: PlacedStep, actor: number): PlacedStep[] {
  const { region, ended } = runState.actor(actor);
  if (region === null) return [];
  const upTo = ended === null || ended.gone ? Number.POSITIVE_INFINITY : ended.act;
  const since = runState.places.chain(region).between(began.act, upTo, 'act');
  return since.filter(({ entry }) => entry !== null && eventType(entry.event) === RESTART);
}

/** The keys that a step has read for a call and whose reads a restore has taken back: started again, the call is given what stands there now (R7). */
function lostReads(runState: RunState, step: RecordedStep, actor: number, name: string): readonly Key[] {
  const marks = step.entry?.marks ?? [];
  const behind = marks.slice(marks.findLastIndex((mark) => !isOfCall(mark)) + 1);
  const read = new Set(readsOfCall(runState, step, actor, name).map(({ key }) => key.text));
  return behind.flatMap((mark) =>
    mark.do === 'read' && instanceName(mark.in) === name && !read.has(mark.key.text) ? [mark.key] : [],
  );
}

/** The writes under a key that no later write covers, the newest first. */
export function standingWrites({ history: { versions } }: RunState, key: Key): readonly Access[] {
  // What a machine begins with is no write of a key.
  return [...versions.writersOf(key, Number.POSITIVE_INFINITY)].filter((write) => write.key.segments.length > 0);
}

/** The actor whose answer a step took; undefined where it took none. */
export function answeredBy({ family }: RunState, step: PlacedStep): ActorState | undefined {
  const child = answeringChild(eventType((step as RecordedStep).entry?.event));
  if (child === null) return undefined;
  const ended = family.endedBy(step as RecordedStep);
  return ended.findLast((actor) => actor.parent === step.actor && actor.started?.id === child);
}

/** An answer that a call rests on: the actor that was answered, and the write that keeps the answer. */
export interface ReliedRead {
  readonly actor: number;
  readonly write: Access;
}

/** The answers of revalidated tools that a call rests on, in the order of their writes. Costs the writes behind the answers found; nothing in a run without such answers. */
export function reliedReads(
  runState: RunState,
  { actor, instance }: { readonly actor: number; readonly instance: InstanceId },
): readonly ReliedRead[] {
  if (runState.looks.all.size === 0) return [];
  const walk = new Walk(runState);
  const name = instanceName(instance);
  const began = beganBy(runState, actor);
  if (began === null) walk.follow(readsOf(runState, name));
  else {
    walk.follow(readsOfCall(runState, began, actor, name));
    for (const key of lostReads(runState, began, actor, name)) walk.followWrites(standingWrites(runState, key));
  }
  return newestAnswers(
    runState,
    walk.found.sort((a, b) => a.write.at - b.write.at),
  );
}

/** Drops each answer that a later one to the same question was written over: the later one is what is known (RV2). */
function newestAnswers({ looks }: RunState, found: readonly ReliedRead[]): readonly ReliedRead[] {
  let groups: { readonly read: ReliedRead; readonly keys: readonly Key[] }[] = [];
  for (const read of found) {
    const { tool, args } = looks.all.get(read.actor) as LookedAt;
    const isOver = ({ read: older, keys }: (typeof groups)[number]) => {
      const asked = looks.all.get(older.actor) as LookedAt;
      return asked.tool === tool && isSame(asked.args, args) && keys.some((key) => overlaps(key, read.write.key));
    };
    const over = groups.filter(isOver);
    const keys = [read.write.key, ...over.flatMap((group) => group.keys)];
    groups = [...groups.filter((group) => !over.includes(group)), { read, keys }];
  }
  return groups.map(({ read }) => read);
}

class Walk {
  readonly found: ReliedRead[] = [];
  readonly #runState: RunState;
  readonly #met = new Set<Access>();
  /** Of each key the read that was followed last, and the newest write before it. */
  readonly #followed = new Map<string, { readonly from: number; readonly upTo: number }>();

  constructor(runState: RunState) {
    this.#runState = runState;
  }

  follow(first: readonly Access[]): void {
    // The newest first: a read then finds the writes of an older read of its key among its own.
    const reads = [...first].sort((a, b) => a.at - b.at);
    for (let read = reads.pop(); read !== undefined; read = reads.pop()) {
      const isOut = isExternal(read.key);
      const writes = this.#writersOf(read);
      for (const each of this.#behindAll(writes.filter(({ key }) => !isOut || isExternal(key)))) {
        const place = reads.findLastIndex(({ at }) => at <= each.at);
        reads.splice(place + 1, 0, each);
      }
    }
  }

  /** The writes that a read depends on; none where a read of the same key that was followed before depends on the same. */
  #writersOf({ key, at }: Access): readonly Access[] {
    const known = this.#followed.get(key.text);
    if (known !== undefined && at > known.from && at <= known.upTo) return [];
    const writes = [...this.#runState.history.versions.writersOf(key, at)];
    this.#followed.set(key.text, { from: writes[0]?.at ?? -1, upTo: at });
    return writes;
  }

  followWrites(writes: readonly Access[]): void {
    this.follow(this.#behindAll(writes));
  }

  #behindAll(writes: readonly Access[]): readonly Access[] {
    return writes.flatMap((write) => {
      if (this.#met.has(write)) return [];
      this.#met.add(write);
      return this.#behind(write);
    });
  }

  /** The reads that a write rests on. */
  #behind(write: Access): readonly Access[] {
    const step = this.#runState.places.stepAt(write.at);
    if (step === undefined) return [];
    const name = instanceName(write.by.id);
    const own = readsBetween(this.#runState, name, step.act, write.at - 1);
    const actor = step.isOutside ? undefined : answeredBy(this.#runState, step);
    if (actor === undefined) return own;
    if (this.#runState.looks.all.has(actor.number)) this.found.push({ actor: actor.number, write });
    // What an act has done is the world's word: what it was decided on is used up (RV2).
    if (isActed(this.#runState.ledger.ofActor(actor.number))) return [];
    const began = beganBy(this.#runState, actor.number);
    return began === null ? own : [...own, ...readsOfCall(this.#runState, began, actor.number, name)];
  }
}

function isActed(call: LedgerCall | undefined): boolean {
  return call !== undefined && call.repeats === null && !['none', 'idempotent'].includes(call.intent.class);
}
