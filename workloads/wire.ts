/**
 * The wire between an agent and its counterparties: attempts fail on it, and everything that was asked and everything that was
 * changed is counted on the far side of it. Whoever calls sees an answer or a broken connection, never which.
 */
import type { Outcome } from 'belay-sidecar';
import type { Fault, Faults } from './faults.ts';
import type { Rows, World } from './set.ts';

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
  /** Whose work it is; null for a call that changes nothing. */
  readonly unit: string | null;
  readonly fault: Fault;
  /** Whether it was answered. */
  readonly answered: boolean;
}

/** A change that a counterparty has made. */
export interface Applied {
  readonly name: string;
  readonly unit: string;
  /** The rows that it changed; none where they were so already. */
  readonly rows: readonly string[];
  undone: boolean;
}

/** The name of a call. */
export function callName(tool: string, args: unknown): string {
  return `${tool} ${JSON.stringify(args)}`;
}

/** The wire of one run. */
export class Wire {
  readonly attempts: Attempt[] = [];
  readonly applied: Applied[] = [];
  /** Every value that a row has had, as JSON. */
  readonly values = new Map<string, Set<string>>();
  readonly #world: World;
  readonly #faults: Faults;
  readonly #tried = new Map<string, number>();
  #rows: Map<string, string>;

  constructor(world: World, faults: Faults) {
    this.#world = world;
    this.#faults = faults;
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
    const own = this.#world.tools[tool];
    if (own === undefined) throw new Error(`nobody carries ${tool} out`);
    const name = callName(tool, args);
    const unit = own.change?.unit(args) ?? null;
    const fault = unit === null ? null : this.#next(name);
    const attempt = { name, tool, unit, fault };
    if (fault === 'before') {
      this.attempts.push({ ...attempt, answered: false });
      return { answer: undefined, fault };
    }
    let answer: unknown;
    try {
      answer = own.act(args);
    } catch (error) {
      this.attempts.push({ ...attempt, answered: false });
      throw error;
    }
    if (unit !== null) this.applied.push({ name, unit, rows: this.#changed(), undone: false });
    this.attempts.push({ ...attempt, answered: fault === null });
    return { answer, fault };
  }

  /** What the counterparty of a call shows; unknown where there is nobody to ask. */
  shows(tool: string, args: unknown): Outcome {
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

  #next(name: string): Fault {
    const nth = this.#tried.get(name) ?? 0;
    this.#tried.set(name, nth + 1);
    return this.#faults(name, nth);
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

/** What stands for a row that is not there. */
export const ABSENT = 'null';

/** Rows as JSON; a row that is null is none. */
export function written(rows: Rows): Map<string, string> {
  const entries = Object.entries(rows).map(([row, value]) => [row, JSON.stringify(value ?? null)] as const);
  return new Map(entries.filter(([, value]) => value !== ABSENT));
}
