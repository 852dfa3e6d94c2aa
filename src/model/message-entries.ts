/** The entries of messages: the messages that other processes have left for a run, and their outcomes. */
import type { Signal } from './failure.ts';
import type { InstanceId } from './instance.ts';
import type { ObligationAnswer } from './obligation-entries.ts';

/** The fields that the sender of an event adds to it, as the journal has them. */
export interface Sent {
  /** The name that the sender gave the event. An event sent twice under one name counts once (CH2). */
  readonly id?: string;
  /** The digest of an event with an id, under the secret of the run. */
  readonly digest?: string;
  /**
   * The digests of the values that the sender was shown, by key. If a value has changed by then, the event is refused
   * (CH5).
   */
  readonly seen?: Readonly<Record<string, string>>;
  /** The name of the event that this event replaces from here on; the old event stays in its place (ST2). */
  readonly instead?: string;
}

/**
 * The run keeps an event from outside that it could not take when the event came; each later process has it too (CH6).
 * The sender counts as having seen the state of the run at this entry (CH3).
 */
export interface HeldEntry extends Sent {
  readonly do: 'held';
  /** The number of the event's message; null if the program sent it. */
  readonly post: number | null;
  readonly event: unknown;
  readonly by: string | null;
  /**
   * The regions that would have taken the event, each with the name of its owner (null for a root). Empty if they are
   * not known.
   */
  readonly takers: readonly (readonly [region: string, owner: string | null])[];
}

/** The outcome of an event from outside: it was sent to the root with this entry, or refused. */
export interface MessageEntry extends Sent {
  readonly do: 'message';
  /** The number of the message; null if the program sent it. */
  readonly post: number | null;
  /** The number of the event among the held events of the run; left out if it was not held. */
  readonly held?: number;
  readonly event: string;
  readonly by: string | null;
  /** The reason why the event was refused; null if it was sent. */
  readonly refused: string | null;
}

/** A complaint that work is wrong (C12): it is answered in the commit of this entry, or refused. */
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

/**
 * A person ends the run: from here on nothing of it acts anew. Refused if the run has ended or was cancelled before.
 */
export interface CancelEntry {
  readonly do: 'cancel';
  /** The number of the message; null where the program said so. */
  readonly post: number | null;
  readonly by: string;
  readonly why: string | null;
  readonly refused: string | null;
  /** True for an abort (AB1): the run's effects are undone. Left out if they stand. */
  readonly undo?: true;
}

/** A person pauses the run, or lets it go on (LC10): during a pause nothing leaves, and arrivals wait. */
export interface PauseEntry {
  readonly do: 'pause';
  /** True if the run is paused from here on; false if it goes on. */
  readonly paused: boolean;
  /** The number of the message; null where the program said so. */
  readonly post: number | null;
  readonly by: string;
  readonly why: string | null;
  /** The reason why it was refused; null where it was taken. */
  readonly refused: string | null;
}

/** Steps that threw are tried again from the whole past, and the questions about them are withdrawn (TH1). */
export interface RetriedEntry {
  readonly do: 'retried';
  readonly questions: readonly string[];
  /** The person who asked for it; null if another process or version took the run up. */
  readonly by: string | null;
  readonly why: string | null;
  /** The number of the message that asked for it; null if no message did. */
  readonly post: number | null;
  /** The reason why it was refused; null where it was taken. */
  readonly refused: string | null;
}

/** The name of the start input among the events of a run. */
export const INPUT = 'input';

/** The place where a revised event takes effect: its own place in the past, or the head of the run (ST2). */
export type SteerFrom = 'beginning' | 'here';

/**
 * An act on an event that the run received (ST2): its content is replaced, it is taken out of the past, or it still
 * holds.
 */
export interface SteeredEntry {
  readonly do: 'steered';
  readonly act: 'revise' | 'retract' | 'confirm';
  /** The name of the event: its id, the number of its message as `#12`, or of the step that took it as `@12`. */
  readonly of: string;
  /** The name that the sender gave the act, with the digest of its content: the same act sent twice counts once. */
  readonly id?: string;
  readonly digest?: string;
  /** The type of the event; '' if there is no such event. */
  readonly type: string;
  /** The number of the message; null where the program said so. */
  readonly post: number | null;
  readonly by: string | null;
  readonly why: string | null;
  /** The whole event as revised; left out unless the act revises it, or if the event already has that content. */
  readonly event?: unknown;
  /** The version of the event after the act; 0 is the event as it was sent. */
  readonly version: number;
  /** The reason why the act was refused; null if it was carried out. */
  readonly refused: string | null;
}

/** A person's word about the outcome of a call, by the key of the call: taken with the outcome, or refused (E2). */
export interface SettledEntry {
  readonly do: 'settled';
  /** The number of the message; null where the program said so. */
  readonly post: number | null;
  readonly key: string;
  /**
   * `stands`: the owed undo is not made, and the call stands (AB4). `supplied`: a person has made the call's act by
   * hand (PE5).
   */
  readonly status: 'confirmed' | 'failed' | 'compensated' | 'stands' | 'supplied' | ObligationAnswer;
  readonly by: string;
  readonly why: string | null;
  /** The reason why it was refused; null where it was taken. */
  readonly refused: string | null;
}

/** The run is over. */
export interface EndEntry {
  readonly do: 'end';
  /** `compensated`: the run was aborted, and nothing is unknown or owed (AB8). */
  readonly status: 'done' | 'stopped' | 'cancelled' | 'compensated';
  /**
   * The keys of the calls that stand in the world without work of the run: left standing, or not taken over by a
   * replay.
   */
  readonly standing?: readonly string[];
  /** The number of the last message that the run has read. Later messages are not read any more (CH9). */
  readonly heard?: number;
  /** The number of events from outside that no state has taken (LC8); left out if it is 0. */
  readonly untaken?: number;
}
