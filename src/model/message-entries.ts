/** The entries of messages: the messages that other processes have left for a run, and their outcomes. */
import type { Signal } from './failure.ts';
import type { InstanceId } from './instance.ts';
import type { ObligationAnswer } from './obligation-entries.ts';

/** The words of a sender about an event, as the journal has them. */
export interface Sent {
  /** The name that its sender gave it: twice is once (CH2). */
  readonly id?: string;
  /** The digest of the event, under the secret of the run, where it has an id. */
  readonly digest?: string;
  /** The digests of the values that its sender was shown, by their keys; where any is another by then, it is refused (CH5). */
  readonly seen?: Readonly<Record<string, string>>;
  /** The name of the event that this event replaces from here on; the old event stays in its place (ST2). */
  readonly instead?: string;
}

/**
 * An event from outside came while the run could not take it: from this entry on the run has it, and each later process has (CH6). What its
 * sender was shown is the state of the run at this entry (CH3).
 */
export interface HeldEntry extends Sent {
  readonly do: 'held';
  /** The number of the message that brought it; null where the program sent it. */
  readonly post: number | null;
  readonly event: unknown;
  readonly by: string | null;
  /** The regions that would have taken it, each with the name of the instance that owns it; null for a root. Empty where that is not known. */
  readonly takers: readonly (readonly [region: string, owner: string | null])[];
}

/** The outcome of an event from outside: it was sent to the root with this entry, or refused. */
export interface MessageEntry extends Sent {
  readonly do: 'message';
  /** The number of the message; null where the program sent it. */
  readonly post: number | null;
  /** The number of the event among the held events of the run; left out if it was not held. */
  readonly held?: number;
  readonly event: string;
  readonly by: string | null;
  /** The reason why it was refused; null where it was sent. */
  readonly refused: string | null;
}

/** A message has said that work was found wrong (C12): it is answered in the commit of this entry, or refused. */
export interface ComplaintEntry {
  readonly do: 'complaint';
  /** The number of the message. */
  readonly post: number;
  readonly signal: Signal;
  readonly instance: Pick<InstanceId, 'skeleton' | 'entity'> & { readonly ordinal?: number };
  /** The key that was found wrong; null for all of the work. */
  readonly key: string | null;
  readonly by: string;
  readonly why: string | null;
  /** The reason why it was refused; null where it was taken. */
  readonly refused: string | null;
}

/** A person ends the run: from here on nothing of it acts anew. Refused where it had ended, or was cancelled before. */
export interface CancelEntry {
  readonly do: 'cancel';
  /** The number of the message; null where the program said so. */
  readonly post: number | null;
  readonly by: string;
  readonly why: string | null;
  readonly refused: string | null;
  /** True where what the run has done is undone as well: an abort (AB1). Left out where it stands. */
  readonly undo?: true;
}

/** A person pauses the run, or lets it go on (LC10): during a pause nothing leaves, and arrivals wait. */
export interface PauseEntry {
  readonly do: 'pause';
  /** True where the run is paused from here on; false where it goes on. */
  readonly paused: boolean;
  /** The number of the message; null where the program said so. */
  readonly post: number | null;
  readonly by: string;
  readonly why: string | null;
  /** The reason why it was refused; null where it was taken. */
  readonly refused: string | null;
}

/** Steps that threw are tried again from the whole past: the questions about them are asked no more (TH1). */
export interface RetriedEntry {
  readonly do: 'retried';
  readonly questions: readonly string[];
  /** The person who said so; null where another process or version took the run up. */
  readonly by: string | null;
  readonly why: string | null;
  /** The number of the message that asked for it; null if no message did. */
  readonly post: number | null;
  /** The reason why it was refused; null where it was taken. */
  readonly refused: string | null;
}

/** The name of the start input among the events of a run. */
export const INPUT = 'input';

/** The place from which on a revised event says something else: its own, or the head of the run (ST2). */
export type SteerFrom = 'beginning' | 'here';

/** An act on an event that the run was sent (ST2): it has said something else from its beginning, was never sent, or still holds. */
export interface SteeredEntry {
  readonly do: 'steered';
  readonly act: 'revise' | 'retract' | 'confirm';
  /** The name of the event: its id, the number of its message as `#12`, or of the step that took it as `@12`. */
  readonly of: string;
  /** The name that the sender gave the act, with the digest of its content: the same act sent twice counts once. */
  readonly id?: string;
  readonly digest?: string;
  /** The type of the event; '' where there is no such event. */
  readonly type: string;
  /** The number of the message; null where the program said so. */
  readonly post: number | null;
  readonly by: string | null;
  readonly why: string | null;
  /** The whole event as revised; left out unless the act revises it, or if the event already has that content. */
  readonly event?: unknown;
  /** The version of the event after the act: 0 is the one that was sent. */
  readonly version: number;
  /** The reason why it was refused; null where it was carried out. */
  readonly refused: string | null;
}

/** A person has told the outcome of a call by its key: it is taken with the outcome, or refused (E2). */
export interface SettledEntry {
  readonly do: 'settled';
  /** The number of the message; null where the program said so. */
  readonly post: number | null;
  readonly key: string;
  /** `stands`: its undo is owed, and a person says that it stands (AB4). `supplied`: a person has made its act by hand (PE5). */
  readonly status: 'confirmed' | 'failed' | 'compensated' | 'stands' | 'supplied' | ObligationAnswer;
  readonly by: string;
  readonly why: string | null;
  /** The reason why it was refused; null where it was taken. */
  readonly refused: string | null;
}

/** The run is over. */
export interface EndEntry {
  readonly do: 'end';
  /** `compensated`: it was aborted, and nothing is unknown and nothing owed (AB8). */
  readonly status: 'done' | 'stopped' | 'cancelled' | 'compensated';
  /** The keys of the calls that stand in the world and that no work of the run has: left, or not taken over again. */
  readonly standing?: readonly string[];
  /** The number of the last message that the run has looked at: a later one is not heard any more (CH9). */
  readonly heard?: number;
  /** The number of events from outside that came and that no state has taken (LC8); left out where there are none. */
  readonly untaken?: number;
}
