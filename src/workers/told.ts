/** Reports of a worker, as events and as counts. */
import type { LeftRun } from '../journal/work.ts';
import type { Left } from './going-on.ts';
import type { Notice } from './notifying.ts';
import type { SweptSandbox } from './sweep-sandboxes.ts';

/** A report of a worker. */
export type WorkTold =
  | { readonly is: 'taken'; readonly run: string; readonly agent: string }
  | { readonly is: 'left'; readonly run: string; readonly as: Left }
  /** A run was moved to the release under which the worker begins runs of its agent. */
  | { readonly is: 'moved'; readonly run: string; readonly agent: string }
  /** A run that is not moved, and why. Told again where the reason is another one. */
  | { readonly is: 'stays'; readonly run: string; readonly agent: string; readonly code: string; readonly why: string }
  /** Runs that are due and that it does not take. Told when they change. */
  | { readonly is: 'not_taken'; readonly runs: readonly LeftRun[] }
  /** A run that ended long enough ago is gone. */
  | { readonly is: 'deleted'; readonly run: string }
  /** One that is not deleted, though it ended long enough ago. Told again where the reason is another one. */
  | { readonly is: 'retained'; readonly run: string; readonly why: string }
  /** A sandbox of a run that ended long enough ago is destroyed, or could not be and is asked for again later. */
  | { readonly is: 'swept'; readonly sandbox: SweptSandbox }
  /** A message to people was delivered, or could not be and is sent again in so many milliseconds. */
  | { readonly is: 'sent'; readonly notice: Notice }
  | { readonly is: 'put_off'; readonly notice: Notice; readonly why: string; readonly again: number }
  /** The store could not be asked; it is asked again. */
  | { readonly is: 'store_failed'; readonly error: unknown };

/** The counts of a worker, since it began. */
export interface WorkCounts {
  readonly open: number;
  readonly taken: number;
  /** The runs that ended here. */
  readonly done: number;
  /** The runs that a person has ended and that it has brought to their end. */
  readonly cancelled: number;
  /** The runs that a person has aborted and that it has brought to their end. */
  readonly compensated: number;
  /** The times that a run was left parked or stuck. */
  readonly parked: number;
  /** The times that a run could not go on. */
  readonly failed: number;
  /** The runs that it has moved to another release. */
  readonly moved: number;
  /** The runs of other releases that did not go over when it last looked at them. */
  readonly stays: number;
  readonly polls: number;
  /** The runs that polls were told of. */
  readonly told: number;
  readonly unserved: number;
  readonly crashed: number;
  /** The wall clock of the last poll that was answered, in milliseconds; null before the first. */
  readonly answered: number | null;
}
