/** Makes the runs without faults that every other run is held against, and leaves out tasks that do not end as their data says. */
import { type BoundaryConfig, readConfig } from 'belay-sidecar';
import { messageOf } from '../../domains/there.ts';
import { NO_FAULTS } from './faults.ts';
import type { Observed, Setting } from './observed.ts';
import { runTask } from './run.ts';
import { DataError, type DataSet, type Task } from './set.ts';
import { written } from './wire.ts';

/** A task that is left out, and why. */
export interface Left {
  readonly folder: string;
  readonly task: string;
  readonly why: string;
}

/** A task with its run without faults. */
export interface Reference {
  readonly setting: Omit<Setting, 'faults'>;
  readonly reference: Observed;
}

/** Runs tasks without faults, and holds each run to what the data says of it. @throws DataError where the config does not load. */
export async function referencesOf(set: DataSet, folder: string, tasks: readonly Task[]) {
  const { config, findings } = readConfig(set.config);
  if (config === null) {
    const [first] = findings;
    throw new DataError(`${set.config}:${first?.line}: ${first?.message}`);
  }
  const references: Reference[] = [];
  const left: Left[] = [];
  for (const task of tasks) {
    const setting = { set, config: hurried(config), task };
    const reference = await referenceOf(setting);
    if (typeof reference === 'string') left.push({ folder, task: task.id, why: reference });
    else references.push({ setting, reference });
  }
  return { references, left };
}

/** The config with short waits between status queries: how often is asked stays as it is, and nothing here happens by the clock. */
function hurried(config: BoundaryConfig): BoundaryConfig {
  const tools = [...config.tools].map(
    ([name, tool]) => [name, { ...tool, asking: { ...tool.asking, wait: 1 } }] as const,
  );
  return { ...config, tools: new Map(tools) };
}

/** The run without faults, or why it is none. */
async function referenceOf(setting: Omit<Setting, 'faults'>): Promise<Observed | string> {
  const { task } = setting;
  let reference: Observed;
  try {
    reference = await runTask({ ...setting, faults: NO_FAULTS }, 'oracle');
  } catch (error) {
    // Whatever it is, it comes of the data: the same adapter runs the other tasks.
    return messageOf(error);
  }
  if (reference.status !== 'done') return 'it does not come to its end, even without a fault';
  const [is, should] = [written(reference.rows), written(task.expected ?? {})];
  const other = Object.keys(task.expected ?? {}).find((row) => is.get(row) !== should.get(row));
  return other === undefined ? reference : `it ends with ${other} ${is.get(other)}, and not ${should.get(other)}`;
}
