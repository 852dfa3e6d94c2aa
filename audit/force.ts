/** What Belay refuses, done anyway: a refused checkpoint restored by a plain runtime, or the whole task started over. */
import {
  type Account,
  type Agent,
  type Checkpoint,
  type InstanceId,
  instanceName,
  type OpenAgent,
  withFault,
} from 'belay-sidecar';
import type { Case } from './case.ts';
import { goOn, untilItFails } from './plain.ts';
import { inWorld, rowsOf } from './recover.ts';
import { type Difference, differenceOf, isSame, type Rows } from './worlds.ts';

/** What came of it. */
export interface Forced {
  /** The boundary that was restored, or `rerun`. */
  readonly what: string;
  readonly done: boolean;
  /** The calls that were made from there on. */
  readonly calls: number;
  readonly difference: Difference;
  /** Others who had promised something, and whose promise was thrown away. */
  readonly dropped: readonly InstanceId[];
  readonly harmless: boolean;
}

/** Restores a checkpoint of an instance as a runtime does that knows checkpoints only: the whole machine goes back. */
export function forceRestore(
  agent: Agent,
  { input, failing }: Case,
  before: Account,
  instance: InstanceId,
  checkpoint: Checkpoint,
  reference: Rows,
): Promise<Forced> {
  const own = before.instances.find(({ id }) => instanceName(id) === instanceName(instance));
  const place = own?.checkpoints.find(({ at }) => at === checkpoint.at);
  if (place === undefined) throw new Error(`${instanceName(instance)} has no checkpoint at event ${checkpoint.at}`);
  return inWorld(agent, input, async (opened) => {
    const { snapshots } = await untilItFails(opened, thrown(opened.machine, failing));
    const { done, calls } = await goOn(opened, snapshots[place.step] ?? null);
    const dropped = before.instances.filter(({ id, checkpoints }) => {
      const promises = checkpoints.filter(({ kind }) => kind === 'commit' || kind === 'exit');
      return instanceName(id) !== instanceName(instance) && promises.some(({ step }) => step > place.step);
    });
    const difference = differenceOf(await rowsOf(opened), reference);
    const harmless = done && isSame(difference) && dropped.length === 0;
    return { what: place.boundary, done, calls, difference, dropped: dropped.map(({ id }) => id), harmless };
  });
}

/** A plain runtime checks no answer and asks no governor, and who finds something wrong stops it: every failure is a throw to it. */
function thrown(machine: OpenAgent['machine'], failing: Case['failing']): OpenAgent['machine'] {
  const when = 'found' in failing ? 'before' : failing.when;
  return withFault(machine, { ...failing.call, when, signal: 'TOOL_EXCEPTION' }).machine;
}

/** Starts the task over in the same world, as a runtime does that knows nothing. */
export function forceRerun(agent: Agent, { input, failing }: Case, reference: Rows): Promise<Forced> {
  return inWorld(agent, input, async (opened) => {
    await untilItFails(opened, thrown(opened.machine, failing));
    const { done, calls } = await goOn(opened, null);
    const difference = differenceOf(await rowsOf(opened), reference);
    return { what: 'rerun', done, calls, difference, dropped: [], harmless: done && isSame(difference) };
  });
}
