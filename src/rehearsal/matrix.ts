/** The cells of a rehearsal as a matrix: places of faults in rows, faults in columns. */
import type { RehearsedFault } from './faults/fault.ts';
import type { RehearsalVerdict } from './judge.ts';
import type { RehearsalCell } from './report.ts';

/** The letter of each verdict. */
export const LETTERS: Readonly<Record<RehearsalVerdict['is'], string>> = {
  same: '=',
  parked: 'P',
  harm: 'X',
  unreached: '-',
};

/** A table of the matrix: each row has a place and, for each column, the cells that are in it. */
export interface MatrixTable {
  readonly title: string;
  /** The name of the first column. */
  readonly places: string;
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly place: string;
    readonly cells: readonly (readonly RehearsalCell[])[];
  }[];
}

const CALL_COLUMNS = {
  before: 'fails before',
  lost: 'reply lost',
  timeout: 'no answer',
  refused: 'refused answer',
  late: 'acts late',
  restart: 'restart',
  denied: 'denied',
  expired: 'no approval',
} as const;
const WRONG_COLUMNS = {
  soon: 'found soon',
  'in-time': 'found in time',
  last: 'found late',
  'soon, unnamed': 'soon, no key',
  'in-time, unnamed': 'in time, no key',
  'last, unnamed': 'late, no key',
} as const;
const TIMER_COLUMNS = {
  late: 'late',
  lost: 'lost',
  never: 'never',
  'timer-first': 'before a reply',
  'reply-first': 'after a reply',
} as const;
const EVENT_COLUMNS = { late: 'late', doubled: 'twice', missing: 'never' } as const;
const STEER_COLUMNS = {
  revise: 'revised',
  retract: 'retracted',
  'revise+revise': 'both revised',
  'revise+retract': 'revised, retracted',
  'retract+revise': 'retracted, revised',
  'retract+retract': 'both retracted',
} as const;

/** The tables of a path. Tables without cells are left out, and so are columns without any. */
export function matrixOf(cells: readonly RehearsalCell[]): readonly MatrixTable[] {
  const of = (...kinds: readonly RehearsedFault['kind'][]) => cells.filter(({ fault }) => kinds.includes(fault.kind));
  return [
    table('Calls', 'CALL', CALL_COLUMNS, of('call', 'restart', 'approval')),
    table('Found wrong', 'BOUNDARY', WRONG_COLUMNS, of('wrong')),
    table('Events', 'EVENT', EVENT_COLUMNS, of('event')),
    table('Acts on events', 'EVENT', STEER_COLUMNS, of('steer')),
    table('Delays', 'DELAY', TIMER_COLUMNS, of('timer')),
    kills(of('kill')),
  ].filter(({ rows }) => rows.length > 0);
}

/** Kills are one row: an append has no name that a reader knows. */
function kills(cells: readonly RehearsalCell[]): MatrixTable {
  const appends = cells.flatMap(({ fault }) => (fault.kind === 'kill' ? [fault.append] : []));
  const place = `${appends.length} of ${Math.max(0, ...appends)} appends`;
  return {
    title: 'Kills',
    places: 'AFTER',
    columns: ['killed'],
    rows: cells.length === 0 ? [] : [{ place, cells: [cells] }],
  };
}

function table(
  title: string,
  places: string,
  columns: Readonly<Record<string, string>>,
  cells: readonly RehearsalCell[],
): MatrixTable {
  const used = Object.keys(columns).filter((column) => cells.some(({ fault }) => columnOf(fault) === column));
  const sites = [...new Set(cells.map(({ site }) => site))];
  return {
    title,
    places,
    columns: used.map((column) => columns[column] as string),
    rows: sites.map((place) => ({
      place,
      cells: used.map((column) => cells.filter(({ site, fault }) => site === place && columnOf(fault) === column)),
    })),
  };
}

function columnOf(fault: RehearsedFault): string {
  switch (fault.kind) {
    case 'call':
    case 'event':
    case 'timer':
      return fault.how;
    case 'approval':
      return fault.answer;
    case 'steer':
      return fault.acts.map(({ act }) => act).join('+');
    case 'wrong':
      return fault.key === null ? `${fault.found}, unnamed` : fault.found;
    case 'restart':
    case 'kill':
      return fault.kind;
  }
}
