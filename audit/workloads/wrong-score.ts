/** Scores a run in which an answer was found wrong, by the world and the context against the run in which every answer was right. */
import type { BoundaryConfig } from 'belay-sidecar';
import type { Misreading } from './misled.ts';
import type { Observed } from './observed.ts';
import { excess, type Score, scoreOf, tally } from './score.ts';
import { isFixed, reliedOn } from './undoing.ts';
import type { Applied } from './wire.ts';

/** The score of a run with a wrong answer. Counts are of calls or rows. */
export interface WrongScore
  extends Pick<Score, 'completed' | 'duplicated' | 'lost' | 'collateral' | 'parked' | 'refused'> {
  /** The world and the context are those of the run in which every answer was right. */
  readonly same: boolean;
  /** Changes that stand in the end although they were decided on the wrong answer, in a run that is over. */
  readonly stale: number;
  /** The run is over and says nothing, and the world or the context is not as it should be; or a change was made twice, lost or spoilt. */
  readonly harm: boolean;
  /** Calls that had been answered and were made again beyond those of the run without the wrong answer: of units that relied on it. */
  readonly redone: number;
  /** The same, of units that did not rely on it. */
  readonly redoneBeside: number;
  /** It waits for a person although every call that would have to go back could be undone or repeated. */
  readonly needless: boolean;
  /**
   * A call that cannot be undone was made before the wrong answer was found, by a unit that relied on it, or by the unit at which it was
   * found: that one is under way, and control leads through it.
   */
  readonly mustWait: boolean;
}

/** Scores a run. @param reference the run in which every answer was right, without faults. */
export function wrongScoreOf(
  run: Observed,
  reference: Observed,
  { relying, found }: Misreading,
  config: BoundaryConfig,
): WrongScore {
  const { completed, duplicated, lost, collateral, parked, refused, equal } = scoreOf(run, reference, relying);
  const over = run.status === 'done';
  const same = completed && equal && canonical(run.context) === canonical(reference.context);
  const stale = over ? staleOf(run, reference) : 0;
  const moves = (unit: string) => relying.has(unit) || unit === found;
  const mustWait = run.found.some(({ after }) =>
    run.wire.applied.some(({ attempt, unit, tool }) => attempt < after && moves(unit) && isFixed(tool, config)),
  );
  const open = run.parked?.open ?? [];
  return {
    ...{ completed, duplicated, lost, collateral, parked, refused, same, stale, mustWait },
    harm: duplicated + lost + collateral + stale > 0 || (over && !same),
    redone: redoneOf(run, reference, (unit) => relying.has(unit)),
    redoneBeside: redoneOf(run, reference, (unit) => !relying.has(unit)),
    needless: parked && !mustWait && open.every(({ decidable }) => decidable),
  };
}

/** Changes that stand and were decided on something else than in the run in which every answer was right. */
function staleOf(run: Observed, reference: Observed): number {
  const right = new Map(standing(reference).map(({ name, args }) => [name, JSON.stringify(reliedOn(args))] as const));
  return standing(run).filter(({ name, args }) => right.has(name) && right.get(name) !== JSON.stringify(reliedOn(args)))
    .length;
}

function standing({ wire }: Observed): readonly Applied[] {
  return wire.applied.filter(({ undone, rows }) => !undone && rows.length > 0);
}

function redoneOf(run: Observed, reference: Observed, counts: (unit: string) => boolean): number {
  const answered = ({ wire }: Observed) =>
    tally(wire.attempts.filter((each) => each.answered && counts(unitOf(each))).map(({ name }) => name));
  return excess(answered(run), answered(reference)).reduce((sum, count) => sum + count, 0);
}

/** The unit of a call of unit-agent.ts, reads included: it is among the arguments that name the call. */
function unitOf({ name, tool }: { readonly name: string; readonly tool: string }): string {
  return String(JSON.parse(name.slice(tool.length + 1)).unit);
}

/** A value as JSON, with the members of its objects in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
