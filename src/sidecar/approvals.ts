/**
 * What people are asked, and what they say: a call waits at its gate, in whatever process, until somebody answers in whatever other
 * one (semantics.md R4). Messages are requests; what counts is what the run's own journal says.
 */
import { type Alarm, setAlarm } from '../effects/alarm.ts';
import { type Answer, answerIn } from '../effects/answers.ts';
import type { ApprovalRequest, GuardedRequest } from '../effects/gates.ts';
import type { Approval } from '../effects/guard.ts';
import { isDistrusted, type LedgerCall } from '../effects/ledger.ts';
import type { AnswerEntry, GateEntry } from '../model/entry.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { shownArgs } from '../reports/ledger-effects.ts';
import type { RunParts, Writer } from './parts.ts';

/** How often the inbox is looked into while somebody waits, in milliseconds. */
const POLL = 200;

/** A call that waits for its approval. */
interface Asking {
  readonly key: string;
  readonly digest: string;
  readonly instance: InstanceId;
  /** How long an answer may take, in milliseconds; null for as long as it likes. */
  readonly lasts: number | null;
  /** The key of an earlier call that it may be the same act as, or null. */
  readonly like: string | null;
  readonly signal: AbortSignal;
}

/** The questions and answers of one run. */
export class Approvals {
  readonly #parts: RunParts;
  readonly #write: Writer;
  readonly #settled: (key: string) => void;
  #waking: (() => void)[] = [];
  #timer: NodeJS.Timeout | null = null;
  /** The gates that this process has told of. */
  readonly #announced = new Set<string>();
  /** Set for the first time at which an approval expires. */
  #expiry: Alarm | null = null;

  /** `settled` is told of calls of which somebody has said what became of them. */
  constructor(parts: RunParts, write: Writer, settled: (key: string) => void) {
    this.#parts = parts;
    this.#write = write;
    this.#settled = settled;
  }

  /** Waits for a person's approval of a call, and asks for it where nobody has. */
  async approval(asking: Asking): Promise<Approval> {
    let own: string | null = null;
    while (!asking.signal.aborted) {
      const stands = this.#stands(asking, own);
      if (typeof stands === 'object') return stands;
      if (stands === 'wait') {
        const waits = this.#parts.runState.asked.of(asking.key);
        own = waits?.gate ?? null;
        if (waits !== undefined) this.#announce(waits);
        await this.#woken(asking.signal);
      } else own = await this.#askFor(asking);
    }
    return { is: 'dropped' };
  }

  /** How the question about a call stands now; `own` is the gate that was waited for so far. */
  #stands({ key, digest, instance }: Asking, own: string | null): Approval | 'wait' | 'ask' {
    const { asked, ledger } = this.#parts.runState;
    const call = ledger.get(key);
    if (call?.status === 'confirmed' && !isDistrusted(call)) return { is: 'settled' };
    const gate = asked.of(key);
    if (gate === undefined) return 'ask';
    const epoch = this.epochOf(instance);
    const closed = asked.closed(gate, { digest, epoch, now: this.#parts.now() });
    if (closed === null) return { is: 'approved', gate: gate.gate };
    // A no is final for the call: work that is done again is not asked about again, unless it asks for something else (R4).
    if (closed === 'denied' && gate.digest === digest) return { is: 'denied', why: deniedText(gate), by: gate.by };
    if (closed === 'expired' && gate.gate === own)
      return { is: 'denied', why: 'nobody has approved it in time', by: null };
    return closed === 'pending' ? 'wait' : 'ask';
  }

  #askFor({ key, digest, instance, lasts, like }: Asking): Promise<string> {
    const expires = lasts === null ? null : this.#parts.now() + lasts;
    const bound = { key, digest, epoch: this.epochOf(instance), expires };
    return this.#ask({ asks: 'approval', ...bound, ...(like !== null && { like }) });
  }

  /** Whether an approval opens for a call as it is now. */
  opens(id: string, digest: string, instance: InstanceId): boolean {
    const { asked } = this.#parts.runState;
    const gate = asked.get(id);
    if (gate === undefined) return false;
    return asked.closed(gate, { digest, epoch: this.epochOf(instance), now: this.#parts.now() }) === null;
  }

  /** Asks a person what became of a call of which nobody else could tell (E2). */
  askOutcome(key: string): void {
    const { asked, ledger } = this.#parts.runState;
    const call = ledger.get(key);
    if (call === undefined) return;
    const before = asked.of(key);
    if (before?.status === 'pending') {
      this.#announce(before);
      return;
    }
    const { digest, instance } = call.intent;
    void this.#ask({ asks: 'outcome', key, digest, epoch: this.epochOf(instance), expires: null }).catch(() => {});
  }

  async #ask(question: Omit<GateEntry, 'do' | 'gate'>): Promise<string> {
    const { asked } = this.#parts.runState;
    const entry = asked.next(question);
    this.#write.append([entry]);
    await this.#write.durable();
    this.watch();
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
    this.watch();
    try {
      this.#parts.onGate(this.#request(gate));
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  #request(gate: ApprovalRequest): GuardedRequest {
    const { ledger } = this.#parts.runState;
    const { intent, error } = ledger.get(gate.key) as LedgerCall;
    const { tool, instance } = intent;
    const unknown = `nobody knows what became of it: ${error ?? 'no answer came'}`;
    const reason = gate.asks === 'approval' ? this.#held(gate, tool) : unknown;
    return { ...gate, tool, args: shownArgs(intent, this.#parts.runState), instance, reason };
  }

  /** The reason why a call waits for its approval. */
  #held({ like }: ApprovalRequest, tool: string): string {
    const when = this.#parts.config.tools.get(tool)?.gate?.when ?? null;
    if (like !== undefined)
      return `${tool} has happened before, and the machine has not heard its answer: approve this call if it is another act, settle it as confirmed if it is the same`;
    return when === null
      ? `every call of ${tool} waits for an approval`
      : `${tool} waits for an approval where ${when.text}`;
  }

  epochOf(instance: InstanceId): number {
    return this.#parts.runState.epochs.get(instanceName(instance)) ?? 0;
  }

  /** Somebody in this process answers. @returns why the answer is refused, or null. */
  answer(gate: string, verdict: 'approved' | 'denied', by: string, why: string | null): string | null {
    const refused = by.trim() === '' ? 'nobody has given it' : this.#refuses(gate, 'approval', {});
    this.#write.append([
      refused === null
        ? { do: 'answer', gate, verdict, by, why, post: null }
        : { do: 'answer', gate, verdict: 'refused', by, why: refused, post: null },
    ]);
    this.wake();
    return refused;
  }

  #refuses(gate: string, asks: GateEntry['asks'], bound: { digest?: string; epoch?: number }): string | null {
    const { asked, ledger } = this.#parts.runState;
    const now = this.#parts.now();
    const key = asked.get(gate)?.key;
    const instance = key === undefined ? undefined : ledger.get(key)?.intent.instance;
    const epoch = instance === undefined ? undefined : this.epochOf(instance);
    // It has to fit what it says that it is for, and what the gate is for has to be so still.
    return asked.refuses(gate, asks, { ...bound, now }) ?? asked.refuses(gate, asks, { epoch: epoch ?? -1, now });
  }

  /** Reads what was left for the run, and lets what has taken too long expire. */
  poll(): void {
    const { asked } = this.#parts.runState;
    const posted = this.#parts.journal.posted(asked.read);
    for (const { number, body } of posted) this.#take(number, body);
    const now = this.#parts.now();
    const expired = asked.pending().filter(({ expires }) => expires !== null && expires <= now);
    for (const { gate } of expired)
      this.#write.append([{ do: 'answer', gate, verdict: 'expired', by: null, why: null, post: null }]);
    if (posted.length === 0 && expired.length === 0) return;
    // Whoever left a message looks into the journal for what became of it.
    void this.#write.durable().catch(() => {});
    this.wake();
  }

  #take(post: number, body: string): void {
    const answer = answerIn(body);
    if (answer === null) {
      this.#write.append([refusal('', null, 'it is no answer', post)]);
      return;
    }
    const { gate, digest, epoch, by, why, verdict } = answer;
    const like = this.#parts.runState.asked.get(gate)?.like;
    const asks = verdict === 'settled' && like === undefined ? 'outcome' : 'approval';
    const refused = this.#refuses(gate, asks, { digest, epoch }) ?? this.#unlike(answer);
    if (refused !== null) {
      this.#write.append([refusal(gate, by, refused, post)]);
      return;
    }
    const key = this.#parts.runState.asked.get(gate)?.key as string;
    this.#write.append([{ do: 'answer', gate, verdict, by, why, post }]);
    if (verdict !== 'settled') return;
    const { status } = answer;
    const output = answer.output ?? this.#parts.runState.ledger.get(like ?? '')?.output;
    this.#write.append([{ do: 'outcome', key, status, ...(status === 'confirmed' && { output }) }]);
    this.#settled(key);
  }

  /** Why an outcome that somebody tells cannot be one, as its tool declares what it answers; null where it can. */
  #unlike(answer: Answer): string | null {
    if (answer.verdict !== 'settled') return null;
    const { asked, ledger } = this.#parts.runState;
    const gate = asked.get(answer.gate);
    if (answer.status !== 'confirmed') return gate?.like === undefined ? null : 'it has not left yet: deny it instead';
    if (gate?.like !== undefined && answer.output === undefined) return null;
    const call = ledger.get(gate?.key ?? '');
    const why = this.#parts.config.tools.get(call?.intent.tool ?? '')?.refuses(answer.output) ?? null;
    return why === null ? null : `it is no answer of ${call?.intent.tool}: ${why}`;
  }

  /** Looks into the inbox from time to time, as long as somebody is asked. */
  watch(): void {
    this.#awaitExpiry();
    this.#timer ??= setInterval(() => {
      if (this.#parts.runState.asked.pending().length === 0 && this.#waking.length === 0) this.stop();
      else this.#tryPoll();
      this.#keepAlive();
    }, POLL);
    this.#keepAlive();
  }

  /** A process that waits for an approval stays, unless it was told otherwise: nothing else may keep it. */
  #keepAlive(): void {
    const isAsked = this.#parts.runState.asked.pending().some(({ asks }) => asks === 'approval');
    if (isAsked && this.#parts.keepAlive) this.#timer?.ref();
    else this.#timer?.unref();
  }

  #awaitExpiry(): void {
    this.#expiry?.cancel();
    const due = Math.min(
      ...this.#parts.runState.asked.pending().map(({ expires }) => expires ?? Number.POSITIVE_INFINITY),
    );
    if (!Number.isFinite(due)) return;
    const look = () => {
      this.#tryPoll();
      this.#awaitExpiry();
    };
    this.#expiry = setAlarm(due, this.#parts.now, look, false);
  }

  #tryPoll(): void {
    try {
      this.poll();
    } catch {
      // A journal that cannot be read now says so where it is written; the next look may find it well.
    }
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#expiry?.cancel();
    this.#expiry = null;
  }

  /** Has whoever waits look again: something was said, or a restore has taken back what they were granted. */
  wake(): void {
    const waking = this.#waking;
    this.#waking = [];
    for (const wake of waking) wake();
  }

  #woken(signal: AbortSignal): Promise<void> {
    this.watch();
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waking.push(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}

function refusal(gate: string, by: string | null, why: string, post: number): AnswerEntry {
  return { do: 'answer', gate, verdict: 'refused', by, why, post };
}

function deniedText({ by, why }: ApprovalRequest): string {
  return `denied by ${by ?? 'nobody'}${why === null ? '' : `: ${why}`}`;
}
