/**
 * Leaves work for the workers of a store, from any process: runs to begin, events, and the answers of people. It holds no run and needs no
 * agent; what it leaves is durable on return.
 */
import type { GuardedRequest } from '../effects/gates.ts';
import { cancelMessage } from '../effects/messages/cancels.ts';
import { complaintMessage, type SentComplaint } from '../effects/messages/complaints.ts';
import { mandateId, mandateIn, mandateMessage, revokeMessage } from '../effects/messages/mandates.ts';
import type { SentOutcome } from '../effects/messages/outcomes.ts';
import { pauseMessage } from '../effects/messages/pauses.ts';
import { retryMessage } from '../effects/messages/retries.ts';
import { type SaidSteer, type SteerAct, sentSteer, steerMessage } from '../effects/messages/steers.ts';
import type { MandateTerms } from '../model/mandate-entries.ts';

export type {
  AttemptGroup,
  Attempts,
  AttemptsRequest,
  FollowedRow,
  FollowOptions,
  Fork,
  ForkRequest,
  Kept,
  SteerAct,
  SteerAnswer,
  WorkResult,
};

import { eventMessage, type SentEvent, sentIn } from '../effects/messages/sent-events.ts';
import { encode } from '../journal/codec.ts';
import { gathered } from '../journal/gathered.ts';
import { JournalError, type JournalStore, type Posted } from '../journal/journal.ts';
import { STORE } from '../journal/store-argument.ts';
import { isSame, type ValueCodec } from '../journal/value-codec.ts';
import { refuseOther } from '../model/argument.ts';
import type { Signal } from '../model/failure.ts';
import { parseKey } from '../model/key.ts';
import type { Guards } from '../predicates/compile.ts';
import { pendingRequests } from '../reports/approval-requests.ts';
import { subjectOf } from '../reports/complaint-subject.ts';
import { eventsOf, type RunEvent } from '../reports/events.ts';
import type { FollowedRow } from '../reports/followed.ts';
import { messageNamed, messagesOf, type RunMessage } from '../reports/messages.ts';
import { whyNoRetry } from '../reports/no-retry.ts';
import { parseRunNote } from '../reports/run-note.ts';
import { isOver } from '../reports/run-status.ts';
import { timelineOf } from '../reports/timeline.ts';
import { type AttemptGroup, groupOf, type Kept, keepAttempt, termsOf } from '../sidecar/attempts/group.ts';
import { configOf } from '../sidecar/opening/config.ts';
import { type Attempts, type AttemptsRequest, forkAttempts } from '../sidecar/opening/fork-attempts.ts';
import { type Fork, type ForkRequest, forkRun } from '../sidecar/opening/fork-run.ts';
import { type EnteredProgram, HANDED_OUT } from '../sidecar/opening/handed-out.ts';
import { previewAbortOf, previewRun, previewSteerOf } from '../sidecar/opening/preview-run.ts';
import type { Agent } from '../xstate/agent.ts';
import {
  type AbortPreview,
  abortPreviewOf,
  type ComplaintPreview,
  type PreviewedComplaint,
  previewOf,
  type SteerAnswer,
  steerPreviewOf,
} from '../xstate/preview.ts';
import { answered, refuseEnded, settledByKey } from './answering.ts';
import { deleteEnded } from './deleting.ts';
import { type FollowOptions, followed } from './follow.ts';
import type { ProgramAgent } from './program-agent.ts';
import { resultOf, type WorkResult } from './result.ts';

/** The queue of runs that name none. */
export const QUEUE = 'default';

/** A person who answers. */
export interface Answerer {
  readonly by: string;
  readonly why?: string;
}

/** Work that was found wrong after all (C12). */
export interface LaterFailure extends Answerer {
  readonly signal: Signal;
  /** The unit of work; the ordinal may be left out where there is only one. */
  readonly instance: SentComplaint['instance'];
  /** The key that was found wrong. Without it the work goes back to its newest usable checkpoint, which may be at its end: then all of it stands. */
  readonly key?: string;
  /** True where it takes the place of all complaints that the run is parked on. */
  readonly instead?: boolean;
}

/** The agent of a run that is previewed: its machine or its program, and the path or the content of its config. */
export type PreviewAgent = (Pick<Agent, 'machine'> | Pick<ProgramAgent, 'program' | 'said'>) & PreviewConfig;

interface PreviewConfig {
  readonly config: Parameters<typeof previewOf>[1]['config'];
  /** Conditions in code that the config names by digest. */
  readonly guards?: Guards;
  /** Codecs of values that have no form of their own in a journal. */
  readonly codecs?: readonly ValueCodec[];
}

/** An approval request of a run. */
export interface RunRequest extends GuardedRequest {
  readonly run: string;
  readonly agent: string | null;
}

/** The client of a store. */
export interface WorkClient {
  /**
   * Leaves a run for workers. With a mandate, it acts under that one (MD1); its agent has the option `mandate: 'required'`, so that nothing leaves before the
   * mandate is there.
   * @returns false where the same request was left before.
   * @throws JournalError `run_exists` where the run is there with another agent, input or queue.
   */
  start(request: {
    readonly run: string;
    readonly agent: string;
    readonly input?: unknown;
    readonly queue?: string;
    readonly mandate?: MandateTerms;
  }): Promise<boolean>;
  /**
   * Leaves an event for a run. It is sent once, in the state that it meets or in the state `at`; what the machine does not take is refused,
   * and its journal says so. With an `id`, the same event sent again is the first message (CH2). With `seen`, the values that its sender was shown by
   * their keys in the context, it is refused where any is another by then (CH5).
   * @returns the number of the message.
   * @throws TypeError for an event that no run may be sent; JournalError `message_differs` where another event has the id.
   */
  send(
    run: string,
    event: SentEvent['event'] | string,
    how?: {
      readonly at?: string;
      readonly by?: string;
      readonly id?: string;
      readonly seen?: Readonly<Record<string, unknown>>;
    },
  ): Promise<number>;
  /**
   * Tells what has become of a message, by its number or by the id of its sender; null where there is none.
   * @throws JournalError `run_unknown`.
   */
  outcome(run: string, message: number | string): Promise<RunMessage | null>;
  /** The messages of a run, each with its fate. @throws JournalError `run_unknown`. */
  messages(run: string): Promise<readonly RunMessage[]>;
  /**
   * Says that work of a run was found wrong, as it stands now: undone or done again since, the complaint is refused, and the journal of the
   * run says so.
   * @returns the number of the message.
   * @throws JournalError `run_unknown`; RangeError where the run has ended, or no such work was ever begun; TypeError for what is no complaint.
   */
  fail(run: string, failure: LaterFailure): Promise<number>;
  /**
   * Tells what `fail` would come to, from the journal of the run and the machine and config of its agent: nothing is left for the run, and nothing is
   * called. It is about the run as its journal has it; messages that the run has not read are not in it.
   * @throws JournalError `run_unknown`; SidecarError as `fail` of the process that has the run: `bad_failure`, `run_finished`, `stuck`; `other_agent`,
   * `machine_changed` or `config_changed` where the agent is not as the run was journaled under.
   */
  preview(run: string, what: { readonly fail: PreviewedComplaint }, agent: PreviewAgent): Promise<ComplaintPreview>;
  /** Tells what an act on an event would come to in the same way. @throws as the preview of a complaint, and SidecarError `event_unknown`. */
  preview(run: string, what: SaidSteer, agent: PreviewAgent): Promise<SteerAnswer>;
  /**
   * Tells what a cancel with `undo` would come to, were every undo to work: nothing is left for the run, and nothing is called.
   * @throws as the preview of a complaint.
   */
  preview(run: string, what: { readonly undo: true }, agent: PreviewAgent): Promise<AbortPreview>;
  /**
   * Ends a run: nothing of it acts anew, and it has ended once nothing is unknown. What it has done stands; with `undo`, it is undone in reverse
   * dependency order, and what stands is named (AB1–AB8).
   * @returns the number of the message.
   * @throws JournalError `run_unknown`; RangeError where the run has ended; TypeError where no person says so.
   */
  cancel(run: string, answer: Answerer & { readonly undo?: boolean }): Promise<number>;
  /**
   * Has a run stand still: nothing leaves before a person has it go on (LC10). The process that has it obeys within a second, and no other takes it
   * up. A word that changes nothing is refused by the run, and its journal says so.
   * @returns the number of the message.
   * @throws as `cancel`.
   */
  pause(run: string, answer: Answerer): Promise<number>;
  /** Has a paused run go on. @returns the number of the message. @throws as `cancel`. */
  unpause(run: string, answer: Answerer): Promise<number>;
  /**
   * Gives a run a mandate, which takes the place of the one before (MD1). One that the run refuses is named in its journal: `outcome` tells.
   * @returns the number of the message.
   * @throws as `cancel`; TypeError where the terms are none.
   */
  mandate(run: string, terms: MandateTerms, word?: { readonly why?: string }): Promise<number>;
  /** Withdraws the mandate of a run: nothing leaves any more that changes the world, but for undos (MD4). @returns the number of the message. @throws as `cancel`. */
  revoke(run: string, answer: Answerer & { readonly id?: string }): Promise<number>;
  /** Withdraws a mandate from every run of the store that is under it. @returns the runs, each with the number of its message. */
  revokeAll(id: string, answer: Answerer): Promise<readonly { readonly run: string; readonly post: number }[]>;
  /**
   * Has the steps tried again that threw and that the run is parked on, by the process that has it or takes it next (TH2). Heard while something comes
   * before them, it is refused, and the journal of the run says so.
   * @returns the number of the message.
   * @throws JournalError `run_unknown`; RangeError where the run is parked on no step that threw, or something comes first (TH5); TypeError for a blank name.
   */
  retry(run: string, answer?: Partial<Answerer>): Promise<number>;
  /**
   * Tells the rows of a run as they become durable, each once and in order, whichever process has it: none is left out over a death. A restore names the
   * rows of the steps that it takes back. It ends with the run, with its deletion, or with `signal`.
   * @param how `after`: the seq of the last row that is known.
   * @throws JournalError `run_unknown`, once it is asked for the first row.
   */
  follow(run: string, how?: FollowOptions): AsyncIterable<FollowedRow>;
  /** The events that a run was sent from outside, with what each says now. @throws JournalError `run_unknown`. */
  events(run: string): Promise<readonly RunEvent[]>;
  /**
   * Leaves an act on an event for a run: it is revised, retracted, or confirmed by its sender (ST2). The run carries it out as a whole or refuses it, and its
   * journal says which: `outcome` tells.
   * @returns the number of the message.
   * @throws JournalError `run_unknown`; RangeError where the run has ended; TypeError where the act is none.
   */
  steer(run: string, act: SteerAct, answer: Answerer): Promise<number>;
  /**
   * Makes a run with the past of another one, which `resume` takes up, or a worker (FK1 to FK5).
   * @throws SidecarError `fork_refused`; JournalError `run_unknown`, `run_exists`, `rows_archived`; TypeError where no person wants it.
   */
  fork(run: string, wish: ForkRequest): Promise<Fork>;
  /**
   * Makes several forks of one row, of which one will be kept. Each waits at its end, and before a call that cannot be undone
   * (FK7, FK8). The same request again answers with the attempts that are there.
   * @throws as `fork`; TypeError for a bad number of attempts, score or deadline.
   */
  forkAttempts(run: string, wish: AttemptsRequest): Promise<Attempts>;
  /** The attempts of the group that an attempt belongs to, as they are now. @throws JournalError `run_unknown`; SidecarError `keep_refused` for any other run. */
  attempts(run: string): Promise<AttemptGroup>;
  /**
   * Keeps an attempt; the others are aborted with their undos (FK9). The first word holds; to say the same again finishes what a chooser that died has left.
   * @throws SidecarError `keep_refused`; JournalError `run_unknown`, `inbox_full`; TypeError without the name of a person.
   */
  keep(run: string, answer: Answerer): Promise<Kept>;
  /**
   * Deletes a run that has ended, or was cancelled, and owes nothing: for good, with its messages and its request. Its name can be used again.
   * @returns the reason why it stays; null where it is gone.
   * @throws JournalError `run_unknown`; `journal_corrupt`: what cannot be read is not deleted.
   */
  delete(run: string): Promise<string | null>;
  /** Tells how far a run is, its output, and what it has left at its end. @throws JournalError `run_unknown`. */
  result(run: string): Promise<WorkResult>;
  /**
   * The approval requests of a run, or of all runs of the store, that wait for a person: with the tool, the arguments, and the reason why a person is asked.
   * @throws JournalError `run_unknown`.
   */
  requests(of?: { readonly run?: string; readonly agent?: string }): Promise<readonly RunRequest[]>;
  /**
   * Approves a call that waits, by the id of its request. `with` changes its arguments, in their form, where the config lets a person (PE1). Of a request for a
   * branch, `with` is its name (AL13).
   * @throws JournalError `run_unknown`; RangeError where no request has that id.
   */
  approve(run: string, gate: string, answer: Answerer & { readonly with?: unknown }): Promise<number>;
  /** Denies a call that waits. @throws as `approve`. */
  deny(run: string, gate: string, answer: Answerer): Promise<number>;
  /** Says what became of a call whose outcome is unknown. @throws as `approve`. */
  settle(
    run: string,
    gate: string,
    outcome: { readonly status: 'confirmed' | 'failed'; readonly output?: unknown },
    answer: Answerer,
  ): Promise<number>;
  /**
   * Says what became of a call by its key, as `belay show` prints it, hours later and whether or not a person was asked. The run holds it against its journal and
   * its counterparty: a word that comes twice, or that either contradicts, is refused, and its journal says so.
   * @returns the number of the message.
   * @throws JournalError `run_unknown`; RangeError where the run has ended, or no call has the key; TypeError where no person says so.
   */
  settleKey(
    run: string,
    key: string,
    outcome: { readonly status: SentOutcome['status']; readonly output?: unknown },
    answer: Answerer,
  ): Promise<number>;
  /** Hands over the answer of a call whose act a person has made by hand (PE5). @returns and @throws as `settleKey`. */
  supply(run: string, key: string, output: unknown, answer: Answerer): Promise<number>;
}

/**
 * Makes a client of a store.
 * @example
 * import { memoryStore } from 'belay-sidecar';
 * import { workClient } from 'belay-sidecar/workers';
 *
 * const client = workClient(memoryStore());
 * assert.equal(await client.start({ run: 'order-1', agent: 'order', input: { item: 'tea' } }), true);
 * assert.equal(await client.start({ run: 'order-1', agent: 'order', input: { item: 'tea' } }), false);
 * assert.deepEqual(await client.result('order-1'), { is: 'left' });
 */
export function workClient(store: JournalStore): WorkClient {
  refuseOther('workClient', { store: [store, STORE] });
  return {
    start: (request) => started(store, request),
    mandate: async (run, terms, { why } = {}) => said(store, run, mandateMessage({ mandate: terms, why: why ?? null })),
    revoke: async (run, { by, why, id }) =>
      said(store, run, revokeMessage({ revoke: id ?? null, by, why: why ?? null })),
    revokeAll: (id, answer) => revokedAll(store, id, answer),
    send: (run, event, how = {}) => sent(store, run, typeof event === 'string' ? { type: event } : event, how),
    outcome: async (run, message) => messageNamed(await messagesIn(store, run), message) ?? null,
    messages: (run) => messagesIn(store, run),
    fail: (run, failure) => failed(store, run, failure),
    preview: ((run, what, agent) => previewed(store, run, what, agent)) as WorkClient['preview'],
    cancel: async (run, { by, why, undo = false }) =>
      said(store, run, cancelMessage({ by, why: why ?? null, ...(undo && { undo }) })),
    pause: async (run, { by, why }) => said(store, run, pauseMessage({ pause: true, by, why: why ?? null })),
    unpause: async (run, { by, why }) => said(store, run, pauseMessage({ pause: false, by, why: why ?? null })),
    retry: (run, answer = {}) => retried(store, run, answer),
    follow: (run, how) => followed(store, run, how),
    events: async (run) => eventsOf(timelineOf(await gathered(store.read(run))).runState),
    steer: async (run, act, { by, why }) =>
      said(store, run, steerMessage(sentSteer({ ...act, by, ...(why !== undefined && { why }) }))),
    fork: (run, wish) => forkRun(store, run, wish),
    forkAttempts: (run, wish) => forkAttempts(store, run, wish),
    attempts: async (run) => groupOf(store, await termsOf(store, run)),
    keep: (run, answer) => keepAttempt(store, run, answer),
    delete: (run) => deleteEnded(store, run),
    result: (run) => resultOf(store, run),
    requests: (of = {}) => requestsIn(store, of),
    approve: (run, gate, { with: change, ...answer }) =>
      answered(store, run, gate, { verdict: 'approved', ...(change !== undefined && { with: change }) }, answer),
    deny: (run, gate, answer) => answered(store, run, gate, { verdict: 'denied' }, answer),
    supply: (run, key, output, answer) => settledByKey(store, run, key, { status: 'supplied', output }, answer),
    settleKey: (run, key, outcome, answer) => settledByKey(store, run, key, outcome, answer),
    settle: (run, gate, outcome, answer) => answered(store, run, gate, { verdict: 'settled', ...outcome }, answer),
  };
}

/** Leaves a run, and the mandate that it acts under. The mandate of a run that was left before is that of then. */
async function started(
  store: JournalStore,
  { run, agent, input, queue = QUEUE, mandate }: Parameters<WorkClient['start']>[0],
): Promise<boolean> {
  const word = mandate === undefined ? null : mandateMessage({ mandate, why: null, first: true });
  const isNew = await store.work.start({ run, agent, queue, input: input === undefined ? '' : jsonOf(input) });
  // The process that left the run may have died before it left the mandate: the run takes one first mandate.
  if (word !== null && !(await store.posts(run)).some(({ body }) => body === word)) await store.post(run, word);
  return isNew;
}

/** The runs of a store that are under a mandate, or may be given it by a message that they have not heard. */
async function revokedAll(
  store: JournalStore,
  id: string,
  { by, why }: Answerer,
): Promise<{ run: string; post: number }[]> {
  const word = revokeMessage({ revoke: id, by, why: why ?? null });
  const left: { run: string; post: number }[] = [];
  for (const { run, note } of await store.runs()) {
    if (isOver({ is: parseRunNote(note)?.standing.is ?? '' })) continue;
    const { mandates } = timelineOf(await gathered(store.read(run))).runState;
    const isUnder = mandates.last?.id === id && mandates.over?.why !== 'revoked';
    const isLeft = (await store.posts(run)).some(({ body }) => idIn(body) === id);
    if (isUnder || (isLeft && !mandates.has(id))) left.push({ run, post: await store.post(run, word) });
  }
  return left;
}

function idIn(body: string): string | null {
  const sent = mandateIn(body);
  return sent === null ? null : mandateId(sent.mandate);
}

async function previewed(
  store: JournalStore,
  run: string,
  what: { readonly fail: PreviewedComplaint } | { readonly undo: true } | SaidSteer,
  agent: PreviewAgent,
): Promise<ComplaintPreview | AbortPreview | SteerAnswer> {
  if ((await store.run(run)) === null) throw new JournalError('run_unknown', `There is no run ${JSON.stringify(run)}.`);
  const rows = await gathered(store.read(run));
  if ('program' in agent) {
    const { program, options } = programIn(run, agent);
    if ('undo' in what) return previewAbortOf(program, options, rows);
    if ('fail' in what) return previewRun(program, options, rows, what.fail);
    return previewSteerOf(program, options, rows, sentSteer(what));
  }
  const { machine, ...options } = { run, ...agent };
  if ('undo' in what) return abortPreviewOf(machine, options, rows);
  return 'fail' in what
    ? previewOf(machine, options, rows, what.fail)
    : steerPreviewOf(machine, options, rows, sentSteer(what));
}

/** The program of a run, as its agent carries it. */
function programIn(run: string, { program, ...more }: Extract<PreviewAgent, { readonly program: EnteredProgram }>) {
  const own = program[HANDED_OUT];
  return own.programFor({ run, ...more, config: configOf(own.agent, { run, ...more }) });
}

/** The requests that wait. Of runs that have a note, only those are read that ask a person. */
async function requestsIn(
  store: JournalStore,
  { run, agent }: { readonly run?: string; readonly agent?: string },
): Promise<RunRequest[]> {
  const one = run === undefined ? null : await store.run(run);
  if (run !== undefined && one === null)
    throw new JournalError('run_unknown', `There is no run ${JSON.stringify(run)}.`);
  const found: RunRequest[] = [];
  for (const summary of one === null ? await store.runs() : [one]) {
    const note = parseRunNote(summary.note);
    if (note !== null && (note.unanswered === 0 || (agent !== undefined && note.agent !== agent))) continue;
    const { runState } = timelineOf(await gathered(store.read(summary.run)));
    if (agent !== undefined && runState.agent !== agent) continue;
    for (const request of pendingRequests(runState))
      found.push({ ...request, run: summary.run, agent: runState.agent });
  }
  return found;
}

/** Leaves an event, unless it was left before under the same id: the run itself takes an id once, also from two senders at a time. */
async function sent(
  store: JournalStore,
  run: string,
  event: SentEvent['event'],
  { at, by, id, seen }: NonNullable<Parameters<WorkClient['send']>[2]>,
): Promise<number> {
  const named = { ...(id !== undefined && { id }), ...(seen !== undefined && { seen }) };
  const body = eventMessage({ event, at: at ?? null, by: by ?? null, ...named });
  const before =
    id === undefined ? undefined : (await postsSeen(store, run)).find(({ body }) => sentIn(body)?.id === id);
  if (before === undefined) return store.post(run, body);
  if (isSame(sentIn(before.body)?.event, event)) return before.number;
  throw new JournalError(
    'message_differs',
    `another event was left for run ${JSON.stringify(run)} under the id ${JSON.stringify(id)}`,
  );
}

/** The messages of a run, as far as the sender may read them: one that may only leave events sees none, and the run takes an id once all the same. */
async function postsSeen(store: JournalStore, run: string): Promise<readonly Posted[]> {
  try {
    return await store.posts(run);
  } catch {
    return [];
  }
}

async function messagesIn(store: JournalStore, run: string): Promise<RunMessage[]> {
  if ((await store.run(run)) === null) throw new JournalError('run_unknown', `There is no run ${JSON.stringify(run)}.`);
  const [rows, posts] = [[...(await gathered(store.read(run)))], await store.posts(run)];
  return messagesOf(rows, posts, timelineOf(rows).runState);
}

/** The input of a run as JSON text. @throws TypeError where JSON cannot hold it: a worker would receive another value. */
function jsonOf(input: unknown): string {
  const encoded = encode(input);
  const text = JSON.stringify(input);
  if ('text' in encoded && encoded.text === text) return text;
  throw new TypeError('the input of a run is plain JSON: no undefined, dates, maps or functions in it');
}

/**
 * Looks again once a complaint is left: a run that has ended before reads it no more.
 * @throws RangeError where the run has ended and its journal has not taken it.
 */
async function refuseUnread(store: JournalStore, run: string, post: number): Promise<void> {
  const standing = parseRunNote((await store.run(run))?.note)?.standing.is ?? null;
  if (standing !== null && !isOver({ is: standing })) return;
  const rows = await gathered(store.read(run));
  const { ended, asked } = timelineOf(rows).runState;
  const isRefused = asked.unanswered.some((each) => each.post === post);
  if (!asked.sent.has(post) || isRefused) refuseEnded(run, ended);
}

async function failed(
  store: JournalStore,
  run: string,
  { signal, instance, key: wrong, instead = false, by, why }: LaterFailure,
): Promise<number> {
  const key = wrong ?? null;
  if (key !== null) parseKey(key);
  const { runState } = timelineOf(await gathered(store.read(run)));
  refuseEnded(run, runState.ended);
  const subject = subjectOf(runState, instance, key);
  const { skeleton, entity } = instance;
  if (subject === null)
    throw new RangeError(`no ${skeleton} about ${JSON.stringify(entity)} was ever begun in run ${JSON.stringify(run)}`);
  const { ordinal, about } = subject;
  const meant = { skeleton, entity, ...(ordinal !== undefined && { ordinal }) };
  const said = { signal, instance: meant, key, instead, about, by, why: why ?? null };
  const post = await store.post(run, complaintMessage(said));
  await refuseUnread(store, run, post);
  return post;
}

/** Leaves a word that a run which has ended does not hear. */
async function said(store: JournalStore, run: string, message: string): Promise<number> {
  const standing = parseRunNote((await store.run(run))?.note)?.standing.is ?? null;
  refuseEnded(run, standing !== null && isOver({ is: standing }) ? standing : null);
  return store.post(run, message);
}

async function retried(store: JournalStore, run: string, { by, why }: Partial<Answerer>): Promise<number> {
  const message = retryMessage({ by: by ?? null, why: why ?? null });
  const { runState } = timelineOf(await gathered(store.read(run)));
  const held = (await store.run(run))?.held ?? false;
  // The process that has the run may still have the event of a step that no other has.
  const refused = whyNoRetry(runState, ({ lost }) => held || lost !== true);
  if (refused !== null) throw new RangeError(`nothing of run ${JSON.stringify(run)} is tried again: ${refused}`);
  return store.post(run, message);
}
