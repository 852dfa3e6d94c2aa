/** The figures of the benchmark of growth, their goals, and both as text. */

/** What one workload came to at one size. Times of units are in microseconds, all others in milliseconds; heap and disk in MB. */
export interface Figures {
  readonly first: number;
  readonly last: number;
  readonly disk: number;
  readonly heap?: number;
  readonly resumed?: Time;
  /** The first failure of a process, and the second. */
  readonly failed?: Time;
  readonly warm?: Time;
  /** The longest that the event loop had no turn during the first of them, and while what it set aside was claimed. */
  readonly blocked?: number;
  readonly verdict?: string;
  readonly listed?: number;
}

interface Time {
  readonly wall: number;
  readonly cpu: number;
}

/** A workload at a size, and its figures. */
export interface Measured {
  readonly workload: string;
  readonly size: number;
  readonly unit: string;
  readonly figures: Figures;
}

/** A figure that is shown: a column of the table and a line of the output. */
interface Shown {
  readonly name: string;
  readonly unit: string;
  of(measured: Measured): number | undefined;
  /** What it should be at most, at this size; undefined where nothing is said of it. */
  goal(measured: Measured): number | undefined;
}

/** The steps after which resume should not grow any more. */
const RESUMED = 50;

/** A complaint about an early round takes back what lies behind it. */
function failureGoal({ workload, size }: Measured): number | undefined {
  if (workload !== 'rounds') return 20;
  return size <= 1_600 ? 1_000 : undefined;
}

const SHOWN: readonly Shown[] = [
  { name: 'first tenth', unit: 'µs', of: ({ figures }) => figures.first, goal: () => undefined },
  { name: 'last tenth', unit: 'µs', of: ({ figures }) => figures.last, goal: () => undefined },
  { name: 'last ÷ first', unit: '×', of: ({ figures }) => figures.last / figures.first, goal: () => 1.3 },
  { name: 'resume', unit: 'ms', of: ({ figures }) => figures.resumed?.wall, goal: () => RESUMED },
  { name: 'resume, CPU', unit: 'ms', of: ({ figures }) => figures.resumed?.cpu, goal: () => undefined },
  { name: 'failure', unit: 'ms', of: ({ figures }) => figures.failed?.wall, goal: failureGoal },
  { name: 'failure, CPU', unit: 'ms', of: ({ figures }) => figures.failed?.cpu, goal: () => undefined },
  { name: 'longest block', unit: 'ms', of: ({ figures }) => figures.blocked, goal: () => 50 },
  { name: 'second failure', unit: 'ms', of: ({ figures }) => figures.warm?.wall, goal: failureGoal },
  { name: 'heap', unit: 'MB', of: ({ figures }) => figures.heap, goal: () => 300 },
  {
    name: 'disk',
    unit: 'MB',
    of: ({ figures }) => figures.disk,
    goal: ({ workload, size }) => (workload === 'turns' ? (size <= 400 ? 4 : 12) : undefined),
  },
  {
    name: 'belay runs',
    unit: 'ms',
    of: ({ figures }) => figures.listed,
    goal: ({ size }) => (size <= 10_000 ? 500 : undefined),
  },
];

function rounded(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0);
}

/** The lines of one measurement, each figure with what it was to be. */
export function linesOf(measured: Measured): string[] {
  const { unit, size, figures } = measured;
  const lines = SHOWN.flatMap((shown) => {
    const value = shown.of(measured);
    if (value === undefined) return [];
    const goal = shown.goal(measured);
    const verdict = goal === undefined ? '' : `goal ${goal} ${shown.unit}: ${value <= goal ? 'met' : 'MISSED'}`;
    return [`  ${shown.name.padEnd(16)}${rounded(value).padStart(10)} ${shown.unit.padEnd(3)} ${verdict}`.trimEnd()];
  });
  const { verdict } = figures;
  return [`${size.toLocaleString('en')} ${unit}${verdict === undefined ? '' : ` (${verdict})`}`, ...lines];
}

/** All measurements as a table: a row for each size, and a cross at what is above its goal. */
export function tableOf(all: readonly Measured[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const head = SHOWN.map(({ name, unit }) => `${name} (${unit})`);
  const rows = all.map((measured) => {
    const cells = SHOWN.map((shown) => {
      const value = shown.of(measured);
      const goal = shown.goal(measured);
      if (value === undefined) return '';
      return `${rounded(value)}${goal !== undefined && value > goal ? ' ✗' : ''}`;
    });
    return row([measured.unit, measured.size.toLocaleString('en'), ...cells]);
  });
  return [row(['workload', 'size', ...head]), row(['---', '--:', ...head.map(() => '--:')]), ...rows].join('\n');
}
