/**
 * The messages to people outside of Belay: a person is needed, or is needed no more. A store keeps each message until
 * it is delivered, so a cause is told once, however many processes look at the store and die. If the receiver's answer
 * is lost, the same message is sent again under the same name. Times are those of the store's own clock.
 */
/** An answer: at once, or as a store on a server gives it. */
type Awaitable<T> = T | Promise<T>;

/** A reason why a run needs a person, as it is noted: its name, and the message about it as JSON text. */
export interface NotedCause {
  /** Names the cause among all of the store: 1 to 64 letters, digits, `_` and `-`. */
  readonly id: string;
  readonly body: string;
}

/** The causes of one run, as a process has found them. */
export interface SeenCauses {
  /** Names the receivers; each channel is told by itself. */
  readonly channel: string;
  readonly run: string;
  /** The head of the rows that were read. A look at an older head changes nothing. */
  readonly head: number;
  /** All present causes. A cause that was noted before and is not among them is over. */
  readonly causes: readonly NotedCause[];
}

/** A message to be sent. No other process sends it until its lease ends. */
export interface DueNotice {
  readonly channel: string;
  readonly id: string;
  readonly run: string;
  /** `resolved`: the cause is over, and its `needed` was delivered or may have been. */
  readonly is: 'needed' | 'resolved';
  readonly body: string;
  /** How many times the cause has come again after its end. */
  readonly round: number;
  /** The number of times that its sending has failed. */
  readonly tries: number;
  /** The number of this taking. `sent` and `putOff` count only with the newest number. */
  readonly lease: number;
}

/** A cause as a list shows it. */
export interface ListedNotice extends Pick<DueNotice, 'channel' | 'id' | 'run' | 'round' | 'tries'> {
  /** The wall clock of the first look that saw the cause, in milliseconds. */
  readonly since: number;
  /** The wall clock of the first look that missed the cause, in milliseconds; null while it lasts. */
  readonly over: number | null;
  /** The last message that was delivered. */
  readonly told: 'needed' | 'resolved' | null;
  /** The milliseconds until the next message is sent, 0 for now; null if there is none. */
  readonly due: number | null;
  /** The error of the last try; null where there was none. */
  readonly error: string | null;
}

/** The messages of a store. */
export interface NoticeBoard {
  /**
   * Notes the causes of a run; a noted cause that is missing is over. A cause that ends before it was told is never
   * told.
   */
  note(seen: SeenCauses): Awaitable<void>;
  /** Takes messages that are due, the longest due first. Until the lease ends, no other process is given them. */
  take(channel: string, limit: number, leaseMs: number): Awaitable<readonly DueNotice[]>;
  /** Notes that a message was delivered, unless another process has taken the message since. */
  sent(notice: DueNotice): Awaitable<void>;
  /** Puts off a message that could not be delivered. @param error the reason, of which 200 characters are kept. */
  putOff(notice: DueNotice, milliseconds: number, error: string): Awaitable<void>;
  /**
   * The causes of a channel that are not over or have a message due, in the order in which they were noted; of all
   * channels with null.
   */
  list(channel: string | null): Awaitable<readonly ListedNotice[]>;
}

/**
 * How long a cause is kept after its end was told, in milliseconds: so long no process with an older look can bring it
 * back.
 */
export const KEPT = 24 * 60 * 60_000;

/** The most characters of an error that are kept. */
export const ERROR_LIMIT = 200;

/** The last message that was delivered, by its number in the tables of stores. */
export const TOLD = [null, 'needed', 'resolved'] as const;
