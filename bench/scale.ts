/**
 * Many runs in many processes over PostgreSQL, beside DBOS in the same run: `npm run bench scale`. Durable steps a second and CPU a step, what parked
 * runs cost an idle worker, and how long `belay runs` takes. Goals are printed as met or missed. Asserts nothing.
 */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { whole } from './comparison/arguments.ts';
import { type Database, startDatabase } from './comparison/database.ts';
import { median } from './comparison/figures.ts';
import { ask, forked, installPeers, type Lane, openLane, peersInstalled } from './comparison/lanes.ts';
import { machineText } from './comparison/machine.ts';
import { writePage } from './comparison/page.ts';
import {
  CELLS,
  type Cell,
  type Listed,
  LOADERS,
  listTable,
  loadTable,
  type Minute,
  type Parked,
  PROCESSES,
  parkedTable,
  type Rate,
  type Rates,
} from './comparison/scale.ts';
import { inColumns } from './comparison/tables.ts';
import type { StorePlace, WorkerAsked } from './runtimes/worker.ts';

const COMMAND = join(import.meta.dirname, '../dist/cli/main.js');
const WARM = 1_000;
const SETTLE = 3_000;
/** How long an idle worker is looked at, in milliseconds. */
const IDLE = 15_000;
const ROUNDS = 3;

interface Options {
  readonly part: readonly ('load' | 'parked' | 'list')[];
  readonly seconds: number;
  readonly parked: number;
  readonly runs: number;
  readonly json: boolean;
  readonly write: boolean;
}

const PARTS = ['load', 'parked', 'list'] as const;
const options = new Command('npm run bench scale --')
  .description('measures many runs in many processes over PostgreSQL')
  .addOption(new Option('--part <name...>', 'these parts, instead of all').choices(PARTS).default([...PARTS], 'all'))
  .option('--seconds <n>', 'how long each load is measured', whole, 3)
  .option('--parked <n>', 'how many runs are parked', whole, 10_000)
  .option('--runs <n>', 'how many runs are listed', whole, 100_000)
  .option('--json', 'the figures as one line of JSON', false)
  .option('--write', 'put the tables into docs/evidence.md', false)
  .parse()
  .opts<Options>();

/** What is not for a program that reads the figures. */
const say = (text: string) => (options.json ? console.error(text) : console.log(text));

/** One load in the first processes of a loader. */
async function loaded(lanes: readonly Lane[], { processes, runs }: Cell, database: Database): Promise<Rate> {
  const own = lanes.slice(0, processes);
  await Promise.all(own.map((lane) => lane.begin(runs)));
  await Promise.all(own.map((lane) => lane.measure(WARM)));
  const from = database.cpu();
  const all = await Promise.all(own.map((lane) => lane.measure(options.seconds * 1_000)));
  const to = database.cpu();
  await Promise.all(own.map((lane) => lane.end()));
  const steps = all.reduce((sum, each) => sum + each.steps, 0);
  return {
    rate: all.reduce((sum, each) => sum + (each.steps / each.time) * 1_000, 0),
    cpu: all.reduce((sum, each) => sum + each.cpu, 0) / steps,
    server: from === null || to === null ? null : (to - from) / steps,
  };
}

async function load(database: Database): Promise<Rates> {
  const lanes: Lane[][] = [];
  const rates: Rate[][] = [];
  try {
    for (const { lane } of LOADERS) {
      const own: Lane[] = [];
      lanes.push(own);
      const place = database.place();
      for (let n = 0; n < Math.max(...PROCESSES); n += 1) own.push(await openLane(lane, place));
    }
    for (const cell of CELLS) {
      const row: Rate[] = [];
      for (const own of lanes) row.push(await loaded(own, cell, database));
      rates.push(row);
      say(`  ${cell.processes} × ${cell.runs}: ${row.map(({ rate }) => Math.round(rate)).join(', ')} steps/s`);
    }
  } finally {
    for (const lane of lanes.flat()) await lane.abandon();
  }
  return rates;
}

/** Has a process of its own do something with a store. */
async function apart<T>(act: (child: ChildProcess) => Promise<T>): Promise<T> {
  const child = forked('runtimes/worker.ts', []);
  try {
    return await act(child);
  } finally {
    child.kill('SIGKILL');
  }
}

const told = (asked: WorkerAsked) => apart((child) => ask(child, asked));
const passed = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

/** What an idle worker uses, once it has settled. */
function idle(store: StorePlace, database: Database): Promise<Minute> {
  const asked = (what: WorkerAsked) => what;
  return apart(async (child) => {
    await ask(child, asked({ do: 'work', store }));
    await passed(SETTLE);
    const [own, server] = [await ask<number>(child, asked({ do: 'used' })), database.cpu()];
    await passed(IDLE);
    const [own2, server2] = [await ask<number>(child, asked({ do: 'used' })), database.cpu()];
    const minute = (micros: number) => micros / 1_000 / (IDLE / 60_000);
    return {
      worker: minute(own2 - own),
      server: server === null || server2 === null ? null : minute(server2 - server),
    };
  });
}

async function parkedRuns(database: Database): Promise<Parked> {
  const [empty, full] = [database.place(), database.place()];
  const runs = options.parked;
  await told({ do: 'park', store: empty, runs: 1 });
  await told({ do: 'park', store: full, runs });
  await settled(database);
  const [without, beside]: [Minute[], Minute[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    without.push(await idle(empty, database));
    beside.push(await idle(full, database));
  }
  return { runs, without: middle(without), with: middle(beside) };
}

/** The server tidies up after many writes; that is no cost of runs that wait. */
async function settled({ server }: Database): Promise<void> {
  await server.query('VACUUM ANALYZE');
  await server.query('CHECKPOINT');
}

function middle(minutes: readonly Minute[]): Minute {
  const servers = minutes.flatMap(({ server }) => (server === null ? [] : [server]));
  return { worker: median(minutes.map(({ worker }) => worker)), server: servers.length === 0 ? null : median(servers) };
}

/** The median time of the command, from its start to its end. */
function timed(args: readonly string[], address?: string): number {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    const env = { ...process.env, ...(address === undefined ? {} : { BELAY_STORE: address }) };
    execFileSync(process.execPath, [COMMAND, ...args], { maxBuffer: 1 << 30, env });
    times.push(performance.now() - start);
  }
  return median(times);
}

async function listing(database: Database): Promise<Listed> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-scale-'));
  try {
    const file = join(folder, 'runs.sqlite');
    const place = database.place();
    const { runs } = options;
    await told({ do: 'end', store: place, runs });
    await told({ do: 'end', store: { file }, runs });
    await settled(database);
    const address = new URL(place.address);
    address.searchParams.set('schema', place.schema);
    return {
      runs,
      postgres: timed(['runs'], address.href),
      file: timed(['runs', '--journal', file]),
      version: timed(['--version']),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  const { part, seconds } = options;
  if (part.includes('load') && !peersInstalled()) installPeers(say);
  const database = await startDatabase();
  if (database === null) {
    say('Nothing is measured: no PostgreSQL server was found.');
    return;
  }
  const where = `${machineText()}, the server on the same machine`;
  const all: Record<string, unknown> = { where };
  const tables: Partial<Record<(typeof PARTS)[number], string>> = {};
  const measured = <T>(name: (typeof PARTS)[number], how: string, value: T, tableOf: (value: T) => string) => {
    all[name] = value;
    const text = tableOf(value);
    tables[name] = `${where}; ${how}.\n\n${text}`;
    say(`\n${where}; ${how}.\n\n${inColumns(text)}`);
  };
  try {
    if (part.includes('load')) measured('load', `${seconds} s for each load`, await load(database), loadTable);
    if (part.includes('parked')) {
      const how = `medians of ${ROUNDS} times ${IDLE / 1_000} s, by turns`;
      measured('parked', how, await parkedRuns(database), parkedTable);
    }
    if (part.includes('list')) measured('list', `medians of ${ROUNDS} commands`, await listing(database), listTable);
    if (options.json) console.log(JSON.stringify({ ...all, cells: CELLS }));
    if (options.write) writePage(tables);
  } finally {
    await database.stop();
  }
}

await main();
