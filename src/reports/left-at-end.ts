/** The things that a run which is done has left: held calls that were never made, and complaints that no decision has answered. */
import type { UnansweredComplaint } from '../effects/gates.ts';
import { complaintIn } from '../effects/messages/complaints.ts';
import { sentIn } from '../effects/messages/sent-events.ts';
import type { Posted } from '../journal/journal.ts';
import type { InstanceId } from '../model/instance.ts';
import type { StandingAct } from '../projection/aborted.ts';
import { keysLeft, standingActs } from '../projection/left-calls.ts';
import { owedCommits } from '../projection/made-visible.ts';
import type { RunState } from '../projection/run-state.ts';
import { brokenActs } from './obligations.ts';

export type { StandingAct };

/** Lists the acts that a run which a person has aborted has left in the world, each with why it stands (AB7). */
export function actsThatStand(runState: RunState): readonly StandingAct[] {
  return standingActs(runState);
}

/** The end of the error of a held call whose commit never came. */
export const NEVER_COMMITTED = 'commits, which it never did';

/** The things that a run has left at its end. A member is left out where there is nothing of its kind. */
export interface LeftAtEnd {
  /** The keys of calls that were held back for a commit that never came: they did not happen (E4). */
  readonly unpublished?: readonly string[];
  /** The keys of calls that stand in the world and that the machine left without their answers (PA11). */
  readonly standing?: readonly string[];
  /** The complaints that came too late: the work that they are about stands. */
  readonly unanswered?: readonly UnansweredComplaint[];
  /** The events from outside that no state has taken (LC8). */
  readonly untaken?: readonly UntakenEvent[];
  /** The commits that the program was not told of (SP4). */
  readonly unannounced?: readonly UnannouncedCommit[];
  /** The obligations that are not kept: a person has said so, or has ended the run (OB4). */
  readonly broken?: readonly BrokenObligation[];
}

/** An obligation that a run has left. Its words are in `belay ledger --obligations`. */
export interface BrokenObligation {
  /** The key of the call that took it on, and its number: `KEY#1`. */
  readonly name: string;
  /** The tool of that call, and the one that would have kept it. */
  readonly tool: string;
  readonly keptBy: string;
  /** The wall clock at which it was due, in milliseconds; null for never. */
  readonly due: number | null;
}

/** Lists the obligations of a run that are not kept. */
export function brokenIn(runState: RunState): readonly BrokenObligation[] {
  return brokenActs(runState).map(({ name, tool, keptBy, due }) => ({ name, tool, keptBy, due }));
}

/** A commit that the program was not told of. */
export interface UnannouncedCommit {
  readonly id: string;
  readonly instance: InstanceId;
  readonly boundary: string;
}

/** Lists the commits of a run that the program was not told of. */
export function unannouncedIn(runState: RunState): readonly UnannouncedCommit[] {
  return owedCommits(runState).map(({ id, instance, boundary }) => ({ id, instance, boundary }));
}

/** An event from outside that a run has ended without. */
export interface UntakenEvent {
  readonly event: string;
  readonly by: string | null;
  /** The number of the message that brought it; null where the program sent it. */
  readonly post: number | null;
}

/** Lists the events that a run has ended without: the ones that it held, that a restore took back, and that no process has read. @param posts as for `leftAtEnd`. */
function untakenIn({ held, toRedeliver, asked }: RunState, posts: readonly Posted[] = []): UntakenEvent[] {
  const waiting = [...toRedeliver, ...held].map(({ event, held: by }) => ({
    event: String((event as { readonly type?: unknown }).type),
    by: by?.by ?? null,
    post: by?.post ?? null,
  }));
  const unread = posts.flatMap(({ number, body }): UntakenEvent[] => {
    const sent = asked.sent.has(number) ? null : sentIn(body);
    return sent === null ? [] : [{ event: sent.event.type, by: sent.by, post: number }];
  });
  return [...waiting, ...unread];
}

/** The things that a run has left, and nothing else of what was told of its end. */
export function onlyLeft({ unpublished, standing, unanswered, untaken, unannounced, broken }: LeftAtEnd): LeftAtEnd {
  return {
    ...(unpublished && { unpublished }),
    ...(standing && { standing }),
    ...(unanswered && { unanswered }),
    ...(untaken && { untaken }),
    ...(unannounced && { unannounced }),
    ...(broken && { broken }),
  };
}

/**
 * Lists the things that a run has left at its end; nothing for a run that goes on or was cancelled.
 * @param posts the messages of the run, for the complaints among them that no process has read.
 */
export function leftAtEnd(runState: RunState, posts: readonly Posted[] = []): LeftAtEnd {
  const { ledger, asked, ended, redaction } = runState;
  if (ended !== 'done') return {};
  const unpublished = [...ledger.all()].flatMap(({ key, intent, status, error }) =>
    intent.held === 'buffer' && status === 'failed' && error?.endsWith(NEVER_COMMITTED) === true ? [key] : [],
  );
  const unread = posts.flatMap(({ number, body }): UnansweredComplaint[] => {
    const sent = asked.sent.has(number) ? null : complaintIn(body);
    if (sent === null) return [];
    const { signal, instance, key, by, why } = sent;
    return [{ post: number, signal, instance, key, by, why, refused: 'no process has read it' }];
  });
  const unanswered = [...asked.unanswered, ...unread].map((each) => ({
    ...each,
    why: each.why === null ? null : redaction.text(each.why),
    refused: redaction.text(each.refused),
  }));
  const untaken = untakenIn(runState, posts);
  const standing = keysLeft(runState);
  const unannounced = unannouncedIn(runState);
  const broken = brokenIn(runState);
  return {
    ...(unpublished.length > 0 && { unpublished }),
    ...(standing.length > 0 && { standing }),
    ...(unanswered.length > 0 && { unanswered }),
    ...(untaken.length > 0 && { untaken }),
    ...(unannounced.length > 0 && { unannounced }),
    ...(broken.length > 0 && { broken }),
  };
}
