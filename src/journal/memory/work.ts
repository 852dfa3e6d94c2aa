/** The runs of a store in memory that are left for workers. */
import { checkRunName, inputBytes, otherRequest, wrongRun } from '../rows.ts';
import {
  differs,
  isOfOther,
  isUnder,
  isUnderOther,
  type LeftRun,
  type OthersAsked,
  type Rest,
  type StartRequest,
  type WorkAsked,
  type WorkDigests,
  type WorkOrder,
  type WorkQueue,
  whyLeft,
} from '../work.ts';
import { type MemoryRun, newRun } from './journal.ts';

/** A request as it is kept: `due` is a time of the clock. */
type Kept = { -readonly [K in keyof Omit<WorkOrder, 'held'>]: WorkOrder[K] };

/** The queue of one store. */
export class MemoryWork implements WorkQueue {
  readonly #orders = new Map<string, Kept>();
  readonly #runs: Map<string, MemoryRun>;
  readonly #now: () => number;
  readonly #refuseIfClosed: () => void;
  readonly #hasClaims: (run: string) => boolean;

  /** @param hasClaims true for a run that has claims. */
  constructor(
    runs: Map<string, MemoryRun>,
    now: () => number,
    refuseIfClosed: () => void,
    hasClaims: (run: string) => boolean,
  ) {
    this.#hasClaims = hasClaims;
    this.#runs = runs;
    this.#now = now;
    this.#refuseIfClosed = refuseIfClosed;
  }

  start(request: StartRequest): boolean {
    this.#refuseIfClosed();
    const { run, agent, input, queue } = request;
    checkRunName(run);
    inputBytes(request);
    const there = this.#orders.get(run);
    if (there === undefined && this.#runs.has(run)) throw otherRequest(run, 'that was not left for workers');
    const other = there === undefined ? null : differs(there, request);
    if (other !== null) throw otherRequest(run, other);
    if (there !== undefined) return false;
    const fresh = { digests: null, due: this.#now(), taken: 0, ended: null, note: null, threw: null, output: null };
    this.#orders.set(run, { run, agent, input, queue, ...fresh });
    this.#runs.set(run, newRun(run));
    return true;
  }

  handOver(request: StartRequest, digests: WorkDigests): boolean {
    this.#refuseIfClosed();
    const { run, agent, input, queue } = request;
    inputBytes(request);
    if (!this.#runs.has(run)) throw wrongRun('run_unknown', run);
    if (this.#orders.has(run)) return false;
    const fresh = { due: this.#now(), taken: 0, ended: null, note: null, threw: null, output: null };
    this.#orders.set(run, { run, agent, input, queue, digests, ...fresh });
    return true;
  }

  order(run: string): WorkOrder | null {
    this.#refuseIfClosed();
    const kept = this.#orders.get(run);
    return kept === undefined ? null : this.#told(kept);
  }

  ready({ queue, carries, limit, holding = false }: WorkAsked): readonly WorkOrder[] {
    const due = this.#due(queue);
    const others = this.#free((kept) => kept.queue === queue && !this.#isDue(kept) && isUnderOther(kept, carries));
    return [...due, ...others]
      .filter(({ run }) => !holding || this.#hasClaims(run))
      .filter((order) => whyLeft(order, carries) === null)
      .slice(0, limit);
  }

  left({ queue, carries }: WorkAsked): readonly LeftRun[] {
    return this.#due(queue).flatMap((order) => {
      const why = whyLeft(order, carries);
      return why === null ? [] : [{ order, why }];
    });
  }

  others({ queue, carries, limit, after }: OthersAsked): readonly WorkOrder[] {
    const isAsked = (kept: Kept) => kept.queue === queue && (after === null || kept.run > after);
    return this.#free((kept) => isAsked(kept) && isOfOther(kept, carries))
      .sort((one, other) => (one.run < other.run ? -1 : 1))
      .slice(0, limit);
  }

  bind(run: string, digests: WorkDigests): boolean {
    const kept = this.#named(run);
    kept.digests ??= digests;
    return isUnder(kept.digests, digests);
  }

  ended(queue: string, milliseconds: number, limit: number): readonly string[] {
    this.#refuseIfClosed();
    const before = this.#now() - milliseconds;
    return [...this.#orders.values()]
      .filter((kept) => kept.queue === queue && kept.ended !== null && kept.ended <= before)
      .sort((one, other) => (one.ended as number) - (other.ended as number))
      .slice(0, limit)
      .map(({ run }) => run);
  }

  /** A run was deleted. */
  deleted(run: string): void {
    this.#orders.delete(run);
  }

  delay(run: string, milliseconds: number, note: string): void {
    const kept = this.#named(run);
    if (kept.ended === null) Object.assign(kept, { due: this.#now() + milliseconds, taken: 0, note });
  }

  /** A run was opened: until it is given back, it counts as due. */
  taken(run: string): void {
    const kept = this.#orders.get(run);
    if (kept !== undefined && kept.ended === null) kept.taken += 1;
    this.posted(run);
  }

  /** A run has a new message. */
  posted(run: string): void {
    const kept = this.#orders.get(run);
    if (kept !== undefined && kept.ended === null) kept.due = Math.min(kept.due ?? this.#now(), this.#now());
  }

  /** A run was given back. */
  given({ name, posts }: MemoryRun, rest: Rest | undefined): void {
    const kept = this.#orders.get(name);
    if (kept === undefined) return;
    kept.taken = 0;
    if (rest === undefined) return;
    const next = posts.length > rest.heard ? 0 : rest.due;
    kept.due = rest.ended || next === null ? null : this.#now() + next;
    if (rest.ended) kept.ended ??= this.#now();
    kept.digests = rest.digests;
    kept.threw = rest.threw;
    kept.output = rest.output ?? kept.output;
    kept.note = null;
  }

  #due(queue: string): WorkOrder[] {
    return this.#free((kept) => kept.queue === queue && this.#isDue(kept));
  }

  #isDue({ due }: Kept): boolean {
    return due !== null && due <= this.#now();
  }

  /** Those that no process has, the longest due first. */
  #free(isWanted: (kept: Kept) => boolean): WorkOrder[] {
    this.#refuseIfClosed();
    return [...this.#orders.values()]
      .filter(isWanted)
      .sort((one, other) => (one.due ?? 0) - (other.due ?? 0))
      .map((kept) => this.#told(kept))
      .filter(({ held }) => !held);
  }

  #named(run: string): Kept {
    this.#refuseIfClosed();
    const kept = this.#orders.get(run);
    if (kept === undefined) throw wrongRun('run_unknown', run);
    return kept;
  }

  #told(kept: Kept): WorkOrder {
    const due = kept.due === null ? null : Math.max(0, kept.due - this.#now());
    return { ...kept, due, held: this.#runs.get(kept.run)?.held ?? false };
  }
}
