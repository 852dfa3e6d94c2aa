/**
 * Tells people that runs need them: looks for causes in a store, keeps each message there until its delivery, and tells the end of
 * a cause. Several processes may look for one channel: one of them sends each message.
 */
import { PROCESS, within } from '../clock/clock.ts';
import { Turns } from '../clock/turns.ts';
import { gathered } from '../journal/gathered.ts';
import { JournalError, type JournalStore, type RunSummary, type StoredRow } from '../journal/journal.ts';
import type { DueNotice, NoticeBoard } from '../journal/notices.ts';
import { STORE } from '../journal/store-argument.ts';
import { CODE, NAME, NUMBER, optional, refuseOther, shape } from '../model/argument.ts';
import { type Cause, causesOf, crashedCause } from '../reports/causes.ts';
import { parseRunNote } from '../reports/run-note.ts';
import { type Timeline, timelinePieces } from '../reports/timeline.ts';
import { needsPerson } from '../reports/waits.ts';

/** The causes of a run as a message tells them, its times in ISO 8601. */
export interface NoticeData extends Omit<Cause, 'id' | 'since' | 'expires'> {
  /** Names the cause: the message that it is over has the same. */
  readonly cause: string;
  readonly since: string | null;
  readonly expires: string | null;
  /** Commands that answer it, ready to type; empty where the process that looked cannot name the store. */
  readonly commands: readonly string[];
}

/** A message to people. */
export interface Notice {
  /** The same for each sending of the same message, and for no other message. */
  readonly id: string;
  /** `belay.needed`: a run needs a person. `belay.resolved`: it needs no one any more for that cause. */
  readonly type: 'belay.needed' | 'belay.resolved';
  /** The time at which this message was made, in ISO 8601. */
  readonly timestamp: string;
  /** The message in one line, for a person. */
  readonly text: string;
  readonly data: NoticeData;
}

/** Options of telling people. */
export interface NotifyingOptions {
  /** The store whose runs are watched. The caller closes it, after `stop`. */
  readonly store: JournalStore;
  /** Takes a message; where it rejects, the message is put off and sent again, with the same id. */
  readonly notify: (notice: Notice) => Promise<void>;
  /** Names the receivers; each channel is told by itself. `default` if left out. */
  readonly channel?: string;
  /** The queue whose runs are told of that no worker takes any more; `default` if left out. */
  readonly queue?: string;
  /** The time between two looks, in milliseconds; 5,000. */
  readonly pollMs?: number;
  /** The time for which no other process sends a message that this one has taken, in milliseconds; 60,000. Longer than `notify` takes. */
  readonly leaseMs?: number;
  /** Commands that answer a cause, for its message. */
  readonly commands?: (cause: Cause, timeline: Timeline, held: boolean) => readonly string[];
  /** Told of what becomes of messages. */
  readonly onTold?: (told: NotifyTold) => void;
}

/** A report of telling people. */
export type NotifyTold =
  | { readonly is: 'sent'; readonly notice: Notice }
  | { readonly is: 'put_off'; readonly notice: Notice; readonly why: string; readonly again: number }
  /** A run cannot be read; it is looked at again once it has moved on. */
  | { readonly is: 'unread'; readonly run: string; readonly code: string }
  /** The store could not be asked; it is asked again. */
  | { readonly is: 'store_failed'; readonly error: unknown };

/** The telling of one channel by this process. */
export interface Notifying {
  /** Looks once and sends what is due. @returns the number of messages that are left for later. */
  once(): Promise<number>;
  /** Ends after the messages that are on their way. */
  stop(): Promise<void>;
}

/** The runs that are listed at once. */
const PAGE = 500;
/** The first and the longest time for which a message is put off, in milliseconds. */
const [FIRST, LONGEST] = [1_000, 10 * 60_000];
/** What a run has that is not in its store any more: nothing was seen later. */
const GONE = Number.MAX_SAFE_INTEGER;

/**
 * Tells people that runs of a store need them, until it is stopped.
 * @throws ArgumentError `bad_argument`; JournalError `journal_cannot_write` for a store that keeps no messages.
 * @example
 * import { memoryStore } from 'belay-sidecar';
 * import { startNotifying } from 'belay-sidecar/workers';
 *
 * const store = memoryStore();
 * const notifying = startNotifying({ store, notify: async ({ text }) => console.log(text) });
 * assert.equal(await notifying.once(), 0);
 * await notifying.stop();
 * await store.close();
 */
export function startNotifying(options: NotifyingOptions): Notifying {
  const looking = lookingFor(options);
  looking.start();
  return looking;
}

/** The same, that looks only when it is asked to. */
export function lookingFor(options: NotifyingOptions): Looking {
  refuseOther('startNotifying', { options: [options, OPTIONS] });
  const { notices } = options.store;
  if (notices === undefined)
    throw new JournalError('journal_cannot_write', 'This store keeps no messages to people. Use another store.');
  return new Looking(options, notices);
}

const OPTIONS = shape<NotifyingOptions>('an object', {
  store: STORE,
  notify: CODE,
  channel: optional(NAME),
  queue: optional(NAME),
  pollMs: optional(NUMBER),
  leaseMs: optional(NUMBER),
  commands: optional(CODE),
  onTold: optional(CODE),
});

/** The looking of one process. */
export class Looking implements Notifying {
  readonly #options: NotifyingOptions;
  readonly #notices: NoticeBoard;
  readonly #channel: string;
  readonly #stopping = new AbortController();
  /** Each run that needs a person, as it stood when it was last read. */
  readonly #read = new Map<string, string>();
  #wake: () => void = () => {};
  #working: Promise<void> | null = null;
  #looks: Promise<unknown> = Promise.resolve();

  constructor(options: NotifyingOptions, notices: NoticeBoard) {
    this.#options = options;
    this.#notices = notices;
    this.#channel = options.channel ?? 'default';
  }

  start(): void {
    this.#working = this.#work();
  }

  once(): Promise<number> {
    const look = this.#looks.then(() => this.#once());
    this.#looks = look.catch(() => {});
    return look;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#working;
    await this.#looks;
  }

  async #work(): Promise<void> {
    const { pollMs = 5_000, onTold } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      try {
        await this.once();
      } catch (error) {
        onTold?.({ is: 'store_failed', error });
      }
      if (!this.#stopping.signal.aborted) await within(pollMs, woken);
    }
  }

  async #once(): Promise<number> {
    await this.#look();
    await this.#send();
    return (await this.#notices.list(this.#channel)).filter(({ due }) => due !== null).length;
  }

  /** Notes the causes that there are now, and those that are over. */
  async #look(): Promise<void> {
    const { store } = this.#options;
    const open = new Set(
      (await this.#notices.list(this.#channel)).flatMap(({ run, over }) => (over === null ? run : [])),
    );
    const there = new Set<string>();
    const crashed = await this.#crashed();
    let last: string | undefined;
    for (;;) {
      const page = await pageOf(store, last);
      for (const run of page) {
        there.add(run.run);
        await this.#see(run, open.has(run.run), crashed.get(run.run) ?? null);
      }
      last = page.at(-1)?.run;
      if (page.length < PAGE || last === undefined || this.#stopping.signal.aborted) break;
      await PROCESS.turn();
    }
    if (this.#stopping.signal.aborted) return;
    const over = { channel: this.#channel, head: GONE, causes: [] };
    // A run that was deleted needs no one. One that began while the list was read is looked at once more.
    for (const run of open)
      if (!there.has(run) && (await store.run(run)) === null) await this.#notices.note({ ...over, run });
    for (const run of this.#read.keys()) if (!there.has(run)) this.#read.delete(run);
  }

  /** The runs that no worker takes any more, with their agents. */
  async #crashed(): Promise<ReadonlyMap<string, string>> {
    const { store, queue = 'default' } = this.#options;
    const left = await store.work.left({ queue, carries: [], limit: PAGE });
    return new Map(left.flatMap(({ order, why }) => (why === 'worker_crashed' ? [[order.run, order.agent]] : [])));
  }

  async #see({ run, head, note, held }: RunSummary, isOpen: boolean, crashed: string | null): Promise<void> {
    const noted = parseRunNote(note);
    const needs = noted === null ? null : needsPerson(noted.waits);
    if (needs === false && crashed === null) {
      this.#read.delete(run);
      if (isOpen) await this.#notices.note({ channel: this.#channel, run, head, causes: [] });
      return;
    }
    // A note is left out of a run that has just moved: its rows are read, as for a list.
    const stands = `${head} ${crashed ?? ''}`;
    if (this.#read.get(run) === stands) return;
    const seen = await this.#causes(run, held, crashed);
    if (seen === null) return;
    this.#read.set(run, stands);
    if (seen.causes.length > 0 || isOpen) await this.#notices.note({ channel: this.#channel, run, ...seen });
  }

  /** The causes of a run from its rows; null where they cannot be read. */
  async #causes(run: string, held: boolean, crashed: string | null) {
    const { store, commands = () => [], onTold } = this.#options;
    try {
      const timeline = await timelineInTurns(await gathered(store.read(run)));
      const ended = crashed === null ? [] : [crashedCause(run, crashed, timeline.rows)];
      const causes = [...causesOf(run, timeline), ...ended].map((cause) => {
        return { id: cause.id, body: JSON.stringify(dataOf(cause, commands(cause, timeline, held))) };
      });
      return { head: timeline.rows, causes };
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      if (error.code !== 'run_unknown') onTold?.({ is: 'unread', run, code: error.code });
      return null;
    }
  }

  /** Sends what is due. One message is taken at a time: a process that dies holds up no other. */
  /** Sends what is due as it begins, the longest due first: a message that fails waits for another look. */
  async #send(): Promise<void> {
    const { leaseMs = 60_000 } = this.#options;
    const due = (await this.#notices.list(this.#channel)).filter((each) => each.due === 0);
    for (let left = due.length; left > 0 && !this.#stopping.signal.aborted; left -= 1) {
      const [notice] = await this.#notices.take(this.#channel, 1, leaseMs);
      if (notice === undefined) return;
      await this.#sendOne(notice);
    }
  }

  async #sendOne(due: DueNotice): Promise<void> {
    const { notify, onTold } = this.#options;
    const notice = noticeOf(due);
    try {
      await notify(notice);
    } catch (error) {
      const again = wait(due.tries, (error as { retryAfter?: unknown } | null)?.retryAfter);
      const why = error instanceof Error ? error.message : String(error);
      await this.#notices.putOff(due, again, why);
      onTold?.({ is: 'put_off', notice, why, again });
      return;
    }
    await this.#notices.sent(due);
    onTold?.({ is: 'sent', notice });
  }
}

/** Reads a run in pieces: a worker that does so goes on with its runs. */
async function timelineInTurns(rows: Iterable<StoredRow>): Promise<Timeline> {
  const turns = new Turns(PROCESS);
  const pieces = timelinePieces(rows);
  for (;;) {
    const piece = turns.spend(() => pieces.next());
    if (piece.done === true) return piece.value;
    if (turns.isDue) await turns.next();
  }
}

/** A page of the runs of a store, again from the first where the last one of the page before is gone. */
async function pageOf(store: JournalStore, after: string | undefined): Promise<readonly RunSummary[]> {
  const page = { limit: PAGE };
  try {
    return await store.runs(after === undefined ? page : { ...page, after });
  } catch (error) {
    if (after !== undefined && error instanceof JournalError && error.code === 'run_unknown') return store.runs(page);
    throw error;
  }
}

/** The time for which a message is put off: longer each time, and no shorter than its receiver asks for. */
function wait(tries: number, asked: unknown): number {
  const backoff = Math.min(LONGEST, FIRST * 2 ** Math.min(tries, 20));
  return typeof asked === 'number' ? Math.max(backoff, asked) : backoff;
}

function dataOf({ id, since, expires, ...cause }: Cause, commands: readonly string[]): NoticeData {
  const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  return { cause: id, ...cause, since: iso(since), expires: iso(expires), commands };
}

function noticeOf({ id, is, round, body }: DueNotice): Notice {
  const data = JSON.parse(body) as NoticeData;
  const text =
    is === 'needed'
      ? `${data.run} needs a person: ${data.text}${data.error === null ? '' : ` (${data.error})`}`
      : `${data.run} needs no one any more for: ${data.text}`;
  return {
    id: `belay_${id}${round === 0 ? '' : `_${round}`}_${is}`,
    type: `belay.${is}`,
    timestamp: new Date(PROCESS.now()).toISOString(),
    text,
    data,
  };
}
