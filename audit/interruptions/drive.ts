/** One run of an agent from answer to answer, with what is said on the way. The same for every runtime. */
import { setImmediate as turn } from 'node:timers/promises';
import { LONGEST } from '../workloads/plain.ts';
import type { Gate } from './gate.ts';

/** A word, and the number of answers after which it is said. */
export interface Said {
  readonly at: number;
  readonly event: { readonly type: string };
  readonly id: string;
  readonly by: string;
}

/** The approval, which is said where it is waited for; null for a run that is never approved. */
export type Approval = Omit<Said, 'at'> | null;

/** A run as it is driven. */
export interface Driven {
  /** The number of calls that the machine waits for. */
  calls(): number;
  /** The names of the states that it is in, with their parents. */
  isIn(state: string): boolean;
  isOver(): boolean;
  /** True where the runtime itself has something to finish, between two calls; left out for one that never has. */
  isBusy?(): boolean;
  /** Told of each standstill, with the number of answers. */
  stands?(moment: number): void;
  say(said: Omit<Said, 'at'>): Promise<void>;
  /** Has an event whose sender is asked confirmed by that sender; false where there is none of the name. */
  confirm?(id: string): Promise<boolean>;
}

/** An interruption at a moment of a run. */
export interface Interruption {
  readonly at: number;
  /** True if the calls that are under way then have been made, and only their answers are to come. */
  readonly made: boolean;
  act(): Promise<void>;
}

/** The end of a driven run: over, or at rest without a call, with the number of answers. */
export interface Rested {
  readonly moments: number;
  readonly isOver: boolean;
}

/** The turns of the event loop that a run without a call stands still before it is at rest. */
const STILL = 30;

/** Waits until each call of a run waits at the gate, the run is over, or it stands still without one. */
async function settle(run: Driven, gate: Gate): Promise<void> {
  const end = performance.now() + LONGEST;
  for (let still = 0; still < STILL; ) {
    if (run.isOver()) return;
    const calls = Math.max(run.calls(), gate.waiting);
    if (calls > 0 && gate.waiting >= calls) return;
    still = calls === 0 && run.isBusy?.() !== true ? still + 1 : 0;
    if (performance.now() > end) throw new Error('a call never came to its gate');
    await turn();
  }
}

/** Waits for an act. A call that is under way is heard first where the act waits for it. */
async function through(act: Promise<void>, gate: Gate): Promise<void> {
  let isDone = false;
  const done = act.finally(() => {
    isDone = true;
  });
  done.catch(() => {});
  for (let still = 0; !isDone; still += 1) {
    if (still > STILL && gate.waiting > 0) {
      await gate.next();
      still = 0;
    }
    await turn();
  }
  await done;
}

/** What is said to a run while it is driven. */
interface Speech {
  readonly said: readonly Said[];
  readonly approval: Approval;
  /** The state in which the approval is waited for. */
  readonly approving: string;
}

/** Says the approval where it is waited for, or has its sender confirm it. @returns false where the run waits for neither. */
async function approves(run: Driven, { approval, approving }: Speech, isApproved: boolean): Promise<boolean> {
  if (approval === null || !run.isIn(approving)) return false;
  if (isApproved) return (await run.confirm?.(approval.id)) === true;
  await run.say(approval);
  return true;
}

/**
 * Drives a run to its end, or to where it is at rest.
 * @param interruption null for a run that nobody interrupts.
 * @param stop true for a run that is left as soon as it is interrupted.
 */
export async function drive(
  run: Driven,
  gate: Gate,
  speech: Speech,
  interruption: Interruption | null,
  stop = false,
): Promise<Rested> {
  const due = [...speech.said];
  let [isDue, isApproved] = [interruption !== null, false];
  for (let moments = 0; ; ) {
    await settle(run, gate);
    run.stands?.(moments);
    const word = due.find(({ at }) => at === moments);
    if (word !== undefined) {
      due.splice(due.indexOf(word), 1);
      await run.say(word);
    } else if (isDue && interruption?.at === moments) {
      isDue = false;
      if (interruption.made) await gate.makeAll();
      await through(interruption.act(), gate);
      if (stop) return { moments, isOver: false };
    } else if (run.isOver()) return { moments, isOver: true };
    else if (gate.waiting > 0) {
      await gate.next();
      moments += 1;
    } else if (await approves(run, speech, isApproved)) isApproved = true;
    else return { moments, isOver: false };
  }
}
