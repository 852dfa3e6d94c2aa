/**
 * Runs that spend of the pools of one store under workers in as many processes, some of which are killed and replaced, while persons abort some of the
 * runs: no pool may ever be beyond its limit, none may be refused what there was room for, and in the end each pool knows what was spent.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workClient } from '../../../src/workers/client.ts';
import type { Chance } from '../../simulation/chance.ts';
import { carried, type Fleet, type Leaving } from '../../workers/contention/fleet.ts';

const POOLS = ['east', 'west'] as const;

/** So long after something happened in the world its run may not know of it, in milliseconds: the run may have to be taken up first. */
const SETTLED = 15_000;

export interface TrialOptions extends Fleet {
  readonly runs: number;
  readonly chance: Chance;
  /** The share of runs that a person aborts, at any time, in percent. */
  readonly aborted: number;
}

export interface Outcome {
  readonly done: number;
  /** The runs that were aborted, with all that they had paid. */
  readonly compensated: number;
  readonly payments: number;
  readonly refused: number;
  readonly refunded: number;
  /** The payments whose counterparty said once that they had not happened. */
  readonly unmade: number;
  readonly wrong: readonly string[];
  readonly killed: number;
  readonly seconds: number;
}

type Amounts = Readonly<Record<(typeof POOLS)[number], number>>;

/** A payment of the world, a refund, or a refusal. */
interface Fact extends Amounts {
  readonly at: number;
  readonly run: string;
}

export async function spend(options: TrialOptions): Promise<Outcome> {
  const { store, runs, world, chance } = options;
  const client = workClient(store);
  const from = performance.now();
  const names = Array.from({ length: runs }, (_, number) => `run-${number}`);
  const leaving: Leaving[] = [];
  for (const run of names) {
    if (chance.percent(options.aborted)) leaving.push({ run, at: chance.int(0, Math.floor(runs * 0.7)) });
    await client.start({ run, agent: 'spender', input: { payments: paymentsOf(chance) } });
  }
  // The pools hold three quarters of what the runs would like to spend.
  const config = readFileSync(new URL('spending.yaml', import.meta.url), 'utf8');
  mkdirSync(world, { recursive: true });
  writeFileSync(join(world, 'spending.yaml'), config.replaceAll('LIMIT', String(runs * 7)));
  const agent = new URL('spender.mjs', import.meta.url);
  const killed = await carried({ ...options, agent, undo: true }, names, leaving);
  const outcomes = await Promise.all(names.map((run) => client.result(run)));
  const facts: Facts = {
    paid: factsIn(world, 'paid'),
    refunded: factsIn(world, 'refunded'),
    unmade: factsIn(world, 'unmade'),
    unspent: factsIn(world, 'unspent'),
    refused: factsIn(world, 'refused'),
  };
  const { paid, refunded } = facts;
  const wrong: string[] = [];
  const told = new Set(leaving.map(({ run }) => run));
  for (const [nth, { is }] of outcomes.entries()) {
    const run = names[nth] as string;
    if (is !== 'done' && !told.has(run)) wrong.push(`${run} ended ${is}, and no person has said so`);
  }
  for (const pool of POOLS) {
    const found = await store.pools?.pool(pool);
    if (found === null || found === undefined) throw new Error(`the store has no pool ${pool}`);
    wrong.push(...wrongOf(pool, found.limit, facts));
    // What is undone was spent all the same (ER12).
    const sum = total(paid, pool);
    if (found.spent !== sum || found.reserved.length > 0)
      wrong.push(`${pool} says ${found.spent} and ${found.reserved.length} reserved, and ${sum} were spent`);
  }
  return {
    done: outcomes.filter(({ is }) => is === 'done').length,
    compensated: outcomes.filter(({ is }) => is === 'compensated').length,
    payments: paid.length,
    refused: facts.refused.length,
    refunded: refunded.length,
    unmade: facts.unmade.length,
    wrong,
    killed,
    seconds: Math.round(performance.now() - from) / 1_000,
  };
}

/** Two to five payments of one pool or of both; what is taken is all of it or less, the reply may be lost, and the counterparty may say no once. */
function paymentsOf(chance: Chance): object[] {
  return Array.from({ length: chance.int(2, 5) }, () => {
    const of = chance.pick(['east', 'west', 'both']);
    return {
      east: of === 'west' ? 0 : chance.int(1, 9),
      west: of === 'east' ? 0 : chance.int(1, 9),
      takes: chance.pick([1, 1, 0.5]),
      fails: chance.pick(['no', 'no', 'no', 'no', 'refused', 'lost']),
    };
  });
}

type Facts = Readonly<Record<'paid' | 'refunded' | 'unmade' | 'unspent' | 'refused', readonly Fact[]>>;

/**
 * What was wrong with a pool. Nothing that was spent comes back, so that the end says if there was ever too much. Of a refusal, the most that can have
 * been in the way counts: all that is spent in the end, and what was not taken later.
 */
function wrongOf(pool: keyof Amounts, limit: number, { paid, unmade, unspent, refused }: Facts): string[] {
  const wrong: string[] = [];
  const sum = total(paid, pool);
  if (sum > limit) wrong.push(`${pool} was beyond its limit: ${sum} of ${limit}`);
  const other = pool === 'east' ? 'west' : 'east';
  for (const fact of refused.filter((each) => each[pool] > 0 && each[other] === 0)) {
    const freed = [...unmade, ...unspent].filter(({ at }) => at >= fact.at - SETTLED);
    const most = sum + total(freed, pool);
    if (most + fact[pool] <= limit)
      wrong.push(`${fact.run} was refused ${fact[pool]} of ${pool} needlessly: at most ${most} of ${limit} were taken`);
  }
  return wrong;
}

function total(facts: readonly Fact[], pool: keyof Amounts): number {
  return facts.reduce((sum, fact) => sum + fact[pool], 0);
}

function factsIn(world: string, kind: string): Fact[] {
  const folder = join(world, kind);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Fact);
}
