/**
 * Approvals: a call waits, in any process, until a person answers, in any other process (semantics.md R4). Messages are
 * requests; only the run's own journal counts.
 */
import type { ApprovalRequest } from '../../effects/gates.ts';
import type { Approval } from '../../effects/guarded-call.ts';
import { isDistrusted } from '../../effects/ledger-call.ts';
import type { GateEntry } from '../../model/call-entries.ts';
import type { InstanceId } from '../../model/instance.ts';
import type { RunParts, Writer } from '../parts.ts';
import { type Hearers, Inbox } from './inbox.ts';
import { askedFor, epochOf, refusalOf, refusedChange, refusedEdit } from './refusals.ts';
import { requestOf } from './request.ts';

/** A call that waits for its approval. */
interface Asking {
  readonly key: string;
  readonly digest: string;
  readonly instance: InstanceId;
  /** The longest time for an answer, in milliseconds; null where it has no limit. */
  readonly lasts: number | null;
  /** The key of an earlier call that it may be the same act as, or null. */
  readonly like: string | null;
  /** The act of another run that it may be, or null (FK4). */
  readonly kin: NonNullable<GateEntry['kin']> | null;
  readonly signal: AbortSignal;
}

/** An answer of a person to a request for an approval. */
interface Said {
  readonly verdict: 'approved' | 'denied';
  readonly by: string;
  readonly why: string | null;
  /** What an approval changes in the arguments of the call; left out for nothing (PE1). */
  readonly with?: unknown;
}

/** The approvals of one run. */
export class Approvals {
  readonly #parts: RunParts;
  readonly #write: Writer;
  readonly #inbox: Inbox;
  /** The requests that this process has told of. */
  readonly #announced = new Set<string>();

  constructor(parts: RunParts, write: Writer, hearers: () => Hearers) {
    this.#parts = parts;
    this.#write = write;
    this.#inbox = new Inbox(parts, write, hearers);
  }

  /** Waits for a person's approval of a call, and asks for it if no request exists. */
  async approval(asking: Asking): Promise<Approval> {
    let own: string | null = null;
    while (!asking.signal.aborted) {
      const stands = this.#stands(asking, own);
      if (typeof stands === 'object') return stands;
      if (stands === 'wait') {
        const waits = this.#parts.runState.asked.of(asking.key);
        own = waits?.gate ?? null;
        if (waits !== undefined) this.#announce(waits);
        const goesOn = this.#parts.activity.wait();
        await this.#inbox.woken(asking.signal);
        goesOn();
      } else own = await this.#askFor(asking);
    }
    return { is: 'dropped' };
  }

  /** The state of the question about a call; `own` is the request that was waited for so far. */
  #stands({ key, digest, instance, kin }: Asking, own: string | null): Approval | 'wait' | 'ask' {
    const { asked, ledger } = this.#parts.runState;
    const call = ledger.get(key);
    if (call?.status === 'confirmed' && !isDistrusted(call)) return { is: 'settled' };
    const gate = asked.of(key);
    if (gate === undefined) return 'ask';
    const epoch = epochOf(this.#parts.runState, instance);
    const closed = asked.closed(gate, { digest, epoch, now: this.#parts.now() });
    if (closed === null) return this.isAbout(gate.gate, kin) ? this.#approved(gate) : 'ask';
    // A no is final for the call: work that is done again is not asked about again, unless it asks for something else (R4).
    if (closed === 'denied' && gate.digest === digest) return { is: 'denied', why: deniedText(gate), by: gate.by };
    if (closed === 'expired' && gate.gate === own)
      return { is: 'denied', why: 'no person has approved it in time', by: null };
    return closed === 'pending' ? 'wait' : 'ask';
  }

  /** An approval with what it changes; a change that the config does not take any more is asked about anew (PE1). */
  #approved({ gate, key, by, ...rest }: ApprovalRequest): Approval | 'ask' {
    if (!('with' in rest)) return { is: 'approved', gate, changes: null };
    return refusedChange(this.#parts, key, rest.with) === null
      ? { is: 'approved', gate, changes: { with: rest.with, by: by ?? '' } }
      : 'ask';
  }

  #askFor({ key, digest, instance, lasts, like, kin }: Asking): Promise<string> {
    const expires = lasts === null ? null : this.#parts.now() + lasts;
    const bound = { key, digest, epoch: epochOf(this.#parts.runState, instance), expires };
    const edits = this.#editsOf(key);
    return this.#ask({
      asks: 'approval',
      ...bound,
      ...(like !== null && { like }),
      ...(kin !== null && { kin }),
      ...(edits.length > 0 && { edits }),
    });
  }

  /** The parts of the arguments that a person may change: none of a call that has left under its key. */
  #editsOf(key: string): readonly string[] {
    const { runState, config } = this.#parts;
    const call = runState.ledger.get(key);
    return call?.status === 'buffered' ? (config.tools.get(call.tool)?.gate?.edits ?? []) : [];
  }

  /** True where a question has named the act of a kin that the call may repeat, or there is none. */
  isAbout(gate: string, kin: Asking['kin']): boolean {
    const asked = this.#parts.runState.asked.get(gate)?.kin;
    return kin === null || (asked?.run === kin.run && asked.key === kin.key);
  }

  /** True where an approval opens for a call as it is now. */
  opens(id: string, digest: string, instance: InstanceId): boolean {
    const { asked } = this.#parts.runState;
    const gate = asked.get(id);
    if (gate === undefined) return false;
    return (
      asked.closed(gate, { digest, epoch: epochOf(this.#parts.runState, instance), now: this.#parts.now() }) === null
    );
  }

  /** Asks a person what became of a call, where no counterparty could tell (E2). */
  askOutcome(key: string): void {
    const { asked, ledger } = this.#parts.runState;
    const call = ledger.get(key);
    if (call === undefined) return;
    const before = asked.of(key);
    if (before?.status === 'pending') {
      this.#announce(before);
      return;
    }
    const { digest, instance, tool } = call.intent;
    const expects = this.#parts.config.tools.get(tool)?.output;
    void this.#ask({
      asks: 'outcome',
      key,
      digest,
      epoch: epochOf(this.#parts.runState, instance),
      expires: null,
      ...(expects !== undefined && { expects }),
    }).catch(() => {});
  }

  /** Asks a person to look at work of which its judge is not sure, unless that is asked already (JU3). */
  askReview(question: Omit<GateEntry, 'do' | 'gate' | 'expires'>): void {
    this.askBranch(question, null);
  }

  /** Asks a person which branch is chosen, unless that is asked already (AL11). @param lasts the longest time for an answer, in milliseconds; null for no limit. */
  askBranch(question: Omit<GateEntry, 'do' | 'gate' | 'expires'>, lasts: number | null): void {
    const before = this.#parts.runState.asked.of(question.key);
    if (before?.status === 'pending' && before.digest === question.digest) this.#announce(before);
    else void this.#ask({ ...question, expires: lasts === null ? null : this.#parts.now() + lasts }).catch(() => {});
  }

  async #ask(question: Omit<GateEntry, 'do' | 'gate'>): Promise<string> {
    const { asked } = this.#parts.runState;
    const entry = asked.next(question);
    this.#write.append([entry]);
    await this.#write.durable();
    this.#inbox.watch();
    this.#announce(asked.get(entry.gate) as ApprovalRequest);
    return entry.gate;
  }

  /**
   * Tells of a question, once in each process: a person who was asked before a restart may have been asked by a program that is
   * gone.
   */
  #announce(gate: ApprovalRequest): void {
    if (this.#announced.has(gate.gate)) return;
    this.#announced.add(gate.gate);
    this.#inbox.watch();
    try {
      this.#parts.onGate(requestOf(this.#parts, gate));
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  /** Takes an answer from this process. @returns why the answer is refused, or null. */
  answer(gate: string, said: Said): string | null {
    const { by, verdict, why } = said;
    const change = 'with' in said ? { with: said.with } : {};
    const refused =
      by.trim() === ''
        ? ({ code: 'bad_answer', why: 'no person has given it' } as const)
        : (refusalOf(this.#parts, gate, askedFor(this.#parts, gate, 'approval'), {}) ??
          refusedEdit(this.#parts, gate, said));
    this.#write.append([
      refused === null
        ? { do: 'answer', gate, verdict, by, why, post: null, ...change }
        : { do: 'answer', gate, verdict: 'refused', by, ...refused, post: null },
    ]);
    this.#inbox.wake();
    return refused === null ? null : refused.why;
  }

  /** The number of messages that were looked at. */
  get looked(): number {
    return this.#inbox.looked;
  }

  /** True where a message was left that this process has not looked at. */
  get hasMail(): boolean {
    return this.#inbox.hasMail;
  }

  /** @see {@link Inbox.poll} */
  poll(): void {
    this.#inbox.poll();
  }

  /** @see {@link Inbox.listen} */
  listen(): void {
    this.#inbox.listen();
  }

  /** @see {@link Inbox.stop} */
  stop(): void {
    this.#inbox.stop();
  }

  /** @see {@link Inbox.wake} */
  wake(): void {
    this.#inbox.wake();
  }
}

function deniedText({ by, why }: ApprovalRequest): string {
  return `denied by ${by ?? 'nobody'}${why === null ? '' : `: ${why}`}`;
}
