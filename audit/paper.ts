/** The figures of the papers, from their one file. Nothing here is ever returned as ours: they stand beside, labelled. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.ts';

type ByDomain<T> = Readonly<Record<string, T>>;

/** One row of the paper's recovery tables; null where it gives none. */
interface PaperRecovery {
  readonly success: number;
  readonly replay: number | null;
  readonly upstream: number | null;
  readonly preserved: number | null;
  readonly observed: number;
  readonly status: string;
}

/** One runtime in one cell of the study on LangGraph; the latency, in milliseconds, is null where nothing succeeded. */
interface PaperCell {
  readonly success: number;
  readonly replay: number;
  readonly latency: number | null;
}

/** One way of restoring past the committed consumers of the blocking witness. */
interface PaperRestore {
  readonly admitted: boolean;
  readonly veto: string | null;
  readonly dropped: number;
}

/** The paper's study on LangGraph-based runtimes (section 5.3, appendix F). Its rows are by track or regime, and then by domain. */
interface PaperLangGraph {
  readonly source: string;
  readonly runtimes: { readonly rows: Readonly<Record<string, string>> };
  readonly direct: { readonly rows: ByDomain<readonly [langgraph: number, dart: number]> };
  readonly semiReal: {
    readonly rows: Readonly<Record<string, ByDomain<{ readonly langgraph: PaperCell; readonly dart: PaperCell }>>>;
  };
  readonly threeWay: {
    readonly rows: Readonly<
      Record<string, ByDomain<{ readonly retry: PaperCell; readonly langgraph: PaperCell; readonly dart: PaperCell }>>
    >;
  };
  readonly transplant: {
    readonly success: number;
    readonly upstream: number;
    readonly fallbacks: number;
    readonly sameReplay: boolean;
  };
  readonly equivalent: { readonly rows: Readonly<Record<string, ByDomain<number>>> };
  readonly witness: {
    readonly producer: string;
    readonly consumers: readonly string[];
    readonly on: PaperRestore;
    readonly off: PaperRestore;
    readonly langgraph: PaperRestore;
  };
}

/** The figures of the DART paper. */
export interface Paper {
  readonly source: string;
  readonly universe: ByDomain<{ readonly official: number; readonly commitSensitive: number }>;
  readonly recovery: { readonly rows: ByDomain<ByDomain<ByDomain<PaperRecovery>>> };
  readonly latency: { readonly rows: ByDomain<ByDomain<readonly [retry: number, frozen: number]>> };
  readonly semantic: { readonly rows: ByDomain<readonly number[]> };
  readonly calibration: {
    readonly rows: ByDomain<readonly number[]>;
    readonly blockedCheckpoints: number;
    readonly falseBlockedCheckpoints: number;
  };
  readonly localisation: {
    readonly aligned: number;
    readonly rows: number;
    readonly ambiguous: number;
    readonly instances: number;
    readonly aliases: number;
    readonly probes: ByDomain<string>;
  };
  readonly ablations: {
    readonly granularity: ByDomain<ByDomain<ByDomain<number>>>;
    readonly wrongEdge: ByDomain<{ readonly declared: boolean; readonly frozen: boolean }>;
    readonly dropped: ByDomain<number>;
  };
  readonly review: { readonly rows: ByDomain<readonly number[]> };
  readonly signals: { readonly rows: ByDomain<readonly [decision: string, checkpoint: string | null, raw: number]> };
  readonly burden: {
    readonly rows: ByDomain<{ readonly decisions: number; readonly validations: number }>;
  };
  readonly candidates: {
    readonly rows: ByDomain<{ readonly exact: boolean; readonly stable: boolean; readonly diffs: number }>;
  };
  readonly depth: {
    readonly depths: number;
    readonly payloadRatio: number;
    readonly restoreRatio: number;
    readonly growth: { readonly snapshotManager: number; readonly registry: number; readonly inline: number };
  };
  readonly overhead: { readonly rows: ByDomain<{ readonly hook: number; readonly peak: number }> };
  readonly necessity: { readonly rows: ByDomain<string> };
  readonly langgraph: PaperLangGraph;
}

/** What the post on interrupted agents hands down: a taxonomy, and a headline of how many times fewer steps than a restart. */
export interface PostInterruptions {
  readonly source: string;
  /** An order of magnitude. */
  readonly lessThanRestart: number;
  readonly kinds: Readonly<
    Record<string, { readonly example: string; readonly transaction: string; readonly handling: string }>
  >;
}

/** The figures of Atomix, by the names of its modes. */
export interface PaperAtomix {
  readonly speculation: {
    /** Of a hundred runs, and of files: three branches, one kept. */
    readonly rows: ByDomain<{ readonly transient: number; readonly contaminated: number }>;
    readonly files: { readonly tasks: number; readonly leaked: ByDomain<number> };
  };
  /** By the number of branches: the commit, and the 99th of a hundred, in microseconds. */
  readonly choice: { readonly rows: ByDomain<readonly [commit: number, p99: number]> };
  /** By mode and probability, of a hundred runs. */
  readonly faults: { readonly correct: ByDomain<ByDomain<number>>; readonly corrupted: ByDomain<ByDomain<number>> };
  /** By mode and scenario, of a hundred runs with 2, 4 and 8 agents, or with 2 alone. */
  readonly contention: ByDomain<ByDomain<readonly number[]>>;
  /** By mode and probability, the tasks that end well in OSWorld and in WebArena, in percent. */
  readonly rates: ByDomain<ByDomain<readonly [osWorld: number, webArena: number]>>;
  /** By mode and tries, of a hundred runs. */
  readonly tries: { readonly rows: ByDomain<ByDomain<number>> };
  readonly mails: { readonly source: string; readonly rows: ByDomain<readonly number[]> };
}

/** Reads the figures of Atomix. */
export function readAtomix(): PaperAtomix {
  const { atomix, ...rest } = JSON.parse(readFileSync(join(ROOT, 'audit', 'figures.json'), 'utf8'));
  return { ...atomix, mails: rest['atomix-table-10'] };
}

/** Reads what is handed down of interruptions. */
export function readInterruptions(): PostInterruptions {
  const { interruptions }: { interruptions: PostInterruptions } = JSON.parse(
    readFileSync(join(ROOT, 'audit', 'figures.json'), 'utf8'),
  );
  return interruptions;
}

/** Reads them. */
export function readPaper(): Paper {
  const file = join(ROOT, 'audit', 'figures.json');
  const { dart }: { dart: Paper } = JSON.parse(readFileSync(file, 'utf8'));
  return dart;
}
