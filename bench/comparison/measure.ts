/** Measures rows: those of a group by turns, each in its process, so that a machine that slows down slows all of them. */
import type { Chained } from '../runtimes/lane.ts';
import type { Database } from './database.ts';
import { type Figures, growthOf, median, quantile } from './figures.ts';
import { hasRestate, type Lane, openLane } from './lanes.ts';
import type { Need, Row } from './rows.ts';

/** How much is measured. */
export interface Extent {
  /** How often each row has its turn. */
  readonly rounds: number;
  /** The steps of a turn. */
  readonly steps: number;
  /** The steps of the chain that shows growth. */
  readonly long: number;
}

/** A row whose process is open, and what it took so far. */
interface Running {
  readonly row: Row;
  readonly lane: Lane;
  readonly before: number | null;
  readonly chains: (Chained & { readonly steps: number })[];
}

/** The long chains of a row; the figure is the median of them. */
const LONG_CHAINS = 3;

/** Measures the rows of one group; `tell` hears of each row that is ready. */
export async function measureGroup(
  rows: readonly Row[],
  { rounds, steps, long }: Extent,
  database: Database | null,
  tell: (text: string) => void,
): Promise<Map<string, Figures>> {
  const found: Readonly<Record<Need, boolean>> = { PostgreSQL: database !== null, Restate: hasRestate() };
  const ready = rows.filter(({ needs }) => needs === undefined || found[needs]);
  const all: Running[] = [];
  try {
    for (const row of ready) {
      const lane = await openLane(row.lane, row.needs === 'PostgreSQL' ? (database as Database).place() : null);
      // The first steps of a process run code that is not compiled yet.
      await lane.chain(long);
      all.push({ row, lane, before: await lane.bytes(), chains: [] });
      tell(`  ${row.name}`);
    }
    for (let round = 0; round < rounds; round += 1) for (const each of all) await turn(each, steps, database);
    const growth = new Map<string, number[]>(all.map(({ row }) => [row.id, []]));
    for (let round = 0; round < LONG_CHAINS; round += 1) {
      for (const { row, lane } of all) growth.get(row.id)?.push(growthOf((await lane.chain(long)).times));
    }
    const written = rounds * steps + LONG_CHAINS * long;
    const figures = new Map<string, Figures>();
    for (const each of all)
      figures.set(each.row.id, await figuresOf(each, written, growth.get(each.row.id) as number[]));
    for (const { lane } of all) await lane.close();
    return figures;
  } catch (error) {
    for (const { lane } of all) await lane.abandon();
    throw error;
  }
}

async function turn({ row, lane, chains }: Running, steps: number, database: Database | null): Promise<void> {
  const from = row.needs === 'PostgreSQL' ? database?.cpu() : null;
  const chain = await lane.chain(steps);
  const to = row.needs === 'PostgreSQL' ? database?.cpu() : null;
  const server = typeof from === 'number' && typeof to === 'number' ? to - from : chain.server;
  chains.push({ ...chain, server, steps });
}

async function figuresOf(
  { lane, before, chains }: Running,
  written: number,
  growth: readonly number[],
): Promise<Figures> {
  const times = chains.flatMap((chain) => chain.times);
  const after = await lane.bytes();
  const servers = chains.flatMap(({ server, steps }) => (server === null ? [] : [server / steps]));
  return {
    median: median(times),
    p99: quantile(times, 0.99),
    cpu: median(chains.map(({ cpu, steps }) => cpu / steps)),
    // A tick of the kernel is longer than a short turn uses: the mean of all turns.
    ...(servers.length === 0 ? {} : { server: servers.reduce((sum, each) => sum + each, 0) / servers.length }),
    ...(before === null || after === null ? {} : { bytes: (after - before) / written }),
    growth: median(growth),
  };
}
