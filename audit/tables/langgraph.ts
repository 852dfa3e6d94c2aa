/** The study on LangGraph (DART section 5.3, appendix F): tables 2 and 13 to 16, the direct latencies and the transplant. */
import { mean } from 'simple-statistics';
import { keysOf } from '../../domains/there.ts';
import type { SetName } from '../langgraph/sets.ts';
import type { Runtime, Studied, StudyRow } from '../langgraph/study.ts';
import type { Paper } from '../paper.ts';
import { beside, type Cell, only, type Table, type Value } from '../workloads/table.ts';
import { medianOf, round } from './recovery.ts';

/** The regimes as the study names them. */
const REGIMES = { 'entry-aligned': 'official', 'commit-sensitive': 'commit-sensitive' } as const;
type Regime = keyof typeof REGIMES;

const TRACKS = ['official', 'regime-balanced'] as const;

/** The runtimes by the paper's names. */
const NAMES = {
  rerun: 'Retry-Only',
  resume: 'LangGraph-Direct',
  restore: 'LangGraph-SemiReal',
  gated: 'Belay on the graph',
} as const;
type Named = keyof typeof NAMES;

/** The field of the paper's cells that each stands beside. */
const THEIRS = { rerun: 'retry', resume: 'langgraph', restore: 'langgraph', gated: 'dart' } as const;

/** A cell of the paper's, as far as a table has it. */
interface Theirs {
  readonly success?: number;
  readonly replay?: number;
  readonly latency?: number | null;
}

const FIGURES = [
  { key: 'cases', title: 'cases' },
  { key: 'success', title: 'success', better: 'higher' },
  { key: 'replay', title: 'replay', better: 'lower' },
  { key: 'met', title: 'the paper’s' },
  { key: 'safe', title: 'safe', better: 'higher' },
  { key: 'twice', title: 'rows twice', better: 'lower' },
  { key: 'latency', title: 'median ms' },
  { key: 'by', title: 'replay by case' },
] as const;

/** All tables of the study but those of single cases. */
export function langgraphTables(studied: readonly Studied[], { langgraph }: Paper): readonly Table[] {
  return [
    familiesTable(studied, langgraph),
    directTable(studied, langgraph),
    trackTable(studied, langgraph),
    threeWayTable(studied, langgraph),
    transplantTable(studied, langgraph),
    pairsTable(studied, langgraph),
  ];
}

type Figures = Paper['langgraph'];

function familiesTable(studied: readonly Studied[], { runtimes }: Figures): Table {
  const sets: readonly SetName[] = ['direct', 'official', 'regime-balanced'];
  const counted = (set: SetName) => [
    ...new Set(inSet(studied, set).map(({ domain }) => inDomain(studied, set, domain).length)),
  ];
  const repeat = new Set(studied.flatMap(({ rows }) => rows.map(({ seed }) => seed))).size;
  const told = (names: readonly SetName[]) => names.map((set) => `${set} ${counted(set).join(' and ')}`).join(', ');
  const scopes: Readonly<Record<string, string>> = {
    'LangGraph-Direct': told(sets.slice(0, 1)),
    'LangGraph-SemiReal': told(sets.slice(1)),
    DART: `Belay on the graph: ${told(sets)}`,
  };
  return {
    id: 'langgraph-families',
    title: 'LangGraph: the runtimes, and the cases that each is run on',
    notes: [
      'Cases a domain, from audit/langgraph/sets.yaml. LangGraph-Direct resumes the superstep that failed; LangGraph-SemiReal goes back to the checkpoint before the failed work, which is the same one where a call failed.',
    ],
    columns: [
      { key: 'family', title: 'family' },
      { key: 'cases', title: 'cases a domain' },
      { key: 'repeat', title: 'repeat' },
    ],
    rows: Object.entries(runtimes.rows).map(([family, theirs]) => [
      only(family),
      beside(scopes[family] ?? null, theirs, 'equal', false),
      only(repeat),
    ]),
  };
}

function directTable(studied: readonly Studied[], { direct }: Figures): Table {
  return {
    id: 'langgraph-direct',
    title: 'LangGraph: Direct, from the failure to the success of what had failed',
    notes: [
      'Context, and never a target: milliseconds of this machine with a scripted planner beside those of hosted models.',
    ],
    columns: [{ key: 'domain', title: 'domain' }, { key: 'runtime', title: 'runtime' }, ...FIGURES],
    groups: 1,
    rows: Object.entries(direct.rows).flatMap(([domain, latencies]) =>
      (['resume', 'gated'] as const).map((runtime, index) => {
        const cases = inDomain(studied, 'direct', domain);
        return [only(domain), only(NAMES[runtime]), ...figures(cases, runtime, { latency: latencies[index] ?? null })];
      }),
    ),
  };
}

function trackTable(studied: readonly Studied[], { semiReal }: Figures): Table {
  return {
    id: 'langgraph-tracks',
    title: 'LangGraph: SemiReal and Belay by track',
    notes: NOTES,
    columns: [
      { key: 'track', title: 'track' },
      { key: 'domain', title: 'domain' },
      { key: 'runtime', title: 'runtime' },
      ...FIGURES,
    ],
    groups: 2,
    rows: TRACKS.flatMap((track) =>
      Object.entries(semiReal.rows[track] ?? {}).flatMap(([domain, theirs]) =>
        (['restore', 'gated'] as const).map((runtime) => [
          only(track),
          only(domain),
          only(NAMES[runtime]),
          ...figures(inDomain(studied, track, domain), runtime, theirs[THEIRS[runtime]]),
        ]),
      ),
    ),
  };
}

function threeWayTable(studied: readonly Studied[], { threeWay }: Figures): Table {
  return {
    id: 'langgraph-three-way',
    title: 'LangGraph: a whole rerun, SemiReal and Belay by regime',
    notes: NOTES,
    columns: [
      { key: 'regime', title: 'regime' },
      { key: 'domain', title: 'domain' },
      { key: 'runtime', title: 'runtime' },
      ...FIGURES,
    ],
    groups: 2,
    rows: cells().flatMap(({ regime, domain }) =>
      (['rerun', 'restore', 'gated'] as const).map((runtime) => [
        only(regime),
        only(domain),
        only(NAMES[runtime]),
        ...figures(inCell(studied, regime, domain), runtime, threeWay.rows[regime]?.[domain]?.[THEIRS[runtime]] ?? {}),
      ]),
    ),
  };
}

const NOTES = [
  'success: the run ended and came to the same result, which is all that the paper counts. safe: the world is that of the run that never failed, too, row by row, and no promise is gone. rows twice are counted in the world, one run of each case.',
  'replay: calls made again until the failed one had succeeded, median over successful runs; beside it each case’s own. The paper’s cases are not ours: where a figure differs, the cases of that row, in the last table, say what was gone back to and what lay behind it.',
];

/** The four of the transplant: our reading, as the paper defines none of them. */
const GROUPS = { G0: 'rerun', G1: 'resume', G2: 'ungated', G3: 'gated' } as const satisfies Record<string, Runtime>;

function transplantTable(studied: readonly Studied[], { transplant }: Figures): Table {
  return {
    id: 'langgraph-transplant',
    title: 'LangGraph: the transplant, G0 to G3',
    notes: [
      'Our reading, as the paper defines none: G0 runs the whole graph anew, G1 resumes it as LangGraph does, G2 restores the newest reviewed checkpoint whatever stands against it, G3 does so past the gate. G2 and G3 share the journal, the checkpoints, the keys and the counterparties that are asked (docs/decisions/g0-to-g3-are-four-runtimes-of-one-graph.md).',
      'fallbacks: runs that were refused. as on the machine: the replay of each run is that of Belay on the machine of the same agent, case and seed.',
    ],
    columns: [
      { key: 'regime', title: 'regime' },
      { key: 'domain', title: 'domain' },
      { key: 'group', title: 'group' },
      { key: 'success', title: 'success', better: 'higher' },
      { key: 'replay', title: 'replay', better: 'lower' },
      { key: 'upstream', title: 'upstream', better: 'lower' },
      { key: 'fallbacks', title: 'fallbacks', better: 'lower' },
      { key: 'sameReplay', title: 'G2 and G3 replay alike' },
      { key: 'machine', title: 'as on the machine' },
      { key: 'safe', title: 'safe', better: 'higher' },
      { key: 'twice', title: 'rows twice', better: 'lower' },
    ],
    groups: 2,
    rows: cells().flatMap(({ regime, domain }) => {
      const cases = inCell(studied, regime, domain);
      const [ungated, gated] = (['ungated', 'gated'] as const).map((runtime) => replayOf(rowsBy(cases, runtime)));
      return Object.entries(GROUPS).map(([group, runtime]): Cell[] => {
        const rows = rowsBy(cases, runtime);
        const theirs = group === 'G2' || group === 'G3' ? transplant : null;
        const fallbacks = rows.filter(({ blocked }) => blocked).length;
        return [
          only(regime),
          only(domain),
          only(group),
          beside(
            share(rows, ({ success }) => success),
            theirs?.success,
            'higher',
          ),
          only(replayOf(rows)),
          beside(medianOf(succeeded(rows).map(({ upstream }) => upstream)), theirs?.upstream, 'lower'),
          beside(fallbacks, group === 'G3' ? theirs?.fallbacks : null, 'lower'),
          theirs === null ? only(null) : beside(ungated === gated, theirs.sameReplay, 'equal'),
          only(theirs === null ? null : cases.every((each) => isAsOnMachine(each, runtime))),
          only(share(rows, ({ safe }) => safe)),
          only(twiceIn(cases, runtime)),
        ];
      });
    }),
  };
}

function pairsTable(studied: readonly Studied[], { equivalent }: Figures): Table {
  const counts = ['safe', 'comparable', 'navigation', 'schedule-form'] as const;
  return {
    id: 'langgraph-pairs',
    title: 'LangGraph: safe-equivalent pairs of SemiReal and Belay',
    notes: [
      'A pair is a case; it is comparable where both runtimes end under every seed, and safe-equivalent where both come to the same result and keep what unaffected instances had written, which is what the paper asks of the two domains. Which of them also leave the world of the run that never failed, it did not count.',
    ],
    columns: [
      { key: 'track', title: 'track' },
      { key: 'safe', title: 'safe-equivalent', better: 'equal' },
      { key: 'comparable', title: 'comparable', better: 'equal' },
      { key: 'navigation', title: 'of navigation', better: 'equal' },
      { key: 'schedule-form', title: 'of the schedule form', better: 'equal' },
      { key: 'native', title: 'same world: SemiReal' },
      { key: 'belay', title: 'same world: Belay' },
    ],
    rows: TRACKS.map((track) => {
      const cases = inSet(studied, track).filter((each) =>
        isEach(each, ({ status }) => status === 'ok' || status === 'contract'),
      );
      const isSame = ({ checks }: StudyRow) => checks.semantics === true && checks.prefix === true;
      const ours = {
        safe: cases.filter((each) => isEach(each, isSame)).length,
        comparable: cases.length,
        navigation: cases.filter(({ domain }) => domain === 'navigation').length,
        'schedule-form': cases.filter(({ domain }) => domain === 'schedule-form').length,
      };
      const alike = (runtime: Runtime) =>
        cases.filter((each) => rowsBy([each], runtime).every(({ safe }) => safe)).length;
      return [
        only(track),
        ...counts.map((key) => beside(ours[key], equivalent.rows[track]?.[key], 'equal')),
        only(alike('restore')),
        only(alike('gated')),
      ];
    }),
  };
}

function isEach(each: Studied, holds: (row: StudyRow) => boolean): boolean {
  return [...rowsBy([each], 'restore'), ...rowsBy([each], 'gated')].every(holds);
}

/** True if a runtime of the graph has replayed as many calls as the machine, under every seed. */
export function isAsOnMachine(each: Studied, runtime: Runtime): boolean {
  const machine = new Map(rowsBy([each], 'machine').map(({ seed, replay }) => [seed, replay]));
  return rowsBy([each], runtime).every(({ seed, replay }) => machine.get(seed) === replay);
}

function cells(): readonly { readonly regime: Regime; readonly domain: string }[] {
  return keysOf<Regime>(REGIMES).flatMap((regime) =>
    ['navigation', 'schedule-form'].map((domain) => ({ regime, domain })),
  );
}

function inSet(studied: readonly Studied[], set: SetName): readonly Studied[] {
  return studied.filter(({ sets }) => sets.includes(set));
}

function inDomain(studied: readonly Studied[], set: SetName, domain: string): readonly Studied[] {
  return inSet(studied, set).filter((each) => each.domain === domain);
}

/** The cases of a regime, which all runtimes have. */
function inCell(studied: readonly Studied[], regime: Regime, domain: string): readonly Studied[] {
  return inDomain(studied, 'regime-balanced', domain).filter((each) => each.regime === REGIMES[regime]);
}

/** The rows of a runtime. */
export function rowsBy(cases: readonly Studied[], runtime: Runtime): readonly StudyRow[] {
  return cases.flatMap(({ rows }) => rows.filter((row) => row.runtime === runtime));
}

function succeeded(rows: readonly StudyRow[]): readonly StudyRow[] {
  return rows.filter(({ success }) => success);
}

function replayOf(rows: readonly StudyRow[]): number | null {
  return medianOf(succeeded(rows).map(({ replay }) => replay));
}

function share(rows: readonly StudyRow[], holds: (row: StudyRow) => boolean): number | null {
  return rows.length === 0 ? null : round(mean(rows.map((row) => (holds(row) ? 1 : 0))));
}

/** The rows that are in the worlds twice, of one run of each case. */
function twiceIn(cases: readonly Studied[], runtime: Runtime): number {
  const first = rowsBy(cases, runtime).filter(({ seed }) => seed === 0);
  return first.flatMap(({ twice }) => Object.values(twice)).reduce((sum, count) => sum + count, 0);
}

function figures(cases: readonly Studied[], runtime: Named, theirs: Theirs): readonly Cell[] {
  const rows = rowsBy(cases, runtime);
  const latency = medianOf(succeeded(rows).map((row) => row.latency));
  const ours = { success: share(rows, ({ success }) => success), replay: replayOf(rows) };
  return [
    only(cases.length),
    beside(ours.success, theirs.success, 'higher'),
    beside(ours.replay, theirs.replay, runtime === 'rerun' ? 'equal' : 'lower'),
    only(metOf(ours, theirs)),
    only(share(rows, ({ safe }) => safe)),
    only(twiceIn(cases, runtime)),
    beside(latency === null ? null : round(latency), theirs.latency, 'lower', false),
    only(cases.map((each) => `${each.name} ${replayOf(rowsBy([each], runtime)) ?? '–'}`).join(', ')),
  ];
}

/** Names the figures that are not the paper's. */
function metOf(ours: { readonly success: Value; readonly replay: Value }, theirs: Theirs): string | null {
  const there = (['success', 'replay'] as const).filter((key) => theirs[key] !== undefined);
  const other = there.filter((key) => ours[key] !== theirs[key]);
  if (there.length === 0) return null;
  return other.length === 0 ? 'met' : `different ${other.join(', ')}`;
}
