/**
 * The runs of a store that workers may take: a request for each, durable before any worker has it, and when it can go on next. It
 * says which runs are worth opening; only the lease of a run says who has it (J1). Times are those of the store's own clock.
 */
/** An answer: at once, or as a store on a server gives it. */
type Awaitable<T> = T | Promise<T>;

/** The digests that a run goes on under. */
export interface WorkDigests {
  readonly machine: string;
  readonly config: string;
}

/** A request for a run. */
export interface StartRequest {
  readonly run: string;
  /** The agent, by the id of its machine. */
  readonly agent: string;
  /** The input, as JSON text; empty for none. At most 1 MiB of UTF-8. */
  readonly input: string;
  /** The queue whose workers take it. */
  readonly queue: string;
}

/** A run that was left for workers. */
export interface WorkOrder extends StartRequest {
  /** The digests that it was last taken under; null where no worker has had it. */
  readonly digests: WorkDigests | null;
  /** In so many milliseconds it can go on by itself, 0 for now; null where it waits for a message. */
  readonly due: number | null;
  /** The number of processes in a row that took it and did not give it back. */
  readonly taken: number;
  /** The wall clock of its end, in milliseconds; null while it goes on. */
  readonly ended: number | null;
  /** The reason why the last worker could not go on with it; null where it could. */
  readonly note: string | null;
  /**
   * The versions of the code under which a step threw that the run is parked on: a worker that carries another one takes it. Null where it is parked on no
   * such step.
   */
  readonly threw: readonly string[] | null;
  /** True where a living process has it. */
  readonly held: boolean;
  /** The output of a run that has ended, as JSON text; null where it has none. */
  readonly output: string | null;
}

/** An agent as a worker carries it. */
export interface Carried extends WorkDigests {
  readonly agent: string;
  /** True where runs that no worker has had begin under it; false where it goes on with runs of these digests only. */
  readonly begins: boolean;
  /** The version of its code; null where it names none. */
  readonly version: string | null;
}

/** The runs that a worker asks for. */
export interface WorkAsked {
  readonly queue: string;
  readonly carries: readonly Carried[];
  readonly limit: number;
  /** True for only those that have claims: others may wait for them. */
  readonly holding?: boolean;
}

/** The runs of other releases that a worker asks for. */
export interface OthersAsked extends Pick<WorkAsked, 'queue' | 'carries' | 'limit'> {
  /** Only runs whose names come after it; null for the first ones. */
  readonly after: string | null;
}

/** A run that could go on and is not taken. `unserved`: no agent with its digests. `worker_crashed`: it has ended three processes. */
export interface LeftRun {
  readonly order: WorkOrder;
  readonly why: 'unserved' | 'worker_crashed';
}

/** The state of a run that a process gives back. */
export interface Rest {
  /** In so many milliseconds the run can go on by itself, 0 for at once; null where it waits for a message. */
  readonly due: number | null;
  /** The number of its messages that were looked at: with one more it can go on at once. */
  readonly heard: number;
  readonly ended: boolean;
  readonly digests: WorkDigests;
  /** @see WorkOrder.threw */
  readonly threw: readonly string[] | null;
  /** The output of a run that has ended, as JSON text; null where there is none. */
  readonly output: string | null;
}

/** The runs of a store that are handed out. */
export interface WorkQueue {
  /**
   * Leaves a run for workers, durably.
   * @returns false if the same request is there already.
   * @throws JournalError `run_exists` if a run of that name has another request, or none; `input_too_large`.
   */
  start(request: StartRequest): Awaitable<boolean>;
  /**
   * Leaves a run for workers that has rows already, under the digests that it goes on with.
   * @returns false if it was left before, by whichever request.
   * @throws JournalError `run_unknown`, `input_too_large`.
   */
  handOver(request: StartRequest, digests: WorkDigests): Awaitable<boolean>;
  /** The request of a run; null where it was not left for workers. */
  order(run: string): Awaitable<WorkOrder | null>;
  /**
   * The runs that a worker can take now: their agent is one that the worker carries, and no living process holds them.
   * First the due runs, the longest due first, then the runs that are parked over a throw of another version of the
   * code.
   */
  ready(asked: WorkAsked): Awaitable<readonly WorkOrder[]>;
  /** The runs of the queue that are due, and that such a worker does not take. */
  left(asked: WorkAsked): Awaitable<readonly LeftRun[]>;
  /**
   * The runs of the queue that go on under other digests than the ones their agent begins runs with here, in the order
   * of their names. Only runs that have not ended and that no process holds; a run that has ended three processes is
   * left out.
   */
  others(asked: OthersAsked): Awaitable<readonly WorkOrder[]>;
  /** Binds a run to digests, where it is bound to none. @returns true where it is bound to these. */
  bind(run: string, digests: WorkDigests): Awaitable<boolean>;
  /** The runs of the queue that ended longer ago than that, the oldest first. */
  ended(queue: string, milliseconds: number, limit: number): Awaitable<readonly string[]>;
  /** Puts a run off that could not be opened. @param note why. */
  delay(run: string, milliseconds: number, note: string): Awaitable<void>;
}

/** The processes in a row that a run may end before it is given to no other. */
export const CRASHES = 3;

/** The first difference between a request and the stored one; null if there is none. */
export function differs(there: StartRequest, asked: StartRequest): string | null {
  if (there.agent !== asked.agent) return `of the agent ${JSON.stringify(there.agent)}`;
  if (there.input !== asked.input) return 'with another input';
  return there.queue === asked.queue ? null : `in the queue ${JSON.stringify(there.queue)}`;
}

/** The part of a request that says which worker serves it. */
type Served = Pick<WorkOrder, 'agent' | 'digests'>;

/** The agent by which a worker goes on with a run, by agent, machine and config; undefined where it carries none. */
export function servedBy<T extends Carried>({ agent, digests }: Served, carries: readonly T[]): T | undefined {
  return carries.find((each) => each.agent === agent && (digests === null ? each.begins : isUnder(digests, each)));
}

/** True where a run is parked over a throw, and a worker carries its release under a version of the code that has not thrown there (TH2). */
export function isUnderOther(order: Served & Pick<WorkOrder, 'threw' | 'ended'>, carries: readonly Carried[]): boolean {
  const { threw, ended } = order;
  if (threw === null || ended !== null) return false;
  const version = servedBy(order, carries)?.version ?? null;
  return version !== null && !threw.includes(version);
}

/** True where a worker begins runs of an agent under other digests than a run is under. */
export function isOfOther(order: Served & Pick<WorkOrder, 'ended' | 'taken'>, carries: readonly Carried[]): boolean {
  const { agent, digests, ended, taken } = order;
  if (digests === null || ended !== null || taken >= CRASHES) return false;
  return carries.some((each) => each.agent === agent && each.begins && !isUnder(digests, each));
}

/** True where digests are the same. */
export function isUnder(digests: WorkDigests, { machine, config }: WorkDigests): boolean {
  return digests.machine === machine && digests.config === config;
}

/** The reason why a worker does not take a run that is due; null where it does. */
export function whyLeft(order: WorkOrder, carries: readonly Carried[]): LeftRun['why'] | null {
  if (order.taken >= CRASHES) return 'worker_crashed';
  return servedBy(order, carries) === undefined ? 'unserved' : null;
}
