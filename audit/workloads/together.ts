/**
 * Two runs at once in one world, of tasks that are about the same things. Whatever comes of it has to be what comes of one after the
 * other; anything else is damage that one of them did to the other.
 */
import { type Claims, claimsInMemory } from 'belay-sidecar';
import { there } from '../../domains/there.ts';
import { NO_FAULTS } from './faults.ts';
import type { Observed, Setting } from './observed.ts';
import type { Policy } from './policies.ts';
import { runIn } from './run.ts';
import type { Rows, World } from './set.ts';
import { written } from './wire.ts';

/** The meetings of a set under one policy and at one probability. */
export interface Meetings {
  readonly folder: string;
  readonly probability: number;
  readonly policy: Policy;
  readonly meetings: readonly Meeting[];
}

/** The results of two runs. */
export interface Meeting {
  readonly tasks: readonly [string, string];
  /** Rows that are neither as one nor as the other order leaves them; where a run is not over, rows as they never are in either. */
  readonly damaged: number;
  /** Both came to their ends. */
  readonly completed: boolean;
  /** One of them neither ended nor waits for a person who was told. */
  readonly broken: boolean;
  /** True if one of them waited for the other. */
  readonly waited: boolean;
  /** Changes that were made once too often, in both. */
  readonly duplicated: number;
}

/**
 * Pairs tasks that may meet: the plan of neither is about a unit of the other's, since a plan is written for a world in which its own work is
 * still to be done.
 */
export function pairs<T extends { readonly reference: Observed }>(all: readonly T[]): readonly (readonly [T, T])[] {
  const units = ({ reference }: T) => new Set(reference.wire.applied.map(({ unit }) => unit));
  const waiting = new Set(all.filter((each) => units(each).size > 0));
  const found: (readonly [T, T])[] = [];
  for (const one of waiting) {
    waiting.delete(one);
    const own = units(one);
    const other = [...waiting].find((each) => [...units(each)].every((unit) => !own.has(unit)));
    if (other === undefined) continue;
    waiting.delete(other);
    found.push([one, other]);
  }
  return found;
}

/** Has two tasks meet in one world under a policy; under Belay, with claims between them. */
export async function meet(
  [first, second]: readonly [Setting, Setting],
  policy: Policy,
  orders: readonly Order[],
): Promise<Meeting> {
  const { rows, worlds } = shared(first, second);
  const between = new Between();
  const running = async (setting: Setting, index: number) => {
    const claims = policy === 'belay' ? { claims: between } : {};
    const run = await runIn(there(worlds[index], 'world'), { ...setting, ...claims }, policy);
    if (run.status === 'parked') between.parked(setting.task.id);
    return run;
  };
  const [a, b] = await Promise.all([running(first, 0), running(second, 1)]);
  const completed = [a, b].every(({ status, left }) => status === 'done' && left.length === 0);
  const broken = [a, b].some(({ status }) => status === 'broken');
  const damaged = completed ? Math.min(...orders.map(({ end }) => differing(rows, end))) : strange(rows, orders);
  const tasks = [first.task.id, second.task.id] as const;
  return { tasks, damaged, completed, broken, waited: between.waited, duplicated: duplicates(a) + duplicates(b) };
}

/** The result of two tasks one after the other: the rows in the end, and every value that a row has had, as JSON. */
export interface Order {
  readonly end: Rows;
  readonly values: readonly ReadonlyMap<string, ReadonlySet<string>>[];
}

/** Runs two tasks one after the other, without faults, in either order. */
export async function inTurn(first: Setting, second: Setting): Promise<readonly Order[]> {
  const orders: Order[] = [];
  for (const order of [[0, 1] as const, [1, 0] as const]) {
    const { rows, worlds } = shared(first, second);
    const values: Order['values'][number][] = [];
    for (const index of order) {
      const setting = { ...(index === 0 ? first : second), faults: NO_FAULTS };
      values.push((await runIn(worlds[index], setting, 'oracle')).wire.values);
    }
    orders.push({ end: { ...rows }, values });
  }
  return orders;
}

function shared(first: Setting, second: Setting): { rows: Record<string, unknown>; worlds: readonly [World, World] } {
  const rows: Record<string, unknown> = {};
  return { rows, worlds: [first.task.open(rows), second.task.open(rows)] };
}

/**
 * Claims that remember whether a run had to wait, and that refuse a run that waits for one that itself waits for a
 * person.
 */
class Between implements Claims {
  waited = false;
  readonly #claims = claimsInMemory();
  readonly #stands: Promise<string>;
  parked: (run: string) => void = () => {};

  constructor() {
    this.#stands = new Promise((resolve) => {
      this.parked = (run) => resolve(`the run ${run} holds it, and waits for a person`);
    });
  }

  take: Claims['take'] = (run, wanted, signal, told) => {
    const waits = (reason: string) => {
      this.waited = true;
      told(reason);
    };
    return Promise.race([this.#claims.take(run, wanted, signal, waits), this.#stands]);
  };

  release(run: string): void {
    this.#claims.release(run);
  }
}

function differing(rows: Rows, order: Rows): number {
  const [now, then] = [written(rows), written(order)];
  return [...new Set([...now.keys(), ...then.keys()])].filter((row) => now.get(row) !== then.get(row)).length;
}

/** Rows with a value that they never have in either order: where work is not over, its rows are as it has left them. */
function strange(rows: Rows, orders: readonly Order[]): number {
  const seen = orders.flatMap(({ values }) => values);
  return [...written(rows)].filter(([row, value]) => !seen.some((values) => values.get(row)?.has(value))).length;
}

function duplicates({ wire }: Observed): number {
  const names = wire.applied.filter(({ undone, rows }) => !undone && rows.length > 0).map(({ name }) => name);
  return names.length - new Set(names).size;
}
