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
  readonly depth: {
    readonly payloadRatio: number;
    readonly restoreRatio: number;
    readonly growth: { readonly snapshotManager: number; readonly registry: number; readonly inline: number };
  };
  readonly overhead: { readonly rows: ByDomain<{ readonly hook: number; readonly peak: number }> };
  readonly necessity: { readonly rows: ByDomain<string> };
  readonly langgraph: PaperLangGraph;
}

/** Reads them. */
export function readPaper(): Paper {
  const file = join(ROOT, 'audit', 'figures.json');
  const { dart }: { dart: Paper } = JSON.parse(readFileSync(file, 'utf8'));
  return dart;
}
