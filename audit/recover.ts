/** One case under one strategy: the agent runs under the sidecar in a world of its own, fails, and what comes of it is observed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Account,
  type Agent,
  accountOf,
  attach,
  type Checkpoint,
  type Decision,
  type Ending,
  History,
  type InstanceId,
  instanceName,
  memoryStore,
  type OpenAgent,
  traceOf,
  traceReader,
  withFault,
} from 'belay-sidecar';
import type { CallSite, Case, Failing, Strategy } from './case.ts';
import type { Rows } from './worlds.ts';

/** What was observed. */
export interface Observed {
  readonly ending: Ending['status'];
  /** The answer to the failure; null where the run did not fail. */
  readonly decision: Decision | null;
  /** The run as it stood when it failed. */
  readonly before: Account;
  /** What had happened by then, as a trace. */
  readonly trace: readonly string[];
  /** The calls that were made in all, and those from the recovery on until the failed one had been made again. */
  readonly calls: number;
  readonly replayed: number;
  /** Completed instances that nothing happened to. */
  readonly preserved: readonly InstanceId[];
  readonly world: Rows;
}

/** Opens an agent in a folder of its own, and closes it afterwards. */
export async function inWorld<T>(agent: Agent, input: unknown, use: (opened: OpenAgent) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-audit-'));
  try {
    const opened = await agent.open({ run: 'audit', folder, input });
    try {
      return await use(opened);
    } finally {
      await opened.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The rows of a world. */
export async function rowsOf(opened: OpenAgent): Promise<Rows> {
  return (await opened.world?.()) ?? {};
}

/** Runs an agent under the sidecar; `failing` null for the run that never fails. */
export function observe(
  agent: Agent,
  { input }: Pick<Case, 'input'>,
  failing: Failing | null,
  strategy: Strategy,
): Promise<Observed> {
  return inWorld(agent, input, async (opened) => {
    const journal = memoryStore();
    const seen: { decision: Decision; calls: number }[] = [];
    const calls: Call[] = [];
    let failed: Call | null = null;
    const faulty =
      failing === null || 'found' in failing
        ? null
        : withFault(opened.machine, { ...failing.call, when: failing.when, signal: failing.signal });
    const sidecar = await attach(faulty?.machine ?? opened.machine, {
      run: 'audit',
      journal,
      config: agent.config,
      input: opened.input,
      policy: strategy === 'dart' ? 'dart' : 'line',
      reconcilers: strategy === 'belay' ? (opened.reconcilers ?? {}) : {},
      undo: opened.undo ?? {},
      governor: async ({ tool, args }) => {
        const call = { tool, args: JSON.stringify(args) };
        calls.push(call);
        const denied = faulty?.governor({ tool }) ?? null;
        if (failing === null || !isSite(failing.call, calls)) return denied;
        failed = call;
        if ('found' in failing) await sidecar.fail('CONTRACT_VIOLATION', { instance: failing.found, key: failing.key });
        return denied;
      },
      onDecision: ({ decision }) => seen.push({ decision, calls: calls.length }),
    });
    sidecar.actor.start();
    const { status } = await sidecar.finished();
    await sidecar.durable();
    const rows = [...journal.read('audit')];
    const [first] = seen;
    const [decided] = accountOf(rows).decisions;
    const until = rows.filter(({ seq }) => decided === undefined || seq <= decided.seq);
    const before = accountOf(until);
    const observed: Observed = {
      ending: status,
      decision: first?.decision ?? null,
      before,
      trace: [...traceOf('audit', until)].map(({ text }) => text),
      calls: calls.length,
      replayed:
        first === undefined || failed === null ? 0 : replayedOf(calls.slice(first.calls), first.decision, failed),
      preserved: first === undefined ? [] : preservedBy(first.decision, before),
      world: await rowsOf(opened),
    };
    await sidecar.close();
    await journal.close();
    return observed;
  });
}

interface Call {
  readonly tool: string;
  readonly args: string;
}

/** Whether the last of the calls is the one. */
function isSite({ tool, nth }: CallSite, calls: readonly Call[]): boolean {
  return calls.at(-1)?.tool === tool && calls.filter((call) => call.tool === tool).length === nth;
}

/** The calls since the answer, up to the one that failed, made again. Where nothing goes back and it is answered, there are none. */
function replayedOf(calls: readonly Call[], { verdict }: Decision, failed: Call): number {
  if (verdict === 'rerun' || verdict === 'escalate') return 0;
  const same = calls.findIndex(({ tool, args }) => tool === failed.tool && args === failed.args);
  if (verdict === 'settle' && same !== 0) return 0;
  return (same === -1 ? calls.findIndex(({ tool }) => tool === failed.tool) : same) + 1;
}

/** The instances that had ended, having promised something, and that the answer does not move. */
function preservedBy({ line, failed }: Decision, { instances }: Account): readonly InstanceId[] {
  const moved = new Set(line?.moves.map(({ instance }) => instanceName(instance)));
  return instances
    .filter(({ id, live, committed }) => committed && !live && !moved.has(instanceName(id)))
    .map(({ id }) => id)
    .filter((id) => failed === null || instanceName(id) !== instanceName(failed));
}

/** The history that a trace tells, for whoever asks it another question. */
export function historyOf(trace: readonly string[]): History {
  const read = traceReader();
  const history = new History();
  for (const text of trace) {
    const line = read(text);
    if (line.do === 'event') history.apply(line.event);
  }
  return history;
}

/** The checkpoints that an answer refuses for what they would cost; an exit is none, it is refused for what it is. */
export function refusedBy({ refusals }: Decision): readonly Checkpoint[] {
  return refusals.flatMap(({ candidate }) => (candidate === null || candidate.kind === 'exit' ? [] : [candidate]));
}
