/**
 * An account of a run: its parties and the progress of each, the acts on the world, and the decisions with their times.
 * A fold of the run's rows like any other; displays and audits read a run here.
 */

import type { InstanceRecord } from '../history/registry.ts';
import type { StoredRow } from '../journal/journal.ts';
import { ROWS, refuseOther } from '../model/argument.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Decision } from '../model/decision.ts';
import type { EffectClass, EffectStatus } from '../model/effect.ts';
import type { Cause } from '../model/failure.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import type { RunState } from '../projection/run-state.ts';
import { timelineOf } from './timeline.ts';

/**
 * A checkpoint with the id of its boundary (`entry` for the entry), and the number of the retained step that it stands at, from
 * 0.
 */
export interface AccountedCheckpoint extends Checkpoint {
  readonly boundary: string;
  readonly step: number;
}

/** An instance that is retained. `epoch` says how often a decision moved it (K3). */
export interface AccountedInstance {
  readonly id: InstanceId;
  readonly epoch: number;
  readonly live: boolean;
  /** True where it has promised something to others (§5). */
  readonly committed: boolean;
  readonly checkpoints: readonly AccountedCheckpoint[];
}

/** A call that may have changed the world. `at` is null where a restore has undone its place in the history. */
export interface AccountedEffect {
  readonly key: string;
  readonly tool: string;
  readonly instance: InstanceId;
  readonly class: EffectClass;
  readonly status: EffectStatus;
  readonly at: number | null;
}

/** A failure and the answer to it, in row `seq`; `time` is that of the wall clock, in milliseconds. */
export interface AccountedDecision {
  readonly seq: number;
  readonly signal: Cause;
  readonly error: string;
  /** The suspect key, if one was named. */
  readonly key: string | null;
  readonly time: number;
  readonly decision: Decision;
}

/** The facts of a run that are known so far. */
export interface Account {
  readonly agent: string | null;
  readonly ended: boolean;
  /** The digests of the config and of the machine's structure that are in force. */
  readonly digests: { readonly config: string; readonly machine: string } | null;
  readonly instances: readonly AccountedInstance[];
  readonly effects: readonly AccountedEffect[];
  readonly decisions: readonly AccountedDecision[];
  /** A finding that a person should know, and how often it was made. */
  readonly findings: readonly {
    readonly code: string;
    readonly instance: InstanceId | null;
    readonly text: string;
    readonly count: number;
  }[];
}

/**
 * The account of a run, from its rows: all of them, or those up to a decision, itself included.
 * @throws JournalError.
 * @example
 * import { JournalError } from 'belay-sidecar';
 * import { accountOf } from 'belay-sidecar/reports';
 * import { sqliteStore } from 'belay-sidecar/sqlite';
 *
 * const store = sqliteStore('account.sqlite');
 * assert.throws(() => accountOf(store.read('order-1')), JournalError); // there is no such run yet
 * await store.close();
 */
export function accountOf(rows: Iterable<StoredRow>): Account {
  refuseOther('accountOf', { rows: [rows, ROWS] });
  const { agent, standing, digests, runState, decisions, findings } = timelineOf(rows);
  const numbers = new Map<unknown, number>(runState.places.steps.all.map((step, number) => [step, number]));
  return {
    agent,
    ended: standing.is === 'done',
    digests,
    instances: [...runState.history.registry.all()]
      .filter(({ id }) => id.skeleton !== ROOT)
      .map((each) => told(runState, numbers, each)),
    effects: [...runState.ledger.all()].map(({ key, intent, status, at }): AccountedEffect => {
      return { key, tool: intent.tool, instance: intent.instance, class: intent.class, status, at };
    }),
    decisions: decisions.map(({ seq, time, entry: { signal, error, key, decision } }): AccountedDecision => {
      return { seq, signal, error, key, time, decision };
    }),
    findings,
  };
}

function told(
  runState: RunState,
  numbers: ReadonlyMap<unknown, number>,
  { id, committed, checkpoints }: InstanceRecord,
): AccountedInstance {
  const name = instanceName(id);
  return {
    id,
    epoch: runState.epochs.get(name) ?? 0,
    live: runState.live.has(name),
    committed: committed !== null,
    checkpoints: checkpoints.all.map(({ kind, at }) => {
      const isEntry = kind === 'entry';
      const entered = runState.places.of(name)?.entered;
      const step = isEntry && entered !== undefined ? entered : runState.places.stepAt(at);
      return { kind, at, step: numbers.get(step) ?? -1, boundary: isEntry ? 'entry' : runState.boundaryAt(id, at) };
    }),
  };
}
