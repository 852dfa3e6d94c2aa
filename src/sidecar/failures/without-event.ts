/**
 * The decision about an act on a received event (semantics.md ST3, ST4, ST7): the event's step is taken out of the
 * past, the standing work is judged with the new version in its place, and an act that would stand without its cause
 * blocks.
 */

import type { LedgerCall } from '../../effects/ledger-call.ts';
import { readDependence } from '../../history/dependencies.ts';
import type { Access } from '../../history/key-tree.ts';
import type { Pieces } from '../../history/pieces.ts';
import { type InstanceRecord, positionBefore } from '../../history/registry.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { type Decision, isRestore, type Restore } from '../../model/decision.ts';
import { type Effect, isOpen } from '../../model/effect.ts';
import type { Begun, Steers } from '../../model/entry.ts';
import { type InstanceId, instanceName, ROOT, rootName } from '../../model/instance.ts';
import { overlaps } from '../../model/key.ts';
import { turnIn } from '../../model/turn-event.ts';
import type { Dependence, Reason } from '../../model/veto.ts';
import { keysBegunAnew } from '../../projection/begin-anew.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import type { ChangedPaper } from '../../recovery/cut.ts';
import { withoutReads, withoutReceipt } from '../../recovery/decide.ts';
import { Effort, REPORTED_IN_RUN } from '../../recovery/effort.ts';
import type { Change, Raised, RunParts } from '../parts.ts';
import type { RecoveryQueries } from '../queries/recovery-queries.ts';
import { effectsStand } from '../queries/refused-questions.ts';
import { enteredPaper } from './entered.ts';

/** The parts of a run that such a decision reads. */
export interface Steered {
  readonly parts: Pick<RunParts, 'runState' | 'decisionPolicy'>;
  readonly queries: RecoveryQueries;
  /** The past of the run on paper with a change; null for a runtime that has no machine. */
  paperWith(change: Change): ChangedPaper | null;
}

/** The step that took an event; undefined if no such step stands. */
export function receiptAt({ places }: RunState, nth: number): RecordedStep | undefined {
  const [step] = places.between(nth - 1, nth);
  return step?.nth === nth && step.isOutside ? step : undefined;
}

/**
 * The instance that an act takes the event from: the first one with a part in the event's step; null if there is none.
 */
export function receiverOf({ history }: RunState, { parties, moves }: RecordedStep): InstanceId | null {
  const names = [...parties.map(({ name }) => name), ...moves.map(rootName)];
  for (const name of names) {
    const record = history.registry.named(name);
    if (record !== undefined) return record.id;
  }
  return null;
}

/** Decides about an act on an event that was received, in pieces. It changes nothing. */
export function* decidedWithout(
  { parts, queries, paperWith }: Steered,
  raised: Raised,
  { act, event, step: nth, begun }: Steers,
  beside: readonly string[],
): Pieces<Decision> {
  const { runState } = parts;
  const { history, places } = runState;
  const { failure } = raised;
  const step = begun === undefined ? receiptAt(runState, nth) : (places.first ?? undefined);
  const failed = failure.in === null ? undefined : history.registry.get(failure.in);
  const before = failed === undefined || step === undefined ? null : positionOf(failed, step, begun);
  const paper =
    step === undefined
      ? null
      : paperOf({ runState, paperWith }, raised, { step, event: act === 'revise' ? (event as object) : null });
  if (step === undefined || failed === undefined || before === null || paper === null)
    return effectsStand(parts, failure, []);
  const effort = new Effort(REPORTED_IN_RUN);
  const byHand = new Set(raised.undone);
  const met = yield* paper.met(effort);
  const others = leftBehind(runState, step, met, byHand);
  // A call that was undone by hand is made again, whatever its arguments.
  const again = [...byHand].flatMap((key) => runState.ledger.get(key)?.intent.instance ?? []);
  const lost = begun === undefined ? null : lostReads(runState, step, begun);
  // A call of a program has read all of its input (LP3): the paper says which of them meet the same.
  const readers = (raised.met === undefined ? (lost ?? []) : []).flatMap(([{ by }]) =>
    by.id.skeleton === ROOT ? [] : [instanceName(by.id)],
  );
  const published = runState.publications.map(({ instance }) => instanceName(instance));
  const control = {
    places,
    suspects: new Set([...[...beside, ...published, ...others.keys(), ...readers], ...again.map(instanceName)]),
    escapes: queries.escaping(),
    ...{ byHand, paper },
  };
  // Finished work is no reason against it: its sender changes the event and what was made of it. Commits stay.
  const rules = { ...queries.rules(failure), joint: 'all' } as const;
  const around = { control, unavailable: queries.unavailable(raised), effort };
  const decision = yield* lost === null
    ? decidedInPlace({ history, places, failed, before, step, isRevised: act === 'revise' }, rules, around)
    : withoutReads(history, failed, lost, rules, around);
  if (!isRestore(decision)) return decision;
  const left = [...leftOver(decision, others), ...leftWithoutPlace({ parts, queries }, step, decision, byHand)];
  // The counterparties of unknown acts are asked first: an act that has not happened does not block.
  const unknown = left.filter(({ status }) => isOpen(status));
  const adds: Reason[] = [
    ...committedIn(runState, decision),
    ...unknown.map((effect) => ({ code: 'effect_outcome_unknown' as const, effect })),
  ];
  if (adds.length > 0) return { ...effectsStand(parts, failure, []), refusals: [{ candidate: before, adds }] };
  return left.length > 0 ? effectsStand(parts, failure, left) : decision;
}

/** The past in which an act on an event is decided. */
interface InPlace extends Pick<RunState, 'history' | 'places'> {
  readonly failed: InstanceRecord;
  readonly before: Checkpoint;
  readonly step: RecordedStep;
  readonly isRevised: boolean;
}

/**
 * Decides with the event's step out of the past. Work that has read the event may not begin again behind the event's
 * place: its calls would be made before the new version is received. So the step that entered such work goes too (ST3).
 */
function* decidedInPlace(
  { history, places, failed, before, step, isRevised }: InPlace,
  rules: Parameters<typeof withoutReceipt>[3],
  around: Around,
): Pieces<Decision> {
  const entering = new Set<RecordedStep>();
  const { control } = around;
  for (;;) {
    const paper = withoutSteps(control.paper, entering);
    const decision = yield* withoutReceipt(history, failed, before, rules, {
      ...around,
      control: { ...control, paper },
    });
    if (!isRevised || !isRestore(decision)) return decision;
    const known = entering.size;
    for (const at of restartsBefore(decision, step)) {
      const entered = places.between(step.nth, Number.POSITIVE_INFINITY).find(({ to }) => to >= at);
      if (entered !== undefined) entering.add(entered);
    }
    if (entering.size === known) return decision;
  }
}

/** The inputs of a decision about an act. */
type Around = Parameters<typeof withoutReceipt>[4] & {
  readonly control: { readonly paper: ChangedPaper };
};

/** The positions behind an event's place at which work that has read the event would begin again. */
function restartsBefore({ line, failed }: Restore, { act }: RecordedStep): number[] {
  const receiver = instanceName(failed);
  return line.moves.flatMap(({ keep, cause }) => {
    const isReader = cause?.kind === 'read' && instanceName(cause.producer) === receiver;
    return isReader && keep !== 'none' && keep.at > act ? [keep.at] : [];
  });
}

/** The same past, of which some steps are not kept. */
function withoutSteps(paper: ChangedPaper, lost: ReadonlySet<RecordedStep>): ChangedPaper {
  return {
    reads: (read) => paper.reads(read),
    looks: (step) => paper.looks(step),
    met: (effort) => paper.met(effort),
    *judge(undone, effort) {
      const kept = [...lost].filter((step) => !undone.has(step));
      return kept.length > 0 ? kept : yield* paper.judge(undone, effort);
    },
  };
}

/** The past on paper with a change, of a program or of a machine. */
function paperOf(
  { runState, paperWith }: Pick<Steered, 'paperWith'> & { readonly runState: RunState },
  { met }: Raised,
  change: Change,
): ChangedPaper | null {
  return met === undefined ? paperWith(change) : enteredPaper(runState, change.step, met);
}

/** The position that an act puts the receiver of its event back to: another input alone puts nothing back. */
function positionOf(receiver: InstanceRecord, { act }: RecordedStep, begun: Begun | undefined): Checkpoint | null {
  return begun === undefined ? positionBefore(receiver, act + 1) : receiver.entry;
}

/** The reads of keys that the first step of the run now writes differently. */
function lostReads({ history, places }: RunState, { to }: RecordedStep, begun: Begun): [Access, Dependence][] {
  const keys = keysBegunAnew(places, begun);
  const lost: [Access, Dependence][] = [];
  for (const write of history.versions.writesUpTo(to))
    for (const { reads, from, until } of history.versions.readsOf(write))
      for (const read of reads.slice(from, until))
        if (keys.some((key) => overlaps(key, read.key))) lost.push([read, readDependence(write, read)]);
  return lost;
}

/** The commits that a restore would take back (ST7). */
function committedIn({ history }: RunState, { line, failed }: Restore): Reason[] {
  return line.moves.flatMap(({ instance, keep, cause }) => {
    const committed = history.registry.get(instance)?.committed ?? null;
    const isOwn = instanceName(instance) === instanceName(failed);
    if (isOwn || committed?.kind !== 'commit' || cause === null || (keep !== 'none' && keep.at >= committed.at))
      return [];
    return [{ code: 'committed_consumers_present' as const, dependence: cause, committed }];
  });
}

/** The acts behind a step whose calls are not made again with the same arguments, by the names of their instances. */
function leftBehind(
  { history, ledger, places }: RunState,
  step: RecordedStep,
  met: ReadonlySet<number>,
  byHand: ReadonlySet<string>,
): ReadonlyMap<string, readonly Effect[]> {
  const left = new Map<string, readonly Effect[]>();
  const names = new Set<string>();
  for (const { parties, entered, moves } of places.between(step.nth - 1, Number.POSITIVE_INFINITY))
    for (const name of [...parties.map((party) => party.name), ...entered, ...moves.map(rootName)]) names.add(name);
  for (const name of names) {
    const record = history.registry.named(name);
    const effects = record === undefined ? [] : history.effects.of(record, step.act, history.head);
    const others = effects.filter(({ id, status }) => {
      if (id !== null && byHand.has(id)) return false;
      const actor = id === null ? undefined : ledger.get(id)?.intent.actor;
      return status !== 'failed' && status !== 'compensated' && (actor === undefined || !met.has(actor));
    });
    if (others.length > 0) left.set(name, others);
  }
  return left;
}

/**
 * The acts behind a step whose work was taken back before and that no replay has taken over yet, if their cause goes
 * now (ST7): a replay may call with other arguments, or never come.
 */
function leftWithoutPlace(
  { parts: { runState }, queries }: Pick<Steered, 'parts' | 'queries'>,
  { nth, firstStarted, outside }: RecordedStep,
  { line }: Restore,
  byHand: ReadonlySet<string>,
): Effect[] {
  const { history, received } = runState;
  const moved = new Set(line.moves.map(({ instance }) => instanceName(instance)));
  // The input of a turn that came again has no number of its first receipt.
  const since = turnIn(outside) === null ? (received.takenBy(nth)?.since ?? firstStarted) : 0;
  const isLost = ({ intent }: LedgerCall) => {
    const name = instanceName(intent.instance);
    return moved.has(name) || history.registry.named(name) === undefined;
  };
  return displacedSince(runState, since, byHand)
    .filter(isLost)
    .map(({ key, intent }) => queries.effectOf(key, intent.instance));
}

/**
 * The acts that would lose their cause if a waiting event were changed or retracted (ST7): the event was received
 * before, a restore took the receipt back with the work behind it, and no replay has taken the acts over yet. Without a
 * receipt, no past on paper tells which acts would be made again.
 */
export function leftByWaiting(
  { parts: { runState }, queries }: Pick<Steered, 'parts' | 'queries'>,
  { name, event, isTakenBack }: { readonly name: string; readonly event: unknown; readonly isTakenBack: boolean },
  undone: readonly string[] = [],
): Effect[] {
  const since = turnIn(event) !== null && isTakenBack ? 0 : (runState.received.get(name)?.since ?? null);
  if (since === null) return [];
  return displacedSince(runState, since, new Set(undone)).map(({ key, intent }) =>
    queries.effectOf(key, intent.instance),
  );
}

/** The displaced acts that may stand, of the actors from a number on, but for those that were undone by hand. */
function displacedSince({ ledger }: RunState, since: number, byHand: ReadonlySet<string>): LedgerCall[] {
  const mayStand = ({ status, discarded }: LedgerCall) => (status === 'confirmed' || isOpen(status)) && !discarded;
  return ledger.displaced().filter((call) => call.intent.actor >= since && mayStand(call) && !byHand.has(call.key));
}

/**
 * The idempotent acts of a restore that would be asked something else, or never come again: a counterparty answers from memory (ST7). A call that is
 * held back, at its gate or for a commit, has none yet.
 */
function leftOver({ line, aside = [] }: Restore, others: ReadonlyMap<string, readonly Effect[]>): Effect[] {
  const apart = new Set(aside.map(({ instance }) => instanceName(instance)));
  return line.moves.flatMap(({ instance, keep }) => {
    const name = instanceName(instance);
    const after = keep === 'none' ? 0 : keep.at;
    const effects = apart.has(name) ? [] : (others.get(name) ?? []);
    return effects.filter(
      ({ class: kind, status, at }) => kind === 'idempotent' && status !== 'buffered' && at > after,
    );
  });
}
