/** Moves a run to another release by itself, as a worker does that was told to adopt (semantics.md CO3). */
import { gathered } from '../../journal/gathered.ts';
import { isUnder } from '../../journal/work.ts';
import { type Stay, stayText } from '../migration/plan.ts';
import { configOf, storeFor } from './config.ts';
import { hasLeft, LEFT_BEFORE, planOf, refuseOthers } from './held-to-release.ts';
import { migrateRun, withActors } from './open-run.ts';
import type { RunOptions } from './options.ts';
import type { Program } from './program.ts';
import { readRun } from './read-run.ts';

/** A run that was asked to go over to a release by itself. `over`: it has ended or not begun. */
export type Adopted =
  | { readonly is: 'moved' | 'same' | 'over' }
  | { readonly is: 'stays'; readonly code: Stay['code'] | 'left_before' | 'paused'; readonly why: string };

/**
 * Moves a run that no process has to a release by itself: where its past goes the same way (CO3), no person has paused it, and it was never under that
 * release before. It is planned before its lease is taken.
 * @throws SidecarError, JournalError (`journal_corrupt`, `lease_held`, `rows_archived`).
 */
export async function adoptRun(program: Program, given: RunOptions): Promise<Adopted> {
  const options = withActors(program, given);
  const config = configOf(program.agent, options);
  const { runState, reader } = readRun(await gathered(storeFor(config, options).read(options.run)), options.codecs);
  if (runState.agent === null || runState.ended !== null) return { is: 'over' };
  refuseOthers(program, runState, reader);
  const own = { machine: program.digest, config: config.digest };
  // The process that moved it has died before it said so to the store.
  if (isUnder(runState.digests ?? own, own)) {
    await migrateRun(program, given, null);
    return { is: 'same' };
  }
  if (runState.asked.paused !== null) return { is: 'stays', code: 'paused', why: 'a person has paused it' };
  if (hasLeft(runState, own)) return { is: 'stays', code: 'left_before', why: LEFT_BEFORE };
  const plan = planOf(program, runState, config);
  if (plan.is === 'stays') return { is: 'stays', code: plan.why.code, why: stayText(plan.why) };
  await migrateRun(program, given, null);
  return { is: 'moved' };
}
