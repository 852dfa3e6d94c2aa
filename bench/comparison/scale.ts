/** What happens with many runs and many processes: the cells that are measured, their goals, and the tables. */
import { shown, table } from './tables.ts';

/** A runtime under load, over PostgreSQL. */
export interface Loader {
  readonly name: string;
  readonly lane: readonly [module: string, name: string];
}

const BELAY = 'runtimes/belay.ts';

export const LOADERS: readonly Loader[] = [
  { name: 'Belay, an event a step', lane: [BELAY, 'sentInPostgres'] },
  { name: 'Belay, a call a step', lane: [BELAY, 'calledInPostgres'] },
  { name: 'DBOS, a step of a workflow', lane: ['peers/dbos.ts', 'workflow'] },
];

/** The runs of each process at once. */
const RUNS = [1, 16, 64] as const;
export const PROCESSES = [1, 2, 4, 8] as const;

/** A load: so many processes with so many runs each. */
export interface Cell {
  readonly processes: number;
  readonly runs: number;
}

/** All loads, in the order in which they are measured. */
export const CELLS: readonly Cell[] = PROCESSES.flatMap((processes) => RUNS.map((runs) => ({ processes, runs })));

/** What a load came to. */
export interface Rate {
  /** Durable steps a second. */
  readonly rate: number;
  /** Microseconds of the processor for a step, in the processes. */
  readonly cpu: number;
  /** The same of the server; null where this machine does not tell. */
  readonly server: number | null;
}

/** The rates of one run: for each cell, those of the loaders in their order. */
export type Rates = readonly (readonly Rate[])[];

/** Milliseconds of the processor a minute that one more worker may use for runs that wait: a thousandth of a core. */
export const PARKED_GOAL = 60;
/** Milliseconds in which the command lists the runs. */
export const LISTED_GOAL = 1_000;

/** An idle worker with one parked run and with many: milliseconds of the processor a minute, each the median of its windows. */
export interface Parked {
  readonly runs: number;
  readonly without: Minute;
  readonly with: Minute;
}

/** Of the worker, and of the server. */
export interface Minute {
  readonly worker: number;
  readonly server: number | null;
}

/** How long `belay runs` takes, in milliseconds: over PostgreSQL where there is a server, and over a file. */
export interface Listed {
  readonly runs: number;
  readonly postgres: number;
  readonly file: number;
  /** The command that only says its version. */
  readonly version: number;
}

export const LOAD_HEAD = [
  'processes × runs',
  ...LOADERS.flatMap(({ name }) => [`${name} (steps/s)`, 'CPU (µs)', 'CPU of the server (µs)']),
];

/** The name of a cell, as its row has it. */
export function cellName({ processes, runs }: Cell): string {
  return `${processes} × ${runs}`;
}

export function loadTable(rates: Rates): string {
  const rows = CELLS.map((cell, n) => {
    const figures = (rates[n] ?? []).flatMap(({ rate, cpu, server }) => [
      Math.round(rate).toLocaleString('en'),
      shown(cpu),
      server === null ? '' : shown(server),
    ]);
    return [cellName(cell), ...figures];
  });
  return table(LOAD_HEAD, rows);
}

const GOAL_HEAD = ['goal', 'figure', 'at most', 'verdict'];

/** A goal, in words, and how it came out. */
function judgement(text: string, value: number, most: number, unit: string): string[] {
  const over = value - most;
  const verdict = over <= 0 ? 'met' : `MISSED by ${shown(over)} ${unit}`;
  return [text, shown(value), `${most.toLocaleString('en')} ${unit}`, verdict];
}

/** What the parked runs cost, by the difference of two idle workers. */
export function parkedTable({ runs, without, with: beside }: Parked): string {
  const count = runs.toLocaleString('en');
  const of = (text: string, less: number, more: number) => [
    [`${text}, with one parked run (CPU a minute)`, `${shown(less)} ms`, '', ''],
    judgement(`${text}: what ${count} parked runs add`, more - less, PARKED_GOAL, 'ms'),
  ];
  const server =
    without.server === null || beside.server === null ? [] : of('The server beside it', without.server, beside.server);
  return table(GOAL_HEAD, [...of('An idle worker', without.worker, beside.worker), ...server]);
}

/** How long the command takes, beside the time in which it does nothing. */
export function listTable({ runs, postgres, file, version }: Listed): string {
  const count = runs.toLocaleString('en');
  return table(GOAL_HEAD, [
    judgement(`\`belay runs\` on ${count} runs in PostgreSQL`, postgres, LISTED_GOAL, 'ms'),
    judgement(`\`belay runs\` on ${count} runs in a file`, file, LISTED_GOAL, 'ms'),
    ['`belay --version`, for what of it is the start of a process', `${shown(version)} ms`, '', ''],
  ]);
}
