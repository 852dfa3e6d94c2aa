/** The calls of one process that wait for claims: they ask together, and again when something may have been freed. */
import { randomUUID } from 'node:crypto';
import { setAlarm } from '../../clock/alarm.ts';
import { type Alarm, PROCESS } from '../../clock/clock.ts';
import type { Claim, ClaimAnswer, ClaimCall, ClaimDesk } from '../../journal/claims.ts';
import { JournalError } from '../../journal/journal.ts';
import type { PassedOn } from '../../model/passed-on.ts';
import { ClaimsClosed, type StoreClaims } from './claims.ts';

/** The part of a store's claims that waiting needs. */
export type Desk = Pick<ClaimDesk, 'ask' | 'leave' | 'release' | 'onFreed' | 'letGo' | 'takeBack'> &
  Partial<Pick<ClaimDesk, 'freed'>>;

interface Waiter {
  readonly call: ClaimCall;
  /** Ends the wait. */
  settle(refused: string | null): void;
  fail(error: unknown): void;
}

/** Waits with the calls of one process, and asks for all of them together. */
export class WaitingClaims implements StoreClaims {
  readonly #desk: Desk;
  readonly #patience: number;
  readonly #pollMs: number | null;
  readonly #waiting = new Map<string, Waiter>();
  /** The questions that a store has not answered yet. */
  readonly #asking = new Set<Promise<unknown>>();
  #turn: Promise<unknown> = Promise.resolve();
  #isLooking = false;
  #timer: Alarm | undefined;
  /** The number of times that something was freed, as far as it is known here. */
  #freed = 0;
  readonly #deaf: () => void;
  #closed = false;

  constructor(desk: Desk, patience: number, pollMs: number | null) {
    this.#desk = desk;
    this.#patience = patience;
    this.#pollMs = pollMs;
    this.#deaf = desk.onFreed(() => {
      this.#freed += 1;
      if (this.#waiting.size > 0) void this.#look();
    });
  }

  async take(
    run: string,
    wanted: readonly Claim[],
    signal: AbortSignal,
    waits: (reason: string) => void,
    longest = Number.POSITIVE_INFINITY,
  ): Promise<string | null> {
    if (signal.aborted) return null;
    if (this.#closed) throw claimsClosed();
    const call = { id: randomUUID(), run, wanted: merged(wanted) };
    const before = this.#freed;
    const [answer] = await this.#ask([call]);
    if (answer?.is !== 'waits') return decided(call, answer);
    if (signal.aborted || this.#closed || this.#patience <= 0 || longest <= 0) {
      await this.#desk.leave([call]);
      if (this.#closed && !signal.aborted) throw claimsClosed();
      return signal.aborted ? null : answer.why;
    }
    waits(answer.why);
    const decision = this.#wait(call, signal, answer.why, Math.min(this.#patience, longest));
    // A claim that was freed during the question may have been the run's own.
    if (this.#freed !== before) void this.#look();
    return decision;
  }

  /**
   * Frees the claims of a run, and the claims being granted to it: an earlier, stopped call may have asked for them.
   */
  release(run: string): void | Promise<void> {
    if (this.#asking.size === 0) return this.#desk.release(run);
    return Promise.allSettled(this.#asking).then(() => this.#desk.release(run));
  }

  letGo(run: string, keys: readonly string[]): void | Promise<void> {
    return this.#desk.letGo(run, keys);
  }

  takeBack(run: string): readonly PassedOn[] | Promise<readonly PassedOn[]> {
    return this.#desk.takeBack(run);
  }

  freed(run: string): readonly string[] | Promise<readonly string[]> {
    return this.#desk.freed?.(run) ?? [];
  }

  close(): void {
    this.#closed = true;
    this.#deaf();
    for (const { call, fail } of [...this.#waiting.values()]) {
      fail(claimsClosed());
      this.#leave(call);
    }
  }

  #ask(calls: readonly ClaimCall[]): ReturnType<Desk['ask']> {
    const answers = this.#desk.ask(calls);
    if (!(answers instanceof Promise)) return answers;
    this.#asking.add(answers);
    const answered = () => this.#asking.delete(answers);
    answers.then(answered, answered);
    return answers;
  }

  #wait(call: ClaimCall, signal: AbortSignal, why: string, patience: number): Promise<string | null> {
    return new Promise((resolve, reject) => {
      let late: Alarm | undefined;
      const end = () => {
        late?.cancel();
        signal.removeEventListener('abort', stop);
        this.#waiting.delete(call.id);
        if (this.#waiting.size === 0) this.#rest();
      };
      const settle = (refused: string | null) => {
        end();
        resolve(refused);
      };
      const stop = () => {
        settle(null);
        this.#leave(call);
      };
      const fail = (error: unknown) => {
        end();
        reject(error);
      };
      this.#waiting.set(call.id, { call, settle, fail });
      signal.addEventListener('abort', stop);
      const now = () => Date.now();
      const giveUp = () => {
        settle(why);
        this.#leave(call);
      };
      if (Number.isFinite(patience)) late = setAlarm(now() + patience, now, giveUp);
      this.#arm();
    });
  }

  /** Nothing waits: nothing is asked for. */
  #rest(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    if (this.#pollMs === null || this.#timer !== undefined) return;
    this.#timer = PROCESS.after(this.#pollMs, () => {
      this.#timer = undefined;
      void this.#look();
    });
  }

  /**
   * Takes a call out of the line, after every request made for the call before. If the store fails, the call's place
   * goes with this process.
   */
  #leave(call: ClaimCall): void {
    void this.#inTurn(async () => this.#desk.leave([call])).catch(() => {});
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    await this.#inTurn(() => {
      // What is freed from here on is looked for once more.
      this.#isLooking = false;
      return this.#asked();
    });
    if (this.#waiting.size > 0) this.#arm();
  }

  async #asked(): Promise<void> {
    const waiters = [...this.#waiting.values()];
    if (waiters.length === 0) return;
    try {
      const answers = await this.#ask(waiters.map(({ call }) => call));
      for (const [index, { call, settle, fail }] of waiters.entries()) {
        const answer = answers[index];
        if (answer?.is === 'waits' || !this.#waiting.has(call.id)) continue;
        try {
          settle(decided(call, answer));
        } catch (error) {
          fail(error);
        }
      }
    } catch (error) {
      // A store that cannot be asked is asked again.
      if (!isPassing(error)) for (const { fail } of waiters) fail(error);
    }
  }

  /** One after the other: a call that has left is not asked for again. */
  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(act);
    this.#turn = done.catch(() => {});
    return done;
  }
}

/** One claim for each key: to have it alone is to have it shared, too. */
function merged(wanted: readonly Claim[]): readonly Claim[] {
  const byKey = new Map<string, Claim>();
  for (const claim of wanted) if (byKey.get(claim.key.text)?.shared !== false) byKey.set(claim.key.text, claim);
  return [...byKey.values()];
}

/** @throws JournalError where the run is not its caller's any more. */
function decided({ run }: ClaimCall, answer: ClaimAnswer | undefined): string | null {
  if (answer?.is === 'held') return null;
  if (answer?.is === 'refused') return answer.why;
  const what = `Run ${JSON.stringify(run)} is not open in the store that keeps the claims, or another process has taken it over`;
  throw new JournalError('lease_lost', `${what}. Give the same store as journal, and resume the run.`);
}

/** The error of a wait that the process has ended. */
export function claimsClosed(): ClaimsClosed {
  return new ClaimsClosed('claims_closed', 'This process gives its runs back, and waits for no claims any more.');
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof JournalError && (error.code === 'journal_cannot_read' || error.code === 'journal_cannot_write')
  );
}
