/** The runs of a store that are not over, by the release that they are under, from their notes. */
import type { RunSummary } from '../journal/journal.ts';
import { type NotedRelease, parseRunNote, type RunNote } from './run-note.ts';
import { isOver, type RunStatus } from './run-status.ts';
import { needsPerson } from './waits.ts';

/** A release that runs need. */
export interface NeededRelease extends NotedRelease {
  readonly agent: string;
  /** The names of the runs that are under it and not over, in the order of the list. */
  readonly runs: readonly string[];
  /** The number of them in each state; a state that none is in is left out. */
  readonly states: Readonly<Partial<Record<RunStatus['is'], number>>>;
  /** The number of them that need a person. */
  readonly persons: number;
}

type Counted = Omit<NeededRelease, 'runs' | 'states' | 'persons'> & {
  readonly runs: string[];
  readonly states: Partial<Record<RunStatus['is'], number>>;
  persons: number;
};

/** A count of runs by release, note by note. */
export class ReleaseCount {
  readonly #found = new Map<string, Counted>();

  /** Counts a run, unless it is over or has not begun. */
  take(run: string, { agent, under, standing, waits }: RunNote): void {
    if (agent === null || under === null || isOver(standing)) return;
    const name = JSON.stringify([agent, under.machine, under.config, under.version]);
    const needed = this.#found.get(name) ?? { agent, ...under, runs: [], states: {}, persons: 0 };
    needed.runs.push(run);
    needed.states[standing.is] = (needed.states[standing.is] ?? 0) + 1;
    if (needsPerson(waits)) needed.persons += 1;
    this.#found.set(name, needed);
  }

  /** The releases, in the order in which their first runs were counted. */
  get releases(): readonly NeededRelease[] {
    return [...this.#found.values()];
  }
}

/** Counts the runs of a list by release. A run without a note, whose rows no list reads, is not counted. */
export function runsByRelease(runs: Iterable<Pick<RunSummary, 'run' | 'note'>>): readonly NeededRelease[] {
  const count = new ReleaseCount();
  for (const { run, note } of runs) {
    const noted = parseRunNote(note);
    if (noted !== null) count.take(run, noted);
  }
  return count.releases;
}
