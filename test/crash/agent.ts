/**
 * An agent in a process of its own: it takes its run up where the journal ends, or begins it, and says how it ended. It may be
 * told to die on the way. A script; its one argument is a `Task` as JSON.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { Reconciler, StagedCall, Undo } from '../../src/effects/counterparty.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import type { PostgresOptions } from '../../src/journal/postgres/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import type { Decision } from '../../src/model/decision.ts';
import type { RunOptions } from '../../src/sidecar/opening/options.ts';
import { resume, type Sidecar } from '../../src/xstate/attach.ts';
import { Client } from './client.ts';
import { type Death, deadly, die, type Phase, say } from './deadly.ts';
import { AGENTS, type AgentName } from './machines.ts';

/** What a process is to do. */
export interface Task {
  readonly agent: AgentName;
  readonly file: string;
  /** The database where its journal lies, if it is not that file. */
  readonly postgres?: PostgresOptions;
  readonly port: number;
  readonly world: string;
  /** Whether the counterparty may be asked. */
  readonly reconcile: boolean;
  /** Whether a person is there, who settles what the run is parked on by what the counterparty's books say. */
  readonly person: boolean;
  readonly death: Death | null;
}

/** How a process ended that lived. */
export interface End {
  readonly status: 'done' | 'parked' | 'stuck' | 'over';
  readonly value: unknown;
  readonly context: unknown;
  /** What it is parked on. */
  readonly decision: Decision | null;
  readonly verdicts: readonly string[];
  readonly findings: readonly string[];
  readonly appends: number;
  readonly phases: readonly Phase[];
}

async function live(task: Task): Promise<End> {
  const { config, file, port, world, reconcile, death } = { ...AGENTS[task.agent], ...task };
  const loaded = loadConfig(config, { file: `${task.agent}.yaml` });
  if (loaded.config === null) throw new Error(loaded.findings.map(({ message }) => message).join('\n'));
  const client = new Client(port, world);
  const store = task.postgres === undefined ? sqliteStore(file) : await onServer(task.postgres);
  const told = { appends: 0, phases: [] as Phase[] };
  const [verdicts, findings]: string[][] = [[], []];
  const ask: Reconciler = async ({ key }) => {
    const { applied, value } = await client.ask(key);
    return applied ? { is: 'applied', output: value } : { is: 'not_applied' };
  };
  const unbook: Undo = async ({ undoKey, args }) => void (await client.act('unbook', undoKey, args));
  const said = () => ({ verdicts: verdicts as string[], findings: findings as string[], ...told });
  const attached = {
    run: 'r',
    config: loaded.config,
    journal: deadly(store, death, told),
    reconcilers: reconcile ? { ask } : {},
    undo: { unbook },
    buffers: { books: { publish: (calls) => post(client, calls), discard: () => {} } },
    onGate: () => queueMicrotask(approve),
    onDecision: ({ decision }) => verdicts?.push(decision.verdict),
    onFinding: ({ code }) => findings?.push(code),
  } satisfies RunOptions;
  const sidecar = await onceFree(() => resume(AGENTS[task.agent].machine(client), attached));
  /** A person who approves of everything, and is always there. */
  function approve(): void {
    for (const { gate, asks } of sidecar.gates())
      if (asks === 'approval') void sidecar.answer(gate, 'approved', { by: 'Ada' }).catch(() => {});
  }
  const isOver = sidecar.status === 'done';
  const { actor } = sidecar;
  // What it is given back after each transition is what it may tell others: the test holds it to that.
  actor.subscribe(() => void sidecar.durable().catch(() => {}));
  actor.start();
  approve();
  // A user who saw no reaction asks again; one who did does not.
  if (JSON.stringify(actor.getSnapshot().value).includes('idle')) actor.send({ type: 'go' });
  let ending = await sidecar.finished();
  if (death?.at === 'END' && !isOver) die(death, told.appends);
  while (task.person && ending.status === 'parked') {
    await settle(sidecar, client, ending.decision);
    ending = await sidecar.finished();
  }
  const { value, context } = actor.getSnapshot();
  await sidecar.close();
  await store.close();
  const status =
    isOver || ending.status === 'cancelled' || ending.status === 'compensated' || ending.status === 'paused'
      ? 'over'
      : ending.status;
  return { status, value, context, decision: 'decision' in ending ? ending.decision : null, ...said() };
}

/** A journal on a server. What speaks with one is loaded by those alone that do: it takes a fifth of the time that a process takes to start. */
async function onServer(place: PostgresOptions): Promise<JournalStore> {
  const { postgresStore } = await import('../../src/journal/postgres/store.ts');
  return postgresStore(place);
}

/** Waits until the lease of a process that was killed is over: a server does not see that it is gone. */
async function onceFree<T>(open: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'lease_held') throw error;
      await pause(50);
    }
  }
}

/** Makes staged calls visible, one after the other; the counterparty knows those by their keys that it has. */
async function post(client: Client, calls: readonly StagedCall[]): Promise<void> {
  for (const { tool, key, args } of calls) await client.act(tool, key, `${tool} ${JSON.stringify(args)}`);
}

/** What a person does who is told which effect it is about, and looks it up. */
async function settle(sidecar: Sidecar, client: Client, decision: Decision): Promise<void> {
  if (!('unblock' in decision)) throw new Error(`parked by a ${decision.verdict}`);
  const acts = decision.unblock.acts.flatMap((act) => (act.act === 'settle_outcome' ? [act.effect.id ?? ''] : []));
  if (acts.length === 0) throw new Error(`nothing can be settled: ${JSON.stringify(decision)}`);
  for (const key of acts) {
    const { applied, value } = await client.ask(key);
    await sidecar.settle(key, applied ? 'confirmed' : 'failed', applied ? value : undefined);
  }
}

say({ end: await live(JSON.parse(process.argv[2] as string)) });
process.exit();
