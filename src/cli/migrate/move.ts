/** `belay migrate apply`: moves runs to the release of a module, each by one entry of its journal. */
import { JournalError, type JournalStore } from '../../journal/journal.ts';
import { isUnder, type WorkDigests } from '../../journal/work.ts';
import { MOVED_EVENT } from '../../model/moved-event.ts';
import { planIn } from '../../rehearsal/replay/plan-migration.ts';
import type { Naming } from '../../sidecar/migration/names.ts';
import type { RunPlan } from '../../sidecar/migration/plan.ts';
import { SidecarError } from '../../sidecar/sidecar-error.ts';
import { migrate } from '../../xstate/attach.ts';
import { openJournal } from '../reading/journal-key.ts';
import { journalProblem, runNamed } from '../reading/reading.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';
import { mapFor } from './map.ts';
import { type ModuleOptions, type ModuleRelease, releasesOf } from './release.ts';

/** The runs that are moved: one, or all of an agent that are not over. */
export interface MoveOptions extends ModuleOptions {
  readonly journal: string;
  readonly run: string | null;
  readonly agent: string | null;
  readonly back: boolean;
  readonly by: string | null;
  readonly version: string | null;
  /** The file of a reviewed map of names; null where names are the same. */
  readonly map: string | null;
  /** The module of the release that the map leads from; null where the past of a run has to go the same way. */
  readonly from: string | null;
}

/** A run that was moved, was there already, stays, or is held by a process. */
export interface Moved {
  readonly run: string;
  readonly is: 'moved' | 'same' | 'stays' | 'held';
  readonly code: string | null;
  readonly why: string;
}

/** Moves the runs; a problem is something that kept that from being done. */
export async function moveRuns(options: MoveOptions): Promise<readonly Moved[] | { readonly problem: string }> {
  const releases = await releasesOf(options);
  if ('problem' in releases) return releases as { readonly problem: string };
  const known = releases as ReadonlyMap<string, ModuleRelease>;
  const { journal, run: named, agent } = options;
  if (agent !== null && !known.has(agent)) return { problem: `no_machine the module has no machine "${agent}"` };
  const fitting = await mapFor(options, known);
  if ('problem' in fitting) return fitting;
  if (!fitting.isReviewed)
    return {
      problem: `${options.map}: not_reviewed no reviewer has vouched for it as it is: belay review ${options.map} --accept --by NAME`,
    };
  const naming = { map: fitting.map, machineBefore: fitting.machineBefore, back: options.back };
  let store: JournalStore | undefined;
  try {
    const opened = await openJournal(journal);
    store = opened;
    const all = named === null ? await opened.runs() : [await runNamed(opened, named)];
    const moved: Moved[] = [];
    for (const { run } of all) {
      const one = await moveOne(opened, run, known, options, naming);
      if (one !== null) moved.push(one);
      else if (named !== null) return { problem: `run_finished ${JSON.stringify(run)} is over: nothing of it goes on` };
    }
    return moved;
  } catch (error) {
    if (error instanceof JournalError && error.code === 'run_unknown') return { problem: error.message };
    if (error instanceof SidecarError) return { problem: `${error.code} ${error.message}` };
    return { problem: journalProblem(journal, error) };
  } finally {
    await store?.close();
  }
}

/** Moves one run; null where it is none that is asked for: it is over, or of another agent. */
async function moveOne(
  store: JournalStore,
  run: string,
  releases: ReadonlyMap<string, ModuleRelease>,
  { agent, by, back, version }: MoveOptions,
  naming: Naming,
): Promise<Moved | null> {
  const planned = await planIn(store, run, [], (name) => releases.get(name) ?? null, naming);
  if (planned === null || (agent !== null && planned.agent !== agent)) return null;
  const release = releases.get(planned.agent ?? '');
  if (planned.is === 'stays' || release === undefined)
    return { run, is: 'stays', code: planned.code, why: planned.why ?? '' };
  if (release.config === null)
    return { run, is: 'stays', code: 'no_config', why: 'no agent of the module names its config: --config FILE' };
  const { under } = planned;
  const isThere = planned.is === 'same' && under?.config === release.config.digest && !back;
  if (isThere && !(await isHandedOutElse(store, run, under)))
    return { run, is: 'same', code: null, why: 'it is under this release' };
  const options = { run, config: release.config, journal: store, ...(version !== null && { version }) };
  try {
    const plan = await migrate(release.machine, options, { by, ...naming });
    if (isThere)
      return { run, is: 'same', code: null, why: 'it is under this release, and workers of it receive it now' };
    const why = movedWhy(plan);
    return { run, is: 'moved', code: null, why };
  } catch (error) {
    return notMoved(run, error);
  }
}

function movedWhy(plan: RunPlan): string {
  if (plan.is !== 'goes') return 'its config is another one';
  if (plan.sent !== null) return `it goes on from where it stands; ${MOVED_EVENT} leads it to ${plan.sent.to}`;
  return plan.isFromHere ? 'it goes on from where it stands' : `${plan.compared.steps} steps go the same way`;
}

/** A run that a process holds, or that stays. @throws any other error. */
function notMoved(run: string, error: unknown): Moved {
  if (error instanceof JournalError && error.code === 'lease_held')
    return { run, is: 'held', code: error.code, why: error.message };
  if (error instanceof SidecarError && error.code === 'machine_changed')
    return { run, is: 'stays', code: error.code, why: error.message };
  throw error;
}

/**
 * True if the store hands a run out for another release than its own: the process that moved the run died before it
 * updated the store.
 */
async function isHandedOutElse(store: JournalStore, run: string, under: WorkDigests): Promise<boolean> {
  const digests = (await store.work.order(run))?.digests ?? null;
  return digests !== null && !isUnder(digests, under);
}

/** The moved runs as a table. */
export function movedText(moved: readonly Moved[], medium: Medium): string {
  if (moved.length === 0) return 'no run is under way\n';
  const rows = moved.map(({ run, is, why }) => [run, is, why]);
  return table([{ name: 'RUN' }, { name: 'IS' }, { name: 'WHY' }], rows, medium);
}
