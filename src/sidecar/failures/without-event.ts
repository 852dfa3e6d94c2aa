/**
 * The decision about an act on an event that was received (semantics.md ST3, ST4, ST7): its step is taken out of the past, what stands is judged with the new
 * version in its place, and an act that would come to stand without its cause blocks.
 */
import { positionBefore } from '../../history/registry.ts';
import { type Decision, isRestore, type Restore } from '../../model/decision.ts';
import type { Effect } from '../../model/effect.ts';
import type { Steers } from '../../model/entry.ts';
import { type InstanceId, instanceName, rootName } from '../../model/instance.ts';
import { overlaps } from '../../model/key.ts';
import type { Reason } from '../../model/veto.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import { withoutReceipt } from '../../recovery/decide.ts';
import { Effort, REPORTED_IN_RUN } from '../../recovery/effort.ts';
import type { Pieces } from '../../recovery/pieces.ts';
import type { Change, ChangedPaper, Difference } from '../paper/on-paper.ts';
import type { Raised, RunParts } from '../parts.ts';
import type { RecoveryQueries } from '../queries/recovery-queries.ts';
import { effectsStand } from '../queries/refused-questions.ts';

/** The parts of a run that such a decision reads. */
export interface Steered {
  readonly parts: Pick<RunParts, 'runState' | 'decisionPolicy'>;
  readonly queries: RecoveryQueries;
  /** The past of the run on paper with a change; null for a runtime that has no machine. */
  paperWith(change: Change): ChangedPaper | null;
}

/** The step that took an event, where it stands; undefined where none does. */
export function receiptAt({ places }: RunState, nth: number): RecordedStep | undefined {
  const [step] = places.between(nth - 1, nth);
  return step?.nth === nth && step.isOutside ? step : undefined;
}

/** The instance that an event is taken from: of those that its step is a part of, the first; null where it is part of none. */
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
  { act, event, step: nth }: Steers,
  beside: readonly string[],
): Pieces<Decision> {
  const { runState } = parts;
  const { history, places } = runState;
  const { failure } = raised;
  const step = receiptAt(runState, nth);
  const failed = failure.in === null ? undefined : history.registry.get(failure.in);
  const before = failed === undefined || step === undefined ? null : positionBefore(failed, step.act + 1);
  const paper = step === undefined ? null : paperWith({ step, event: act === 'revise' ? (event as object) : null });
  if (step === undefined || failed === undefined || before === null || paper === null)
    return effectsStand(parts, failure, []);
  const others = asksAnother(runState, step, paper.difference());
  const published = runState.publications.map(({ instance }) => instanceName(instance));
  const control = {
    places,
    suspects: new Set([...beside, ...published, ...others]),
    escapes: queries.escaping(),
    paper,
  };
  // That work is finished is no reason: who changes the words changes what was made of them. What is committed stays.
  const rules = { ...queries.rules(failure), joint: 'all' } as const;
  const decision = yield* withoutReceipt(history, failed, before, rules, {
    control,
    unavailable: queries.unavailable(raised),
    effort: new Effort(REPORTED_IN_RUN),
  });
  if (!isRestore(decision)) return decision;
  const committed = committedIn(runState, decision);
  if (committed.length > 0)
    return { ...effectsStand(parts, failure, []), refusals: [{ candidate: before, adds: committed }] };
  const left = leftOver(runState, decision, others);
  return left.length > 0 ? effectsStand(parts, failure, left) : decision;
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

/**
 * The names of the instances behind a step whose calls may ask something else, or may not come again: all of them where control goes another way; those that
 * the step itself begins where what they are given differs; those that have read a key which comes to have another value.
 */
function asksAnother({ places, history }: RunState, step: RecordedStep, difference: Difference | null): Set<string> {
  const names = new Set<string>();
  const behind = places.between(step.nth - 1, Number.POSITIVE_INFINITY);
  const isAll = difference === null || !difference.isSameWay;
  for (const { parties, entered, moves, nth } of behind) {
    const own = [...parties.map(({ name }) => name), ...entered, ...moves.map(rootName)];
    const isBegun = isAll || (nth === step.nth && !difference.isSameInput);
    for (const name of own) if (isBegun || hasReadAny(name)) names.add(name);
  }
  return names;

  function hasReadAny(name: string): boolean {
    const record = history.registry.named(name);
    if (record === undefined || difference === null || difference.keys.length === 0) return false;
    return history.versions.hasRead(record, (read) => difference.keys.some((key) => overlaps(read, key)));
  }
}

/** The idempotent acts that a restore would have asked again with another question, or never: a counterparty answers those from memory (ST7). */
function leftOver({ history }: RunState, { line, aside = [] }: Restore, others: ReadonlySet<string>): Effect[] {
  const apart = new Set(aside.map(({ instance }) => instanceName(instance)));
  return line.moves.flatMap(({ instance, keep }) => {
    const name = instanceName(instance);
    const record = history.registry.named(name);
    if (record === undefined || apart.has(name) || !others.has(name)) return [];
    const after = keep === 'none' ? 0 : keep.at;
    const effects = history.effects.of(record, after, history.head);
    return effects.filter(({ class: kind, status }) => kind === 'idempotent' && status !== 'failed');
  });
}
