/**
 * The verb `reconcile`: asks the counterparties of a run about its calls with an open outcome, and does nothing else.
 * Taking the run up asks each counterparty; the machine does not go on.
 */
import { type EffectStatus, isOpen } from '../../model/effect.ts';
import { instanceName, ROOT } from '../../model/instance.ts';
import { answersTo } from '../approvals/approvals.ts';
import { findMachines } from '../check/check.ts';
import type { ReadRun } from '../reading/reading.ts';
import { type AgentOptions, agentNamed, type Problem, prepare } from '../run/run.ts';
import { inSession } from '../run/session.ts';
import { printable } from '../terminal/printable.ts';
import { table } from '../terminal/table.ts';
import { layOut, type Medium } from '../terminal/terminal.ts';
import { command, count, plain, timeText } from '../terminal/wording.ts';
import { record } from './resume.ts';

/** Options of `reconcile`. */
export interface ReconcileOptions extends AgentOptions {
  readonly run: string;
}

/** A call whose outcome was open, and the present knowledge of it. */
interface AskedCall {
  readonly key: string;
  readonly tool: string;
  readonly instance: string | null;
  readonly status: EffectStatus;
  /** The number of times that its counterparty was asked and did not know. */
  readonly tries: number;
  /**
   * The wall clock from which the sidecar asks the counterparty again, in milliseconds; null if it does not ask again.
   */
  readonly next: number | null;
  /** The approval request that asks a person, if there is one. */
  readonly gate: string | null;
  readonly output: unknown;
}

/** The result of asking. */
export interface Reconciled {
  readonly run: string;
  readonly calls: readonly AskedCall[];
  /** The commands that go on from there. */
  readonly next: readonly string[];
}

/** Asks the counterparties. */
export async function reconcileRun(options: ReconcileOptions): Promise<Reconciled | Problem> {
  const before = await record(options.journal, options.run);
  if ('problem' in before) return before;
  const open = before.runState.ledger.open().map(({ key }) => key);
  if (open.length === 0) return { run: options.run, calls: [], next: [] };
  const machines = await findMachines(options.machines);
  if ('problem' in machines) return machines;
  const agent = agentNamed(before.agent, machines);
  if ('problem' in agent) return agent;
  const prepared = prepare(options, agent);
  if ('problem' in prepared) return prepared;
  const { run, journal, config, version } = options;
  const ended = await inSession(
    {
      agent,
      run,
      journal,
      input: prepared.input,
      config,
      version,
      reconcilers: true,
      fault: null,
      begins: false,
      still: true,
    },
    async (stop) => stop,
  );
  if ('problem' in ended) return ended;
  const calls = open.map((key) => calledNow(key, ended.read));
  return { run, calls, next: nextOf(calls, options) };
}

function calledNow(key: string, { runState }: ReadRun): AskedCall {
  const call = runState.ledger.get(key);
  const gate = runState.asked.of(key);
  const { instance } = call?.intent ?? { instance: null };
  return {
    key,
    tool: call?.intent.tool ?? '',
    instance: instance === null || instance.skeleton === ROOT ? null : instanceName(instance),
    status: call?.status ?? 'unknown',
    tries: call?.asked.tries ?? 0,
    next: call?.asked.next ?? null,
    gate: gate?.asks === 'outcome' && gate.status === 'pending' ? gate.gate : null,
    output: call?.output,
  };
}

function nextOf(calls: readonly AskedCall[], { run, journal, machines }: ReconcileOptions): string[] {
  const where = machines === null ? [] : ['--machines', machines];
  const answers = calls.flatMap(({ gate }) => (gate === null ? [] : answersTo({ gate, asks: 'outcome' }, journal)));
  return [...answers, command('resume', run, journal, ...where)];
}

/** The exit code: 1 where an outcome is still unknown. */
export function reconciledCode({ calls }: Reconciled): 0 | 1 {
  return stillOpen(calls) === 0 ? 0 : 1;
}

function stillOpen(calls: readonly AskedCall[]): number {
  return calls.filter(({ status }) => isOpen(status)).length;
}

/** Formats the result in words. */
export function reconciledText({ run, calls, next }: Reconciled, medium: Medium): string {
  if (calls.length === 0)
    return layOut(null, { label: run, text: 'every outcome is known, so no counterparty was asked' }, medium);
  const open = stillOpen(calls);
  const text =
    open === 0
      ? `what became of ${count(calls.length, 'call')} is known now`
      : `what became of ${count(open, 'call')} is still not known`;
  const columns = [
    { name: 'TOOL' },
    { name: 'INSTANCE' },
    { name: 'STATUS' },
    { name: 'ASKED IN VAIN', right: true },
    { name: 'ASKED AGAIN' },
  ];
  const rows = calls.map(({ tool, instance, status, tries, next: again }) => {
    const from = !isOpen(status) ? '' : again === null ? 'not by itself' : `from ${timeText(again)}`;
    return [tool, instance ?? '(none)', status, String(tries), from];
  });
  const lines = next.map((line) => `${printable(line)}\n`);
  return [layOut(null, { label: run, text }, medium), table(columns, rows, medium), '\n', ...lines].join('');
}

/** Formats the result for a program, as one line of JSON. */
export function reconciledJson({ run, calls, next }: Reconciled): string {
  const all = calls.map(({ next: again, ...call }) => {
    return { ...call, next: again === null ? null : new Date(again).toISOString() };
  });
  return `${JSON.stringify({ run, unknown: stillOpen(calls), calls: all, next }, plain)}\n`;
}
