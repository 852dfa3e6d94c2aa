/** `belay migrate plan`: the runs of a journal, planned under the release of a module. Nothing is written. */
import { JournalError, type JournalStore } from '../../journal/journal.ts';
import { MOVED_EVENT } from '../../model/moved-event.ts';
import { counted, type MigrationPlan, type PlannedRun, planIn } from '../../rehearsal/replay/plan-migration.ts';
import { junitXml, markup } from '../formats/junit.ts';
import { sarifLog } from '../formats/sarif.ts';
import { openJournal } from '../reading/journal-key.ts';
import { journalProblem, runNamed } from '../reading/reading.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';
import { version } from '../terminal/version.ts';
import { count } from '../terminal/wording.ts';
import { mapFor } from './map.ts';
import { type ModuleOptions, releasesOf } from './release.ts';

/** The formats of a plan for a build server. */
export const FORMATS = ['sarif', 'junit', 'markdown'] as const;

export type Format = (typeof FORMATS)[number];

/** The runs that are planned; null: every run that is not over and whose machine the module has. */
export interface PlanRunsOptions extends ModuleOptions {
  readonly journal: string;
  readonly runs: readonly string[] | null;
  /** The file of a map of names; null where names are the same. */
  readonly map: string | null;
  /** The module of the release that the map leads from: runs may go on from where they stand. Null where their past has to go the same way. */
  readonly from: string | null;
}

/** Plans the runs of a journal; a problem is something that kept that from being done. */
export async function planRuns(options: PlanRunsOptions): Promise<MigrationPlan | { readonly problem: string }> {
  const { journal, runs } = options;
  const releases = await releasesOf(options);
  if ('problem' in releases) return releases as { readonly problem: string };
  const known = releases as Exclude<typeof releases, { problem: string }>;
  const subjectOf = (agent: string) => known.get(agent) ?? null;
  const fitting = await mapFor(options, known);
  if ('problem' in fitting) return fitting;
  const naming = { map: fitting.map, machineBefore: fitting.machineBefore, back: false };
  let store: JournalStore | undefined;
  try {
    const opened = await openJournal(journal, { readonly: true });
    store = opened;
    const named = runs === null ? await opened.runs() : await Promise.all(runs.map((run) => runNamed(opened, run)));
    const planned: PlannedRun[] = [];
    for (const { run } of named) {
      const one = await planIn(opened, run, [], subjectOf, naming);
      if (one !== null && (runs !== null || one.code !== 'no_machine')) planned.push(one);
    }
    return counted(planned);
  } catch (error) {
    if (error instanceof JournalError && error.code === 'run_unknown') return { problem: error.message };
    return { problem: journalProblem(journal, error) };
  } finally {
    await store?.close();
  }
}

/** A plan, as it is asked for. */
export function planText(plan: MigrationPlan, as: Format | 'json' | 'text', journal: string, medium: Medium): string {
  switch (as) {
    case 'json':
      return `${JSON.stringify(plan, null, 2)}\n`;
    case 'sarif':
      return `${JSON.stringify(sarifOf(plan, journal), null, 2)}\n`;
    case 'junit':
      return junitXml('belay migrate plan', [{ name: journal, cases: plan.runs.map((run) => caseOf(run, journal)) }]);
    case 'markdown':
      return `${markdownOf(plan)}\n`;
    case 'text':
      return plainText(plan, medium);
  }
}

function sarifOf({ runs }: MigrationPlan, journal: string): object {
  const stays = runs.filter(({ is }) => is === 'stays');
  const results = stays.map((run) => ({
    ...{ rule: run.code ?? 'stays', level: 'error' as const, text: `${run.run}: ${whyOf(run)}` },
    place: { file: journal, line: 1, column: 1 },
  }));
  return sarifLog(results, version);
}

function caseOf(run: PlannedRun, group: string) {
  const failure = { type: run.code ?? 'stays', message: whyOf(run), text: whyOf(run) };
  return { group, name: run.run, ...(run.is === 'stays' && { failure }) };
}

function markdownOf(plan: MigrationPlan): string {
  const rows = plan.runs.map((run) => `| ${cell(run.run)} | ${run.is} | ${cell(whyOf(run))} |`);
  return ['| run | plan | why |', '| --- | --- | --- |', ...rows, '', sumOf(plan)].join('\n');
}

/** A text as a cell of a table has it. */
function cell(text: string): string {
  return markup(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function plainText(plan: MigrationPlan, medium: Medium): string {
  const columns = [{ name: 'RUN' }, { name: 'PLAN' }, { name: 'WHY' }];
  const rows = plan.runs.map((run) => [run.run, run.is, whyOf(run)]);
  return rows.length === 0 ? 'no run is under way\n' : `${table(columns, rows, medium)}${sumOf(plan)}\n`;
}

/** The reason of a plan, in words. */
function whyOf({ is, why, compared, carried, isStale, isFromHere, sentTo, classes }: PlannedRun): string {
  if (is === 'same') return 'it is under this release';
  if (why !== null) return why;
  const { steps = 0, calls = 0 } = compared ?? {};
  return [
    isFromHere
      ? 'it goes on from where it stands'
      : `${count(steps, 'step')} and ${count(calls, 'call')} go the same way`,
    ...(sentTo === null ? [] : [`${MOVED_EVENT} leads it to ${sentTo}`]),
    ...(carried.length > 0 ? [`${count(carried.length, 'call')} under way are carried`] : []),
    ...(isStale === true || isFromHere ? ['checkpoints from before are stale'] : []),
    ...(classes.length > 0 ? [`${count(classes.length, 'call')} kept as another class`] : []),
  ].join('; ');
}

function sumOf({ runs, same, goes, stays }: MigrationPlan): string {
  return `${count(runs.length, 'run')}: ${goes} go over, ${stays} stay, ${same} are there already.`;
}
