/** What a run ends with, and what outlives its processes. */
import {
  type BoundaryConfig,
  type Decision,
  type InstanceId,
  type Journal,
  type JournalStore,
  loadConfig,
} from 'belay-sidecar';
import type { Site } from './scenario.ts';
import type { SavedWorld } from './world.ts';

/** How a run ended, before it is judged. */
export interface End {
  readonly status: 'done' | 'parked' | 'hang';
  readonly context: unknown;
  readonly value: unknown;
  readonly decision: Decision | null;
  /** Calls that were held back and never committed, as the sidecar tells. */
  readonly unpublished: number;
  /** Complaints that the sidecar refused. */
  readonly refused: ReadonlySet<Site>;
  readonly told: readonly string[];
  readonly rounds: number;
}

/** Where a run keeps its journals. */
export interface Journals {
  readonly appends: number;
  /** Told when the process is killed: only of one that is not ours. */
  onDeath: () => void;
  /** Told of the rows that are appended: only of one that is ours. */
  onRows?: (rows: Parameters<Journal['append']>[0]) => void;
  /** The store of the next process. */
  next(run: string): Promise<JournalStore>;
}

/** What the world and those who look at a run have to remember when its process is killed. */
export interface Saved {
  readonly world: SavedWorld;
  readonly instances: readonly (readonly [Site, InstanceId])[];
  readonly sent: readonly (readonly [string, number])[];
  readonly refused: readonly Site[];
  readonly unheard: readonly Site[];
  readonly rounds: number;
  readonly told: readonly string[];
}

/** The config of a page that was generated: it has no errors. */
export function loaded(page: string): BoundaryConfig {
  const { config, findings } = loadConfig(page, { file: 'page.yaml' });
  if (config === null)
    throw new Error(`the generated config has errors: ${findings.map(({ message }) => message).join('\n')}\n${page}`);
  return config;
}

/** A decision as a line. */
export function decisionText(decision: Decision): string {
  const moves = decision.line?.moves.map(
    ({ instance, keep }) =>
      `${instance.skeleton} ${instance.entity} ${instance.ordinal} to ${keep === 'none' ? 'nothing' : `${keep.kind} at ${keep.at}`}`,
  );
  return `${decision.verdict} ${moves?.join(', ') ?? ''}`;
}
