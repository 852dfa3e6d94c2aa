/**
 * Group commit: one statement, so one transaction and one round trip, for all runs that have something pending. It leaves in the next
 * macrotask when a caller waits or much is pending, and a moment later otherwise; one is on its way at a time.
 *
 * Where the answer stays out, the transaction may have been committed or not: the same groups are sent again, under the same
 * fences and after the same heads, so that no group is appended twice. A group that is refused then is looked up.
 */
import { type Alarm, PROCESS } from '../../clock/clock.ts';
import { settled } from '../acts.ts';
import { JournalError } from '../journal.ts';
import type { Database } from './database.ts';
import { failingOf } from './errors.ts';
import type { Leases } from './leases.ts';
import { poolsOf } from './pools.ts';
import { type Head, isHead, keptNote, whole } from './tables.ts';
import { type Flying, fail, type Landed, land, launch, type Writer } from './writer.ts';

/** The limits of rows and bytes after which pending rows are committed without a flush, and of bytes that leave together. */
const ROWS = 1_000;
const BYTES = 1024 * 1024;
const MESSAGE = 128 * 1024 * 1024;
/** The pause before the same groups are sent again, in milliseconds: it grows up to the second. */
const PAUSE = 50;
const LONGEST_PAUSE = 1_000;

const APPEND =
  'SELECT held, heard FROM belay.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)';
const FENCE = 'SELECT head, hash, token, nonce, posts FROM belay.run WHERE id = $1';

/** Settings of the group commit. */
export interface Timing {
  /** The longest time that rows wait which no caller waits for. */
  readonly delayMs: number;
  /** The time for which an append whose answer stays out is sent again. */
  readonly patienceMs: number;
  /** Told that a run has so many messages. */
  readonly onPosts: (writer: Writer, messages: number) => void;
  /** Told that more of a run is durable. */
  readonly onDurable: (writer: Writer) => void;
  /** Told that a commit has changed pools. */
  readonly onPools: () => void;
  /** Takes the claims of a run once more. @returns false where another one has some of them. */
  readonly claim: (writer: Writer) => Promise<boolean>;
}

interface Sent {
  readonly writer: Writer;
  /** The end of the run that the group follows. */
  readonly before: Head;
  readonly flying: Flying;
}

export class Commits {
  readonly #database: Database;
  readonly #timing: Timing;
  readonly #dirty = new Set<Writer>();
  #soon: NodeJS.Immediate | null = null;
  #later: Alarm | null = null;
  #isDue = false;
  #isBusy = false;

  constructor(database: Database, timing: Timing) {
    this.#database = database;
    this.#timing = timing;
  }

  /** Notes that a writer has something pending. */
  pending(writer: Writer): void {
    this.#dirty.add(writer);
    if (writer.pending.length > ROWS || writer.pendingBytes > BYTES) this.soon();
    else this.#later ??= PROCESS.after(this.#timing.delayMs, () => this.soon(), false);
  }

  /** Commits everything that will be pending when the current task is over. */
  soon(): void {
    this.#isDue = true;
    if (!this.#isBusy) this.#soon ??= setImmediate(() => void this.#pump());
  }

  async #pump(): Promise<void> {
    this.#soon = null;
    this.#isBusy = true;
    while (this.#isDue) {
      this.#isDue = false;
      this.#later?.cancel();
      this.#later = null;
      await this.#send(this.#leaving());
    }
    this.#isBusy = false;
  }

  /** The groups that leave now, in the order of their runs. What is too much for one message leaves with the next. */
  #leaving(): Sent[] {
    const sent: Sent[] = [];
    let bytes = 0;
    for (const writer of this.#dirty) {
      if (bytes > MESSAGE) break;
      this.#dirty.delete(writer);
      if (writer.state.kind === 'failed' || writer.pending.length === 0) continue;
      const flying = launch(writer);
      for (const { body } of flying.entries) bytes += body.length;
      sent.push({ writer, before: writer.durable, flying });
      if (writer.pending.length > 0) this.#dirty.add(writer);
      if (writer.pending.length > 0) break;
    }
    if (this.#dirty.size > 0) this.#isDue = true;
    return sent.sort((a, b) => a.writer.run.id - b.writer.run.id);
  }

  async #send(sent: readonly Sent[]): Promise<void> {
    if (sent.length === 0) return;
    const values = valuesOf(sent, await this.#database.identity());
    const patience = performance.now() + this.#timing.patienceMs;
    for (let tries = 1; ; tries += 1) {
      try {
        const rows = await this.#database.once(APPEND, values);
        const held = new Map(rows.map(({ held: run, heard }) => [whole(run), whole(heard)]));
        for (const each of sent) await this.#told(each, held.get(each.writer.run.id));
        return;
      } catch (error) {
        if (failingOf(error) === 'refused' || performance.now() > patience) {
          const failure = this.#database.named('write', error);
          for (const { writer } of sent) fail(writer, failure);
          return;
        }
        await PROCESS.pause(Math.min(PAUSE * tries, LONGEST_PAUSE));
      }
    }
  }

  async #told({ writer, flying }: Sent, messages: number | null | undefined): Promise<void> {
    if (writer.flying !== flying) return;
    if (messages === undefined) return this.#judge(writer, flying);
    land(writer);
    if (flying.pools.length > 0) this.#timing.onPools();
    this.#timing.onPosts(writer, messages ?? 0);
    this.#timing.onDurable(writer);
  }

  /**
   * After a failover: appends again the groups the server lost, under the same fence, then the group that the server
   * refused for their absence. @returns false if another run has meanwhile taken a claim of this run, or another
   * process the run itself.
   */
  async #healed(writer: Writer, lacking: readonly Landed[], flying: Flying): Promise<boolean> {
    if (!(await this.#timing.claim(writer))) return false;
    const identity = await this.#database.identity();
    writer.durableNote = undefined;
    for (const group of [...lacking, { ...flying, before: writer.durable }]) {
      const wasDurable = lacking.includes(group);
      const values = valuesOf([{ writer, before: group.before, flying: group }], identity, wasDurable);
      if ((await this.#database.once(APPEND, values)).length === 0) return false;
    }
    land(writer);
    return true;
  }

  /** A group that was refused: appended before, by the same statement whose answer stayed out, or never. */
  async #judge(writer: Writer, flying: Flying): Promise<void> {
    const { run, token, nonce, durable } = writer;
    const [row] = await this.#database.ask('read', FENCE, [run.id]);
    if (row === undefined || whole(row.token) !== token || row.nonce !== nonce) return fail(writer, lost(writer));
    if (isHead(row, flying.head)) return land(writer);
    const lacking = lackingOf(row, writer);
    if (lacking !== null && (await this.#healed(writer, lacking, flying))) return;
    const seq = whole(row.head) ?? 0;
    const place = `${this.#database.where}: run ${JSON.stringify(run.name)}`;
    if (seq < durable.seq) {
      const what = `${place} ends at seq ${seq}, and seq ${durable.seq} was acknowledged to this process`;
      const fix = 'what was done since is in no journal, so look at the world before you resume the run';
      fail(writer, new JournalError('journal_tail_lost', `${what}: a failover lost commits, and ${fix}.`));
    } else {
      const what = `${place} ends at seq ${seq} with rows that this process has not written`;
      fail(writer, new JournalError('journal_corrupt', `${what}. Nothing was repaired: restore a backup.`));
    }
  }
}

/**
 * The groups that a server lacks after the end that it reports, if this process still has them all. Null if it does
 * not, or if the server also lost messages that the run has received.
 */
function lackingOf(row: Readonly<Record<string, unknown>>, { landed, posts }: Writer): readonly Landed[] | null {
  if ((whole(row.posts) ?? 0) < posts.length) return null;
  const from = landed.findIndex(({ before }) => (before.seq === 0 ? whole(row.head) === 0 : isHead(row, before)));
  return from === -1 ? null : landed.slice(from);
}

/** The error of a writer whose run another process has taken over. */
export function lost({ run }: Writer): JournalError {
  const what = `Run ${JSON.stringify(run.name)} was taken over by another process. Nothing more of it was written here.`;
  return new JournalError('lease_lost', `${what} Resume it to take it back.`);
}

/** Says that a worker lives, then looks if a run is still its own: from then on none can take it. @throws JournalError `lease_lost`. */
export async function confirmed(leases: Leases, writer: Writer): Promise<void> {
  try {
    await leases.beat();
    if (!(await leases.held([writer], 'write')).has(writer.run.id)) throw lost(writer);
  } catch (error) {
    fail(writer, error as JournalError);
    throw error;
  }
}

/** The note of a group as the store keeps it: null if the note is unchanged, an empty buffer for no note. */
function noteOf({ writer, flying: { note } }: Sent, identity: Buffer): Buffer | null {
  if (note === writer.durableNote) return null;
  return note === null ? Buffer.alloc(0) : keptNote(identity, writer.run, note);
}

/** The changes of groups to acts, as values. */
function actsOf(sent: readonly Sent[]): unknown[] {
  const changes = sent.map(({ writer, flying }) => ({ run: writer.run.id, ...settled(flying.acts) }));
  const freed = changes.flatMap(({ run, freed: keys }) => keys.map((key) => [run, key] as const));
  const taken = changes.flatMap(({ run, taken: acts }) => acts.map(([act, key]) => [run, act, key] as const));
  const [releasing, keys] = [freed.map(([run]) => run), freed.map(([, key]) => key)];
  return [releasing, keys, taken.map(([run]) => run), taken.map(([, act]) => act), taken.map(([, , key]) => key)];
}

function valuesOf(sent: readonly Sent[], identity: Buffer, wereDurable = false): unknown[] {
  const owners: number[] = [];
  const places: number[] = [];
  const entries = sent.flatMap(({ flying }) => flying.entries);
  let place = 1;
  for (const { writer, flying } of sent) {
    for (const { body } of flying.entries) {
      owners.push(writer.run.id);
      places.push(place);
      place += body.length;
    }
  }
  return [
    sent.map(({ writer }) => writer.run.id),
    sent.map(({ writer }) => writer.token),
    sent.map(({ writer }) => writer.nonce),
    sent.map(({ before }) => before.seq),
    sent.map(({ flying }) => flying.head.seq),
    sent.map(({ flying }) => flying.head.time),
    Buffer.concat(sent.map(({ flying }) => flying.head.hash)),
    owners,
    entries.map(({ seq }) => seq),
    entries.map(({ kind }) => kind),
    places,
    entries.map(({ body }) => body.length),
    Buffer.concat(entries.map(({ body }) => body)),
    sent.map((each) => noteOf(each, identity)),
    ...actsOf(sent),
    poolsOf(
      sent.map(({ writer, flying }) => ({ run: writer.run.id, pools: flying.pools })),
      wereDurable,
    ),
  ];
}
