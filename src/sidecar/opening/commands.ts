/** The commands that a caller gives to a run that is open. */

import { parseTime } from '../../boundaries/page/time.ts';
import type { ApprovalRequest, GuardedRequest } from '../../effects/gates.ts';
import { cancelIn, cancelMessage } from '../../effects/messages/cancels.ts';
import { mandateIn, mandateMessage, revokeIn, revokeMessage } from '../../effects/messages/mandates.ts';
import { outcomeIn, outcomeMessage } from '../../effects/messages/outcomes.ts';
import { pauseIn, pauseMessage } from '../../effects/messages/pauses.ts';
import { type SaidSteer, sentSteer } from '../../effects/messages/steers.ts';
import { type Journal, JournalError } from '../../journal/journal.ts';
import { ANYTHING, NAME, OBJECT, oneOf, optional, refuseOther, shape, TEXT } from '../../model/argument.ts';
import type { Signal } from '../../model/failure.ts';
import type { MandateTerms } from '../../model/mandate-entries.ts';
import { eventsOf, type RunEvent } from '../../reports/events.ts';
import type { ActorHandle } from '../../runtime/microstep.ts';
import { type AbortPreview, endedError, previewAbort } from '../aborting/preview-abort.ts';
import { requestsOf } from '../approvals/request.ts';
import type { SteerAnswer } from '../failures/steering.ts';
import type { Waited } from '../lifecycle/status.ts';
import type { Ending } from '../report.ts';
import { complain, type FoundWrong } from '../run/complain.ts';
import { isAnswer } from '../run/owing.ts';
import { type ComplaintPreview, type PreviewedComplaint, previewComplaint, previewSteer } from '../run/preview.ts';
import { lookedRest, type RunRest } from '../run/rest.ts';
import type { Run } from '../run/run.ts';
import { closeRun } from './closing.ts';

/** The words about an act on an event. */
type SteerWord = Pick<SaidSteer, 'by' | 'why' | 'base' | 'id'>;
type ReviseWord = SteerWord & Pick<Extract<SaidSteer, { readonly revise: string }>, 'from' | 'later' | 'undoneByHand'>;
type RetractWord = SteerWord & Pick<Extract<SaidSteer, { readonly retract: string }>, 'later' | 'undoneByHand'>;

/** The commands to a run that is open. */
export interface RunCommands {
  /** The end of the run, or its standstill; asked again after it was set going again. */
  finished(): Promise<Ending>;
  readonly status: Run['status'];
  /** The parties that the run waits for where nothing of it moves by itself, those first who have to move now (LC4). */
  readonly waitsFor: readonly Waited[];
  /**
   * Complains that work was found wrong without an error of a tool (F1): the instance, and the key among its writes. A
   * caller who does not know the occurrence leaves the ordinal out; if there are several, the answer is
   * `ambiguous_instance`.
   *
   * The work that the run is parked on stays found wrong, too. With `instead`, the complaint replaces all complaints
   * that the run is parked on: they were mistakes. A complaint with an ordinal replaces one without; duplicates are
   * ignored.
   * @throws SidecarError `bad_failure`, `run_finished`, `stuck`.
   */
  fail(signal: Signal, suspect: FoundWrong): Promise<void>;
  /**
   * Previews the answer that `fail` would give now for the same arguments: the decision, the instances that stand, go
   * back or are set aside, the effects undone in the world, and the blockers. Nothing moves: no entry is written,
   * nothing is called, no budget is charged.
   * @throws as `fail`.
   */
  preview(what: { readonly fail: PreviewedComplaint }): Promise<ComplaintPreview>;
  /** Tells what an act on an event would come to in the same way. @throws as `revise`. */
  preview(what: SaidSteer): Promise<SteerAnswer>;
  /**
   * The events that the run was sent from outside, each with its present content: the input first, then in the order of
   * taking.
   */
  events(): readonly RunEvent[];
  /**
   * Revises an event from its beginning (ST2): the machine goes through the past after the event again, on paper, with
   * the new members. Work that does not rest on them stands. Work that rests on them is done again; effects of its
   * first time are undone before. An act that would be left without its cause refuses the revision, and then nothing
   * moves.
   * @param name the name of the event, as `events()` lists it.
   * @param to the members of the event from here on, without its type.
   * @param how `from: 'here'` sends a new event that names the old one, and moves nothing of the past; `later` names
   * events of the same sender that still hold.
   * @returns the outcome; a refusal is an answer, too.
   * @throws SidecarError `event_unknown`, `run_finished`; JournalError `journal_closed`; TypeError for members that no
   * journal holds.
   */
  revise(name: string, to: Readonly<Record<string, unknown>>, how?: ReviseWord): Promise<SteerAnswer>;
  /** Says that an event was never sent (ST2). @returns and @throws as `revise`. */
  retract(name: string, how?: RetractWord): Promise<SteerAnswer>;
  /** Says that an event which waits since its sender has seen something else still holds: it is received as soon as a state takes it. @throws as `revise`. */
  confirm(name: string, how?: SteerWord): Promise<SteerAnswer>;
  /**
   * Previews a cancel with `undo`, as if said now and if every undo worked: the calls that would be undone, in their
   * order, the calls that would stand, and the calls with an unknown outcome. Nothing moves, and no counterparty is
   * asked.
   * @throws SidecarError `run_finished` if the run has ended.
   */
  preview(what: { readonly undo: true }): Promise<AbortPreview>;
  /**
   * Settles a call (E2), by its key, and decides the parked questions again. If the run relies on a call that was
   * undone by hand (`compensated`), the run goes back to before that call, or parks until it can (E8).
   * With the name of an obligation, `KEY#1`, it says that the obligation was `kept`, is `released`, or is `broken` (OB4);
   * a person has to say so.
   * @param word the person who settles it, and the reason: the journal keeps it beside the outcome.
   * @throws SidecarError `bad_settlement` where the journal or the counterparty knows better, the call is under way, no
   * call has the key, or the tool cannot give such an output; `run_finished` where the run has ended with a call that
   * was undone by hand.
   */
  settle(
    key: string,
    status: 'confirmed' | 'failed' | 'compensated' | 'kept' | 'released' | 'broken',
    output?: unknown,
    word?: { readonly by: string; readonly why?: string },
  ): Promise<void>;
  /**
   * Hands over the answer of a call whose act a person has made by hand (PE5): one that waits for its approval, that failed and
   * that the run is parked on, or whose outcome is unknown. The call itself never leaves any more, and a person undoes the act.
   * @throws SidecarError `not_suppliable`; `bad_settlement` where no call has the key, or the tool gives no such output;
   * TypeError where no person says so.
   */
  supply(key: string, output: unknown, word: { readonly by: string; readonly why?: string }): Promise<void>;
  /**
   * Says that a call stands whose undo an abort owes (AB4): nothing undoes it, and the end names it.
   * @throws SidecarError `bad_settlement` where no undo of it is owed; TypeError where no person says so.
   */
  stand(key: string, word: { readonly by: string; readonly why?: string }): Promise<void>;
  /** The questions that wait for a person. */
  gates(): readonly ApprovalRequest[];
  /** The same with the tool, its arguments, and the reason why a person is asked: enough for a message to the person who is to answer. */
  requests(): readonly GuardedRequest[];
  /**
   * Answers a gate that asks for an approval.
   * @param answer who says so, and why. `with`: what an approval changes in the arguments, in their form; the config says which
   * parts (`gate.edits`, PE1).
   * @returns why the answer is refused, or null: no request asks for it, it was answered before, or it is void.
   */
  answer(
    gate: string,
    verdict: 'approved' | 'denied',
    answer: { readonly by: string; readonly why?: string; readonly with?: unknown },
  ): Promise<string | null>;
  /** Asks the counterparties of all calls whose outcome is open, and then the parked questions again. */
  reconcile(): Promise<void>;
  /**
   * Tries the steps again that threw and that the run is parked on, from the whole past: their code was put right, or the limit of the runtime is
   * another one by now.
   * @throws SidecarError `not_advised` where none threw, or something is found wrong; `stuck`.
   */
  retry(word: { readonly by: string; readonly why?: string }): Promise<void>;
  /**
   * Has the run stand still: nothing leaves and nothing is decided, but for an undo or a publication that had begun; what comes waits (LC10).
   * `finished()` tells `paused`, and no process takes the run up before `unpause`.
   * @throws SidecarError `not_advised` where it is paused already, or a person is ending it; `run_finished`; TypeError where no person says so.
   */
  pause(word: { readonly by: string; readonly why?: string }): Promise<void>;
  /** Has a paused run go on. @throws SidecarError `not_advised` where it is not paused; `run_finished`; TypeError where no person says so. */
  unpause(word: { readonly by: string; readonly why?: string }): Promise<void>;
  /**
   * Gives the run a mandate, which takes the place of the one before: what has waited for one goes on (MD5). A mandate that the run was given before is
   * refused, and so is one whose time is over.
   * @throws SidecarError `mandate_refused`; `run_finished`; TypeError where the terms are none.
   */
  mandate(terms: MandateTerms, word?: { readonly why?: string }): Promise<void>;
  /**
   * Withdraws the mandate of the run: from that entry on, nothing leaves that changes the world, but for undos and the commits that were decided (MD4).
   * @param word `id`: the mandate that is meant; left out, the one that the run is under.
   * @throws SidecarError `mandate_refused` where the run is under no mandate, or under another one; `run_finished`; TypeError where no person says so.
   */
  revoke(word: { readonly by: string; readonly why?: string; readonly id?: string }): Promise<void>;
  /**
   * Ends the run: nothing of it acts anew, what is under way is waited for, and it has ended once nothing is unknown. What it has done stands (F3).
   * Resolves once the word is durable; `finished()` tells `cancelled`.
   *
   * With `undo`, what it has done is undone in reverse dependency order, and what stands is named (AB1–AB8): `finished()` tells `compensated` once
   * nothing is unknown and nothing owed, `stuck` while an undo is owed, `parked` while an outcome is.
   * @throws SidecarError `not_advised` where a person ends it by now; `run_finished`; TypeError where no person says so.
   */
  cancel(word: { readonly by: string; readonly why?: string; readonly undo?: boolean }): Promise<void>;
  /** Starts the run over, where a decision advised it. @throws SidecarError `not_advised` where none did. */
  rerun(): Promise<void>;
  /**
   * Looks for messages, and says if anything of the run is under way in this process, and from when it can go on by itself: a run that is
   * idle can be closed, and goes on in any process.
   */
  rest(): RunRest;
  /** Resolves once everything that happened so far is durable. */
  durable(): Promise<void>;
  /**
   * Stops the actor, makes everything durable, and gives the run back. It can be resumed.
   * @param how `drain`: how long calls under way are waited for first, in milliseconds or as `10s`; not at all, if left out.
   * @throws RangeError where that is no time.
   */
  close(how?: { readonly drain?: number | string }): Promise<void>;
}

function closedError({ parts }: Run): JournalError {
  const text = `The sidecar of run ${JSON.stringify(parts.run)} was closed, and nothing was done. Resume the run, and say it again.`;
  return new JournalError('journal_closed', text);
}

/** The time that a drain lasts, in milliseconds. @throws RangeError where that is no time. */
function drainTime(drain: number | string): number {
  const longest = typeof drain === 'string' ? parseTime(drain) : drain;
  if (!(longest >= 0 && longest <= 2 ** 31 - 1)) throw new RangeError(`"${drain}" is no time to wait for`);
  return longest;
}

/** The commands about the past of a run: previews, and the events of it. */
function aboutThePast(
  run: Run,
  commanded: () => void,
): Pick<RunCommands, 'preview' | 'events' | 'revise' | 'retract' | 'confirm'> {
  const steered = async (said: SaidSteer) => {
    commanded();
    return run.recovering.steering.say(sentSteer(said));
  };
  return {
    preview: (async (what: { readonly fail: PreviewedComplaint } | { readonly undo: true } | SaidSteer) => {
      commanded();
      if ('undo' in what) return abortPreviewOf(run);
      if ('fail' in what) return previewComplaint(run, what.fail);
      run.holdTurns(null);
      return previewSteer(run, sentSteer(what));
    }) as RunCommands['preview'],
    events: () => eventsOf(run.runState),
    revise: (name, to, how = {}) => steered({ revise: name, to, ...how }),
    retract: (name, how = {}) => steered({ retract: name, ...how }),
    confirm: (name, how = {}) => steered({ confirm: name, ...how }),
  };
}

/** @throws SidecarError `run_finished`. */
function abortPreviewOf({ parts, queries }: Run): AbortPreview {
  if (parts.runState.ended !== null) throw endedError(parts.runState.ended);
  return previewAbort(parts, queries);
}

async function cancelled({ heard }: Run, said: Parameters<RunCommands['cancel']>[0]): Promise<void> {
  refuseOther('cancel', { word: [said, OBJECT] });
  const { by, why, undo = false } = said;
  const word = cancelIn(cancelMessage({ by, why: why ?? null, ...(undo && { undo }) }));
  if (word !== null) await heard.sayCancel(word);
}

async function mandated({ mandates }: Run, ...[terms, word]: Parameters<RunCommands['mandate']>): Promise<void> {
  const { why = null } = word ?? {};
  const sent = mandateIn(mandateMessage({ mandate: terms, why }));
  if (sent !== null) await mandates.say(sent);
}

async function revoked({ mandates }: Run, said: Parameters<RunCommands['revoke']>[0]): Promise<void> {
  refuseOther('revoke', { word: [said, OBJECT] });
  const { by, why, id } = said;
  const sent = revokeIn(revokeMessage({ revoke: id ?? null, by, why: why ?? null }));
  if (sent !== null) await mandates.say(sent);
}

async function stands({ recovering }: Run, key: string, said: Parameters<RunCommands['stand']>[1]): Promise<void> {
  refuseOther('stand', { key: [key, NAME], word: [said, OBJECT] });
  const { by, why } = said;
  const word = outcomeIn(outcomeMessage({ settle: key, status: 'stands', by, why: why ?? null }));
  if (word !== null) await recovering.standEffect(key, word.by, word.why);
}

/** A person's word. */
const WORD = shape<{ readonly by: string; readonly why?: string }>('who says so, as { by, why }', {
  by: NAME,
  why: optional(TEXT),
});
const APPROVAL = shape<{ readonly by: string; readonly why?: string; readonly with?: unknown }>(
  'who says so, as { by, why, with }',
  { by: NAME, why: optional(TEXT), with: ANYTHING },
);
const VERDICT = oneOf('approved', 'denied');

async function answered(run: Run, ...[gate, verdict, said]: Parameters<RunCommands['answer']>): Promise<string | null> {
  refuseOther('answer', { gate: [gate, NAME], verdict: [verdict, VERDICT], answer: [said, APPROVAL] });
  const { by, why = null } = said;
  const refused = run.approvals.answer(gate, { verdict, by, why, ...(said.with !== undefined && { with: said.with }) });
  await run.write.durable();
  return refused;
}

async function supplied({ recovering }: Run, ...[key, output, said]: Parameters<RunCommands['supply']>): Promise<void> {
  refuseOther('supply', { key: [key, NAME], word: [said, WORD] });
  const { by, why } = said;
  const word = outcomeIn(outcomeMessage({ settle: key, status: 'supplied', output, by, why: why ?? null }));
  if (word === null) return;
  await recovering.supplyEffect(key, output, () => {
    return { do: 'settled', post: null, key, status: 'supplied', by: word.by, why: word.why, refused: null };
  });
}

async function settled(
  { recovering, owing }: Run,
  ...[key, status, output, said]: Parameters<RunCommands['settle']>
): Promise<void> {
  if (isAnswer(status)) {
    refuseOther('settle', { word: [said, WORD] });
    const word = outcomeIn(outcomeMessage({ settle: key, status, by: said?.by ?? '', why: said?.why ?? null }));
    return word === null ? undefined : owing.answer(key, { as: status, by: word.by, why: word.why });
  }
  if (said === undefined) return recovering.settleEffect(key, status, output);
  refuseOther('settle', { word: [said, WORD] });
  const { by, why = null } = said;
  return recovering.settleEffect(key, status, output, () => ({
    do: 'settled',
    post: null,
    key,
    status,
    by,
    why,
    refused: null,
  }));
}

async function retried({ pauses, recovering, write }: Run, said: Parameters<RunCommands['retry']>[0]): Promise<void> {
  refuseOther('retry', { word: [said, WORD] });
  pauses.refuseWhilePaused();
  await recovering.retrying.retry({ by: said.by, why: said.why ?? null, post: null });
  await write.durable();
}

/** The commands to a run, whose root is there. */
export function commandsOf(run: Run, root: ActorHandle, journal: Journal): RunCommands {
  let isClosed = false;
  let closing: Promise<void> | null = null;
  /** A command is refused or has an effect: nothing is said to a sidecar that has given its run back. */
  const commanded = () => {
    if (isClosed) throw closedError(run);
  };
  const then =
    <Given extends readonly unknown[]>(act: (...given: Given) => Promise<void>) =>
    async (...given: Given) => {
      commanded();
      await act(...given);
    };
  const paused = async (pause: boolean, said: Parameters<RunCommands['pause']>[0]) => {
    commanded();
    refuseOther(pause ? 'pause' : 'unpause', { word: [said, OBJECT] });
    const { by, why } = said;
    const word = pauseIn(pauseMessage({ pause, by, why: why ?? null }));
    if (word !== null) await run.pauses.say(word);
  };
  return {
    finished: () => run.recovering.finished,
    get status() {
      return run.status;
    },
    get waitsFor() {
      return run.parts.lifecycle.waitsFor;
    },
    async fail(signal, suspect) {
      commanded();
      await complain({ ...run.parts, recovering: run.recovering, complaints: run.complaints }, signal, suspect);
      await run.write.durable();
    },
    ...aboutThePast(run, commanded),
    settle: then((key, status, output, word) => settled(run, key, status, output, word)),
    supply: then((key, output, word) => supplied(run, key, output, word)),
    stand: then((key, word) => stands(run, key, word)),
    gates: () => run.runState.asked.pending(),
    requests: () => requestsOf(run.parts),
    async answer(gate, verdict, said) {
      commanded();
      return answered(run, gate, verdict, said);
    },
    async reconcile() {
      commanded();
      run.pauses.refuseWhilePaused();
      await run.recovering.reconcile();
      await run.recovering.askAgain();
    },
    retry: then((said) => retried(run, said)),
    pause: (word) => paused(true, word),
    unpause: (word) => paused(false, word),
    cancel: then((word) => cancelled(run, word)),
    mandate: then((terms, word) => mandated(run, terms, word)),
    revoke: then((word) => revoked(run, word)),
    async rerun() {
      commanded();
      run.pauses.refuseWhilePaused();
      await run.recovering.rerun();
    },
    rest: () => lookedRest(run),
    durable: async () => void (await run.write.durable()),
    async close({ drain = 0 } = {}) {
      const longest = drainTime(drain);
      if (longest > 0) await run.drain(longest);
      isClosed = true;
      closing ??= closeRun(run, root, journal);
      await closing;
    },
  };
}
