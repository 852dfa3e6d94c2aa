/**
 * Workers in processes of their own that carry the runs of a store to their ends, while some of them are killed and replaced, and persons cancel some of
 * the runs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { JournalStore } from '../../../src/journal/journal.ts';
import type { WorkOrder } from '../../../src/journal/work.ts';
import { type WorkClient, workClient } from '../../../src/workers/client.ts';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));

/** So long nothing ends before a fleet is given up, in milliseconds: a lease runs out, and runs are taken up, within a hundredth of it, and a busy machine takes its time. */
const STILL = 600_000;

export interface Fleet {
  readonly store: JournalStore;
  /** The file, or the address of the database. */
  readonly place: string;
  readonly schema: string;
  /** The folder of what the acts have done. */
  readonly world: string;
  readonly workers: number;
  /** The time of an act, in milliseconds. */
  readonly ms: number;
  /** The number of workers that are killed, one after the other, each with another one in its place; three that a run ends are too many for it. */
  readonly kills: number;
  /** False where nothing keeps the runs apart. */
  readonly apart?: boolean;
}

/** A run that a person cancels once so many others have ended. */
export interface Leaving {
  readonly run: string;
  readonly at: number;
}

/** Has a fleet carry runs that are in the store to their ends. @param agent the module of the agent. @returns how many workers were killed. */
export async function carried(
  fleet: Fleet & { readonly agent: URL; readonly undo?: boolean },
  runs: readonly string[],
  leave: readonly Leaving[],
): Promise<number> {
  const client = workClient(fleet.store);
  const leaving = [...leave];
  const children = Array.from({ length: fleet.workers }, () => workerOf(fleet));
  try {
    let killed = 0;
    for (let [last, since] = [0, performance.now()]; ; ) {
      const over = children.reduce((sum, { done }) => sum + done.size, 0);
      if (over > last) [last, since] = [over, performance.now()];
      const broken = children.slice(killed).find(({ child }) => (child.exitCode ?? child.signalCode ?? 0) !== 0);
      if (broken !== undefined) {
        const { exitCode, signalCode } = broken.child;
        throw new Error(`a worker has ended with ${signalCode ?? exitCode}`);
      }
      if (performance.now() - since > STILL) throw new Error(await standstill(fleet.store, over, runs));
      if (killed < fleet.kills && over >= (runs.length * (killed + 1)) / (fleet.kills + 3)) {
        children[killed]?.child.kill('SIGKILL');
        children.push(workerOf(fleet));
        killed += 1;
      }
      for (const each of leaving.filter(({ at }) => at <= over)) {
        leaving.splice(leaving.indexOf(each), 1);
        await cancelled(client, each.run, fleet.undo === true);
      }
      if (over >= runs.length * 0.9 && (await isOver(fleet.store, runs))) return killed;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  } finally {
    await Promise.all(children.map(stop));
  }
}

/** A run may end before its cancelling is said. */
async function cancelled(client: WorkClient, run: string, undo: boolean): Promise<void> {
  await client.cancel(run, { by: 'ann', ...(undo && { undo }) }).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error;
  });
}

interface Running {
  readonly child: ChildProcess;
  readonly done: Set<string>;
}

function workerOf({ agent, place, schema, world, ms, apart = true }: Fleet & { readonly agent: URL }): Running {
  const child = spawn(process.execPath, [WORKER, agent.href, place, schema, world, String(ms), String(apart)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const done = new Set<string>();
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const told = JSON.parse(line) as { is: string; run: string; as?: { is: string } };
      if (told.as?.is === 'done' || told.as?.is === 'cancelled') done.add(told.run);
      if (told.as?.is === 'failed' || told.is === 'store_failed') process.stderr.write(`${line}\n`);
    }
  });
  return { child, done };
}

async function stop({ child }: Running): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function isOver(store: JournalStore, runs: Iterable<string>): Promise<boolean> {
  for (const run of runs) if (((await store.work.order(run))?.ended ?? null) === null) return false;
  return true;
}

/** Says who has what, and who waits for whom, where nothing goes on any more. */
async function standstill(store: JournalStore, over: number, runs: readonly string[]): Promise<string> {
  const { held, waiting } = await store.claims.list();
  const having = held.map(({ run, key }) => `${run} has ${key}`);
  const wanting = waiting.map(({ run, waitsFor }) => `${run} waits for ${waitsFor.join(', ')}`);
  const orders = await Promise.all(runs.map(async (run) => store.work.order(run)));
  const left = orders
    .filter((order) => order !== null && order.ended === null && !waiting.some(({ run }) => run === order.run))
    .map((order) => {
      const { run, held: isHeld, taken, due, note } = order as WorkOrder;
      return `${run} is ${isHeld ? 'held' : 'free'}, due ${due}, taken ${taken} times, ${note}`;
    });
  const text = `nothing has ended for ${STILL / 1_000} s, ${over} of ${runs.length} runs have`;
  return [text, ...left, ...having, ...wanting].join('\n');
}
