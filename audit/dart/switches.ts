/**
 * The switches: for each figure that is not the paper's, one thing that is turned, with the figure off and on. Both are counted from
 * runs of the same audit; none is written down.
 */
import { binomialDistribution, mean, median } from 'simple-statistics';
import { fieldOf, there } from '../../domains/there.ts';
import { STRATEGIES, type Strategy } from '../case.ts';
import type { JudgedCase } from '../judge.ts';
import type { Studied } from '../langgraph/study.ts';
import type { Experiments } from '../report.ts';
import type { Swept } from '../sweep.ts';
import { SIGNIFICANT } from '../tables/latency.ts';
import { isBroken } from '../tables/necessity.ts';
import { round, rowsOf } from '../tables/recovery.ts';
import { type Cell, rowOf, type Table, type Value } from '../workloads/table.ts';

/** The switches, and the position that each is turned to. */
export const SWITCHES = {
  'another-site':
    'off: our cases. On: the run of the sweep that fails at the named calls. The length of what is done again is that of the work before the call.',
  'acts-behind':
    'off: our cases. On: the sweep’s sites by whether an act of the first attempt that cannot be made again lies behind where the strategy goes back to. The paper’s domains have, or have not, one there.',
  'admitted-only':
    'off: every case of ours. On: the cases and sites that the rule lets through, which are the only ones that the paper counts.',
  'blocked-replaced':
    'off: our cases, of which the rule blocks some. On: each blocked case replaced by a site of the sweep that is let through and ends as it has to, as long as there are such sites.',
  'gate-off': 'off: the gate refuses the entry. On: the refused entry is restored all the same.',
  'events-chosen':
    'off: every case is an event. On: as many events of each kind as the paper has, chosen from our cases and the sites of the sweep; fewer where we have fewer.',
  'counterparty-off':
    'off: counterparties are asked, and a lost reply is answered before the gate. On: none is asked, and the same failures reach the gate.',
  're-entry-off': 'off: every case. On: without the cases in which a unit is entered again.',
  'one-case': 'off: the median or the list of several cases. On: the one named case or refused checkpoint.',
  'newest-only': 'off: every refused checkpoint of a blocked event. On: the newest one of each event.',
  'fewer-pairs': 'off: the four official cases of each domain. On: of navigation the two of the direct set alone.',
  'first-raw': 'off: five repeats, each with another raw failure of the call. On: the first repeat alone.',
  'fewer-raw': 'off: every raw failure that is tried at the site. On: the first of them, as many as the paper has.',
  'guard-off': 'off: cases that break with the guard. On: cases that break without it.',
  'from-one-checkpoint':
    'off: the schedule form with one slot to five, which has 10 to 22 checkpoints. On: the first checkpoint of a longer run to its first five.',
  'longer-run': 'off: the schedule form with five slots. On: with nine.',
  'in-place':
    'off: a fresh process folds the whole journal. On: the process that has the run goes from the failure to the decision, on what it has folded before.',
  'fields-reviewed':
    'off: the draft as `belay init` writes it, from the machine alone. On: the draft after a script has taken over the fields that a reviewer decides.',
  'one-snapshot':
    'off: the bytes of the whole journal, from which every step can be restored. On: the largest single snapshot.',
  'world-counted':
    'off: success is that the run came to the same result. On: success is that the world, too, is that of the run that never failed, row by row.',
  'calls-counted':
    'off: whether milliseconds of this machine differ, on which a scripted planner costs nothing. On: whether calls made again differ, in the same pairs by the same sign test.',
} as const;

/** One of them. */
export type SwitchName = keyof typeof SWITCHES;

/** A figure that is not the paper's, with its switch off and on. */
export interface Turned {
  /** The table of ours, its row and its column. */
  readonly table: string;
  readonly row: string;
  readonly column: string;
  readonly paper: Value;
  readonly by: SwitchName;
  readonly off: Value;
  readonly on: Value;
  /** The position of the switch, in words: the sites or cases that were taken. */
  readonly at: string;
}

/** The runs that switches are counted from. */
export interface Counted {
  readonly judged: readonly JudgedCase[];
  readonly swept: readonly Swept[];
  readonly studied: readonly Studied[];
  readonly signals: Experiments['signals'];
  readonly depths: Experiments['depths'];
  readonly candidates: Experiments['candidates'];
}

type Found = Pick<Turned, 'by' | 'on' | 'at'> & Partial<Pick<Turned, 'off'>>;
type Row = Readonly<Record<string, Cell>>;
type Turn = (row: Row, column: string, cell: Cell, from: Counted) => Found | null;

/** Columns of time: context for the paper too, and never a target. They stand in the tables without a switch. */
export const TIMES: ReadonlySet<string> = new Set(['latency', 'retry', 'own', 'hook']);

/** Tables whose cells are the paper's words beside ours: no figure to compare. */
const WORDS: ReadonlySet<string> = new Set(['langgraph-families']);

/** Every figure that has one of the paper's beside it, and is another. */
export function differencesIn(
  tables: readonly Table[],
): readonly { table: Table; row: Row; column: string; cell: Cell }[] {
  return tables
    .filter(({ id }) => !WORDS.has(id))
    .flatMap((table) =>
      table.rows.flatMap((cells) => {
        const row = rowOf(table, cells);
        return Object.entries(row).flatMap(([column, cell]) =>
          cell.mark === undefined || cell.mark === 'same' || cell.ours === cell.paper || TIMES.has(column)
            ? []
            : [{ table, row, column, cell }],
        );
      }),
    );
}

/** Turns a switch for each difference. @returns the figures, and the differences that no switch explains. */
export function turnedIn(
  tables: readonly Table[],
  from: Counted,
): { readonly turned: readonly Turned[]; readonly unexplained: readonly string[] } {
  const turned: Turned[] = [];
  const unexplained: string[] = [];
  for (const { table, row, column, cell } of differencesIn(tables)) {
    const found = TURNS[table.id]?.(row, column, cell, from) ?? null;
    const name = labelOf(table, row);
    if (found === null) unexplained.push(`${table.id}: ${name}: ${column}`);
    else turned.push({ table: table.id, row: name, column, paper: cell.paper ?? null, off: cell.ours, ...found });
  }
  return { turned, unexplained };
}

/** A row by its first cells that name something. */
function labelOf({ columns }: Table, row: Row): string {
  const names = columns.flatMap(({ key }) => {
    const { ours, paper } = row[key] ?? { ours: null };
    return typeof ours === 'string' && paper === undefined ? [ours] : [];
  });
  return names.slice(0, 3).join(', ');
}

const TURNS: Readonly<Record<string, Turn>> = {
  recovery: recoveryTurn,
  'ablation-granularity': (row, column, cell, from) => siteTurn(row, strategyNamed(column), 'replay', cell, from),
  semantic: semanticTurn,
  calibration: calibrationTurn,
  localisation: localisationTurn,
  probes: ({ case: name }, _column, _cell, { judged }) => {
    const domain = String(name?.ours).split('/')[0];
    const other = judged.find((each) => each.domain === domain && each.localisation.candidates === 1);
    return other === undefined ? null : { by: 're-entry-off', on: 'unique', at: other.name };
  },
  'ablation-guard-off': guardTurn,
  signals: signalsTurn,
  candidates: candidateTurn,
  depth: depthTurn,
  necessity: ({ guard }, _column, _cell, { judged }) => {
    const broken = judged.filter((each) => each.unguarded.some((one) => one.guard === guard?.ours && isBroken(one)));
    const off = judged.filter((each) => broken.includes(each) && each.rows.some(isBrokenRow)).length;
    return { by: 'guard-off', off, on: broken.length, at: broken.map(({ name }) => name).join(', ') };
  },
  latency: pairsTurn,
  overhead: ({ peak }) => ({ by: 'one-snapshot', on: peak?.ours ?? null, at: 'what xstate persists at one step' }),
  'langgraph-tracks': studyTurn,
  'langgraph-three-way': studyTurn,
  'langgraph-pairs': pairsOfStudyTurn,
};

/** What of a draft is another than in the frozen config, before the review and after it. */
function candidateTurn({ domain }: Row, column: string, _: Cell, { candidates }: Counted): Found | null {
  const one = candidates.find((each) => each.domain === domain?.ours);
  if (one === undefined || !one.isReviewed) return null;
  const on = column === 'exact' || column === 'stable' ? true : 0;
  return { by: 'fields-reviewed', on, at: `${one.changes} changes` };
}

function depthTurn({ what }: Row, _column: string, _: Cell, { depths }: Counted): Found | null {
  const longest = depths.at(-1);
  const first = longest?.first ?? [];
  const [one, all] = [first[0], first.at(-1)];
  if (longest === undefined || one === undefined || all === undefined) return null;
  const name = String(what?.ours);
  if (name.startsWith('restore')) {
    const ratios = depths.flatMap(({ restoreInPlace, restoreInline }) =>
      restoreInPlace === null ? [] : [restoreInPlace / restoreInline],
    );
    if (ratios.length === 0) return null;
    return { by: 'in-place', on: round(median(ratios)), at: `${ratios.length} lengths at which the call is made` };
  }
  const at = `${first.length} checkpoints`;
  if (name.startsWith('payload'))
    return {
      by: 'longer-run',
      on: round(longest.inline / longest.registry),
      at: `${longest.checkpoints} checkpoints in place of ${depths.at(-2)?.checkpoints}`,
    };
  const sizeOf = (each: typeof one) =>
    name.endsWith('registry') ? each.registry : name.endsWith('journal') ? each.inline + each.registry : each.inline;
  const kept = name.endsWith('journal') ? `${at}, whole snapshots and the registry in place of the journal` : at;
  return { by: 'from-one-checkpoint', on: round(sizeOf(all) / sizeOf(one)), at: kept };
}

function isBrokenRow({ strategy, mismatches, unsafeAdmission }: JudgedCase['rows'][number]): boolean {
  return strategy === 'belay' && (mismatches.length > 0 || unsafeAdmission);
}

/** The sites of a domain under a strategy, in a regime of the paper's where it has any. */
function sitesOf(row: Row, strategy: Strategy, { swept }: Counted): readonly Swept[] {
  const own = swept.filter((each) => each.domain === row.domain?.ours && each.strategy === strategy);
  const regime = own.filter(({ promised }) => promised === (row.regime?.ours === 'commit-sensitive'));
  return regime.length === 0 ? own : regime;
}

function shareOf(rows: readonly Swept[], holds: (row: Swept) => boolean): number {
  return round(mean(rows.map((row) => (holds(row) ? 1 : 0))));
}

function strategyNamed(name: unknown): Strategy {
  return there(
    STRATEGIES.find((strategy) => strategy === name),
    `strategy ${name}`,
  );
}

function recoveryTurn(row: Row, column: string, cell: Cell, from: Counted): Found | null {
  const strategy = strategyNamed(row.strategy?.ours);
  if (column === 'replay' || column === 'upstream' || column === 'preserved')
    return siteTurn(row, strategy, column, cell, from);
  const sites = sitesOf(row, strategy, from);
  if (strategy === 'comp-frozen' || strategy === 'belay') {
    const through = sites.filter(({ blocked }) => !blocked);
    if (through.length === 0) return null;
    const on = shareOf(through, (each) => (column === 'observed' ? each.observed : each.success));
    return { by: 'admitted-only', on, at: `${through.length} of ${sites.length} sites of its regime` };
  }
  const wanted = Number(cell.paper) === 0;
  if (strategy === 'comp-entry-only' && column === 'observed' && !wanted) return forcedTurn(row, from);
  const chosen = sites.filter(
    ({ behind, lasting }) => (strategy === 'comp-entry-only' ? lasting : behind) > 0 === wanted,
  );
  const all =
    chosen.length > 0
      ? chosen
      : sitesOf({ domain: there(row.domain, 'domain') }, strategy, from).filter(({ behind }) => behind === 0);
  if (all.length === 0) return null;
  const on = shareOf(all, (each) => (column === 'observed' ? each.observed : each.success));
  return {
    by: 'acts-behind',
    on,
    at: `${all.length} sites ${wanted ? 'with such an act' : 'without one'} (${named(all)})`,
  };
}

/** The share of the refused entries that end once they are restored all the same. */
function forcedTurn(row: Row, { judged }: Counted): Found | null {
  const forced = judged
    .filter((each) => each.domain === row.domain?.ours && each.regime === row.regime?.ours)
    .flatMap(({ counterfactuals }) => counterfactuals)
    .filter(({ strategy, boundary }) => strategy === 'comp-frozen' && boundary === 'entry')
    .flatMap((each) => each.forced);
  if (forced.length === 0) return null;
  const on = round(mean(forced.map(({ observed }) => (observed ? 1 : 0))));
  const right = forced.filter(({ success }) => success).length;
  return { by: 'gate-off', on, at: `${forced.length} refused entries, of which ${right} then come to the same result` };
}

function named(sites: readonly Swept[]): string {
  const names = [...new Set(sites.map(({ site }) => site))];
  return names.length > 4 ? `${names.slice(0, 4).join(', ')} …` : names.join(', ');
}

/** The site, or the two of which the paper's figure is the median; else the nearest one. */
function siteTurn(
  row: Row,
  strategy: Strategy,
  field: 'replay' | 'upstream' | 'preserved',
  { paper }: Cell,
  from: Counted,
): Found | null {
  const wanted = Number(paper);
  const all = from.swept.filter((each) => each.domain === row.domain?.ours && each.strategy === strategy);
  const ended = (sites: readonly Swept[]) => sites.filter((each) => each.success && each[field] !== null);
  const value = (each: Swept) => Number(each[field]);
  for (const sites of [ended(sitesOf(row, strategy, from)), ended(all)]) {
    const one = sites.find((each) => value(each) === wanted);
    if (one !== undefined) return { by: 'another-site', on: wanted, at: one.site };
    for (const low of sites) {
      const high = sites.find((each) => (value(low) + value(each)) / 2 === wanted);
      if (high !== undefined) return { by: 'another-site', on: wanted, at: `${low.site} and ${high.site}` };
    }
  }
  const [nearest] = [...ended(all)].sort((a, b) => Math.abs(value(a) - wanted) - Math.abs(value(b) - wanted));
  return nearest === undefined
    ? null
    : { by: 'another-site', on: value(nearest), at: `${nearest.site}: the nearest of ${ended(all).length} sites` };
}

function semanticTurn(row: Row, column: string, cell: Cell, { judged, swept }: Counted): Found | null {
  const [strategy, domain] = [String(row.strategy?.ours), String(row.domain?.ours)];
  const check = column === 'committedPrefix' ? 'committed_prefix' : column;
  const asksFor = (each: JudgedCase) =>
    !['effect', 'committed_prefix'].includes(check) || each.requires.some((name) => name === check);
  const domains = [...new Set(judged.map((each) => each.domain))].filter((of) => domain === 'all' || of === domain);
  const filled = domains.map((of) => {
    const cases = judged.filter((each) => each.domain === of && asksFor(each));
    const blocked = cases.filter(({ rows }) => rows.some((each) => each.strategy === strategy && each.blocked)).length;
    const through = swept.filter((each) => each.domain === of && each.strategy === strategy && !each.blocked);
    const good = through.filter(({ safe }) => safe).length;
    return { through: through.length, good, by: Math.min(blocked, good), blocked };
  });
  const sum = (of: 'through' | 'good' | 'by' | 'blocked') => filled.reduce((all, each) => all + each[of], 0);
  return {
    by: 'blocked-replaced',
    on: Number(cell.ours) + sum('by'),
    at: `${sum('by')} of ${sum('blocked')} blocked cases; ${sum('good')} of the ${sum('through')} sites that are let through are safe`,
  };
}

function calibrationTurn(row: Row, column: string, cell: Cell, { judged, swept }: Counted): Found | null {
  const [strategy, domain] = [String(row.strategy?.ours), String(row.domain?.ours)];
  const isOwn = (of: string) => domain === 'all' || of === domain;
  if (strategy === 'belay' && column === 'events') {
    const unasked = judged.filter((each) => isOwn(each.domain) && each.unasked?.blocked === true);
    return {
      by: 'counterparty-off',
      on: Number(cell.ours) + unasked.length,
      at: `${unasked.length} lost replies reach the gate, and are blocked there`,
    };
  }
  if (column === 'blockedCheckpoints')
    return { by: 'newest-only', on: Number(row.blocked?.ours), at: 'the newest refused checkpoint of each event' };
  const sites = swept.filter((each) => each.strategy === strategy && isOwn(each.domain));
  const more = {
    admitted: sites.filter(({ blocked }) => !blocked).length,
    blocked: sites.filter(({ blocked }) => blocked).length,
    byEffect: sites.filter(({ blocked, lasting }) => blocked && lasting > 0).length,
    byDependency: 0,
    events: sites.length,
  };
  const pool = Number(cell.ours) + (numberIn(more, column) ?? 0);
  return { by: 'events-chosen', on: Math.min(pool, Number(cell.paper)), at: `${pool} to choose from` };
}

function localisationTurn({ what }: Row, _column: string, cell: Cell, { judged }: Counted): Found | null {
  const name = String(what?.ours);
  if (name.startsWith('rows aligned')) return null;
  const once = judged.filter(({ localisation }) => localisation.aliases.length === 0);
  const sum = (of: (each: JudgedCase['localisation']) => number) =>
    once.reduce((all, { localisation }) => all + of(localisation), 0);
  const on = name === 'instances' ? sum(({ instances }) => instances) : sum(({ ambiguous }) => ambiguous);
  return { by: 're-entry-off', on, at: `${judged.length - once.length} cases enter a unit again; paper ${cell.paper}` };
}

function guardTurn({ domain, case: name }: Row, _column: string, cell: Cell, { judged }: Counted): Found | null {
  const wanted = Number(cell.paper);
  const all = judged
    .filter((each) => each.domain === domain?.ours)
    .flatMap((each) =>
      each.counterfactuals
        .filter(({ strategy, codes }) => strategy === 'comp-frozen' && codes.includes('committed_consumers_present'))
        .flatMap(({ boundary, forced }) =>
          forced.map(({ dropped }) => ({ dropped: dropped.length, at: `${each.name}, ${boundary}` })),
        ),
    );
  const found = all.find(({ dropped }) => dropped === wanted);
  const [nearest] = [...all].sort((a, b) => Math.abs(a.dropped - wanted) - Math.abs(b.dropped - wanted));
  const taken = found ?? nearest;
  return taken === undefined
    ? null
    : { by: 'one-case', on: taken.dropped, at: `${taken.at} (for ${String(name?.ours)})` };
}

function signalsTurn(row: Row, column: string, cell: Cell, { judged, signals }: Counted): Found | null {
  if (column !== 'frozen') {
    const all = signals.find(({ site }) => site === row.site?.ours)?.signals ?? [];
    const first = all.slice(0, Number(cell.paper));
    const decisions = new Set(first.map(({ frozen }) => frozen)).size;
    return {
      by: 'fewer-raw',
      on: first.length,
      at: `${first.map(({ raw }) => raw).join(', ')}: ${decisions} decision`,
    };
  }
  const wanted = String(cell.paper);
  const isOnly = (vetoes: readonly string[]) => vetoes.length > 0 && vetoes.every((veto) => veto.includes(wanted));
  const other = judged.find(({ rows }) =>
    rows.some(({ strategy, shown }) => strategy === 'comp-frozen' && shown !== null && isOnly(shown.vetoes)),
  );
  return other === undefined ? null : { by: 'one-case', on: wanted, at: `${other.domain}/${other.name}` };
}

/** The paired test of calls made again, of each case and seed that both come to an end in. */
function pairsTurn(row: Row, _column: string, _cell: Cell, { judged }: Counted): Found {
  const [regime, domain] = [String(row.regime?.ours), String(row.domain?.ours)];
  const strategy = strategyNamed(row.strategy?.ours);
  const plain = rowsOf(judged, regime, domain, 'retry-only');
  const own = rowsOf(judged, regime, domain, strategy);
  const pairs = plain.flatMap((retry, index) => {
    const mine = own[index];
    return mine !== undefined && retry.success && mine.success ? [Number(mine.replay) - Number(retry.replay)] : [];
  });
  const p = signTest(pairs);
  const fewer = pairs.length === 0 ? 0 : -median(pairs);
  return {
    by: 'calls-counted',
    on: p < SIGNIFICANT,
    at: `p ${p < 0.001 ? '< 0.001' : `= ${p}`}, ${pairs.length} pairs of case and repeat, ${fewer} calls fewer in the median`,
  };
}

/** The two-sided sign test of differences, ties left out. */
function signTest(differences: readonly number[]): number {
  const [fewer, more] = [differences.filter((each) => each < 0).length, differences.filter((each) => each > 0).length];
  const chances = fewer + more === 0 ? [] : (binomialDistribution(fewer + more, 0.5) ?? []);
  const tail = chances.slice(Math.max(fewer, more)).reduce((sum, chance) => sum + chance, 0);
  return fewer + more === 0 ? 1 : Number(Math.min(1, 2 * tail).toPrecision(2));
}

/** The pairs of a track: of navigation only those of the direct set, where the paper has fewer; else by their first repeat. */
function pairsOfStudyTurn({ track }: Row, column: string, { ours, paper }: Cell, { studied }: Counted): Found {
  const own = studied.filter(({ sets }) => sets.includes(String(track?.ours)));
  const isCounted = (domain: string) => column === 'safe' || column === 'comparable' || domain === column;
  if (Number(ours) < Number(paper)) {
    const isGood = ({ rows }: Studied) =>
      rows
        .filter(({ seed, runtime }) => seed === 0 && (runtime === 'restore' || runtime === 'gated'))
        .every(({ success, checks }) => success && checks.prefix !== false);
    return { by: 'first-raw', on: own.filter((each) => isCounted(each.domain) && isGood(each)).length, at: 'seed 0' };
  }
  const chosen = own.filter(({ domain, sets }) => domain !== 'navigation' || sets.includes('direct'));
  const on = chosen.filter(({ domain }) => isCounted(domain)).length;
  return { by: 'fewer-pairs', on, at: chosen.map(({ name }) => name).join(', ') };
}

/** LangGraph: by the world where the result is compared, and by the single case where a median is. */
function studyTurn(row: Row, column: string, cell: Cell, { studied }: Counted): Found | null {
  const runtime = { 'LangGraph-SemiReal': 'restore', 'Retry-Only': 'rerun', 'Belay on the graph': 'gated' }[
    String(row.runtime?.ours)
  ];
  const regime = { 'entry-aligned': 'official', 'commit-sensitive': 'commit-sensitive' }[String(row.regime?.ours)];
  const set = row.track === undefined ? 'regime-balanced' : String(row.track.ours);
  const own = studied.filter(
    (each) =>
      each.domain === row.domain?.ours && each.sets.includes(set) && (regime === undefined || each.regime === regime),
  );
  const rows = own.flatMap((each) =>
    each.rows.filter((one) => one.runtime === runtime).map((one) => ({ ...one, of: each.name })),
  );
  if (rows.length === 0) return null;
  if (column === 'success' && Number(cell.ours) < Number(cell.paper)) {
    const first = rows.filter(({ seed }) => seed === 0);
    return { by: 'first-raw', on: round(mean(first.map(({ success }) => (success ? 1 : 0)))), at: 'seed 0' };
  }
  const right = rows.filter(({ safe }) => safe);
  const at = own.map(({ name }) => name).join(', ');
  if (column === 'success') return { by: 'world-counted', on: round(right.length / rows.length), at };
  if (cell.paper === 0) {
    const replays = right.flatMap(({ replay }) => replay ?? []);
    return { by: 'world-counted', on: replays.length === 0 ? 0 : median(replays), at: `${at}: ${right.length} runs` };
  }
  const wanted = Number(cell.paper);
  const all = studied
    .filter((each) => each.domain === row.domain?.ours)
    .flatMap((each) =>
      each.rows
        .filter((one) => one.runtime === runtime && one.replay !== null)
        .map((one) => ({ replay: Number(one.replay), of: each.name })),
    );
  const [nearest] = [...all].sort((a, b) => Math.abs(a.replay - wanted) - Math.abs(b.replay - wanted));
  for (const low of all) {
    const high = all.find(({ replay }) => (low.replay + replay) / 2 === wanted);
    if (high !== undefined)
      return { by: 'one-case', on: wanted, at: low.of === high.of ? low.of : `${low.of} and ${high.of}` };
  }
  return nearest === undefined ? null : { by: 'one-case', on: nearest.replay, at: `${nearest.of}: the nearest` };
}

/** A number of a record by a name that it may not have. */
function numberIn(record: object, name: string): number | null {
  const value = fieldOf(record, name);
  return typeof value === 'number' ? value : null;
}
