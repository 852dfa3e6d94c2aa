/** `belay verify`: sends today's machines through the runs of journal files, and reports where their ways part. */
import { readConfig } from '../../boundaries/directory.ts';
import type { Loaded } from '../../boundaries/load.ts';
import { JournalError, type JournalStore } from '../../journal/journal.ts';
import { RehearsalError } from '../../rehearsal/rehearsal-error.ts';
import type { VerifiedRun } from '../../rehearsal/replay/verified-run.ts';
import type { ReplaySubject } from '../../rehearsal/replay/verify-run.ts';
import { replaySubject, verifyIn } from '../../rehearsal/replay/verify-runs.ts';
import { baseDifference } from '../../sidecar/bases/compared.ts';
import type { AnyStateMachine } from '../../xstate/actor.ts';
import { findMachines } from '../check/check.ts';
import { line } from '../check/findings.ts';
import { openJournal } from '../reading/journal-key.ts';
import type { Machines } from '../reading/machines.ts';
import { journalProblem, runNamed } from '../reading/reading.ts';

/** The files and runs that are verified. Null: every run, the module of package.json, the configs of the agents. */
export interface VerifyOptions {
  readonly journals: readonly string[];
  readonly runs: readonly string[] | null;
  readonly machines: string | null;
  readonly config: string | null;
  /** Keys of the context that may differ, beside those of the agents. */
  readonly ignore: readonly string[];
  /** Told of the module that package.json names, and whose code is about to be run. */
  onModule(file: string): void;
}

/** The runs of one file. */
export interface VerifiedFile {
  readonly file: string;
  readonly runs: readonly VerifiedRun[];
}

/** The verified files, with counts. */
export interface Verified {
  readonly files: readonly VerifiedFile[];
  readonly equal: number;
  readonly parts: number;
  readonly notComparable: number;
  /** Reasons for which a config was not compared, for the terminal. */
  readonly notes: readonly string[];
}

/** Verifies the runs of journal files; a problem is something that kept that from being done. */
export async function verifyJournals(options: VerifyOptions): Promise<Verified | { readonly problem: string }> {
  const machines = await findMachines(options.machines, options.onModule);
  if ('problem' in machines) return machines;
  if (machines.shapes.size === 0)
    return {
      problem: 'no_machine no module of machines was named: --machines FILE, or belay.machines in package.json',
    };
  try {
    const subjects = subjectsOf(options, machines);
    if ('problem' in subjects) return subjects;
    const files: VerifiedFile[] = [];
    for (const file of options.journals) {
      const runs = await runsOf(file, options.runs, subjects.of);
      if ('problem' in runs) return runs;
      files.push({ file, runs });
    }
    const count = (is: VerifiedRun['is']) => files.flatMap(({ runs }) => runs).filter((run) => run.is === is).length;
    const counts = { equal: count('equal'), parts: count('parts'), notComparable: count('not comparable') };
    return { files, ...counts, notes: subjects.notes };
  } catch (error) {
    if (error instanceof RehearsalError) return { problem: `${error.code} ${error.message}` };
    throw error;
  }
}

async function runsOf(
  file: string,
  named: readonly string[] | null,
  subjectOf: (agent: string) => ReplaySubject | null,
): Promise<readonly VerifiedRun[] | { readonly problem: string }> {
  let store: JournalStore | undefined;
  try {
    const opened = await openJournal(file, { readonly: true });
    store = opened;
    const runs = named === null ? await opened.runs() : await Promise.all(named.map((run) => runNamed(opened, run)));
    const verified: VerifiedRun[] = [];
    for (const { run } of runs) {
      verified.push(await verifyIn(opened, run, subjectOf));
      const differs = await baseProblem(opened, run);
      if (differs !== null) return { problem: `${file}: base_differs ${differs}` };
    }
    return verified;
  } catch (error) {
    return { problem: journalProblem(file, error) };
  } finally {
    await store?.close();
  }
}

/**
 * Reports a base that differs from the state that the run's rows lead to. Null if both agree, if there is no base, or
 * if the rows cannot be read.
 */
async function baseProblem(store: JournalStore, run: string): Promise<string | null> {
  try {
    const base = await store.base(run);
    const where = base === null ? null : await baseDifference(base, store.read(run));
    if (base === null || where === null) return null;
    const what = `the base of run ${JSON.stringify(run)} is not what its rows up to ${base.at} come to (${where})`;
    return `${what}: a resume would go by it. Restore the file from a backup.`;
  } catch (error) {
    if (error instanceof JournalError) return null;
    throw error;
  }
}

/** The machines and configs that runs are held against, and the reasons for which configs are not compared. */
interface Subjects {
  readonly notes: readonly string[];
  of(agent: string): ReplaySubject | null;
}

/** The machines of a module with their configs: what --config names, else what the agent names, else none. */
function subjectsOf(
  { config, ignore }: VerifyOptions,
  { machines, agents, guards }: Machines,
): Subjects | { readonly problem: string } {
  const given = config === null ? null : readConfig(config, { guards });
  const unfit = given === null ? null : unfitFor(machines, given);
  if (unfit !== null) return { problem: unfit };
  const subjects = new Map<string, ReplaySubject>();
  const notes: string[] = [];
  for (const [id, machine] of machines) {
    const agent = agents.get(id);
    const own = agent === undefined ? null : readConfig(agent.config, { guards });
    const loaded = given?.config?.agent === id ? given : own;
    const note = loaded === null ? null : unknownGuard(loaded);
    if (loaded?.config === null) return { problem: firstError(loaded) };
    if (note !== null) notes.push(note);
    const mayDiffer = [...ignore, ...(agent?.rehearsal?.ignore ?? [])];
    const compared = note === null ? (loaded?.config ?? null) : null;
    subjects.set(id, replaySubject(machine as unknown as AnyStateMachine, compared, [], mayDiffer));
  }
  return { notes, of: (agent) => subjects.get(agent) ?? null };
}

/** Says why a config that was named is none of the machines', or null. */
function unfitFor(machines: Machines['machines'], given: Loaded): string | null {
  if (given.config === null) return firstError(given);
  if (machines.has(given.config.agent)) return null;
  return `${given.document.file}: other_agent there is no machine "${given.config.agent}" in the module`;
}

/** Says why a config cannot be compared: a condition in code that the module does not export answers nothing. */
function unknownGuard({ findings }: Loaded): string | null {
  const found = findings.find(({ code }) => code === 'guard_missing' || code === 'guard_changed');
  return found === undefined ? null : `${found.file}: ${found.code} the config is not compared: ${found.message}`;
}

function firstError({ findings, document }: Loaded): string {
  const error = findings.find(({ severity }) => severity === 'error');
  return error === undefined ? `${document.file}: cannot_read it is no config` : line(error, false);
}

/**
 * The exit code: 0 if no run parts, 1 if one does. With `strict`, also 1 if a run cannot be compared, if a note was
 * made, or if the config would decide otherwise.
 */
export function verifiedCode({ files, parts, notComparable, notes }: Verified, strict: boolean): 0 | 1 {
  if (parts > 0) return 1;
  const differs = files.some(({ runs }) => runs.some(({ config }) => (config ?? []).length > 0));
  return strict && (notComparable > 0 || differs || notes.length > 0) ? 1 : 0;
}
