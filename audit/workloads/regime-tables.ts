/** Tabulates the further regimes: unreliable answers, late effects, and answers that are found wrong later. */
import type { Comparison } from './compare.ts';
import { REGIMES, type Regime } from './faults.ts';
import { COLUMNS, figuresOf, shareOf } from './figures.ts';
import type { Policy } from './policies.ts';
import { only, type Table } from './table.ts';
import { CURSOR_NAMES, REGIME_NAMES } from './verdicts.ts';
import { FARTHEST, type WrongCell } from './wrong-answers.ts';
import type { WrongScore } from './wrong-score.ts';

/** The policies that are told by distance. */
const TOLD: readonly Policy[] = ['ask-and-retry', 'checkpoint-rollback', 'checkpoint-every-step', 'belay', 'oracle'];

const NOTES: Readonly<Record<Regime, readonly string[]>> = {
  'lost-replies': [],
  'unreliable-answers': [
    'A read fails as often as a change does. A status query fails or lags as often: a source that lags says that it does not know yet, and is asked again as often as the config allows.',
  ],
  'late-effects': [
    'Every second lost reply has an effect that lands only after its error was told, up to four operations later. Until then its counterparty says that it does not know yet. It is credited to the call that made it, and not to a retry.',
  ],
};

/** Every table of the further regimes; those of which nothing was run have no rows. */
export function regimeTables(comparison: Comparison): readonly Table[] {
  const { sets } = comparison;
  return [
    ...REGIMES.filter((regime) => regime !== 'lost-replies').map((regime) => regimeTable(comparison, regime)),
    ...sets.map(({ folder }) => wrongTable(comparison, folder)),
    distanceTable(comparison),
  ];
}

function regimeTable({ further }: Comparison, regime: Regime): Table {
  return {
    id: `workload-${regime}`,
    title: REGIME_NAMES[regime],
    notes: NOTES[regime],
    groups: 1,
    columns: [{ key: 'where', title: 'where' }, { key: 'policy', title: 'policy' }, ...COLUMNS],
    rows: further
      .filter((cell) => cell.regime === regime)
      .map(({ folder, probability, policy, runs }) =>
        [`${folder}, p = ${probability}`, policy, ...figuresOf(runs)].map(only),
      ),
  };
}

function wrongTable({ wrong }: Comparison, of: string): Table {
  return {
    id: `workload-${of}-wrong`,
    title: `${of}: an answer is found wrong one to five units later`,
    notes: [
      'Asked again, the answer is right. Same end: the world and the context are those of the run in which it was right at once. Stale: changes that stand although they were decided on it. Harm: a run that is over without a word and is not so; or something twice, lost, stale or beside.',
      'Redone: calls made again of units that relied on it; for nothing: of others. Waits: something that cannot be undone would have to go back. Needless: nothing of that kind, and it waits.',
    ],
    groups: 1,
    columns: [
      { key: 'agent', title: 'agent' },
      { key: 'policy', title: 'policy' },
      { key: 'runs', title: 'runs' },
      { key: 'same', title: 'same end' },
      { key: 'completed', title: 'completed' },
      { key: 'harm', title: 'harm' },
      { key: 'duplicated', title: 'twice' },
      { key: 'stale', title: 'stale' },
      { key: 'lost', title: 'lost' },
      { key: 'collateral', title: 'beside' },
      { key: 'redone', title: 'redone' },
      { key: 'redoneBeside', title: 'for nothing' },
      { key: 'needed', title: 'waits' },
      { key: 'needless', title: 'needless' },
    ],
    rows: wrong
      .filter(({ folder }) => folder === of)
      .map((cell) => [agentOf(cell), cell.policy, cell.runs.length, ...wrongFigures(cell)].map(only)),
  };
}

function agentOf({ cursor, probability }: WrongCell): string {
  return `${CURSOR_NAMES[cursor]}; an attempt fails with p = ${probability}`;
}

function wrongFigures({ runs }: WrongCell): (string | number)[] {
  const total = (count: (score: WrongScore) => number) => runs.reduce((sum, { score }) => sum + count(score), 0);
  const share = (is: (score: WrongScore) => boolean) =>
    shareOf(runs.filter(({ score }) => is(score)).length, runs.length);
  return [
    share(({ same }) => same),
    share(({ completed }) => completed),
    share(({ harm }) => harm),
    total(({ duplicated }) => duplicated),
    total(({ stale }) => stale),
    total(({ lost }) => lost),
    total(({ collateral }) => collateral),
    total(({ redone }) => redone),
    total(({ redoneBeside }) => redoneBeside),
    total(({ parked, needless }) => Number(parked && !needless)),
    total(({ needless }) => Number(needless)),
  ];
}

/** The same ends by how many units later the wrong answer was found, where calls do not fail. */
function distanceTable({ wrong }: Comparison): Table {
  const distances = Array.from({ length: FARTHEST }, (_, index) => index + 1);
  return {
    id: 'workload-distance',
    title: 'Same ends by how many units later the wrong answer is found',
    notes: ['Runs with the same end, of all runs; no call fails besides.'],
    groups: 1,
    columns: [
      { key: 'where', title: 'where' },
      { key: 'policy', title: 'policy' },
      ...distances.map((distance) => ({ key: `d${distance}`, title: distance === 1 ? 'one' : String(distance) })),
    ],
    rows: wrong
      .filter(({ probability, policy }) => probability === 0 && TOLD.includes(policy))
      .map(({ folder, cursor, policy, runs }) => {
        const counts = distances.map((distance) => {
          const own = runs.filter((run) => run.distance === distance);
          return own.length === 0 ? null : `${own.filter(({ score }) => score.same).length}/${own.length}`;
        });
        return [`${folder}, ${CURSOR_NAMES[cursor]}`, policy, ...counts].map(only);
      }),
  };
}
