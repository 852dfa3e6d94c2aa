/** The result of a run, compared with the run of the same task that meets no fault. */
import type { Observed, Open } from './observed.ts';
import { ABSENT, type Applied, callName, written } from './wire.ts';

/** Where a policy went back to, of each call that told of wrong work. */
export type Place = 'exact' | 'early' | 'late' | 'nowhere';

/** The score of a run. Counts are of calls or rows. */
export interface Score {
  /** The world is that of the run without faults, row by row. */
  readonly equal: boolean;
  /** Changes that were made once too often, and changed something. */
  readonly duplicated: number;
  /** Changes that the agent counts as made and that the world does not have. */
  readonly lost: number;
  /** Rows of work that met no fault and that are not as that work left them. */
  readonly collateral: number;
  /** Calls that had been answered and were made again, beyond those of the run without faults. */
  readonly redone: number;
  /** The agent came to its end and left nothing out. */
  readonly completed: boolean;
  /** The run stands and waits for a person. */
  readonly parked: boolean;
  /** It waits although a status query, or the same call under its key, would have decided it; or although no outcome is unknown at all. */
  readonly needless: boolean;
  /**
   * The parties that it waits for: the unknown outcome, and the party to ask; empty where it does not wait, or names
   * none.
   */
  readonly names: readonly string[];
  readonly places: readonly Place[];
  /** Attempts that failed. */
  readonly faults: number;
  /** Calls that a counterparty refused for good: such an answer is final, and counts as no failure and no try. */
  readonly refused: number;
}

/**
 * Scores a run.
 * @param reference the run without faults.
 * @param troubled units whose rows may differ although no call of theirs met a fault.
 */
export function scoreOf(run: Observed, reference: Observed, troubled: ReadonlySet<string> = new Set()): Score {
  const completed = run.status === 'done' && run.left.length === 0;
  const open = run.parked?.open ?? [];
  return {
    equal: JSON.stringify([...written(run.rows)].sort()) === JSON.stringify([...written(reference.rows)].sort()),
    duplicated: sum(excess(counted(run.wire.applied), counted(reference.wire.applied))),
    lost: lost(run, reference),
    collateral: collateral(run, reference, troubled),
    redone: sum(excess(answered(run), answered(reference))),
    completed,
    parked: run.status === 'parked',
    needless: run.status === 'parked' && open.every(({ decidable }) => decidable),
    names: open.map(told),
    places: placesOf(run),
    faults: run.wire.attempts.filter(({ fault }) => fault !== null).length,
    refused: run.wire.attempts.filter(({ refused }) => refused).length,
  };
}

function told({ tool, ask }: Open): string {
  return ask.length === 0 ? '' : `whether ${tool} happened, of ${ask.join(', ')}`;
}

/** The number of times that each effective change stands. */
function counted(applied: readonly Applied[]): Map<string, number> {
  return tally(applied.filter(({ undone, rows }) => !undone && rows.length > 0).map(({ name }) => name));
}

function answered({ wire }: Observed): Map<string, number> {
  return tally(wire.attempts.filter((attempt) => attempt.answered).map(({ name }) => name));
}

/** Counts names. */
export function tally(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The amount by which counts exceed others; keys that the others lack count from the second on. */
export function excess(counts: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number[] {
  return [...counts].map(([name, count]) => Math.max(0, count - Math.max(1, other.get(name) ?? 0)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

/** A run that is over counts all as made that the task asks for; one that stands, what was answered. */
function lost(run: Observed, reference: Observed): number {
  const wanted = counted(reference.wire.applied);
  const stands = counted(run.wire.applied);
  if (run.status === 'done')
    return sum([...wanted].map(([name, count]) => Math.max(0, count - (stands.get(name) ?? 0))));
  const made = new Set(run.wire.attempts.filter((each) => each.answered && each.unit !== null).map(({ name }) => name));
  const undone = new Set(run.wire.applied.filter((each) => each.undone).map(({ name }) => name));
  return [...made].filter((name) => wanted.has(name) && !stands.has(name) && !undone.has(name)).length;
}

/** Rows that only untroubled work has touched, and that are not as it left them; or, where the run is not over, as it ever had them. */
function collateral(run: Observed, reference: Observed, known: ReadonlySet<string>): number {
  const faulty = run.wire.attempts.filter(({ fault }) => fault !== null);
  const troubled = new Set([...known, ...faulty.flatMap(({ unit }) => unit ?? [])]);
  const owners = new Map<string, Set<string>>();
  for (const { unit, rows } of [...reference.wire.applied, ...run.wire.applied])
    for (const row of rows) owners.set(row, (owners.get(row) ?? new Set()).add(unit));
  const [now, then] = [written(run.rows), written(reference.rows)];
  return [...owners].filter(([row, units]) => {
    if ([...units].some((unit) => troubled.has(unit))) return false;
    const value = now.get(row) ?? ABSENT;
    if (run.status === 'done' && run.left.length === 0) return value !== (then.get(row) ?? ABSENT);
    return !(reference.wire.values.get(row) ?? new Set([ABSENT])).has(value);
  }).length;
}

/** The first call that was made after each that told of wrong work, against the one before which work had to be taken up. */
function placesOf({ found, wire }: Observed): Place[] {
  return found.map(({ wrong, by, after }) => {
    const names = wire.attempts.slice(0, after).map(({ name }) => name);
    const wanted = names.indexOf(callName(wrong.before.tool, wrong.before.args));
    const next = wire.attempts.slice(after).find(({ name }) => name !== by)?.name;
    const taken = next === undefined ? -1 : names.indexOf(next);
    if (taken === -1) return 'nowhere';
    if (taken === wanted) return 'exact';
    return taken < wanted ? 'early' : 'late';
  });
}
