/**
 * The health of a worker over HTTP: `/healthz` for the supervisor that restarts the worker, `/metrics` for Prometheus.
 * It has counts and no names of runs.
 */
import { createServer, type Server } from 'node:http';
import type { JournalStore } from '../../journal/journal.ts';
import { type NeededRelease, runsByRelease } from '../../reports/runs-by-release.ts';
import { type RunsWaiting, runsWaiting } from '../../reports/runs-waiting.ts';
import type { WorkCounts } from '../../workers/told.ts';

/** The time without an answer of the store after which a worker is not well, in milliseconds. */
const PATIENCE = 30_000;

/** The time for which the runs of a store are not counted again, in milliseconds. */
const COUNTED = 15_000;

/** The runs of a store, counted. */
interface StoreCounts {
  readonly waiting: RunsWaiting;
  readonly releases: readonly NeededRelease[];
}

/** Counts the runs of a store, however often it is asked; null where the store does not answer. */
export function countedRuns(store: Pick<JournalStore, 'runs'>): () => Promise<StoreCounts | null> {
  let last: { readonly at: number; readonly of: Promise<StoreCounts | null> } | null = null;
  const counted = async () => {
    try {
      const runs = await store.runs();
      return { waiting: runsWaiting(runs, Date.now()), releases: runsByRelease(runs) };
    } catch {
      return null;
    }
  };
  return () => {
    if (last === null || Date.now() - last.at > COUNTED) last = { at: Date.now(), of: counted() };
    return last.of;
  };
}

/** Serves the health of a worker. @param leaving true once it takes no more runs. @param ofStore counts the runs of the store. */
export async function serveHealth(
  { host, port }: { readonly host: string; readonly port: number },
  counts: () => WorkCounts,
  leaving: () => boolean,
  ofStore: () => Promise<StoreCounts | null>,
): Promise<Server> {
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').split('?')[0];
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    response.setHeader('cache-control', 'no-store');
    if (isRead && path === '/healthz') {
      const why = illness(counts(), leaving());
      response.writeHead(why === null ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(`${why ?? 'ok'}\n`);
    } else if (isRead && path === '/metrics') {
      const text = metricsText(counts(), await ofStore());
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
      response.end(text);
    } else {
      response.writeHead(isRead ? 404 : 405, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(isRead ? 'try /healthz or /metrics\n' : 'only GET is answered\n');
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  server.unref();
  return server;
}

/** The reason why a worker is not well; null where it is. */
function illness({ answered, polls }: WorkCounts, isLeaving: boolean): string | null {
  if (isLeaving) return 'draining';
  if (answered === null) return polls === 0 ? 'starting' : 'the store has not answered yet';
  return Date.now() - answered > PATIENCE ? 'the store does not answer' : null;
}

/** The counts in the text format of Prometheus. */
function metricsText(counts: WorkCounts, store: StoreCounts | null): string {
  const ofStore =
    store === null
      ? []
      : [
          ['belay_runs_waiting', 'gauge', 'Runs of the store that need a person.', store.waiting.count] as const,
          [
            'belay_runs_waiting_age_seconds',
            'gauge',
            'Age of the oldest wait for a person.',
            store.waiting.oldest,
          ] as const,
          ['belay_obligations_open', 'gauge', 'Obligations of runs that are owed.', store.waiting.owed.open] as const,
          [
            'belay_obligations_overdue',
            'gauge',
            'Owed obligations that were due.',
            store.waiting.owed.overdue,
          ] as const,
          [
            'belay_obligations_broken',
            'gauge',
            'Obligations of runs that are not kept.',
            store.waiting.owed.broken,
          ] as const,
        ];
  const metrics = [
    ['belay_worker_runs_open', 'gauge', 'Runs that this worker has now.', counts.open],
    [
      'belay_worker_runs_unserved',
      'gauge',
      'Due runs whose agent or digests this worker does not carry.',
      counts.unserved,
    ],
    ['belay_worker_runs_crashed', 'gauge', 'Due runs that have ended three processes.', counts.crashed],
    ['belay_worker_runs_taken_total', 'counter', 'Runs taken.', counts.taken],
    ['belay_worker_runs_done_total', 'counter', 'Runs that ended here.', counts.done],
    [
      'belay_worker_runs_cancelled_total',
      'counter',
      'Runs that a person has ended, brought to their end here.',
      counts.cancelled,
    ],
    [
      'belay_worker_runs_compensated_total',
      'counter',
      'Runs that a person has aborted, brought to their end here.',
      counts.compensated,
    ],
    ['belay_worker_runs_parked_total', 'counter', 'Times that a run was left parked or stuck.', counts.parked],
    ['belay_worker_runs_failed_total', 'counter', 'Takings that could not go on.', counts.failed],
    ['belay_worker_runs_moved_total', 'counter', 'Runs moved to the release of this worker.', counts.moved],
    ['belay_worker_runs_staying', 'gauge', 'Runs of other releases that did not go over.', counts.stays],
    ['belay_worker_polls_total', 'counter', 'Looks for runs.', counts.polls],
    ['belay_worker_runs_told_total', 'counter', 'Runs that looks were told of.', counts.told],
  ] as const;
  const text = [...metrics, ...ofStore]
    .map(([name, type, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`)
    .join('');
  return `${text}${store === null ? '' : releasesText(store.releases)}`;
}

/** The runs of each release, one line for each state. */
function releasesText(releases: readonly NeededRelease[]): string {
  const head =
    '# HELP belay_runs Runs of the store that are not over, by release and state.\n# TYPE belay_runs gauge\n';
  const lines = releases.flatMap(({ agent, machine, config, version, states }) =>
    Object.entries(states).map(([state, count]) => {
      const labels = { agent, machine: short(machine), config: short(config), version: version ?? '', state };
      const texts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
      return `belay_runs{${texts.join(',')}} ${count}\n`;
    }),
  );
  return `${head}${lines.join('')}`;
}

/** A digest as `belay work` prints it. */
function short(digest: string): string {
  return digest.slice(0, 12);
}

/** A text as the value of a label. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
