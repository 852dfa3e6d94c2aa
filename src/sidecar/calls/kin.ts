/**
 * The runs that a fork has a past in common with, as their journals are now (semantics.md FK4, FK5): what they have done since asks a person before the
 * fork does the same, and what they have undone of the common past is gone for the fork, too.
 */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { isAct } from '../../effects/acts.ts';
import type { ForkedFrom } from '../../effects/ledger.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { keysTouched, meet } from '../../effects/touched.ts';
import { gathered } from '../../journal/gathered.ts';
import { JournalError, type JournalStore, type StoredRow } from '../../journal/journal.ts';
import type { GateEntry } from '../../model/call-entries.ts';
import type { RunState } from '../../projection/run-state.ts';
import { argsOf } from './args.ts';

/** The act of another run that a call may repeat. */
export type KinAct = NonNullable<GateEntry['kin']>;

/** A call that is about to be asked for. */
interface Asked {
  readonly tool: string;
  readonly args: unknown;
  readonly entity: string;
  /** The name of its act; null where its tool declares none (ON1). */
  readonly act: string | null;
}

/** A run as it was read last. */
interface LookedAt {
  /** The last row that was read; null where the run cannot be read. */
  readonly head: number | null;
  readonly runState: RunState | null;
}

/** The run that has the kin. */
interface Needs {
  readonly runState: RunState;
  readonly config: BoundaryConfig;
}

/** The store of the runs, and what folds the rows of one. */
interface Runs extends Pick<JournalStore, 'read' | 'run' | 'posts' | 'post'> {
  fold(rows: Iterable<StoredRow>): RunState;
}

/** The kin of one run. */
export class Kin {
  readonly #needs: Needs;
  readonly runs: Runs;
  readonly #lookedAt = new Map<string, LookedAt>();

  constructor(needs: Needs, runs: Runs) {
    this.#needs = needs;
    this.runs = runs;
  }

  /** True where the run is a fork. */
  get isForked(): boolean {
    return this.#needs.runState.ledger.forks.length > 0;
  }

  /** Reads the kin anew, where they went on. @returns the keys of the calls of the common past that were undone since. */
  async look(): Promise<readonly string[]> {
    const gone: string[] = [];
    for (const fork of this.#needs.runState.ledger.forks) gone.push(...(await this.#lookAt(fork)));
    return gone;
  }

  async #lookAt({ of, calls }: ForkedFrom): Promise<readonly string[]> {
    const head = (await this.runs.run(of))?.head ?? null;
    const before = this.#lookedAt.get(of);
    if (before === undefined || before.head !== head) this.#lookedAt.set(of, await this.#read(of, head));
    const { ledger } = this.#needs.runState;
    const theirs = this.#lookedAt.get(of)?.runState?.ledger;
    if (theirs === undefined) return [];
    return [...ledger.common].slice(0, calls).filter((key) => {
      return ledger.get(key)?.status === 'confirmed' && theirs.get(key)?.status === 'compensated';
    });
  }

  async #read(run: string, head: number | null): Promise<LookedAt> {
    try {
      const rows = await gathered(this.runs.read(run));
      return { head, runState: this.runs.fold(rows) };
    } catch (error) {
      if (error instanceof JournalError && (error.code === 'run_unknown' || error.code === 'rows_archived'))
        return { head, runState: null };
      throw error;
    }
  }

  /** The newest act of another run, done after the fork, that a call may repeat, as the kin were looked at last; null where there is none. */
  like(asked: Asked): KinAct | null {
    const { common, forks } = this.#needs.runState.ledger;
    for (const { of } of [...forks].reverse()) {
      const seen = this.#lookedAt.get(of)?.runState;
      // What a run did that cannot be read is not known: silence is no permission.
      if (seen === null || seen === undefined) return { run: of, key: null };
      const acts = [...seen.ledger.all()].filter((call) => !common.has(call.key) && isAct(call));
      const newest = acts.findLast((call) => this.#isLike(asked, call, seen));
      if (newest !== undefined) return { run: of, key: newest.key };
    }
    return null;
  }

  #isLike(asked: Asked, call: LedgerCall, seen: RunState): boolean {
    if (call.tool !== asked.tool) return false;
    if (asked.act !== null && call.act !== null) return asked.act === call.act;
    const { config } = this.#needs;
    const theirs = { tool: call.tool, args: argsOf(seen, call.intent), entity: call.intent.instance.entity };
    const isKeyed = keysTouched(config, asked).length > 0 && keysTouched(config, theirs).length > 0;
    return !isKeyed || meet(config, asked, theirs);
  }
}
