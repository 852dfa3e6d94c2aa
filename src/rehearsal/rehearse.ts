/**
 * Rehearses an agent: runs it without faults along its paths, then once for each fault. Each run is judged by the world
 * that it leaves and by its final context. For each harm, the report names the line on which the config promises too
 * much, and a short path.
 */
import { askedAgain } from './asked-again.ts';
import { culpritsOf } from './config/blame.ts';
import { mutationsOf } from './config/mutations.ts';
import { coverageOf, isFirst } from './coverage.ts';
import { faultId } from './faults/fault.ts';
import type { Reference } from './faults/reference.ts';
import { sampled } from './faults/sample.ts';
import { fewestSteps, isAlike } from './fewest.ts';
import { RehearsalError } from './rehearsal-error.ts';
import type {
  Culprit,
  FewestSteps,
  RehearsalCell,
  RehearsalReport,
  RehearsalSettings,
  RehearsedMutation,
  RehearsedPath,
} from './report.ts';
import { Runs } from './runs.ts';
import type { NamedPath, Subject } from './trial/subject.ts';

/** The most harms whose lines and whose shortest path are looked for; others of the same place and kind share them. */
const MOST_EXPLAINED = 6;
/** The most faults that are tried on a shorter path. */
const MOST_ALIKE = 6;

/** Rehearses a subject. @throws RehearsalError where it cannot be rehearsed. */
export async function rehearseSubject(subject: Subject, settings: RehearsalSettings = {}): Promise<RehearsalReport> {
  const { seed = 1, mutations: most } = settings;
  if (most !== undefined && subject.document === null)
    throw new RehearsalError('bad_option', 'mutations need the config as a file: name its path');
  const runs = new Runs(subject, settings);
  const references = await runs.references();
  const drawn = references.map((reference) => ({ reference, ...runs.faults(reference) }));
  const cells = await explained(runs, references, await everyCell(runs, drawn));
  const known = new Map(cells.map(({ id, verdict }) => [id, verdict.is === 'harm']));
  const totals = { same: 0, parked: 0, harm: 0, unreached: 0 };
  for (const { verdict } of cells) totals[verdict.is] += 1;
  return {
    agent: subject.machine.id,
    seed,
    paths: drawn.map(({ reference, faults }) => pathOf(reference, faults.length)),
    cells,
    again: await askedAgain({
      ...{ subject, references, replay: settings.replay ?? [], only: settings.only ?? '' },
      onRun: settings.onAgain ?? (() => {}),
    }),
    dropped: runs.dropped,
    coverage: coverageOf(
      subject.config,
      drawn.map(({ reference, faults }) => ({ path: reference.path.name, faults })),
      cells,
    ),
    untaken: runs.untaken(references),
    ...(most !== undefined && { mutations: await mutated(runs, drawn, known, most) }),
    totals,
  };
}

type Drawn = readonly ({ readonly reference: Reference } & ReturnType<Runs['faults']>)[];

async function everyCell(runs: Runs, drawn: Drawn): Promise<readonly RehearsalCell[]> {
  const of = drawn.reduce((sum, { chosen }) => sum + chosen.length, 0);
  const cells: RehearsalCell[] = [];
  const { first } = runs.settings;
  const all = drawn.flatMap(({ reference, chosen }) => chosen.map((fault) => ({ reference, fault })));
  const leads = ({ fault }: (typeof all)[number]) => first !== undefined && isFirst(fault, first);
  for (const { reference, fault } of [...all.filter(leads), ...all.filter((each) => !leads(each))]) {
    const id = `${reference.path.name}/${faultId(fault)}`;
    runs.settings.onCell?.({ id, index: cells.length, of });
    cells.push(await runs.cell(reference, fault));
  }
  return cells;
}

/** The cells, those that do harm with the lines to blame and with the fewest steps. */
async function explained(
  runs: Runs,
  references: readonly Reference[],
  cells: readonly RehearsalCell[],
): Promise<readonly RehearsalCell[]> {
  const known = new Map<string, { culprits?: readonly Culprit[]; fewest?: FewestSteps }>();
  const result: RehearsalCell[] = [];
  for (const cell of cells) {
    const group = groupOf(cell);
    const reference = references.find(({ path }) => path.name === cell.path);
    // A process of its own has the config of the agent, and takes its time.
    const isReal = cell.fault.kind === 'kill' && cell.fault.isReal;
    const isAsked = cell.verdict.is === 'harm' && !isReal && !known.has(group) && known.size < MOST_EXPLAINED;
    if (isAsked && reference !== undefined) known.set(group, await explanationOf(runs, reference, cell));
    result.push(cell.verdict.is === 'harm' ? { ...cell, ...known.get(group) } : cell);
  }
  return result;
}

/** Harms of one kind at one place have one cause, as a rule. */
function groupOf({ path, site, fault, verdict }: RehearsalCell): string {
  const how = 'how' in fault ? fault.how : '';
  const kinds = verdict.is === 'harm' ? [...new Set(verdict.harms.map(({ is }) => is))].toSorted() : [];
  return JSON.stringify([path, fault.kind === 'kill' ? '' : site, fault.kind, how, kinds]);
}

async function explanationOf(runs: Runs, reference: Reference, { fault }: RehearsalCell) {
  const { document, config, guards } = runs.subject;
  const run: Parameters<typeof culpritsOf>[0]['run'] = (tight, dishonest) =>
    runs.cell(reference, fault, tight, dishonest);
  const culprits =
    document === null ? [] : await culpritsOf({ document, config, guards, dishonest: null, run }, fault, reference);
  const fewest = await fewestSteps(reference.path, (path) => harmedOn(runs, path, fault));
  return { ...(culprits.length > 0 && { culprits }), ...(fewest !== null && { fewest }) };
}

/**
 * The run on a path in which a fault of this kind does harm; null if there is no harm, or if the path cannot be run.
 */
async function harmedOn(runs: Runs, path: NamedPath, fault: RehearsalCell['fault']): Promise<RehearsalCell | null> {
  let reference: Reference;
  try {
    reference = await runs.reference(path);
  } catch {
    // An input that the agent does not take, or a path without an end, is no shorter path.
    return null;
  }
  const alike = runs.faults(reference).faults.filter((other) => isAlike(fault, other));
  for (const other of sampled(alike, MOST_ALIKE, 1, faultId)) {
    const cell = await runs.cell(reference, other);
    if (cell.verdict.is === 'harm') return cell;
  }
  return null;
}

async function mutated(
  runs: Runs,
  drawn: Drawn,
  known: Map<string, boolean>,
  most: number,
): Promise<readonly RehearsedMutation[]> {
  const { document, config, guards } = runs.subject;
  const { seed = 1, onMutation = () => {} } = runs.settings;
  if (document === null) return [];
  const references = drawn.map(({ reference, faults }) => ({ reference, faults }));
  const run: Parameters<typeof mutationsOf>[0]['run'] = (reference, fault, loose, dishonest) =>
    runs.cell(reference, fault, loose, dishonest);
  return mutationsOf({ document, config, guards, references, known, seed, most, run, onMutation });
}

function pathOf({ path, course }: Reference, faults: number): RehearsedPath {
  const { calls, certified, timeline } = course.seen;
  return {
    name: path.name,
    calls: calls.map(({ tool, nth }) => `${tool}#${nth}`),
    boundaries: certified.flatMap(({ instance, boundary }) =>
      boundary === '' ? [] : [`${instance.skeleton} ${instance.entity} ${boundary}`],
    ),
    timeline,
    findings: course.findings,
    faults,
  };
}
