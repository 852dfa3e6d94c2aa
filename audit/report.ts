/** The report: every table, what it comes to in counts, and what is wrong. */

import { keysOf } from '../domains/there.ts';
import type { Atomix } from './atomix/study.ts';
import type { Candidate } from './candidates/candidates.ts';
import { FROZEN, type Strategy } from './case.ts';
import type { Depth, Overhead, Signalled, WrongEdge } from './experiments.ts';
import { GUARDS, type Guard } from './guards.ts';
import type { Interrupted } from './interruptions/study.ts';
import type { JudgedCase } from './judge.ts';
import type { Studied, Witnessed } from './langgraph/study.ts';
import { type Paper, readAtomix, readInterruptions } from './paper.ts';
import type { Reviewed } from './reviewed.ts';
import type { Swept } from './sweep.ts';
import { atomixTables, wrongAtomix } from './tables/atomix.ts';
import { admittedTable, calibrationTable, eventsOf, newlyAdmitted } from './tables/calibration.ts';
import { burdenTable, candidatesTable } from './tables/candidates.ts';
import {
  depthTable,
  droppedTable,
  granularityTable,
  overheadTable,
  reviewTable,
  signalsTable,
  wrongEdgeTable,
} from './tables/experiments.ts';
import { interruptionTables, wrongInterruptions } from './tables/interruptions.ts';
import { langgraphTables } from './tables/langgraph.ts';
import { harmIn, studiedTable, witnessTable, wrongIn as wrongInStudy } from './tables/langgraph-cases.ts';
import { latencyTable } from './tables/latency.ts';
import { alignedOf, localisationTable, probesTable } from './tables/localisation.ts';
import { isBroken, necessityTable } from './tables/necessity.ts';
import { recoveryTable } from './tables/recovery.ts';
import { semanticTable } from './tables/semantic.ts';
import { universeTable } from './tables/universe.ts';
import { rowOf, type Table } from './workloads/table.ts';

/** The measurements besides the cases; empty lists where only a part of the audit was run. */
export interface Experiments {
  readonly reviewed: readonly Reviewed[];
  readonly signals: readonly {
    readonly site: string;
    readonly domain: string;
    readonly case: string;
    readonly signals: readonly Signalled[];
  }[];
  readonly edges: readonly WrongEdge[];
  readonly depths: readonly Depth[];
  /** What `belay init` drafts for each agent; only with `--full`. */
  readonly candidates: readonly Candidate[];
  readonly overheads: readonly Overhead[];
  /** The study on LangGraph, and its blocking witnesses. */
  readonly studied: readonly Studied[];
  readonly witnesses: readonly Witnessed[];
  /** The study of interruptions; only where it alone is asked for. */
  readonly interrupted: readonly Interrupted[];
  /** The tables of Atomix; null where they are not asked for. */
  readonly atomix: Atomix | null;
  /** Every call of a run of each domain, failed in turn; only with `--full`. */
  readonly swept: readonly Swept[];
}

/** No measurements besides the cases. */
export const NONE: Experiments = {
  reviewed: [],
  signals: [],
  edges: [],
  depths: [],
  candidates: [],
  overheads: [],
  studied: [],
  witnesses: [],
  interrupted: [],
  atomix: null,
  swept: [],
};

/** The head of every table says who planned: a script, unless the environment names a recording or an endpoint. */
const PLANNED = { recorded: ' · planners recorded', live: ' · planners live' };
const SCRIPTED = ' · planners scripted';

function plannedBy(planner: string | undefined): string {
  return planner === 'recorded' || planner === 'live' ? PLANNED[planner] : SCRIPTED;
}

/** True if the whole audit was run, so that its gaps count. */
export interface Scope {
  readonly whole: boolean;
  readonly without: Guard | null;
}

type Deciding = (typeof FROZEN)[number];
type ByStrategy = Readonly<Record<Deciding, number>>;

/** The end of the audit, in counts. */
interface Summary {
  readonly cases: number;
  readonly runs: number;
  readonly blocked: ByStrategy;
  readonly unsafeAdmissions: ByStrategy & { readonly 'comp-entry-only': number };
  readonly falseBlocked: ByStrategy;
  readonly falseBlockedCheckpoints: ByStrategy;
  readonly newlyAdmitted: number;
  readonly alignedRows: Readonly<Record<Deciding, { readonly rows: number; readonly aligned: number }>>;
  /** Runs that are not what their case says, in whatever field. */
  readonly notAsFrozen: number;
  /** Cases that were started over whole. */
  readonly reruns: number;
  /** Cases in which a whole rerun leaves another world than the run that never failed, and the rows there that are there twice. */
  readonly harmfulReruns: number;
  readonly rerunDuplicates: number;
  /** The study on LangGraph: its cases, those in which the world is not as it has to be, and the rows that are there twice. */
  readonly langgraph: {
    readonly cases: number;
    readonly witnesses: number;
    readonly harmed: { readonly native: number; readonly belay: number };
    readonly twice: { readonly native: number; readonly belay: number };
  };
  /** Everything that is not as it has to be, in words. Empty is good. */
  readonly wrong: readonly string[];
}

/** A report. */
export interface Report {
  readonly summary: Summary;
  readonly tables: readonly Table[];
  readonly cases: readonly JudgedCase[];
  readonly experiments: Experiments;
}

/** Puts the report together. */
export function reportOf(judged: readonly JudgedCase[], experiments: Experiments, paper: Paper, scope: Scope): Report {
  const { studied, witnesses, interrupted, atomix } = experiments;
  const tables = [
    ...(judged.length > 0 ? caseTables(judged, experiments, paper) : []),
    ...(studied.length > 0 ? langgraphTables(studied, paper) : []),
    witnessTable(witnesses, paper),
    studiedTable(studied),
    ...(interrupted.length > 0 ? interruptionTables(interrupted, readInterruptions()) : []),
    ...(atomix === null ? [] : atomixTables(atomix, readAtomix())),
  ]
    .filter(({ rows }) => rows.length > 0)
    .map((table) => ({ ...table, title: `${table.title}${plannedBy(process.env.PLANNER)}` }));
  return { summary: summaryOf(judged, experiments, scope), tables, cases: judged, experiments };
}

/** The tables of the cases, and of what is measured besides. */
function caseTables(judged: readonly JudgedCase[], experiments: Experiments, paper: Paper): readonly Table[] {
  const { reviewed, signals, edges, depths, candidates, overheads } = experiments;
  return [
    universeTable(judged, paper),
    recoveryTable(judged, paper),
    semanticTable(judged, paper),
    calibrationTable(judged, paper),
    admittedTable(judged),
    localisationTable(judged, paper),
    probesTable(judged, paper),
    granularityTable(judged, paper),
    wrongEdgeTable(edges, paper),
    droppedTable(judged, paper),
    reviewTable(reviewed, paper),
    burdenTable(candidates, paper),
    candidatesTable(candidates, paper),
    signalsTable(signals, paper),
    ...(depths.length > 0 ? [depthTable(depths, paper)] : []),
    overheadTable(overheads, paper),
    necessityTable(judged, paper),
    latencyTable(judged, paper),
  ];
}

function summaryOf(judged: readonly JudgedCase[], experiments: Experiments, scope: Scope): Summary {
  const rows = judged.flatMap((each) => each.rows);
  const by = (count: (strategy: Deciding) => number): ByStrategy => ({
    'comp-frozen': count('comp-frozen'),
    belay: count('belay'),
  });
  const unsafe = (strategy: Strategy) => rows.filter((row) => row.strategy === strategy && row.unsafeAdmission).length;
  const events = { 'comp-frozen': eventsOf(judged, 'comp-frozen'), belay: eventsOf(judged, 'belay') };
  const reruns = judged.flatMap((each) => {
    const own = each.rows.filter(({ strategy }) => strategy === 'retry-only');
    const differs = own.filter(({ difference }) => Object.values(difference).some((count) => count > 0));
    return differs.length > 0 ? [differs[0]?.difference.duplicates ?? 0] : [];
  });
  const counted = {
    cases: judged.length,
    runs: rows.length,
    blocked: by((strategy) => events[strategy].filter(({ blocked }) => blocked).length),
    unsafeAdmissions: { ...by(unsafe), 'comp-entry-only': unsafe('comp-entry-only') },
    falseBlocked: by((strategy) => events[strategy].filter(({ falseBlocked }) => falseBlocked).length),
    falseBlockedCheckpoints: by((strategy) => events[strategy].reduce((sum, { harmless }) => sum + harmless, 0)),
    newlyAdmitted: newlyAdmitted(judged).length,
    alignedRows: { 'comp-frozen': alignedOf(judged, 'comp-frozen'), belay: alignedOf(judged, 'belay') },
    notAsFrozen: rows.filter(({ mismatches }) => mismatches.length > 0).length,
    reruns: judged.filter((each) => each.rows.some(({ strategy }) => strategy === 'retry-only')).length,
    harmfulReruns: reruns.length,
    rerunDuplicates: reruns.reduce((sum, duplicates) => sum + duplicates, 0),
    langgraph: {
      cases: experiments.studied.length,
      witnesses: experiments.witnesses.length,
      ...harmIn(experiments.studied),
    },
  };
  return { ...counted, wrong: [...wrongIn(judged, events), ...wrongAround(judged, experiments, counted, scope)] };
}

/** The errors of single cases. */
function wrongIn(
  judged: readonly JudgedCase[],
  events: Readonly<Record<Deciding, ReturnType<typeof eventsOf>>>,
): readonly string[] {
  const runs = judged.flatMap(({ domain, name, rows }) =>
    rows.flatMap(({ strategy, seed, mismatches, unsafeAdmission, difference: { duplicates, missing, unexpected } }) => {
      const who = `${domain}/${name}, ${strategy}, seed ${seed}`;
      const world = `${duplicates} rows twice, ${missing} lost, ${unexpected} wrong`;
      return [
        ...(unsafeAdmission ? [`${who}: an UNSAFE admission (${world})`] : []),
        ...mismatches.map((text) => `${who}: ${text}`),
      ];
    }),
  );
  const blocks = FROZEN.flatMap((strategy) =>
    events[strategy]
      .filter(({ falseBlocked }) => falseBlocked)
      .map(({ case: { domain, name } }) => `${domain}/${name}, ${strategy}: a NEEDLESS block`),
  );
  return [...runs, ...blocks];
}

/** The errors of the audit as a whole. */
function wrongAround(
  judged: readonly JudgedCase[],
  { signals, edges, studied, witnesses, interrupted, atomix, swept }: Experiments,
  { blocked }: Pick<Summary, 'blocked'>,
  { whole, without }: Scope,
): readonly string[] {
  const several = signals.filter(({ signals: all }) => {
    return new Set(all.map(({ frozen }) => frozen)).size > 1 || new Set(all.map(({ belay }) => belay)).size > 1;
  });
  const marked = edges.filter(({ frozen, declared }) => frozen.length > 0 || declared.length === 0);
  const harmed = swept.filter(({ strategy, blocked, safe }) => strategy === 'belay' && !blocked && !safe);
  const wrong = [
    ...harmed.map(({ domain, site }) => `${domain}, the sweep, ${site}, belay: an UNSAFE admission`),
    ...several.map(({ site }) => `${site}: raw failures lead to several decisions`),
    ...marked.map(({ domain, edge }) => `${domain}: ${edge} is an exit as reviewed, or none when declared`),
    ...wrongInStudy(studied, witnesses),
    ...wrongInterruptions(interrupted),
    ...(atomix === null ? [] : wrongAtomix(atomix)),
  ];
  if (!whole || without !== null) return wrong;
  const idle = keysOf<Guard>(GUARDS).filter(
    (guard) => !judged.some((each) => each.unguarded.some((one) => one.guard === guard && isBroken(one))),
  );
  return [
    ...wrong,
    ...idle.map((guard) => `no case breaks without the guard ${guard}`),
    ...(blocked.belay < blocked['comp-frozen'] ? [] : ['Belay blocks no fewer than Comp-Frozen']),
  ];
}

/** The report as JSON: tables by their ids, rows by their columns. */
export function jsonOf({ summary, tables, cases, experiments }: Report): object {
  const told = tables.map((table) => {
    const { id, title, notes, columns, rows } = table;
    return [id, { title, notes, columns, rows: rows.map((cells) => rowOf(table, cells)) }];
  });
  return { summary, tables: Object.fromEntries(told), cases, experiments };
}
