/**
 * The transport between an agent and its counterparties: attempts and status queries fail on it, effects land late behind it, and
 * everything that was asked and changed is counted on the far side. The caller sees an answer or a broken connection, never which.
 */
import { NotApplied, type ReconcileResult } from 'belay-sidecar';
import { CALM, type Fault, type Faults, type Weather } from './faults.ts';
import { Refused, type Rows, type World } from './set.ts';

/** An attempt that failed. It says nothing of what has happened. */
export class Lost extends Error {
  override readonly name = 'Lost';
  readonly code = 'ECONNRESET';

  constructor() {
    super('the connection broke before an answer came');
  }
}

/** An attempt at a call. */
export interface Attempt {
  /** Names the call: its tool and arguments. */
  readonly name: string;
  readonly tool: string;
  /** The unit of work that makes the call; null for a call that changes nothing. */
  readonly unit: string | null;
  readonly fault: Fault;
  /** True if it was answered. */
  readonly answered: boolean;
  /** True where the counterparty refused it for good: such an answer is final, and no failure. */
  readonly refused: boolean;
}

/** A change that a counterparty has made. */
export interface Applied {
  readonly name: string;
  readonly tool: string;
  readonly args: unknown;
  readonly answer: unknown;
  readonly unit: string;
  /** The attempt that made it, by its number: for a late effect the one that was told an error, and not a retry of it. */
  readonly attempt: number;
  /** The rows that it changed; none where they were so already. */
  readonly rows: readonly string[];
  undone: boolean;
}

/** An effect that has not landed yet. */
interface InFlight {
  readonly name: string;
  readonly tool: string;
  readonly args: unknown;
  readonly unit: string;
  readonly attempt: number;
  readonly due: number;
}

/** The argument that says what a call was decided on. It names no other call: the same step, made on another answer, is the same step. */
export const RELIED_ON = 'reliedOn';

/** The name of a call. */
export function callName(tool: string, args: unknown): string {
  return `${tool} ${JSON.stringify(args, (key, value) => (key === RELIED_ON ? undefined : value))}`;
}

/** The wire of one run. */
export class Wire {
  readonly attempts: Attempt[] = [];
  readonly applied: Applied[] = [];
  /** Every value that a row has had, as JSON. */
  readonly values = new Map<string, Set<string>>();
  readonly #world: World;
  readonly #faults: Faults;
  readonly #weather: Weather;
  readonly #tried = new Map<string, number>();
  readonly #queries = new Map<string, { asked: number; silent: number }>();
  /** The status queries in all. */
  queries = 0;
  #operations = 0;
  #inFlight: readonly InFlight[] = [];
  #rows: Map<string, string>;

  constructor(world: World, faults: Faults, weather: Weather = CALM) {
    this.#world = world;
    this.#faults = faults;
    this.#weather = weather;
    this.#rows = written(world.rows());
    this.#remember(this.#rows.keys());
  }

  /** Makes one attempt at a call. @throws Lost, or what the counterparty refuses it with. */
  call(tool: string, args: unknown): unknown {
    const { answer, fault } = this.attempt(tool, args);
    if (fault !== null) throw new Lost();
    return answer;
  }

  /** Makes one attempt, and tells what only the far side knows: the answer, also where it is lost, and the fault. */
  attempt(tool: string, args: unknown): { readonly answer: unknown; readonly fault: Fault } {
    this.#land(this.#operations++);
    const own = this.#world.tools[tool];
    if (own === undefined) throw new Error(`nobody carries ${tool} out`);
    const name = callName(tool, args);
    const unit = own.change?.unit(args) ?? null;
    const nth = this.#next(name);
    const fault = unit === null ? (this.#weather.read(name, nth) ? 'before' : null) : this.#faults(name, nth);
    const number = this.attempts.length;
    const attempt = { name, tool, unit, fault, answered: false, refused: false };
    this.attempts.push(attempt);
    if (fault === 'before') return { answer: undefined, fault };
    const late = fault === 'after' ? this.#weather.late(name, nth) : 0;
    if (unit !== null && late > 0) {
      const due = this.#operations + late;
      this.#inFlight = [...this.#inFlight, { name, tool, args, unit, attempt: number, due }];
      return { answer: undefined, fault };
    }
    let answer: unknown;
    try {
      answer = own.act(args);
    } catch (error) {
      attempt.refused = error instanceof Refused || error instanceof NotApplied;
      throw error;
    }
    if (unit !== null) this.#apply({ name, tool, args, unit, attempt: number }, answer);
    attempt.answered = fault === null;
    return { answer, fault };
  }

  /** Asks the counterparty of a call once. A source that lags, or in which the call is still under way, does not know. @throws Lost */
  ask(tool: string, args: unknown): ReconcileResult {
    this.#land(this.#operations++);
    this.queries += 1;
    const name = callName(tool, args);
    const before = this.#queries.get(name) ?? { asked: 0, silent: 0 };
    const query = { asked: before.asked + 1, silent: before.silent + 1 };
    this.#queries.set(name, query);
    const fault = this.#weather.query(name, before.asked);
    if (fault === 'fails') throw new Lost();
    const outcome: ReconcileResult = fault === 'lags' ? { is: 'unknown' } : this.shows(tool, args);
    if (outcome.is !== 'unknown') query.silent = 0;
    return outcome;
  }

  /** Counts the last status queries about a call, one after the other, that told nothing. */
  silence(tool: string, args: unknown): number {
    return this.#queries.get(callName(tool, args))?.silent ?? 0;
  }

  /** The view of a call's counterparty; unknown where no party can be asked, or where the call is still under way. */
  shows(tool: string, args: unknown): ReconcileResult {
    const name = callName(tool, args);
    if (this.#inFlight.some((each) => each.name === name)) return { is: 'unknown' };
    return this.#world.tools[tool]?.change?.shows?.(args) ?? { is: 'unknown' };
  }

  /** Takes a call back. @throws where it cannot be. */
  undo(tool: string, args: unknown, output: unknown): void {
    const undo = this.#world.tools[tool]?.change?.undo;
    if (undo === undefined) throw new Error(`nobody takes ${tool} back`);
    undo.call(this.#world.tools[tool]?.change, args, output);
    const name = callName(tool, args);
    const made = this.applied.findLast((each) => each.name === name && !each.undone);
    if (made !== undefined) made.undone = true;
    this.#changed();
  }

  /** Lands every effect that is still on its way: the run is over, and its world is looked at. */
  settle(): void {
    this.#land(Number.POSITIVE_INFINITY);
  }

  #land(now: number): void {
    const due = this.#inFlight.filter((each) => each.due <= now);
    if (due.length === 0) return;
    this.#inFlight = this.#inFlight.filter((each) => each.due > now);
    for (const { due: _, ...call } of due) {
      let answer: unknown;
      try {
        answer = this.#world.tools[call.tool]?.act(call.args);
      } catch {
        // The counterparty refuses it now; no caller waits for that answer any more.
        continue;
      }
      this.#apply(call, answer);
    }
  }

  #apply(call: Pick<Applied, 'name' | 'tool' | 'args' | 'unit' | 'attempt'>, answer: unknown): void {
    this.applied.push({ ...call, answer, rows: this.#changed(), undone: false });
  }

  #next(name: string): number {
    const nth = this.#tried.get(name) ?? 0;
    this.#tried.set(name, nth + 1);
    return nth;
  }

  #changed(): string[] {
    const now = written(this.#world.rows());
    const before = this.#rows;
    this.#rows = now;
    const changed = [...new Set([...before.keys(), ...now.keys()])].filter((row) => before.get(row) !== now.get(row));
    this.#remember(changed);
    return changed;
  }

  #remember(rows: Iterable<string>): void {
    for (const row of rows) {
      const values = this.values.get(row) ?? new Set([ABSENT]);
      values.add(this.#rows.get(row) ?? ABSENT);
      this.values.set(row, values);
    }
  }
}

/** Stands for a missing row. */
export const ABSENT = 'null';

/** Rows as JSON; a row that is null is none. */
export function written(rows: Rows): Map<string, string> {
  const entries = Object.entries(rows).map(([row, value]) => [row, JSON.stringify(value ?? null)] as const);
  return new Map(entries.filter(([, value]) => value !== ABSENT));
}
