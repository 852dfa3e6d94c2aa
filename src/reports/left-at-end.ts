/** The things that a run which is done has left: held calls that were never made, and complaints that no decision has answered. */
import type { UnansweredComplaint } from '../effects/gates.ts';
import { complaintIn } from '../effects/messages/complaints.ts';
import type { Posted } from '../journal/journal.ts';
import type { RunState } from '../projection/run-state.ts';

/** The end of the error of a held call whose commit never came. */
export const NEVER_COMMITTED = 'commits, which it never did';

/** The things that a run has left at its end. A member is left out where there is nothing of its kind. */
export interface LeftAtEnd {
  /** The keys of calls that were held back for a commit that never came: they did not happen (E4). */
  readonly unpublished?: readonly string[];
  /** The complaints that came too late: the work that they are about stands. */
  readonly unanswered?: readonly UnansweredComplaint[];
}

/**
 * Lists the things that a run has left at its end; nothing for a run that goes on or was cancelled.
 * @param posts the messages of the run, for the complaints among them that no process has read.
 */
export function leftAtEnd({ ledger, asked, ended, redaction }: RunState, posts: readonly Posted[] = []): LeftAtEnd {
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
  return { ...(unpublished.length > 0 && { unpublished }), ...(unanswered.length > 0 && { unanswered }) };
}
