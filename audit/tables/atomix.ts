/** The tables of Atomix beside its paper's: branches, their choice, faults, tries, and mails. */

import type { Way } from '../atomix/branches.ts';
import type { Guard } from '../atomix/contention.ts';
import type { Mode } from '../atomix/steps.ts';
import { type Atomix, BUDGET, PROBABILITY } from '../atomix/study.ts';
import { isSafe } from '../mails/count.ts';
import type { PaperAtomix } from '../paper.ts';
import { beside, type Cell, only, type Table } from '../workloads/table.ts';

/** The longest choice among sixteen branches, in microseconds: the goal on a quiet machine. */
const GOAL = 1_000;

/** The modes of the paper that do the same. */
const PAPER: Readonly<Record<Way | Mode, string>> = {
  staged: 'Tx-Full',
  undone: '',
  cleaned: 'No-Frontier',
  direct: 'No-Tx',
  belay: 'Tx-Full',
  // With tries; the table of faults has none of that mode.
  retry: 'No-Frontier',
  checkpoint: 'CR',
  stop: 'No-Tx',
};

const percent = (part: number, of: number) => Math.round((1_000 * part) / of) / 10;

function at(times: readonly number[], share: number): number {
  return Math.round([...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? 0);
}

/** The tables of the study. */
export function atomixTables(counts: Atomix, paper: PaperAtomix): readonly Table[] {
  return [
    branchesTable(counts, paper),
    choiceTable(counts, paper),
    faultsTable(counts, paper),
    triesTable(counts, paper),
    contentionTable(counts, paper),
    mailsTable(counts, paper),
  ];
}

function branchesTable({ tried }: Atomix, { speculation }: PaperAtomix): Table {
  return {
    id: 'atomix-branches',
    title: 'Atomix: branches of which one is kept',
    notes: [
      'Each branch writes a file of its own into one folder. Transient: runs in which a file was seen whose branch was not chosen, at least then. Contaminated: runs with a file of a loser at their end. Leaked: those files.',
      'staged and undone are Belay: a staged write (buffer) becomes visible behind the choice, another one is seen at once and undone. cleaned and direct are plain programs, which remove what losers wrote, or do not.',
      `The paper’s store is in memory, and there each mode cleans up; of its files (three branches, ${speculation.files.tasks} tasks) Tx-Full leaks ${speculation.files.leaked['Tx-Full']}, the others ${speculation.files.leaked['No-Tx']}: two a task, as direct does here.`,
    ],
    columns: [
      { key: 'branches', title: 'branches' },
      { key: 'way', title: 'way' },
      { key: 'runs', title: 'runs' },
      { key: 'transient', title: 'transient %', better: 'lower' },
      { key: 'contaminated', title: 'contaminated %', better: 'lower' },
      { key: 'leaked', title: 'files leaked' },
      { key: 'lost', title: 'winner lost' },
    ],
    groups: 1,
    rows: tried.map(({ way, branches, runs, transient, contaminated, leaked, lost }) => {
      const theirs = speculation.rows[PAPER[way]];
      return [
        only(branches),
        only(way),
        only(runs),
        beside(percent(transient, runs), theirs?.transient, 'lower'),
        beside(percent(contaminated, runs), theirs?.contaminated, 'lower', way !== 'direct'),
        only(leaked),
        only(lost),
      ];
    }),
  };
}

function choiceTable({ tried }: Atomix, { choice }: PaperAtomix): Table {
  const own = tried.filter(({ waits }) => waits.length > 0);
  const sixteen = own
    .filter(({ branches, way }) => branches === 16 && way === 'staged')
    .map(({ waits }) => at(waits, 0.5));
  const isMet = sixteen.every((median) => median <= GOAL);
  return {
    id: 'atomix-choice',
    title: 'Atomix: the time of a choice',
    notes: [
      'From the end of the last branch until the machine receives the choice, in microseconds, as this machine was loaded while the study ran. The paper’s is the commit, in which losers are aborted; here losers are undone behind the choice. `npm run bench alternatives` measures it alone, and until it is durable.',
      `The goal at sixteen branches is ${GOAL} µs: ${isMet ? 'met' : `missed, with a median of ${sixteen.join(', ')}`}.`,
    ],
    columns: [
      { key: 'branches', title: 'branches' },
      { key: 'way', title: 'way' },
      { key: 'median', title: 'median µs', better: 'lower' },
      { key: 'p99', title: 'p99 µs', better: 'lower' },
    ],
    rows: own.map(({ branches, way, waits }) => {
      const theirs = choice.rows[String(branches)];
      return [
        only(branches),
        only(way),
        beside(at(waits, 0.5), theirs?.[0], 'lower', false),
        beside(at(waits, 0.99), theirs?.[1], 'lower', false),
      ];
    }),
  };
}

function stepCells(
  { mode, probability, budget, runs, correct, corrupted, faults }: Atomix['stepped'][number],
  theirs: number | undefined,
  corruptedThere?: number,
): Cell[] {
  return [
    only(probability),
    only(budget),
    only(mode),
    only(runs),
    beside(percent(correct, runs), theirs, 'higher'),
    beside(percent(corrupted, runs), corruptedThere, 'lower'),
    only(faults),
  ];
}

const STEP_COLUMNS = [
  { key: 'probability', title: 'fault a step' },
  { key: 'budget', title: 'tries' },
  { key: 'mode', title: 'mode' },
  { key: 'runs', title: 'runs' },
  { key: 'correct', title: 'correct %', better: 'higher' },
  { key: 'corrupted', title: 'corrupted %', better: 'lower' },
  { key: 'faults', title: 'faults' },
] as const;

function faultsTable({ stepped }: Atomix, { faults, rates }: PaperAtomix): Table {
  return {
    id: 'atomix-faults',
    title: 'Atomix: ten steps under faults',
    notes: [
      `Each step adds one row to a store that does not know a row again; half of the faults come before the row, half behind it with the reply lost. A step is tried again up to ${BUDGET} times. Correct: each row once, in order. Corrupted: a row twice, or one missing before another.`,
      'belay asks the store about a lost reply. retry repeats what failed; checkpoint puts the whole store back first, which a store of one’s own alone allows; stop ends at the first fault.',
      `The paper’s other rates are of tasks that this study has not, in OSWorld and WebArena: ${ratesText(rates)}.`,
    ],
    columns: STEP_COLUMNS,
    groups: 1,
    rows: stepped
      .filter(({ budget }) => budget === BUDGET)
      .map((row) => {
        const rate = String(row.probability);
        return stepCells(row, faults.correct[PAPER[row.mode]]?.[rate], faults.corrupted[PAPER[row.mode]]?.[rate]);
      }),
  };
}

/** What the paper counts at each rate. */
function ratesText(rates: PaperAtomix['rates']): string {
  const of = (mode: string, share: number) => rates[mode]?.[String(share)]?.join(' and ') ?? '-';
  return [0.05, 0.1, 0.3]
    .map((share) => `at ${share} Tx-Full ends ${of('Tx-Full', share)} % well, No-Tx ${of('No-Tx', share)}`)
    .join('; ');
}

function triesTable({ stepped }: Atomix, { tries }: PaperAtomix): Table {
  return {
    id: 'atomix-tries',
    title: 'Atomix: the budget of tries',
    notes: [`The same at a probability of ${PROBABILITY}, by the tries that a step has. The paper’s 5 are 5 and more.`],
    columns: STEP_COLUMNS,
    groups: 2,
    rows: stepped
      .filter(({ probability, mode }) => probability === PROBABILITY && mode !== 'stop')
      .sort((a, b) => a.budget - b.budget)
      .map((row) => stepCells(row, tries.rows[PAPER[row.mode]]?.[String(row.budget)])),
  };
}

/** The modes of the paper that keep agents apart as ours do; it has none of the baselines, and names them as work that is left. */
const APART: Readonly<Record<Guard, string>> = { belay: 'Tx-Full', locks: '', retry: '', none: 'No-Tx' };

function contentionTable({ contended }: Atomix, { contention }: PaperAtomix): Table {
  return {
    id: 'atomix-contention',
    title: 'Atomix: agents that act on the same cells',
    notes: [
      'Each agent makes fifty calls. disjoint: on a cell of its own. counter: all add to one. read and write: each reads one cell, and then writes one more than it has read (the paper’s write-write conflict). mixed: half of the agents write two cells alike, one and then the other, and the others read them in the other order (its read-write conflict). Correct: an order of the agents explains the cells, and what was read of them.',
      'belay: an agent is a run that claims what it touches to its end. locks: a lock for each cell, held for one call. retry: a write is refused where its cell has moved since it was read, and made again. none: nothing. The paper leaves the two in the middle to future work.',
      'The time is that of all agents together: runs that claim come one after the other.',
    ],
    columns: [
      { key: 'scenario', title: 'scenario' },
      { key: 'agents', title: 'agents' },
      { key: 'guard', title: 'kept apart by' },
      { key: 'runs', title: 'runs' },
      { key: 'correct', title: 'correct %', better: 'higher' },
      { key: 'retries', title: 'calls made again' },
      { key: 'median', title: 'median ms' },
    ],
    groups: 2,
    rows: contended.map(({ scenario, agents, guard, runs, correct, retries, times }) => {
      const theirs = contention[APART[guard]]?.[scenario]?.[Math.log2(agents) - 1];
      return [
        only(scenario),
        only(agents),
        only(guard),
        only(runs),
        beside(percent(correct, runs), theirs, 'higher', guard === 'belay'),
        only(retries),
        only(at(times, 0.5)),
      ];
    }),
  };
}

function mailsTable({ mails }: Atomix, { mails: theirs }: PaperAtomix): Table {
  return {
    id: 'atomix-mails',
    title: 'Atomix: mails that cannot be called back',
    notes: [
      `Two files and two mails a run, half of the runs given up at their end, counted at the mail server (${theirs.source}). There, every mail of a mode that sends at once counts as leaked: leaked is not comparable.`,
    ],
    columns: [
      { key: 'mode', title: 'mode' },
      { key: 'runs', title: 'runs' },
      { key: 'due', title: 'due' },
      { key: 'delivered', title: 'delivered' },
      { key: 'leaked', title: 'leaked', better: 'lower' },
      { key: 'duplicates', title: 'duplicates', better: 'lower' },
      { key: 'lost', title: 'lost' },
      { key: 'files', title: 'files wrong' },
    ],
    rows: mails.map(({ mode, runs, expected, delivered, unsafeLeaked, unsafeDuplicates, unsafeLost, unsafeFiles }) => {
      const [leaked, , , duplicates] = theirs.rows[{ belay: 'Tx-Full', retry: 'No-Tx', checkpoint: 'CR' }[mode]] ?? [];
      return [
        only(mode),
        only(runs),
        only(expected),
        only(delivered),
        beside(unsafeLeaked, leaked, 'lower', mode === 'belay'),
        beside(unsafeDuplicates, duplicates, 'lower', mode === 'belay'),
        only(unsafeLost),
        only(unsafeFiles),
      ];
    }),
  };
}

/** The errors: whatever Belay has let be seen, left, doubled or lost. */
export function wrongAtomix({ tried, stepped, contended, mails }: Atomix): readonly string[] {
  const branches = tried
    .filter(({ way, transient, contaminated, lost }) => {
      if (way === 'staged') return transient + contaminated + lost > 0;
      return way === 'undone' && contaminated + lost > 0;
    })
    .map(
      ({ way, branches: count }) =>
        `atomix, ${count} branches, ${way}: something of a loser was seen or is left, or the winner is lost`,
    );
  const steps = stepped
    .filter(({ mode, probability, runs, correct, corrupted }) => {
      return mode === 'belay' && (corrupted > 0 || (probability === 0 && correct < runs));
    })
    .map(
      ({ probability, budget }) => `atomix, steps, ${probability}, ${budget} tries: a row is there twice or is missing`,
    );
  const contention = contended
    .filter(({ guard, runs, correct }) => guard === 'belay' && correct < runs)
    .map(({ scenario, agents }) => `atomix, ${scenario}, ${agents} agents: no order of the agents explains a run`);
  return [
    ...branches,
    ...steps,
    ...contention,
    ...(isSafe(mails) ? [] : ['atomix, mails: Belay has leaked, doubled or lost something']),
  ];
}
