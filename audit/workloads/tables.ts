/** The comparison as tables, each figure with its interval of ninety-five percent. */
import { type Comparison, cellOf, ordered, type Cell as Runs } from './compare.ts';
import { COLUMNS, differenceOf, figuresOf, shareOf, signed } from './figures.ts';
import { ABOUT } from './policies.ts';
import { type Promised, promisesOf } from './promises.ts';
import { regimeTables } from './regime-tables.ts';
import type { Place, Score } from './score.ts';
import { only, type Table } from './table.ts';
import { verdictsTable } from './verdicts.ts';

/** Every table of a comparison. */
export function tablesOf(comparison: Comparison): readonly Table[] {
  const { sets } = comparison;
  return [
    policiesTable(comparison),
    ...sets.map(({ folder }) => scoresTable(comparison, folder)),
    differencesTable(comparison),
    placesTable(comparison),
    meetingsTable(comparison),
    ...regimeTables(comparison),
    verdictsTable(comparison),
    asksTable(comparison),
    promisesTable(promisesOf(comparison)),
  ].filter(({ rows }) => rows.length > 0);
}

const counted = (tasks: number) => (tasks === 1 ? 'one task' : `${tasks} tasks`);
const times = (count: number) => (count === 1 ? 'once' : `${count} times`);

/** The acts of each policy, and the counts of all of them. */
function policiesTable({ wanted }: Comparison): Table {
  return {
    id: 'workload-policies',
    title: 'What a client does when a call fails',
    notes: [
      'Below, shares are of runs, in percent; the other figures are counts of changes, rows, calls and runs. Same end: the world is that of the run without faults, row by row. Harm: something is there twice, lost, or changed beside, for work that met no fault.',
      'Redone: calls that had been answered and were made again. Waits: runs that wait for somebody because nobody else can tell; needless: they wait, and a status query or the same call under its key would have decided it. Refused: calls that a counterparty refused for good, which is an answer: no failure, and no try.',
    ],
    columns: [
      { key: 'policy', title: 'policy' },
      { key: 'does', title: 'what it does' },
    ],
    rows: ordered(wanted.policies).map((policy) => [policy, ABOUT[policy]].map(only)),
  };
}

function scoresTable(comparison: Comparison, of: string): Table {
  const { sets, cells, wanted } = comparison;
  const own = sets.find(({ folder }) => folder === of);
  const left = comparison.left.filter(({ folder }) => folder === of);
  return {
    id: `workload-${of}`,
    title: `${of}: ${own?.set.about}`,
    notes: [
      `${counted(own?.tasks ?? 0)}, each run ${times(own?.repeat ?? 0)}, from seed ${wanted.seed} on.`,
      ...left.map(({ task, why }) => `Left out: ${task}: ${why}.`),
    ],
    groups: 1,
    columns: [{ key: 'probability', title: 'an attempt fails' }, { key: 'policy', title: 'policy' }, ...COLUMNS],
    rows: cells
      .filter(({ folder }) => folder === of)
      .map(({ probability, policy, runs }) =>
        [`an attempt fails with p = ${probability}`, policy, ...figuresOf(runs)].map(only),
      ),
  };
}

/** The surplus and the lack of Belay's runs against those of each other policy, run by run. */
function differencesTable(comparison: Comparison): Table {
  const { sets, wanted } = comparison;
  const others = ordered(wanted.policies).filter((policy) => policy !== 'belay');
  const rows = wanted.probabilities.flatMap((probability) =>
    sets.flatMap(({ folder }) =>
      others.flatMap((policy) => {
        const [ours, theirs] = [
          cellOf(comparison, folder, probability, 'belay'),
          cellOf(comparison, folder, probability, policy),
        ];
        if (ours === null || theirs === null) return [];
        const end = difference(ours, theirs, ({ equal }) => Number(equal) * 100, wanted.seed);
        const harm = difference(
          ours,
          theirs,
          ({ duplicated, lost, collateral }) => duplicated + lost + collateral,
          wanted.seed,
        );
        const redone = difference(ours, theirs, (score) => score.redone, wanted.seed);
        return [[`p = ${probability}, ${folder}`, policy, end, harm, redone].map(only)];
      }),
    ),
  );
  return {
    id: 'workload-differences',
    title: 'Belay minus the others',
    notes: [
      'Means of a run, with the interval of a paired bootstrap: a thousand samples of the tasks, same faults on both sides.',
    ],
    groups: 1,
    columns: [
      { key: 'where', title: 'where' },
      { key: 'policy', title: 'policy' },
      { key: 'equal', title: 'same end, points' },
      { key: 'harm', title: 'changes that harm' },
      { key: 'redone', title: 'calls redone' },
    ],
    rows,
  };
}

function difference(ours: Runs, theirs: Runs, of: (score: Score) => number, seed: number): string {
  const { mean, interval } = differenceOf(ours.runs, theirs.runs, ({ score }) => of(score), seed);
  return `${signed(mean)} [${interval.map(signed).join(' to ')}]`;
}

const PLACES: readonly Place[] = ['exact', 'early', 'late', 'nowhere'];

/** Where work was taken up that was found wrong. */
function placesTable(comparison: Comparison): Table {
  const { sets, cells } = comparison;
  const rows = sets.flatMap(({ folder }) =>
    cells
      .filter((cell) => cell.folder === folder && cell.runs.some(({ score }) => score.places.length > 0))
      .map(({ probability, policy, runs }) => {
        const places = runs.flatMap(({ score }) => score.places);
        const hits = places.filter((place) => place === 'exact').length;
        const counts = PLACES.map((place) => places.filter((each) => each === place).length);
        const exactly = shareOf(hits, places.length);
        return [`${folder}, p = ${probability}`, policy, places.length, exactly, ...counts.slice(1)].map(only);
      }),
  );
  return {
    id: 'workload-places',
    title: 'Where work was taken up that was found wrong',
    notes: [
      'Exact: at the last checkpoint before the earliest work that was wrong. Too early does again what was right, too late leaves standing what was wrong; nowhere did not go back.',
    ],
    groups: 1,
    columns: [
      { key: 'where', title: 'where' },
      { key: 'policy', title: 'policy' },
      { key: 'times', title: 'times' },
      { key: 'exact', title: 'exact' },
      { key: 'early', title: 'too early' },
      { key: 'late', title: 'too late' },
      { key: 'nowhere', title: 'nowhere' },
    ],
    rows,
  };
}

/** Two runs at once over shared rows. */
function meetingsTable({ meetings }: Comparison): Table {
  return {
    id: 'workload-meetings',
    title: 'Two runs at once over the same rows',
    notes: [
      'Damaged: rows that are neither as one order of the two leaves them, nor as the other; where a run waits for a person, rows as they never are. Under Belay the two have claims between them.',
    ],
    groups: 1,
    columns: [
      { key: 'where', title: 'where' },
      { key: 'policy', title: 'policy' },
      { key: 'pairs', title: 'pairs' },
      { key: 'completed', title: 'both completed' },
      { key: 'damaged', title: 'pairs damaged' },
      { key: 'rows', title: 'rows damaged' },
      { key: 'duplicated', title: 'twice' },
      { key: 'waited', title: 'the second waited' },
    ],
    rows: meetings
      .filter((each) => each.meetings.length > 0)
      .map(({ folder, probability, policy, meetings: met }) =>
        [
          `${folder}, p = ${probability}`,
          policy,
          met.length,
          met.filter(({ completed }) => completed).length,
          met.filter(({ damaged }) => damaged > 0).length,
          met.reduce((sum, { damaged }) => sum + damaged, 0),
          met.reduce((sum, { duplicated }) => sum + duplicated, 0),
          met.filter(({ waited }) => waited).length,
        ].map(only),
      ),
  };
}

/** The party that can be asked what became of a call, with the reason. */
function asksTable({ sets }: Comparison): Table {
  return {
    id: 'workload-asks',
    title: 'Who can be asked what became of a call',
    notes: [],
    groups: 1,
    columns: [
      { key: 'set', title: 'set' },
      { key: 'tool', title: 'a call of' },
      { key: 'asks', title: 'who is asked, and why' },
    ],
    rows: sets.flatMap(({ set, folder }) =>
      Object.entries(set.asks).map(([name, who]) => [folder, name, who].map(only)),
    ),
  };
}

function promisesTable(promises: readonly Promised[]): Table {
  return {
    id: 'workload-promises',
    title: 'What Belay promises of them',
    notes: [],
    groups: 1,
    columns: [
      { key: 'where', title: 'where' },
      { key: 'promise', title: 'promise' },
      { key: 'kept', title: 'kept' },
      { key: 'figures', title: 'figures' },
    ],
    rows: promises.map(({ folder, probability, text, kept, figures }) =>
      [`${folder}, p = ${probability}`, text, kept ? 'yes' : 'MISSED', figures].map(only),
    ),
  };
}
