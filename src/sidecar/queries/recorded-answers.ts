/** Recorded answers of calls: which were found wrong, and which stand though their work is undone (semantics.md C10). */

import { isAskedAgain, type LedgerCall } from '../../effects/ledger-call.ts';
import { isSame } from '../../journal/value-codec.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import { overlaps, parseKey } from '../../model/key.ts';
import { answeringChild } from '../../model/reply-event.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { RecordedStep } from '../../projection/state-types.ts';

/** An instance; without an ordinal, any occurrence of it. */
export type Occurrence = Pick<InstanceId, 'skeleton' | 'entity'> & { readonly ordinal?: number | undefined };

/** Recorded answers that were found wrong. */
export interface SuspectAnswers {
  readonly keys: readonly string[];
  /** True where it is known that it was that answer, and not another of the same work. */
  readonly isSure: boolean;
}

/**
 * The calls of an instance after a position whose recorded answers were found wrong: those that wrote the suspect key, or any where no
 * key says which (C10). The name of an act is a key that the call itself writes.
 */
export function wrongAnswers(
  runState: RunState,
  id: InstanceId,
  suspect: string | null,
  after: number,
): SuspectAnswers {
  const { ledger, history } = runState;
  const name = instanceName(id);
  // Without a key, also suspects calls of the earlier epoch that the replay has not repeated.
  const lost = suspect === null ? lostCalls(runState, id).filter(isAskedAgain) : [];
  const placed = ledger.between(name, after, history.head).filter(({ status }) => status === 'confirmed');
  const own = [...placed, ...lost];
  const acted = own.filter(({ act, repeats }) => act !== null && act === suspect && repeats === null);
  if (acted.length > 0) return { keys: acted.map(({ key }) => key), isSure: true };
  const wrote = suspect === null ? null : callsThatWrote(runState, id, suspect);
  const isMeant = ({ key, decides }: LedgerCall) =>
    wrote === null || wrote.keys.has(key) || !(decides ? wrote.isAnswered : wrote.isRecorded);
  const keys = own.filter(isMeant).map(({ key }) => key);
  return { keys, isSure: wrote?.isRecorded === true && wrote.keys.size === 1 };
}

/**
 * The calls of work that is undone, that stand in the world and whose answers its replay would be served; without an ordinal, of
 * any.
 */
export function lostCalls(runState: RunState, { skeleton, entity, ordinal }: Occurrence): LedgerCall[] {
  return runState.ledger.lost().filter(({ status, wrong, intent: { instance } }) => {
    const isMeant = instance.skeleton === skeleton && instance.entity === entity;
    return isMeant && status === 'confirmed' && wrong === null && (ordinal ?? instance.ordinal) === instance.ordinal;
  });
}

/** The calls whose answers wrote a suspect key. */
interface Writers {
  readonly keys: ReadonlySet<string>;
  /** True where each of its writes was the answer of a call of the ledger. */
  readonly isRecorded: boolean;
  /** True where each was the answer of a call, also of one that the ledger does not have: no decision that wrote something else is meant (WH3). */
  readonly isAnswered: boolean;
}

function callsThatWrote(runState: RunState, id: InstanceId, suspect: string): Writers {
  const { history } = runState;
  const record = history.registry.get(id);
  const key = parseKey(suspect);
  const writes =
    record === undefined ? [] : history.versions.writesOf(record).filter((each) => overlaps(each.key, key));
  const actors = writes.map((write) => answering(runState, runState.places.stepAt(write.at)));
  const calls = actors.map((actor) => actor && runState.ledger.ofActor(actor.number));
  return {
    keys: new Set(calls.flatMap((call) => call?.key ?? [])),
    isRecorded: !calls.includes(undefined),
    // The end of a child machine may rest on any call of that machine.
    isAnswered: actors.every((actor, nth) => calls[nth] !== undefined || actor?.begun === false),
  };
}

/** The call whose answer a step took; undefined where the step took none, or was claimed. */
function answerOf(runState: RunState, step: RecordedStep | undefined): LedgerCall | undefined {
  const actor = answering(runState, step);
  return actor === undefined ? undefined : runState.ledger.ofActor(actor.number);
}

/** The actor whose answer a step took; undefined where the step took no answer. */
function answering({ family }: RunState, step: RecordedStep | undefined) {
  const child = answeringChild((step?.entry?.event as { type?: unknown } | undefined)?.type);
  if (step === undefined || child === null) return undefined;
  return family
    .endedBy(step)
    .findLast((other) => other.parent === step.actor && other.started?.id === child && other.ended === step);
}

/**
 * The call that made the act whose answer is found wrong where a call has repeated it (ON4): the answer that wrote at a position, or the
 * last one of an instance where none is given. Undefined for the answer of a call of its own, and once the
 * act was made again.
 */
export function repeatedAct(runState: RunState, id: InstanceId, at: number | 'last'): LedgerCall | undefined {
  const { ledger } = runState;
  const answer = answerAt(runState, instanceName(id), at);
  const first = ledger.get(answer?.repeats ?? '');
  return answer !== undefined && first !== undefined && isSame(answer.output, first.output) ? first : undefined;
}

/**
 * The calls that made the acts which work that is gone has repeated, each once: of all its calls where a key is suspect, as no write is left that
 * says which answer it was, else of the last. Without those whose act was made again.
 */
export function repeatedByGone(runState: RunState, id: InstanceId, suspect: string | null): LedgerCall[] {
  const { ledger } = runState;
  const gone = goneBack(runState, instanceName(id));
  const meant = suspect === null ? gone.slice(-1) : gone;
  const acts = meant.flatMap(({ repeats, output }) => {
    const first = ledger.get(repeats ?? '');
    return first !== undefined && isSame(output, first.output) ? [first] : [];
  });
  return [...new Set(acts)];
}

function answerAt(runState: RunState, name: string, at: number | 'last'): LedgerCall | undefined {
  const wrote = at === 'last' ? undefined : runState.places.stepAt(at);
  // The value of an event from outside is of no answer.
  if (wrote?.entry?.outside === true) return undefined;
  // Another value that no answer wrote may have come of any answer before it: the node of a graph writes its values at its end.
  const step = answering(runState, wrote) === undefined ? lastAnswered(runState, name) : wrote;
  if (step !== undefined) return answeredIn(runState, name, step);
  return at === 'last' ? goneBack(runState, name).at(-1) : undefined;
}

/** True where a position was written by the answer of a call. */
export function isAnswer(runState: RunState, at: number): boolean {
  return answering(runState, runState.places.stepAt(at)) !== undefined;
}

/** True where work has made an act of its own, which stands, or stood until it was undone. */
export function hasActed({ ledger }: RunState, id: InstanceId): boolean {
  const name = instanceName(id);
  return [...ledger.all()].some(({ repeats, intent }) => repeats === null && instanceName(intent.instance) === name);
}

/**
 * The step of an instance that took its last answer; undefined where nothing of it that stands was answered. The answer that led to it is not its own.
 * A step of a graph that takes an answer writes nothing that others see, so that no position is its own.
 */
function lastAnswered(runState: RunState, name: string): RecordedStep | undefined {
  const { places } = runState;
  const entered = places.of(name)?.entered;
  const steps = places.stepsOf(name, 0, Number.POSITIVE_INFINITY).filter((step) => step !== entered);
  return steps.findLast((step) => answering(runState, step) !== undefined);
}

/** The call of an instance whose answer a step took. */
function answeredIn(runState: RunState, name: string, step: RecordedStep): LedgerCall | undefined {
  const src = answering(runState, step)?.started?.src;
  // Where its work was claimed, the call is not one of the actor that is there now.
  const claimed = () => runState.ledger.between(name, 0, step.act).findLast(({ intent }) => intent.tool === src);
  return answerOf(runState, step) ?? claimed();
}

/** The calls of work that is undone, or set aside: a repetition is kept by no record of what stands in the world. */
function goneBack({ ledger }: RunState, name: string): LedgerCall[] {
  return [...ledger.all()].filter(({ at, intent }) => at === null && instanceName(intent.instance) === name);
}
