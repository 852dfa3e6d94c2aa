/** The verb `work`: a worker in a process of its own, until it is told to stop. */
import { mkdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { LeftRun } from '../../journal/work.ts';
import { CodedError } from '../../model/coded-error.ts';
import { onlyLeft } from '../../reports/left-at-end.ts';
import type { AnyAgent } from '../../workers/program-agent.ts';
import type { WorkCounts, WorkTold } from '../../workers/told.ts';
import { startWorker, type Worker } from '../../workers/worker.ts';
import { archiveInto } from '../archive/folder.ts';
import { findMachines } from '../check/check.ts';
import { openJournal } from '../reading/journal-key.ts';
import { journalProblem } from '../reading/reading.ts';
import type { Problem } from '../run/run.ts';
import { sandboxesFor, worldFolder } from '../run/session.ts';
import { note } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';
import { stopSignal } from '../terminal/stopping.ts';
import { command, count, leftSentences, sweptText, timeText } from '../terminal/wording.ts';
import { countedRuns, serveHealth } from './health.ts';

/** Options of `work`. */
export interface WorkOptions {
  readonly journal: string;
  readonly machines: string | null;
  readonly queue: string;
  /** The version of the code of the agents; null for the one that each names. */
  readonly version: string | null;
  /** True to move runs at rest of other releases to those of the module. */
  readonly adopt: boolean;
  readonly concurrency: number;
  readonly poll: number;
  readonly drain: number;
  /** The time for which runs that have ended are kept, in milliseconds; null for good. */
  readonly retain: number | null;
  /** The folder in which each is kept before it is deleted; null for none. */
  readonly archive: string | null;
  readonly health: { readonly host: string; readonly port: number } | null;
  readonly json: boolean;
}

/** The counts of a worker that has stopped. */
type Ended = Pick<WorkCounts, 'taken' | 'done' | 'cancelled' | 'compensated' | 'parked' | 'failed' | 'moved'>;

/** Works until the process is told to stop. @returns a problem where it cannot begin. */
export async function work(options: WorkOptions): Promise<Problem | Ended> {
  const machines = await findMachines(options.machines);
  if ('problem' in machines) return machines;
  const { releases, guards } = machines;
  const agents = new Map<string, AnyAgent>([...machines.agents, ...machines.programs]);
  if (agents.size === 0)
    return { problem: 'there are no agents to work with: the module exports them as "agents" (docs/sidecar.md)' };
  const { journal, queue, concurrency } = options;
  const say = (told: object, text: string) =>
    process.stdout.write(options.json ? `${JSON.stringify(told)}\n` : `${printable(text)}\n`);
  let server: Server | null = null;
  try {
    const store = await openJournal(journal);
    try {
      await store.runs({ limit: 0 });
      const onTold = (told: WorkTold) => tell(told, { journal, agents: new Set(agents.keys()) }, say);
      const folderOf = async (run: string) => {
        const folder = worldFolder(journal, run);
        await mkdir(folder, { recursive: true });
        return folder;
      };
      const { poll: pollMs, drain: drainMs } = options;
      const settings = {
        store,
        agents: agents.values(),
        releases,
        adopt: options.adopt,
        guards,
        folderOf,
        sandboxesOf: (run: string) => sandboxesFor(journal, run),
        queue,
        concurrency,
        pollMs,
        drainMs,
        ...(options.retain !== null && { retainMs: options.retain }),
        ...(options.archive !== null && { archive: archiveInto(options.archive) }),
        ...(options.version !== null && { version: options.version }),
        onTold,
      };
      const worker = startWorker(settings);
      let isLeaving = false;
      if (options.health !== null)
        server = await serveHealth(
          options.health,
          () => worker.counts,
          () => isLeaving,
          countedRuns(store),
        );
      say(begun(worker, options, server), begunText(worker, options, server));
      const signal = await stopSignal();
      isLeaving = true;
      const { open } = worker.counts;
      say({ is: 'leaving', signal, open }, `${signal}: takes no more runs, and gives ${count(open, 'run')} back`);
      await worker.stop();
      const { taken, done, cancelled, compensated, parked, failed, moved } = worker.counts;
      return { taken, done, cancelled, compensated, parked, failed, moved };
    } finally {
      server?.close();
      await store.close().catch((error: unknown) => note(journalProblem(journal, error)));
    }
  } catch (error) {
    if (error instanceof CodedError) return { problem: `${journal}: ${error.code} ${error.message}` };
    return { problem: `belay work: ${(error as Error).message}` };
  }
}

function begun({ carries }: Worker, { queue, concurrency }: WorkOptions, server: Server | null): object {
  return { is: 'working', pid: process.pid, queue, concurrency, carries, health: addressOf(server) };
}

function begunText({ carries }: Worker, { queue, concurrency }: WorkOptions, server: Server | null): string {
  const agents = [...new Set(carries.map(({ agent }) => agent))].join(', ');
  const health = server === null ? '' : `, health at http://${addressOf(server)}/healthz`;
  return `process ${process.pid} works on queue ${queue} with ${agents}, ${count(concurrency, 'run')} at once at most${health}`;
}

function addressOf(server: Server | null): string | null {
  const address = server?.address() ?? null;
  if (address === null || typeof address === 'string') return null;
  return `${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}

type Say = (told: object, text: string) => void;

/** The place of a worker, for its messages about runs: its store, and the agents whose runs it begins. */
interface Workplace {
  readonly journal: string;
  readonly agents: ReadonlySet<string>;
}

function tell(told: WorkTold, at: Workplace, say: Say): void {
  switch (told.is) {
    case 'taken':
      say(told, `${told.run}: taken (${told.agent})`);
      break;
    case 'left':
      left(told, at.journal, say);
      break;
    case 'not_taken':
      for (const each of told.runs) notTaken(each, at, say);
      break;
    case 'moved':
      say(told, `${told.run}: moved to the release of this worker (${told.agent})`);
      break;
    case 'stays':
      say(told, `${told.run}: stays with its release: ${told.code} ${told.why}`);
      break;
    case 'deleted':
      say(told, `${told.run}: deleted`);
      break;
    case 'retained':
      say(told, `${told.run}: has ended and is not deleted: ${told.why}`);
      break;
    case 'swept': {
      const { run, name: sandbox, why } = told.sandbox;
      say({ is: 'swept', run, sandbox, ...(why !== null && { why }) }, sweptText(run, sandbox, why));
      break;
    }
    case 'sent':
      say(
        { is: 'notified', run: told.notice.data.run, id: told.notice.id },
        `${told.notice.data.run}: a person was told`,
      );
      break;
    case 'put_off':
      note(`${told.notice.data.run}: a person could not be told: ${told.why}`);
      break;
    case 'store_failed': {
      const why = told.error instanceof Error ? told.error.message : String(told.error);
      note(`the store cannot be asked, and is asked again: ${why.split('\n')[0]}`);
    }
  }
}

function notTaken({ order: { run, agent, digests }, why }: LeftRun, { journal, agents }: Workplace, say: Say): void {
  const short = (digest: string) => digest.slice(0, 12);
  const wanted = digests === null ? '' : `, machine ${short(digests.machine)}, config ${short(digests.config)}`;
  const next = command('resume', run, journal);
  const isOther = digests !== null && agents.has(agent);
  const other = isOther ? ', another release than this worker has: belay migrate plan, or belay work --adopt' : '';
  const text =
    why === 'unserved' ? `unserved: wants ${agent}${wanted}${other}` : `worker_crashed: a person resumes it: ${next}`;
  say({ is: why, run, agent, wants: digests }, `${run}: ${text}`);
}

function left({ run, as }: Extract<WorkTold, { is: 'left' }>, journal: string, say: Say): void {
  const at = 'due' in as && as.due !== null ? new Date(as.due).toISOString() : null;
  const due = 'due' in as ? { due: at } : {};
  const why = as.is === 'failed' ? { code: as.code, why: as.why } : {};
  const left = as.is === 'done' ? onlyLeft(as) : {};
  say({ is: as.is, run, ...due, ...why, ...left }, `${run}: ${leftText(run, as, journal)}`);
}

function leftText(run: string, as: Extract<WorkTold, { is: 'left' }>['as'], journal: string): string {
  const next = 'due' in as && as.due !== null ? `goes on at ${timeText(as.due)}` : 'waits for a message';
  switch (as.is) {
    case 'done':
      return ['done', ...leftSentences(as)].join('; ');
    case 'cancelled':
    case 'compensated':
      return as.is;
    case 'waits':
      return next;
    case 'paused':
      return `paused, ${next}: ${command('unpause', run, journal, '--by', 'NAME')}`;
    case 'parked':
    case 'stuck':
      return `${as.is}, ${next}: ${command('explain', run, journal)}`;
    case 'given_back':
      return 'given back';
    case 'moved':
      return 'goes on under another release: given back for a worker of that';
    case 'held_elsewhere':
      return 'another process holds it now';
    case 'failed':
      return `cannot go on: ${as.code} ${as.why}`;
  }
}
