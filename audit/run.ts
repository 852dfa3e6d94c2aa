/** One run of a case: in a world of its own, on the substrate, under the sidecar or, once it has failed, without it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  accountOf,
  type BoundaryConfig,
  type Decision,
  type InstanceId,
  instanceName,
  loadConfig,
  memoryStore,
  type Policy,
  traceOf,
  vetoes,
} from 'belay-sidecar';
import type { Effect } from 'belay-sidecar/decision';
import type { Account } from 'belay-sidecar/reports';
import { type Agent, attach, type OpenAgent, type Sidecar } from 'belay-sidecar/xstate';
import { median } from 'simple-statistics';
import { attachJudged, DECISION_POLICY, type DecisionPolicy } from '#seam';
import { fieldOf, there } from '../domains/there.ts';
import type { Case, Failing } from './case.ts';
import type { Raw } from './raw.ts';
import { type Call, isNth, onSubstrate, type Substrate } from './substrate.ts';
import { goOn, LONGEST, type Persisted, Persistence } from './workloads/plain.ts';
import type { Rows } from './worlds.ts';

/** The way of recovery under the sidecar. */
export interface Recovery {
  readonly policy: Policy;
  readonly judges: DecisionPolicy;
  /** True if counterparties can be asked what became of a call. */
  readonly asks: boolean;
  /** True if a person gives a false answer about each effect after a refusal: it never happened, or is undone. */
  readonly lies?: boolean;
  /** Another config than the agent's own. */
  readonly config?: BoundaryConfig;
  /** The store of the journal, for those who read the run afterwards, and its name there; else it is in memory, and gone with the run. */
  readonly kept?: { readonly journal: ReturnType<typeof memoryStore>; readonly run: string };
  /** Attaches the run to what executes the agent; its machine, if left out. */
  readonly attach?: Attaching;
}

/** A run of an agent that is attached, and not started. */
interface Attached {
  readonly commands: Pick<Sidecar, 'finished' | 'settle' | 'fail' | 'durable' | 'close'>;
  start(): void;
  /** The memory as it is now, or as it was in the end. */
  memory(): unknown;
  /** The snapshots that a plain runtime would keep. */
  readonly steps: readonly Persisted[];
}

/** Attaches a run, with judges, to what executes the agent; the tools are those of the machine. */
export type Attaching = (
  machine: OpenAgent['machine'],
  options: RunOptions,
  judges: DecisionPolicy,
) => Promise<Attached>;

type RunOptions = Omit<Parameters<typeof attachJudged>[1], 'inspect'>;

/** The machine of an agent executes it. */
const onMachine: Attaching = async (machine, options, judges) => {
  const persistence = new Persistence(machine);
  const sidecar = await attachJudged(machine, { ...options, inspect: persistence.inspect }, judges);
  persistence.begin(sidecar.actor);
  return {
    commands: sidecar,
    steps: persistence.steps,
    start: () => void sidecar.actor.start(),
    memory: () => fieldOf(sidecar.actor.getSnapshot(), 'context'),
  };
};

/** A call as it was asked for, and by whom. */
interface Asked {
  readonly tool: string;
  readonly args: string;
  readonly instance: string;
}

/**
 * The sizes that a run leaves besides its outcome: the journal's bytes, and the snapshots that a plain runtime would
 * keep.
 */
export interface Left {
  readonly account: Account;
  readonly steps: readonly Persisted[];
  readonly journalBytes: number;
  /** The time to read the journal from its beginning, in milliseconds. */
  readonly readIn: number;
}

/** The observations of a run. */
export interface Outcome {
  /** `failed`: the run broke where nothing caught it. */
  readonly status: 'done' | 'parked' | 'stuck' | 'failed';
  /** The answer to the failure; null where the run did not fail, or no decision was asked. */
  readonly decision: Decision | null;
  /** The number of answers in all. */
  readonly decisions: number;
  /** The run as it stood when it failed, and the trace of what had happened. */
  readonly before: Account;
  readonly trace: readonly string[];
  /** The run in the end; null where a plain runtime went on. */
  readonly after: Account | null;
  readonly memory: unknown;
  readonly world: Rows;
  readonly asked: readonly Asked[];
  /** The calls that were made, and how many of them before the recovery. */
  readonly calls: readonly Call[];
  readonly mark: number;
  readonly failed: Substrate['failed'];
  /** From the failure to the success of what had failed, in milliseconds; null where it never did. */
  readonly latency: number | null;
}

/** A case whose failure never came. */
export class NeverFailed extends Error {
  override readonly name = 'NeverFailed';

  constructor({ domain, name }: Pick<Case, 'domain' | 'name'>) {
    super(`${domain}/${name}: the failure never came`);
  }
}

/** The raw failure of a repeat: each in turn. */
export function rawOf({ raw }: Pick<Case, 'raw'>, seed: number): Raw | null {
  return raw[seed % Math.max(raw.length, 1)] ?? null;
}

/** Runs a case under the sidecar; `failing` null for the run that never fails. */
export function underSidecar(
  agent: Agent,
  given: Case,
  seed: number,
  failing: Failing | null,
  how: Recovery,
): Promise<Outcome> {
  return inWorld(agent, given.input, async (opened) => {
    const watched = await watch(agent, opened, { given, seed, failing, how });
    const outcome = observed(watched, watched.status, watched.memory(), await rowsOf(opened));
    await watched.close();
    return outcome;
  });
}

/** Runs an agent that does not fail, and looks at what is left behind. */
export function leftBy(agent: Agent, given: Case): Promise<Left> {
  return inWorld(agent, given.input, async (opened) => {
    const how: Recovery = { policy: 'line', judges: DECISION_POLICY, asks: true };
    const watched = await watch(agent, opened, { given, seed: 0, failing: null, how });
    const { rows, steps } = watched;
    const account = accountOf(rows);
    const readIn = medianTime(() => void accountOf(rows));
    await watched.close();
    const journalBytes = rows.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
    return { account, steps, journalBytes, readIn };
  });
}

/** The time from a failure to the decision about it, in the process that has the run, in milliseconds; null where the case does not fail. */
export function decidedIn(agent: Agent, given: Case, seed: number): Promise<number | null> {
  return inWorld(agent, given.input, async (opened) => {
    const how: Recovery = { policy: 'line', judges: DECISION_POLICY, asks: true };
    const watched = await watch(agent, opened, { given, seed, failing: given.failing, how });
    const { first, substrate } = watched;
    await watched.close();
    return first === null ? null : first.at - substrate.failedAt;
  });
}

/** The median of nine times, in milliseconds. */
export function medianTime(act: () => void): number {
  const times = Array.from({ length: 9 }, () => {
    const began = performance.now();
    act();
    return performance.now() - began;
  });
  return median(times);
}

/**
 * The duration of an agent that does not fail, with the sidecar and without it, in milliseconds; one run of each, in
 * turn.
 */
export async function timed(agent: Agent, given: Case): Promise<{ readonly plain: number; readonly sidecar: number }> {
  const time = async (act: () => Promise<unknown>): Promise<number> => {
    const began = performance.now();
    await act();
    return performance.now() - began;
  };
  const plain = await inWorld(agent, given.input, (opened) => time(() => goOn(opened, null)));
  const sidecar = await inWorld(agent, given.input, (opened) =>
    time(async () => {
      const { machine, input, undo = {}, reconcilers = {}, buffers = {}, checks = {} } = opened;
      const options = { run: 'audit', config: agent.config, input, undo, reconcilers, buffers, checks };
      const own = await attach(machine, options);
      own.actor.start();
      await own.finished();
      await own.close();
    }),
  );
  return { plain, sidecar };
}

/** Where a plain runtime goes on, of what it persisted until the failure: null is the start, undefined is nowhere. */
export type Choice = (steps: readonly Persisted[], before: Account, decision: Decision) => Persisted | null | undefined;

/** Runs a case until it fails, and goes on without the sidecar, in the same world, from where a plain runtime would. */
export function withoutSidecar(agent: Agent, given: Case, seed: number, choose: Choice): Promise<Outcome | null> {
  return inWorld(agent, given.input, async (opened) => {
    const how: Recovery = { policy: 'dart', judges: STOPPING, asks: false };
    const watched = await watch(agent, opened, { given, seed, failing: given.failing, how });
    const { first } = watched;
    if (first === null) throw new NeverFailed(given);
    const before = accountOf(watched.rowsUntil());
    await watched.close();
    const from = choose(watched.steps, before, first.decision);
    if (from === undefined) return null;
    // A call that was under way when the run stopped is none of those that are made again.
    const mark = watched.substrate.calls.length;
    const memory = await goOn({ ...opened, machine: watched.substrate.machine }, from);
    const outcome = observed(watched, memory === null ? 'failed' : 'done', memory, await rowsOf(opened), mark);
    return { ...outcome, after: null };
  });
}

/** DecisionPolicy that stop the run where it fails: what is refused then is what a plain runtime is left with. */
export const STOPPING: DecisionPolicy = {
  ...DECISION_POLICY,
  decide: (history, failure, rules, around) => {
    const { failed, at, policy, refusals } = DECISION_POLICY.decide(history, failure, rules, around);
    const unblock = { leadsTo: 'rerun', acts: [] } as const;
    return { verdict: 'escalate', failed, at, policy, refusals, line: null, undo: [], unblock };
  },
};

interface Setting {
  readonly given: Case;
  readonly seed: number;
  readonly failing: Failing | null;
  readonly how: Recovery;
}

/** The counterparties of an open agent, and its guards. */
function counterpartiesOf(
  { reconcilers = {}, undo = {}, buffers = {}, checks = {}, guards }: OpenAgent,
  asks: boolean,
) {
  return { reconcilers: asks ? reconcilers : {}, undo, buffers, checks, ...(guards !== undefined && { guards }) };
}

const configs = new Map<string, BoundaryConfig>();

/** The config of a file, which hundreds of runs share: read once. */
function configOf(file: string): BoundaryConfig {
  const known = configs.get(file);
  if (known !== undefined) return known;
  const { config, findings } = loadConfig(readFileSync(file, 'utf8'), { file });
  if (config === null) throw new Error(findings.map(({ message }) => message).join('; '));
  configs.set(file, config);
  return config;
}

async function watch(agent: Agent, opened: OpenAgent, { given, seed, failing, how }: Setting) {
  const { journal, run } = how.kept ?? { journal: memoryStore(), run: 'audit' };
  const raw = failing === null ? null : rawOf(given, seed);
  const substrate = onSubstrate(opened.machine, failing, raw, seed);
  const asked: Asked[] = [];
  const seen: { readonly decision: Decision; readonly calls: number; readonly at: number }[] = [];
  const fails = (call: { tool: string; args: unknown }): void => {
    substrate.failed = { tool: call.tool, args: JSON.stringify(call.args) };
    substrate.failedAt = performance.now();
  };
  const attached = await (how.attach ?? onMachine)(
    substrate.machine,
    {
      run,
      journal,
      config: how.config ?? configOf(agent.config),
      input: opened.input,
      ...counterpartiesOf(opened, how.asks),
      governor: async (call) => {
        const { tool, args } = call;
        asked.push({ tool, args: JSON.stringify(args), instance: instanceName(call.instance) });
        if (failing === null || !isNth(failing.call, tool, asked)) return null;
        if ('found' in failing) {
          fails(call);
          await attached.commands.fail(failing.signal ?? 'CONTRACT_VIOLATION', {
            instance: failing.found,
            key: failing.key,
          });
        }
        if (raw !== 'denied') return null;
        fails(call);
        return `rehearsed: ${tool} is not allowed`;
      },
      onDecision: ({ decision }) => {
        seen.push({ decision, calls: substrate.calls.length, at: performance.now() });
      },
    },
    { ...how.judges, policy: how.policy },
  );
  const { commands: sidecar } = attached;
  attached.start();
  let status = await endingOf(sidecar);
  if (how.lies === true && status === 'parked') {
    const effects = effectsIn(seen.at(-1)?.decision);
    substrate.forget(new Set(effects.flatMap(({ tool }) => tool ?? [])));
    for (const { id, status: known } of effects)
      if (id !== null) await sidecar.settle(id, known === 'confirmed' ? 'compensated' : 'failed');
    status = await endingOf(sidecar);
  }
  await sidecar.durable();
  const rows = [...journal.read(run)];
  const first = (how.lies === true ? seen.at(-1) : seen[0]) ?? null;
  return {
    status,
    substrate,
    steps: attached.steps,
    asked,
    first,
    decisions: seen.length,
    rows,
    memory: () => attached.memory(),
    rowsUntil() {
      const [decided] = accountOf(rows).decisions;
      return rows.filter(({ seq }) => decided === undefined || seq <= decided.seq);
    },
    async close() {
      await sidecar.close();
      if (how.kept === undefined) await journal.close();
    },
  };
}

function observed(
  watched: Awaited<ReturnType<typeof watch>>,
  status: Outcome['status'],
  memory: unknown,
  world: Rows,
  mark = watched.first?.calls ?? watched.substrate.calls.length,
): Outcome {
  const { substrate, first, asked, decisions, rows } = watched;
  const until = watched.rowsUntil();
  return {
    status,
    decision: first?.decision ?? null,
    decisions,
    before: accountOf(until),
    trace: [...traceOf('audit', until)].map(({ text }) => text),
    after: accountOf(rows),
    memory,
    world,
    asked,
    calls: substrate.calls,
    mark,
    failed: substrate.failed,
    latency: latencyOf(substrate, first, mark),
  };
}

/** From the failure to the success of what had failed, in milliseconds; null where it never did. */
export function latencyOf(
  { calls, failed, failedAt }: Substrate,
  first: { readonly decision: Decision; readonly at: number } | null,
  mark: number,
): number | null {
  if (first === null || failed === null) return null;
  const again = calls.slice(mark).find(({ tool, ended }) => tool === failed.tool && ended !== null);
  if (again !== undefined) return there(again.ended, 'end of a call') - failedAt;
  return first.decision.verdict === 'settle' ? first.at - failedAt : null;
}

/** The effects that stand in the way of anything. */
function effectsIn(decision: Decision | undefined): readonly Effect[] {
  const all = decision === undefined ? [] : [...vetoes(decision)];
  return [
    ...new Map(all.flatMap((veto) => ('effect' in veto ? [[veto.effect.id, veto.effect] as const] : []))).values(),
  ];
}

/** The end of a run; one that stands still for too long is broken. */
async function endingOf(sidecar: Attached['commands']): Promise<Outcome['status']> {
  const late = new AbortController();
  const waited = pause(LONGEST, 'failed' as const, { signal: late.signal, ref: false }).catch(() => 'failed' as const);
  const ended = sidecar.finished().then(
    ({ status }) => (status === 'cancelled' || status === 'compensated' || status === 'paused' ? 'failed' : status),
    () => 'failed' as const,
  );
  return Promise.race([ended, waited]).finally(() => late.abort());
}

/** Opens an agent in a folder of its own, and closes it afterwards. */
export async function inWorld<T>(agent: Agent, input: unknown, use: (opened: OpenAgent) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-audit-'));
  try {
    const opened = await agent.open({ run: 'audit', folder, input });
    try {
      return await use(opened);
    } finally {
      await opened.close?.();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function rowsOf(opened: OpenAgent): Promise<Rows> {
  return (await opened.world?.()) ?? {};
}

/** True if two instances are of one skeleton and entity. */
export function isSameWork(a: InstanceId, b: InstanceId): boolean {
  return a.skeleton === b.skeleton && a.entity === b.entity;
}
