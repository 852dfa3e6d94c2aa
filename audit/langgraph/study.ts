/** The study: a case under each runtime and seed, and the blocking witness. All of it is plain data. */
import { type InstanceId, instanceName, type Veto, vetoes } from 'belay-sidecar';
import type { Agent } from 'belay-sidecar/xstate';
import { DECISION_POLICY, type DecisionPolicy } from '#seam';
import { keysOf, there } from '../../domains/there.ts';
import type { Case, Domain } from '../case.ts';
import { UNGATED } from '../guards.ts';
import { type Measured, measure } from '../measure.ts';
import type { Outcome } from '../run.ts';
import { shownBy } from '../shown.ts';
import { type Ran, recover, type Site, takenBack, undisturbed } from '../strategies.ts';
import { duplicatesIn } from '../worlds.ts';
import { graphOf, onGraph } from './graphs.ts';
import { natively, stoppedAt, type WayOn } from './native.ts';

/** The runtimes of the study. */
export const RUNTIMES = {
  rerun: 'the whole graph is run anew',
  resume: 'LangGraph resumes the superstep that failed',
  restore: 'LangGraph goes back to the checkpoint before the failed work',
  ungated: 'Belay restores the newest reviewed checkpoint, whatever stands against it',
  gated: 'Belay restores the newest reviewed checkpoint that nothing stands against',
  machine: 'Belay on the machine, not on the graph',
} as const;

/** One of them. */
export type Runtime = keyof typeof RUNTIMES;

/** One run of a case under one runtime. */
export interface StudyRow extends Measured {
  readonly runtime: Runtime;
  readonly seed: number;
  /** The recovery was refused. */
  readonly blocked: boolean;
  /** Where the run went back to: an instance, and its checkpoint. */
  readonly backTo: string;
  /** The promises behind that which are made again, as `INSTANCE BOUNDARY`: LangGraph knows no promises. */
  readonly crossed: readonly string[];
  /** The vetoes of checkpoints, as `CHECKPOINT CODE WITNESS`. */
  readonly vetoes: readonly string[];
  /** Rows that are in the world twice, by their table. */
  readonly twice: Readonly<Record<string, number>>;
}

/** A case of the study. */
export interface Studied extends Pick<Case, 'domain' | 'name' | 'regime'> {
  readonly sets: readonly string[];
  readonly rows: readonly StudyRow[];
}

/** One way of going back past committed consumers. */
interface Restored {
  readonly admitted: boolean;
  /** The veto, where it is refused. */
  readonly veto: string | null;
  /** Those who had committed, and whose promise is gone. */
  readonly dropped: readonly string[];
  /** Rows that are in the world twice in the end, by their table. */
  readonly twice: Readonly<Record<string, number>>;
}

/** The blocking witness: a producer that is found wrong once its consumers have committed. */
export interface Witnessed {
  readonly domain: string;
  readonly case: string;
  readonly producer: string;
  /** The committed consumers, as the vetoes name them from the journal. */
  readonly consumers: readonly string[];
  readonly on: Restored;
  readonly off: Restored;
  readonly langgraph: Restored;
}

const ON_GRAPH: Readonly<Record<'ungated' | 'gated', DecisionPolicy>> = { ungated: UNGATED, gated: DECISION_POLICY };
const WAYS: readonly WayOn[] = ['rerun', 'resume', 'restore'];

/** Runs a case under every runtime. */
export async function study(
  agent: Agent,
  domain: Domain,
  given: Case,
  sets: readonly string[],
  repeat: number,
): Promise<Studied> {
  const graph = graphOf(domain.name);
  const machine: Site = { agent, domain, given, judges: DECISION_POLICY };
  const site: Site = { ...machine, attach: onGraph(graph) };
  const rows: StudyRow[] = [];
  for (let seed = 0; seed < repeat; seed += 1) {
    const reference = await undisturbed(site, seed);
    const stopped = await stoppedAt(site, graph, seed);
    for (const way of WAYS) {
      const { outcome, step, at, crossed } = await natively(site, graph, seed, way, stopped);
      const measured = measure(domain, given, STRATEGY[way], outcome, reference, step);
      const back = { backTo: at ?? 'the start', crossed, vetoes: [] };
      rows.push(rowOf(way, seed, { outcome, measured }, reference, back));
    }
    for (const [runtime, judges] of keysOf<'ungated' | 'gated'>(ON_GRAPH).map(
      (name) => [name, ON_GRAPH[name]] as const,
    ))
      rows.push(decided(runtime, seed, await recovered({ ...site, judges }, seed, reference), reference));
    const plain = await undisturbed(machine, seed);
    rows.push(decided('machine', seed, await recovered(machine, seed, plain), plain));
  }
  const { name, regime } = given;
  return { domain: domain.name, name, regime, sets, rows };
}

/** The measures take a whole rerun for one, and LangGraph's checkpoints for snapshots. */
const STRATEGY = { rerun: 'retry-only', resume: 'coarse-state-retry', restore: 'coarse-state-retry' } as const;

async function recovered(site: Site, seed: number, reference: Outcome): Promise<Ran> {
  return there(await recover(site, 'belay', seed, reference), 'run');
}

type Back = Pick<StudyRow, 'backTo' | 'crossed' | 'vetoes'>;

function rowOf(runtime: Runtime, seed: number, { outcome, measured }: Ran, reference: Outcome, back: Back): StudyRow {
  const verdict = outcome.after === null ? null : outcome.decision?.verdict;
  const blocked = verdict === 'rerun' || verdict === 'escalate';
  return { ...measured, ...back, runtime, seed, blocked, twice: duplicatesIn(outcome.world, reference.world) };
}

function decided(runtime: Runtime, seed: number, ran: Ran, reference: Outcome): StudyRow {
  const { verdict, instance, checkpoint, vetoes: refused } = shownBy(ran.outcome, ran.measured);
  const backTo = checkpoint === null ? verdict : `${instance} ${checkpoint}`;
  return rowOf(runtime, seed, ran, reference, { backTo, crossed: [], vetoes: refused });
}

/** Runs the witness: with the gate, past it, and by LangGraph alone. @throws where no committed consumer is in the way of the producer. */
export async function witness(agent: Agent, domain: Domain, given: Case): Promise<Witnessed> {
  const graph = graphOf(domain.name);
  const site: Site = { agent, domain, given, judges: DECISION_POLICY, attach: onGraph(graph) };
  const reference = await undisturbed(site, 0);
  const on = await recovered(site, 0, reference);
  const consuming = consumersIn(on.outcome);
  const producer = on.outcome.decision?.failed ?? null;
  if (producer === null || consuming.length === 0)
    throw new Error(`no committed consumer is in the way of ${given.name}`);
  const off = await recovered({ ...site, judges: UNGATED }, 0, reference);
  const native = await natively(site, graph, 0, 'restore', await stoppedAt(site, graph, 0));
  const { dropped } = measure(domain, given, STRATEGY.restore, native.outcome, reference, native.step);
  const twice = ({ world }: Outcome) => duplicatesIn(world, reference.world);
  return {
    domain: domain.name,
    case: given.name,
    producer: instanceName(producer),
    consumers: [...new Set(consuming.map(({ dependence }) => instanceName(dependence.consumer)))].sort(),
    on: restored(on.outcome, producer, twice(on.outcome)),
    off: restored(off.outcome, producer, twice(off.outcome)),
    langgraph: {
      admitted: native.outcome.status === 'done',
      veto: null,
      dropped: [...dropped].sort(),
      twice: twice(native.outcome),
    },
  };
}

/** A restore by Belay, by what it decided. */
function restored(outcome: Outcome, producer: InstanceId, twice: Restored['twice']): Restored {
  const verdict = outcome.decision?.verdict;
  const admitted = verdict === 'restore' || verdict === 'restore_joint';
  const dropped = admitted ? [...takenBack(outcome, producer)].sort() : [];
  return { admitted, veto: consumersIn(outcome)[0]?.code ?? null, dropped, twice };
}

type OfConsumer = Extract<Veto, { readonly dependence: unknown }>;

/** The vetoes over committed consumers. */
function consumersIn({ decision }: Outcome): readonly OfConsumer[] {
  const all = decision === null ? [] : [...vetoes(decision)];
  return all.filter((veto): veto is OfConsumer => veto.code === 'committed_consumers_present');
}
