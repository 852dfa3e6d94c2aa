/**
 * The measurements besides the cases: raw signals, forced edges, the size of what is kept, and the cost of the sidecar.
 */
import { readFileSync } from 'node:fs';
import { type BoundaryConfig, instanceName, loadConfig, type Signal } from 'belay-sidecar';
import type { Account } from 'belay-sidecar/reports';
import type { Agent } from 'belay-sidecar/xstate';
import { median } from 'simple-statistics';
import { parse, stringify } from 'yaml';
import { DECISION_POLICY } from '#seam';
import { keysOf } from '../domains/there.ts';
import type { Case, Domain } from './case.ts';
import { RAW, type Raw } from './raw.ts';
import { decidedIn, leftBy, medianTime, timed, underSidecar } from './run.ts';
import { shownBy } from './shown.ts';
import { type Persisted, standAgain } from './workloads/plain.ts';

/** A raw failure at a site, and the decision that it led to under the paper's rule and under Belay. */
export interface Signalled {
  readonly raw: string;
  readonly signal: Signal;
  readonly frozen: string;
  readonly belay: string;
}

/** Every raw failure at the site of a case. A call that was denied was never made, which is another failure. */
export async function signalled(agent: Agent, given: Case): Promise<readonly Signalled[]> {
  const { failing } = given;
  if ('found' in failing) {
    const signals = ['CONTRACT_VIOLATION', 'INVALID_OUTPUT', 'MISSING_INPUT', 'CHAIN_EXCEPTION'] as const;
    return inTurn(signals, async (signal) => {
      const answers = await answersTo(agent, { ...given, failing: { ...failing, signal } });
      return { raw: signal.toLowerCase(), signal, ...answers };
    });
  }
  const raws = keysOf<Raw>(RAW).filter((raw) => raw !== 'denied');
  return inTurn(raws, async (raw) => {
    return { raw, signal: RAW[raw], ...(await answersTo(agent, { ...given, raw: [raw] })) };
  });
}

async function answersTo(agent: Agent, given: Case): Promise<Pick<Signalled, 'frozen' | 'belay'>> {
  const answer = async (policy: 'line' | 'dart', asks: boolean): Promise<string> => {
    const outcome = await underSidecar(agent, given, 0, given.failing, { policy, judges: DECISION_POLICY, asks });
    const { verdict, checkpoint, vetoes } = shownBy(outcome, { preserved: [], replay: null });
    const kind = outcome.before.instances
      .flatMap(({ checkpoints }) => checkpoints)
      .find(({ boundary }) => boundary === checkpoint)?.kind;
    if (verdict === 'restore' || verdict === 'restore_joint' || verdict === 'settle')
      return `${verdict} ${kind ?? 'none'}`;
    const codes = new Set(
      vetoes.map((veto) => veto.split(' ').find((word) => /^[a-z]+(_[a-z]+)+$/.test(word)) ?? veto),
    );
    return `${verdict} ${[...codes].sort().join(' ')}`;
  };
  return { frozen: await answer('dart', false), belay: await answer('line', true) };
}

/**
 * The instances that are marked as having left by the edge once it is declared, and those of them that have an exit in
 * the present config.
 */
export interface WrongEdge {
  readonly domain: string;
  readonly edge: string;
  readonly declared: readonly string[];
  readonly frozen: readonly string[];
}

/** Declares a legal edge as an exit whatever holds, and looks at who is marked as having left by it. */
export async function wrongEdge(agent: Agent, { name, wrongEdge: wrong }: Domain, given: Case): Promise<WrongEdge> {
  if (wrong === null) throw new Error(`${name} has no edge to force`);
  const marked = async (config: BoundaryConfig | undefined) => {
    const how = {
      policy: 'line',
      judges: DECISION_POLICY,
      asks: true,
      ...(config !== undefined && { config }),
    } as const;
    const { after } = await underSidecar(agent, given, 0, null, how);
    return (after?.instances ?? []).flatMap(({ id, checkpoints }) =>
      checkpoints.filter(({ kind }) => kind === 'exit').map(({ boundary }) => ({ who: instanceName(id), boundary })),
    );
  };
  const exits = await marked(withEdge(agent.config, wrong));
  const declared = exits.filter(({ boundary }) => boundary === FORCED).map(({ who }) => who);
  const frozen = (await marked(undefined)).map(({ who }) => who).filter((who) => declared.includes(who));
  return { domain: name, edge: wrong.at, declared, frozen };
}

const FORCED = 'forced-edge';

function withEdge(file: string, { skeleton, at }: NonNullable<Domain['wrongEdge']>): BoundaryConfig {
  const page: { skeletons: Record<string, { exit?: object[]; rollback?: { anchors?: string[] } }> } = parse(
    readFileSync(file, 'utf8'),
  );
  const own = page.skeletons[skeleton];
  if (own === undefined) throw new Error(`${file} has no skeleton ${skeleton}`);
  own.exit = [...(own.exit ?? []), { id: FORCED, at, when: 'true', outputs: [] }];
  own.rollback = { ...own.rollback, anchors: [...(own.rollback?.anchors ?? []), FORCED] };
  const { config, findings } = loadConfig(stringify(page), { file });
  if (config === null) throw new Error(findings.map(({ message }) => message).join('; '));
  return config;
}

/** The size of a run with so many checkpoints, and the time to restore it. Bytes of JSON, and milliseconds. */
export interface Depth {
  readonly checkpoints: number;
  /** The registry of instances and checkpoints alone. */
  readonly registry: number;
  /** The journal, from which everything is folded. */
  readonly journal: number;
  /** A whole snapshot at every checkpoint. */
  readonly inline: number;
  readonly restoreRegistry: number;
  readonly restoreInline: number;
  /** The time from a failure to the decision about it, in the process that has the run; null where its call never comes. */
  readonly restoreInPlace: number | null;
  /** The bytes of the registry and of whole snapshots at the first checkpoint of the run, at the first two, and so on. */
  readonly first: readonly { readonly registry: number; readonly inline: number }[];
}

/** The most checkpoints of the paper's study. */
const DEEPEST = 5;
const TRIES = 5;

/** Runs the same agent on a longer and longer task. */
export async function depths(agent: Agent, given: Case, inputs: readonly unknown[]): Promise<readonly Depth[]> {
  return inTurn(inputs, async (input) => {
    const left = await leftBy(agent, { ...given, input });
    const { account, steps } = left;
    const places = account.instances.flatMap(({ checkpoints }) => checkpoints.map(({ step }) => step));
    const snapshots = places.map((step) => JSON.stringify(steps[step]?.snapshot ?? null));
    const last = snapshots.reduce((longest, text) => (text.length > longest.length ? text : longest), '');
    const decided = await inTurn(
      Array.from({ length: TRIES }, (_, seed) => seed),
      (seed) => decidedIn(agent, { ...given, input }, seed),
    );
    const times = decided.filter((time) => time !== null);
    return {
      checkpoints: places.length,
      registry: JSON.stringify(account.instances).length,
      journal: left.journalBytes,
      inline: snapshots.reduce((sum, text) => sum + text.length, 0),
      restoreRegistry: left.readIn,
      restoreInline: medianTime(() => standAgain(agent.machine, last)),
      restoreInPlace: times.length === 0 ? null : median(times),
      first: firstOf(account.instances, steps),
    };
  });
}

/** The sizes at the first checkpoints of a run, in the order in which they were taken. */
function firstOf(instances: Account['instances'], steps: readonly Persisted[]): Depth['first'] {
  const taken = instances
    .flatMap(({ checkpoints, ...instance }) => checkpoints.map((checkpoint) => ({ ...instance, checkpoint })))
    .toSorted((a, b) => a.checkpoint.step - b.checkpoint.step)
    .slice(0, DEEPEST);
  return taken.map((_, last) => {
    const kept = taken.slice(0, last + 1);
    const inline = kept.map(({ checkpoint }) => JSON.stringify(steps[checkpoint.step]?.snapshot ?? null).length);
    return { registry: JSON.stringify(kept).length, inline: inline.reduce((sum, size) => sum + size, 0) };
  });
}

/** The cost of the sidecar in a run that does not fail, in milliseconds, and the size of its journal, in bytes. */
export interface Overhead {
  readonly domain: string;
  readonly plain: readonly number[];
  readonly sidecar: readonly number[];
  readonly journal: number;
  /** The largest snapshot that a plain runtime would keep. */
  readonly peak: number;
}

/** Times runs in turn. */
export async function overhead(agent: Agent, given: Case, times: number): Promise<Overhead> {
  const pairs = await inTurn(Array.from({ length: times }), () => timed(agent, given));
  const { journalBytes, steps } = await leftBy(agent, given);
  return {
    domain: given.domain,
    plain: pairs.map(({ plain }) => plain),
    sidecar: pairs.map(({ sidecar }) => sidecar),
    journal: journalBytes,
    peak: Math.max(...steps.map(({ snapshot }) => JSON.stringify(snapshot).length)),
  };
}

async function inTurn<T, U>(all: readonly T[], act: (each: T) => Promise<U>): Promise<readonly U[]> {
  const done: U[] = [];
  for (const each of all) done.push(await act(each));
  return done;
}
