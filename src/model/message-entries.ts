/** The entries of messages: what other processes have left for a run, and what became of it. */
import type { Signal } from './failure.ts';
import type { InstanceId } from './instance.ts';

/** A message has brought the root an event from outside: it was sent with this entry, or refused. */
export interface MessageEntry {
  readonly do: 'message';
  /** The number of the message. */
  readonly post: number;
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
  /** The number of the message. */
  readonly post: number;
  readonly by: string;
  readonly why: string | null;
  readonly refused: string | null;
}

/** The run is over. */
export interface EndEntry {
  readonly do: 'end';
  readonly status: 'done' | 'stopped' | 'cancelled';
  /** Of a run that was cancelled: the keys of the calls that stand in the world and that its work had not taken over again. */
  readonly standing?: readonly string[];
}
