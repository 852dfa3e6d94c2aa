/** The runs of a database that are left for workers. Only the clock of the database says which of them are due. */
import { checkRunName, inputBytes, isRunName, otherRequest, wrongRun } from '../rows.ts';
import {
  type Carried,
  CRASHES,
  type LeftRun,
  type OthersAsked,
  type StartRequest,
  type WorkAsked,
  type WorkDigests,
  type WorkOrder,
  type WorkQueue,
  whyLeft,
} from '../work.ts';
import type { Database } from './database.ts';
import { corrupt } from './errors.ts';
import { whole } from './tables.ts';

/** The most runs that are told which a worker does not take. */
const LEFT = 1_000;

const START = 'SELECT belay.start($1, $2, $3, $4) AS found';
const HAND_OVER = `INSERT INTO belay.work (run, agent, queue, input, due, machine, config)
  SELECT id, $2, $3, $4, clock_timestamp(), $5, $6 FROM belay.run WHERE name = $1 ON CONFLICT (run) DO NOTHING RETURNING run`;
const SELECT = `SELECT r.name, w.agent, w.queue, w.input, w.machine, w.config, w.taken, w.note, w.threw, w.output, k.id IS NOT NULL AS held,
    CASE WHEN w.due IS NOT NULL THEN greatest(0, ceil(extract(epoch FROM w.due - clock_timestamp()) * 1000)) END AS due,
    floor(extract(epoch FROM w.ended) * 1000) AS ended
  FROM belay.work w JOIN belay.run r ON r.id = w.run
  LEFT JOIN belay.worker k ON k.id = r.worker AND k.expires > clock_timestamp()`;
const CARRIED = 'unnest($2::text[], $3::text[], $4::text[], $5::bool[])';
const BY =
  'c.agent = w.agent AND CASE WHEN w.machine IS NULL THEN c.begins ELSE c.machine = w.machine AND c.config = w.config END';
const SERVED = `EXISTS (SELECT FROM ${CARRIED} AS c (agent, machine, config, begins) WHERE ${BY})`;
const DUE = `${SELECT} WHERE w.queue = $1 AND w.due <= clock_timestamp() AND k.id IS NULL`;
const READY = `${DUE} AND w.taken < ${CRASHES} AND ${SERVED}
  AND (NOT $7 OR EXISTS (SELECT FROM belay.claim c WHERE c.run = w.run)) ORDER BY w.due, w.run LIMIT $6`;
const THREW = `${SELECT} WHERE w.queue = $1 AND w.threw IS NOT NULL AND w.ended IS NULL AND (w.due > clock_timestamp()) IS NOT FALSE
  AND k.id IS NULL AND w.taken < ${CRASHES} AND (NOT $7 OR EXISTS (SELECT FROM belay.claim c WHERE c.run = w.run))
  AND EXISTS (SELECT FROM unnest($2::text[], $3::text[], $4::text[], $5::bool[], $8::text[]) AS c (agent, machine, config, begins, version)
    WHERE ${BY} AND c.version <> ALL (w.threw)) ORDER BY w.run LIMIT $6`;
const LEFT_RUNS = `${DUE} AND (w.taken >= ${CRASHES} OR NOT ${SERVED}) ORDER BY w.due, w.run LIMIT $6`;
const OTHERS = `${SELECT} WHERE w.queue = $1 AND w.ended IS NULL AND k.id IS NULL AND w.taken < ${CRASHES} AND r.name > $7
  AND EXISTS (SELECT FROM ${CARRIED} AS c (agent, machine, config, begins)
    WHERE c.agent = w.agent AND c.begins AND (c.machine <> w.machine OR c.config <> w.config)) ORDER BY r.name LIMIT $6`;
const ENDED = `SELECT r.name FROM belay.work w JOIN belay.run r ON r.id = w.run
  WHERE w.queue = $1 AND w.ended <= clock_timestamp() - $2 * interval '1 ms' ORDER BY w.ended LIMIT $3`;
const OF = 'run = (SELECT id FROM belay.run WHERE name = $1)';
const BIND = `UPDATE belay.work SET machine = coalesce(machine, $2), config = coalesce(config, $3) WHERE ${OF}
  RETURNING machine, config`;
const DELAY = `UPDATE belay.work SET due = clock_timestamp() + $2 * interval '1 ms', taken = 0, note = $3
  WHERE ${OF} AND ended IS NULL`;

/** The queue of one store. */
export class PostgresWork implements WorkQueue {
  readonly #database: Database;
  readonly #refuseIfClosed: () => void;

  constructor(database: Database, refuseIfClosed: () => void) {
    this.#database = database;
    this.#refuseIfClosed = refuseIfClosed;
  }

  async start(request: StartRequest): Promise<boolean> {
    this.#refuseIfClosed();
    const { run, agent, queue } = request;
    checkRunName(run);
    const input = inputBytes(request);
    await this.#database.identity();
    const [row] = await this.#database.ask('write', START, [run, agent, queue, input]);
    switch (row?.found) {
      case 'new':
        return true;
      // Sent again after an answer that stayed out, it is the same as well.
      case 'same':
        return false;
      case 'agent':
        throw otherRequest(run, 'of another agent');
      case 'input':
        throw otherRequest(run, 'with another input');
      case 'queue':
        throw otherRequest(run, 'in another queue');
      default:
        throw otherRequest(run, 'that was not left for workers');
    }
  }

  async handOver(request: StartRequest, { machine, config }: WorkDigests): Promise<boolean> {
    const { run, agent, queue } = request;
    const values = [run, agent, queue, inputBytes(request), machine, config];
    const rows = await this.#ask('write', HAND_OVER, values);
    if (rows.length > 0) return true;
    if ((await this.order(run)) === null) throw wrongRun('run_unknown', run);
    return false;
  }

  async order(run: string): Promise<WorkOrder | null> {
    const [row] = isRunName(run) ? await this.#ask('read', `${SELECT} WHERE r.name = $1`, [run]) : [];
    return row === undefined ? null : this.#order(row);
  }

  async ready({ queue, carries, limit, holding = false }: WorkAsked): Promise<readonly WorkOrder[]> {
    const due = await this.#ask('read', READY, [queue, ...columns(carries), limit, holding]);
    const versions = carries.map(({ version }) => (version === null ? null : JSON.stringify(version)));
    const isNamed = versions.some((version) => version !== null) && due.length < limit;
    const values = [queue, ...columns(carries), limit - due.length, holding, versions];
    const threw = isNamed ? await this.#ask('read', THREW, values) : [];
    return [...due, ...threw].map((row) => this.#order(row));
  }

  async left({ queue, carries }: WorkAsked): Promise<readonly LeftRun[]> {
    const rows = await this.#ask('read', LEFT_RUNS, [queue, ...columns(carries), LEFT]);
    return rows.map((row) => {
      const order = this.#order(row);
      return { order, why: whyLeft(order, carries) ?? 'unserved' };
    });
  }

  async others({ queue, carries, limit, after }: OthersAsked): Promise<readonly WorkOrder[]> {
    const rows = await this.#ask('read', OTHERS, [queue, ...columns(carries), limit, after ?? '']);
    return rows.map((row) => this.#order(row));
  }

  async ended(queue: string, milliseconds: number, limit: number): Promise<readonly string[]> {
    return (await this.#ask('read', ENDED, [queue, milliseconds, limit])).map(({ name }) => String(name));
  }

  async bind(run: string, { machine, config }: WorkDigests): Promise<boolean> {
    const [row] = await this.#ask('write', BIND, [run, machine, config]);
    if (row === undefined) throw wrongRun('run_unknown', run);
    return row.machine === machine && row.config === config;
  }

  async delay(run: string, milliseconds: number, note: string): Promise<void> {
    await this.#ask('write', DELAY, [run, milliseconds, note]);
  }

  async #ask(doing: 'read' | 'write', text: string, values: unknown[]) {
    this.#refuseIfClosed();
    await this.#database.identity();
    return this.#database.ask(doing, text, values);
  }

  #order(row: Readonly<Record<string, unknown>>): WorkOrder {
    const { name, agent, queue, input, machine, config, taken, note, held } = row;
    const output = Buffer.isBuffer(row.output) ? row.output.toString('utf8') : null;
    const [due, ended] = [timeOf(row.due), timeOf(row.ended)];
    const isText = (value: unknown): value is string | null => value === null || typeof value === 'string';
    const tries = whole(taken);
    const threw = versionsIn(row.threw);
    if (
      typeof name !== 'string' ||
      typeof agent !== 'string' ||
      typeof queue !== 'string' ||
      !Buffer.isBuffer(input) ||
      !isText(machine) ||
      !isText(config) ||
      !isText(note) ||
      tries === null ||
      threw === undefined ||
      typeof held !== 'boolean'
    )
      throw corrupt(this.#database.where, String(name), 0, 'its request has no form');
    const digests = machine === null || config === null ? null : { machine, config };
    return {
      run: name,
      agent,
      queue,
      input: input.toString('utf8'),
      digests,
      due,
      taken: tries,
      ended,
      note,
      threw,
      held,
      output,
    };
  }
}

function columns(carries: readonly Carried[]): [string[], string[], string[], boolean[]] {
  return [
    carries.map(({ agent }) => agent),
    carries.map(({ machine }) => machine),
    carries.map(({ config }) => config),
    carries.map(({ begins }) => begins),
  ];
}

/** A number of milliseconds that the database tells; null where it tells none. */
function timeOf(value: unknown): number | null {
  const time = value === null ? Number.NaN : Number(value);
  return Number.isFinite(time) ? time : null;
}

/** The versions of a list as it is kept; undefined where it has no form. */
function versionsIn(kept: unknown): readonly string[] | null | undefined {
  if (kept === null) return null;
  if (!Array.isArray(kept)) return undefined;
  const versions = kept.map((each) => versionIn(each));
  return versions.every((each) => each !== null) ? versions : undefined;
}

/** The version that stands there as JSON text; null where none does. */
function versionIn(kept: unknown): string | null {
  try {
    const version: unknown = JSON.parse(String(kept));
    return typeof version === 'string' ? version : null;
  } catch {
    return null;
  }
}
