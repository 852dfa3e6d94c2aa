/** The messages to people of a store in memory. */
import { type DueNotice, ERROR_LIMIT, KEPT, type ListedNotice, type NoticeBoard, type SeenCauses } from '../notices.ts';
import { noticeBytes } from '../rows.ts';

/** A cause as it is kept; `due` is a time of the clock. */
interface Kept {
  readonly channel: string;
  readonly id: string;
  readonly run: string;
  seen: number;
  body: string;
  since: number;
  over: number | null;
  told: 'needed' | 'resolved' | null;
  /** True where a message of this round has left, whatever came of it. */
  tried: boolean;
  round: number;
  tries: number;
  due: number | null;
  lease: number;
  error: string | null;
}

/** The messages of one store. */
export class MemoryNotices implements NoticeBoard {
  readonly #kept = new Map<string, Kept>();
  readonly #now: () => number;
  readonly #refuseIfClosed: () => void;

  constructor(now: () => number, refuseIfClosed: () => void) {
    this.#now = now;
    this.#refuseIfClosed = refuseIfClosed;
  }

  note({ channel, run, head, causes }: SeenCauses): void {
    this.#refuseIfClosed();
    for (const { body } of causes) noticeBytes(body);
    const own = [...this.#kept.values()].filter((kept) => kept.channel === channel && kept.run === run);
    if (own.some(({ seen }) => seen > head)) return;
    for (const kept of own) kept.seen = head;
    for (const { id, body } of causes) this.#open({ channel, id, run }, head, body);
    const now = new Set(causes.map(({ id }) => id));
    for (const kept of own) if (!now.has(kept.id) && kept.over === null) this.#end(kept);
  }

  take(channel: string, limit: number, leaseMs: number): readonly DueNotice[] {
    this.#refuseIfClosed();
    const now = this.#now();
    for (const [name, { due, over }] of this.#kept)
      if (due === null && over !== null && over <= now - KEPT) this.#kept.delete(name);
    const due = [...this.#kept.values()]
      .filter((kept) => kept.channel === channel && kept.due !== null && kept.due <= now)
      .sort((one, other) => (one.due as number) - (other.due as number))
      .slice(0, limit);
    return due.map((kept) => {
      Object.assign(kept, { tried: true, due: now + leaseMs, lease: kept.lease + 1 });
      const { id, run, body, round, tries, lease, over } = kept;
      return { channel, id, run, is: over === null ? 'needed' : 'resolved', body, round, tries, lease };
    });
  }

  sent(notice: DueNotice): void {
    const kept = this.#taken(notice);
    if (kept === null) return;
    // What is over while its message was on its way is told as well.
    const isNext = notice.is === 'needed' && kept.over !== null;
    Object.assign(kept, { told: notice.is, tries: 0, error: null, due: isNext ? this.#now() : null });
  }

  putOff(notice: DueNotice, milliseconds: number, error: string): void {
    const kept = this.#taken(notice);
    if (kept === null) return;
    const more = { tries: kept.tries + 1, lease: kept.lease + 1, error: error.slice(0, ERROR_LIMIT).toWellFormed() };
    Object.assign(kept, { ...more, due: this.#now() + milliseconds });
  }

  list(channel: string | null): readonly ListedNotice[] {
    this.#refuseIfClosed();
    const now = this.#now();
    return [...this.#kept.values()]
      .filter((kept) => (channel === null || kept.channel === channel) && (kept.over === null || kept.due !== null))
      .sort((one, other) => one.since - other.since || (one.id < other.id ? -1 : 1))
      .map(({ seen: _seen, body: _body, tried: _tried, lease: _lease, due, ...kept }) => {
        return { ...kept, due: due === null ? null : Math.max(0, due - now) };
      });
  }

  #open(of: Pick<Kept, 'channel' | 'id' | 'run'>, seen: number, body: string): void {
    const name = JSON.stringify([of.channel, of.id]);
    const known = this.#kept.get(name);
    if (known !== undefined && known.over === null) return;
    const fresh = { since: this.#now(), over: null, told: null, tried: false, tries: 0, due: this.#now(), error: null };
    if (known !== undefined) Object.assign(known, { ...fresh, seen, body, round: known.round + 1 });
    else this.#kept.set(name, { ...of, ...fresh, seen, body, round: 0, lease: 0 });
  }

  #end(kept: Kept): void {
    kept.over = this.#now();
    if (kept.told === 'needed') kept.due = this.#now();
    else if (!kept.tried) kept.due = null;
  }

  #taken({ channel, id, lease }: DueNotice): Kept | null {
    this.#refuseIfClosed();
    const kept = this.#kept.get(JSON.stringify([channel, id]));
    return kept?.lease === lease ? kept : null;
  }
}
