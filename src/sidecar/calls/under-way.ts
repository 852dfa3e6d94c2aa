/** The calls that are about to leave this process, or have left and not come back: these are aborted, and waited for, here. */
import { within } from '../../clock/clock.ts';
import type { RunParts } from '../parts.ts';

/** The longest wait for a call without a timeout, in milliseconds. */
const PATIENCE = 1_000;
/** The turns in which a call that was aborted as the run is given back may come back. */
const TURNS = 3;

/** A call under way that may change the world. */
interface Keyed {
  readonly abort: AbortController;
  /** The act, as it settles. */
  readonly acting: Promise<unknown>;
  /** Resolves once the act is over, however it ended. */
  readonly returned: Promise<unknown>;
}

/** The calls under way of one run. */
export class UnderWay {
  readonly #parts: RunParts;
  /** The calls that may change the world, by their keys. */
  readonly #keyed = new Map<string, Keyed>();
  /** The calls that the run has aborted, until they are made again. */
  readonly #broken = new Set<string>();
  /** The calls that change nothing. */
  readonly #plain = new Set<{ readonly tool: string; readonly returned: Promise<unknown> }>();
  /** The calls whose intent is on its way to the disk: they have not left. */
  readonly #leaving = new Set<string>();
  /** The calls that are being staged at this moment. */
  readonly #staging = new Set<Promise<unknown>>();

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /** True while a call has left, and what it says of itself is not in the ledger. */
  has(key: string): boolean {
    return this.#keyed.has(key);
  }

  /** Notes that a call is about to leave. @returns a function that says it is no more. */
  leaves(key: string): () => void {
    this.#leaving.add(key);
    return () => void this.#leaving.delete(key);
  }

  /** The calls that are about to leave. */
  get leaving(): readonly string[] {
    return [...this.#leaving];
  }

  /** True while a call is about to leave. */
  isLeaving(key: string): boolean {
    return this.#leaving.has(key);
  }

  /** True while any call that may change the world has left and not come back. */
  get isActing(): boolean {
    return this.#keyed.size > 0;
  }

  /** The keys of the calls that may change the world, have left and not come back, each with its return. */
  get acting(): ReadonlyMap<string, Promise<unknown>> {
    return new Map([...this.#keyed].map(([key, { acting }]) => [key, acting]));
  }

  /** Waits a few turns, in which calls that heed their signal come back, and their answers are written. */
  async aborted(): Promise<void> {
    for (let turn = 0; turn < TURNS && this.isActing; turn += 1) await written();
  }

  /** The tools whose calls change nothing and have not come back: a run that ends now drops their answers. */
  get plain(): string[] {
    return [...this.#plain].map(({ tool }) => tool);
  }

  /** Makes a call that may change the world, and keeps it until it has come back and its answer is written. */
  track(key: string, own: AbortSignal, act: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
    const abort = new AbortController();
    const forward = () => abort.abort(own.reason);
    if (own.aborted) forward();
    own.addEventListener('abort', forward, { once: true });
    this.#leaving.delete(key);
    this.#broken.delete(key);
    const acting = act(abort.signal);
    const mine = { abort, acting, returned: acting.then(ignored, ignored) };
    this.#keyed.set(key, mine);
    void mine.returned.then(async () => {
      own.removeEventListener('abort', forward);
      await written();
      if (this.#keyed.get(key) === mine) this.#keyed.delete(key);
    });
    return acting;
  }

  /** Keeps a call that changes nothing until it has come back. */
  trackPlain(tool: string, acting: Promise<unknown>): Promise<unknown> {
    const mine = { tool, returned: acting.then(ignored, ignored) };
    this.#plain.add(mine);
    void mine.returned.then(() => this.#plain.delete(mine));
    return acting;
  }

  /** Keeps a staging until it is done. */
  trackStaging(staging: Promise<unknown>): Promise<unknown> {
    this.#staging.add(staging);
    const done = () => this.#staging.delete(staging);
    staging.then(done, done);
    return staging;
  }

  /** Waits, for a while, until nothing is being staged: what is put aside after its discarding would stay there. */
  async staged(): Promise<void> {
    if (this.#staging.size === 0) return;
    await within(PATIENCE, Promise.allSettled(this.#staging));
  }

  /** Waits until what is under way has come back, and no longer than so many milliseconds. */
  async drain(longest: number): Promise<void> {
    const all = [...this.#keyed.values(), ...this.#plain].map(({ returned }) => returned);
    await within(longest, Promise.all(all));
    await written();
  }

  /**
   * Aborts a call that is under way and waits, for a while, until the call has come back: then its outcome is in the
   * ledger (C11).
   * @returns true if it came back.
   */
  async abort(key: string): Promise<boolean> {
    const call = this.#keyed.get(key);
    if (call === undefined) return false;
    this.#broken.add(key);
    call.abort.abort(new Error('the work that made this call is rolled back'));
    const back = (await within(this.#patience(key), call.returned)) !== null;
    if (back) await written();
    return back;
  }

  /** True for a call that the run has aborted: its error is no answer of its tool. */
  wasAborted(key: string): boolean {
    return this.#broken.has(key);
  }

  /** The longest wait for a call that was aborted, in milliseconds: as long as it may take. */
  #patience(key: string): number {
    const { config, runState } = this.#parts;
    return config.tools.get(runState.ledger.get(key)?.intent.tool ?? '')?.timeout ?? PATIENCE;
  }
}

/** Waits until the answer of a returned call is written: in the same turn, after the waiters have received it. */
function written(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function ignored(): void {}
