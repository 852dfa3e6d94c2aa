/**
 * Gates: questions to a person that outlive the process that asks them (semantics.md R4). An approval is bound to one call, to the
 * digest of its arguments, to the epoch of its instance and to a time, and is used once. It is a fold of questions and answers.
 */
import { createHash } from 'node:crypto';
import type { KeptEntry } from '../model/attempt-entries.ts';
import type { AnswerEntry, AnswerRefusal, GateEntry } from '../model/call-entries.ts';
import type { InstanceId } from '../model/instance.ts';
import type { MandateEntry } from '../model/mandate-entries.ts';
import type {
  CancelEntry,
  ComplaintEntry,
  MessageEntry,
  PauseEntry,
  RetriedEntry,
  SettledEntry,
  SteeredEntry,
} from '../model/message-entries.ts';

/** The status of a gate. `void`: a rollback went past it, or what it asked for was found out otherwise. */
export type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'settled' | 'expired' | 'used' | 'void';

/** One gate. */
export interface ApprovalRequest extends Omit<GateEntry, 'do'> {
  /** The wall clock of the question, in milliseconds. */
  readonly since: number;
  status: ApprovalStatus;
  by: string | null;
  why: string | null;
  /** What its approval changes in the arguments of the call; left out where it changes nothing (PE1). Of a choice, the branch. */
  with?: unknown;
}

/** A question as its run tells of it: enough for a message to the person who is to answer. */
export interface GuardedRequest extends ApprovalRequest {
  readonly tool: string;
  readonly args: unknown;
  readonly instance: InstanceId;
  /** The reason why a person is asked, in words. */
  readonly reason: string;
}

/** The word of a person that the run is to end. */
export interface Cancelled {
  readonly by: string;
  readonly why: string | null;
  /** True if the run's effects are undone as well (AB1); left out if they stand. */
  readonly undo?: true;
}

/** A complaint that no decision has answered: the run had ended. */
export interface UnansweredComplaint extends Omit<ComplaintEntry, 'do' | 'refused'> {
  /** The reason why the run did not act on it. */
  readonly refused: string;
}

/** Why an answer does not count, as a code and in words. */
export interface Refusal {
  readonly code: AnswerRefusal;
  readonly why: string;
}

/** The facts that an approval has to fit when it is used. */
export interface Bound {
  readonly digest: string;
  readonly epoch: number;
  readonly now: number;
}

/** What a request asks for, in words. */
const ASKED: Readonly<Record<GateEntry['asks'], string>> = {
  approval: 'an approval',
  outcome: 'an outcome',
  branch: 'a branch',
  review: 'a review',
};

/** The gates of a run. */
export class ApprovalRequests {
  readonly #gates = new Map<string, ApprovalRequest>();
  readonly #newest = new Map<string, ApprovalRequest>();
  readonly #pending = new Map<string, ApprovalRequest>();
  /** Those that wait, or that are approved and not used. */
  readonly #usable = new Map<string, ApprovalRequest>();
  /** The number of gates about each call. */
  readonly #asked = new Map<string, number>();
  /** The number of the last message of the inbox that was read as an answer. */
  read = 0;
  /** The person who has ended the run; null if no person has. */
  cancelled: Cancelled | null = null;
  /** The person who has paused the run; null while it is not paused. */
  paused: { readonly by: string; readonly why: string | null } | null = null;
  /** The numbers of the messages that are no answers, and were heard or refused. */
  readonly sent = new Set<number>();
  /** The complaints that came to a run which was done. */
  readonly unanswered: UnansweredComplaint[] = [];

  /** The parts that a base holds. */
  get parts() {
    return {
      gates: this.#gates,
      newest: this.#newest,
      pending: this.#pending,
      usable: this.#usable,
      asked: this.#asked,
    };
  }

  get(id: string): ApprovalRequest | undefined {
    return this.#gates.get(id);
  }

  /** The newest gate about a call. */
  of(key: string): ApprovalRequest | undefined {
    return this.#newest.get(key);
  }

  all(): IterableIterator<ApprovalRequest> {
    return this.#gates.values();
  }

  /** True where nothing is asked. */
  get isQuiet(): boolean {
    return this.#pending.size === 0;
  }

  /** The requests that wait for an answer, in the order of asking. */
  pending(): readonly ApprovalRequest[] {
    return [...this.#pending.values()];
  }

  /** A question about a call that is not asked yet. Its name tells nothing of the arguments, which could be guessed from it. */
  next(question: Omit<GateEntry, 'do' | 'gate'>): GateEntry {
    const { key, epoch } = question;
    const nth = this.#asked.get(key) ?? 0;
    const named = createHash('sha256').update(JSON.stringify([key, epoch, nth]));
    return { do: 'gate', gate: named.digest('hex').slice(0, 12), ...question };
  }

  ask({ do: _, ...question }: GateEntry, time: number): void {
    // A choice has one request: the candidates of an earlier request have changed since.
    if (question.asks === 'branch') this.void(({ key }) => key === question.key);
    const gate: ApprovalRequest = { ...question, since: time, status: 'pending', by: null, why: null };
    if (!this.#gates.has(gate.gate)) this.#asked.set(gate.key, (this.#asked.get(gate.key) ?? 0) + 1);
    this.#gates.set(gate.gate, gate);
    this.#usable.set(gate.gate, gate);
    this.#newest.set(gate.key, gate);
    this.#pending.set(gate.gate, gate);
  }

  answer(entry: AnswerEntry): void {
    const { gate: id, verdict, by, why, post } = entry;
    this.read = Math.max(this.read, post ?? 0);
    const gate = this.#gates.get(id);
    if (gate === undefined || verdict === 'refused') return;
    if ('with' in entry) gate.with = entry.with;
    this.#stand(gate, verdict, by, why);
  }

  /** A person has made the act of a call by hand: nothing that was asked about it is asked, or open, any more (PE5). */
  supplied(key: string, by: string, why: string | null): void {
    for (const gate of [...this.#usable.values()]) if (gate.key === key) this.#stand(gate, 'settled', by, why);
  }

  /** A message that is no answer was heard, or refused. @param isDone true where the run was done before. */
  heard(
    entry:
      | MessageEntry
      | ComplaintEntry
      | CancelEntry
      | PauseEntry
      | RetriedEntry
      | SettledEntry
      | SteeredEntry
      | KeptEntry
      | Extract<MandateEntry, { readonly post: number | null }>,
    isDone = false,
  ): void {
    if (entry.post !== null) this.sent.add(entry.post);
    if (entry.do === 'complaint' && entry.refused !== null && isDone) {
      const { do: _, ...complaint } = entry;
      this.unanswered.push({ ...complaint, refused: entry.refused });
    }
    if (entry.do === 'pause' && entry.refused === null)
      this.paused = entry.paused ? { by: entry.by, why: entry.why } : null;
    if (entry.do === 'cancel' && entry.refused === null) {
      const { by, why, undo } = entry;
      this.cancelled = { by, why, ...(undo === true && { undo }) };
    }
  }

  /** An approval was used up. */
  use(id: string): void {
    const gate = this.#gates.get(id);
    if (gate !== undefined) this.#stand(gate, 'used', gate.by, gate.why);
  }

  /** Takes back what still waits, or could still be used, wherever `isVoid` says so (R4). */
  void(isVoid: (gate: ApprovalRequest) => boolean): void {
    for (const gate of [...this.#usable.values()]) if (isVoid(gate)) this.#stand(gate, 'void', gate.by, gate.why);
  }

  /** The reason why a gate does not take an answer, or null. */
  refuses(id: string, asks: GateEntry['asks'], bound: Partial<Bound> & { readonly now: number }): Refusal | null {
    const gate = this.#gates.get(id);
    if (gate === undefined) return { code: 'unknown_request', why: 'no request asks for it' };
    if (gate.asks !== asks) return { code: 'other_question', why: `it asks for ${ASKED[gate.asks]}` };
    if (gate.status !== 'pending')
      return { code: 'already_answered', why: `it was answered before, or is void: ${gate.status}` };
    return unfit(gate, bound);
  }

  /** The reason why an approval does not open for a call as it is now, or null. */
  closed(gate: ApprovalRequest, bound: Bound): string | null {
    return gate.status === 'approved' ? (unfit(gate, bound)?.why ?? null) : gate.status;
  }

  #stand(gate: ApprovalRequest, status: ApprovalStatus, by: string | null, why: string | null): void {
    gate.status = status;
    gate.by = by;
    gate.why = why;
    if (status === 'pending') return;
    this.#pending.delete(gate.gate);
    if (status === 'approved') this.#usable.set(gate.gate, gate);
    else this.#usable.delete(gate.gate);
  }
}

function unfit(
  gate: ApprovalRequest,
  { digest = gate.digest, epoch = gate.epoch, now }: Partial<Bound> & { now: number },
): Refusal | null {
  if (digest !== gate.digest) return { code: 'stale', why: 'it is for other arguments' };
  if (epoch !== gate.epoch)
    return { code: 'stale', why: `it is for epoch ${gate.epoch} of its instance, which is at ${epoch}` };
  return gate.expires !== null && gate.expires <= now ? { code: 'expired', why: 'it has expired' } : null;
}
