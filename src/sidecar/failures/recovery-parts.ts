/** The parts that all recoveries of a run share. */
import type { Begun } from '../../model/entry.ts';
import type { ChangedPaper, Paper } from '../../recovery/cut.ts';
import type { Enterable } from '../../runtime/runtime.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { Calls } from '../calls/calls.ts';
import type { Outbox } from '../commits/outbox.ts';
import type { Lifecycle } from '../lifecycle/lifecycle.ts';
import type { Change, RunParts } from '../parts.ts';
import type { RecoveryQueries } from '../queries/recovery-queries.ts';
import type { Writing } from '../writing.ts';
import type { FailureQueue } from './failure-queue.ts';
import type { OpenFailures } from './open-failures.ts';
import type { RecoveredMachine } from './recovered-machine.ts';
import type { RunEnding } from './run-ending.ts';

/** The helpers that a run hands to its recoveries. */
export interface RecoveryHelpers {
  readonly write: Writing;
  readonly calls: Calls;
  readonly queries: RecoveryQueries;
  readonly approvals: Approvals;
  readonly outbox: Outbox;
  /** The past of the run on paper, for one decision; null for a runtime that has no machine. */
  paper(): Paper | null;
  /** The same with a change in it. */
  paperWith(change: Change): ChangedPaper | null;
  /** The first step of the run begun with another input; null if the step then goes elsewhere. */
  begunWith(event: unknown): Begun | null;
  /** The program as it is entered on paper; null for a machine, and where it cannot be. */
  readonly program: Enterable | null;
}

/** The parts that exist before the first failure; each recovery part picks the members that it needs. */
export interface RecoveryParts extends RecoveryHelpers {
  readonly parts: RunParts;
  readonly machine: RecoveredMachine;
  readonly open: OpenFailures;
  readonly queue: FailureQueue;
  readonly ending: RunEnding;
  readonly lifecycle: Lifecycle;
}
