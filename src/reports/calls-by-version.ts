/** The versions of tools whose calls runs still have (semantics.md CO7): the rules of an older version, `NAME@VERSION` of a config, are needed for them. */
import type { Ledger } from '../effects/ledger.ts';
import { versioned } from '../model/tool-version.ts';

/** A version of a tool, with the runs that have made calls of it. */
export interface CalledVersion {
  /** The tool and its version, as a config has the rules of an older one: `book@2`. */
  readonly called: string;
  /** The runs, in the order of the list. */
  readonly runs: readonly string[];
}

/** The versions that made the calls of a run which may stand: an undo, a counterparty or an answer may still be asked of them. */
export function versionsCalled(ledger: Pick<Ledger, 'all'>): readonly string[] {
  const may = [...ledger.all()].filter(
    ({ status, mayLeave }) => mayLeave || (status !== 'failed' && status !== 'compensated'),
  );
  return [...new Set(may.map(({ tool, intent }) => versioned(tool, intent.version)))].sort();
}

/** Counts runs by the versions of tools that they have called. */
export class VersionCount {
  readonly #found = new Map<string, string[]>();

  take(run: string, ledger: Pick<Ledger, 'all'>): void {
    for (const called of versionsCalled(ledger)) {
      const runs = this.#found.get(called) ?? [];
      runs.push(run);
      this.#found.set(called, runs);
    }
  }

  get all(): readonly CalledVersion[] {
    return [...this.#found].map(([called, runs]) => ({ called, runs })).sort((a, b) => (a.called < b.called ? -1 : 1));
  }
}
