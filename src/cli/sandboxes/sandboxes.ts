/** The verb `sandboxes`: lists what the tools of runs work in, and destroys what is due. */
import type { SandboxRow } from '../../journal/sandboxes.ts';
import { type SandboxReport, sandboxReports } from '../../reports/sandboxes.ts';
import { nameOfAgent, sandboxesOf } from '../../workers/program-agent.ts';
import { type ProviderOf, type SweptSandbox, sweptBy } from '../../workers/sweep-sandboxes.ts';
import { findMachines } from '../check/check.ts';
import { openJournal } from '../reading/journal-key.ts';
import { journalProblem, type ReadRun, reading, readRun, type Told } from '../reading/reading.ts';
import type { Problem } from '../run/run.ts';
import { sandboxesFor } from '../run/session.ts';
import { printable } from '../terminal/printable.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';
import { handleLines, timeText } from '../terminal/wording.ts';

/** A sandbox of a store: its row, and what the journal of its run says. */
interface Listed extends SandboxRow {
  /** Null where its run was deleted, or has no entry of it. */
  readonly report: SandboxReport | null;
}

/** Lists the sandboxes of a store, or of one run. Changes nothing. */
export async function listSandboxes(place: string, run: string | null, json: boolean, medium: Medium): Promise<Told> {
  return reading(place, async (store) => {
    const rows = (await store.sandboxes?.list(run ?? undefined)) ?? [];
    const read = new Map<string, ReadRun | null>();
    if (run !== null) read.set(run, await readRun(store, run));
    for (const { run: each } of rows)
      if (!read.has(each)) read.set(each, (await store.run(each)) === null ? null : await readRun(store, each));
    const listed = rows.map((row): Listed => ({ ...row, report: reportOf(row, read.get(row.run) ?? null) }));
    if (json) return listed.map((each) => `${JSON.stringify(fieldsOf(each))}\n`);
    return [
      listed.length === 0
        ? `${run === null ? 'no run has a' : printable(`${run} has no`)} sandbox\n`
        : text(listed, run, medium),
    ];
  });
}

function reportOf({ name, key }: SandboxRow, read: ReadRun | null): SandboxReport | null {
  const found = read === null ? [] : sandboxReports(read.runState);
  return found.find((each) => each.name === name && each.key === key) ?? null;
}

function fieldsOf({ run, name, key, provider, until, report }: Listed): object {
  const { is = 'unknown', since = null, handle, calls = 0, kept = 0 } = report ?? {};
  const at = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  return { run, sandbox: name, key, provider, is, since: at(since), handle, calls, kept, until: at(until) };
}

function text(listed: readonly Listed[], run: string | null, medium: Medium): string {
  const columns = ['RUN', 'SANDBOX', 'IS', 'SINCE', 'KEPT UNTIL'].map((name) => ({ name }));
  const rows = listed.map(({ run: of, name, provider, until, report }) => [
    of,
    `${name} (${provider})`,
    report?.is ?? 'unknown',
    report === null ? '' : timeText(report.since),
    until === null ? 'its run has ended' : timeText(until),
  ]);
  const reports = run === null ? [] : listed.flatMap(({ report }) => report ?? []);
  return `${table(columns, rows, medium)}${handleLines(reports)}`;
}

/** Destroys what is due. @param machines the module of the agents whose providers are asked; null for the one that package.json names. */
export async function sweepPlace(place: string, machines: string | null): Promise<readonly SweptSandbox[] | Problem> {
  const found = await findMachines(machines);
  if ('problem' in found) return found;
  const agents = [...found.agents.values(), ...found.releases];
  const providerOf: ProviderOf = ({ run, provider }, agent) =>
    agents
      .filter((each) => agent === null || nameOfAgent(each) === agent)
      .map((each) => sandboxesOf(each, sandboxesFor(place, run))[provider])
      .find((each) => each !== undefined);
  try {
    const store = await openJournal(place);
    try {
      return await sweptBy(store, providerOf, {});
    } finally {
      await store.close();
    }
  } catch (error) {
    return { problem: journalProblem(place, error) };
  }
}
