/**
 * Rehearses an agent: runs it without faults along its paths, then once for each fault, and judges each run by the world that it
 * leaves and by its final context.
 */
import type { BoundaryConfig } from '../boundaries/config.ts';
import { type Key, parseKey } from '../model/key.ts';
import type { AgentRehearsal } from '../sidecar/agent.ts';
import { edgeText } from '../xstate/edges-taken.ts';
import { machineShape } from '../xstate/shape.ts';
import { faultsOf, type Reference } from './draw-faults.ts';
import { type CallSite, faultId, faultText, type RehearsedFault, siteText } from './fault.ts';
import { judge, type RehearsalVerdict } from './judge.ts';
import { plain } from './observation.ts';
import { recordedCalls, referenceOf } from './reference.ts';
import { RehearsalError } from './rehearsal-error.ts';
import { sampled } from './sample.ts';
import { type NamedPath, namedPaths, type Subject } from './subject.ts';
import type { Dishonesty, Passing } from './transport.ts';
import { runTrial } from './trial.ts';
import { refusedValue, wrongValue } from './wrong-value.ts';

/** The most paths of a rehearsal. */
const MOST_PATHS = 50;
/** The kills of a path, unless all of them are wanted. */
const SOME_KILLS = 24;

/** The way in which a rehearsal is made. */
export interface RehearsalSettings extends AgentRehearsal {
  /** Appends of the journal after which the process is killed: some of them (`sampled`), if left out. */
  readonly kills?: 'sampled' | 'all' | 'none';
  /** The most cells of a path; all of them if left out. The same seed draws the same cells. */
  readonly sample?: number;
  /** 1 if left out. */
  readonly seed?: number;
  /** Told of each cell before it is run, and of how many there are. */
  readonly onCell?: (cell: { readonly id: string; readonly index: number; readonly of: number }) => void;
}

/** One run with one fault, and the answer of the judge. */
export interface RehearsalCell {
  /** The identity of the cell: its path and its fault. */
  readonly id: string;
  readonly path: string;
  readonly fault: RehearsedFault;
  /** The place of the fault: a call, a boundary, an event or an append. */
  readonly site: string;
  /** What goes wrong, in words. */
  readonly text: string;
  readonly verdict: RehearsalVerdict;
  /** What happened, a line each. */
  readonly timeline: readonly string[];
}

/** One path, as it is run without faults. */
export interface RehearsedPath {
  readonly name: string;
  readonly calls: readonly string[];
  readonly boundaries: readonly string[];
  readonly timeline: readonly string[];
  /** What the sidecar tells of the run without faults that a person should know. */
  readonly findings: readonly string[];
  /** The number of faults that there are, of which `cells` has a sample or all. */
  readonly faults: number;
}

/** What came of a rehearsal. The same seed gives the same report. */
export interface RehearsalReport {
  readonly agent: string;
  readonly seed: number;
  readonly paths: readonly RehearsedPath[];
  readonly cells: readonly RehearsalCell[];
  /** Edges of the machine that no path takes without faults. */
  readonly untaken: readonly string[];
  readonly totals: Readonly<Record<RehearsalVerdict['is'], number>>;
}

/** Rehearses a subject. @throws RehearsalError where it cannot be rehearsed. */
export async function rehearseSubject(subject: Subject, settings: RehearsalSettings = {}): Promise<RehearsalReport> {
  const rehearsal = new Rehearsal(subject, settings);
  return rehearsal.report();
}

/** The runs of one subject: without faults, with one, and with other configs. */
class Rehearsal {
  readonly subject: Subject;
  readonly settings: RehearsalSettings;
  readonly #paths: readonly NamedPath[];
  readonly #references = new Map<string, Reference>();
  readonly #ignored: readonly Key[];

  constructor(subject: Subject, settings: RehearsalSettings) {
    const { paths = [{}] } = settings;
    if (paths.length === 0 || paths.length > MOST_PATHS)
      throw new RehearsalError('bad_option', `a rehearsal has 1 to ${MOST_PATHS} paths, and ${paths.length} are given`);
    this.subject = subject;
    this.settings = settings;
    this.#paths = namedPaths(paths);
    this.#ignored = (settings.ignore ?? []).map(ignoredKey);
    const names = new Set(this.#paths.map(({ name }) => name));
    if (names.size < paths.length)
      throw new RehearsalError('bad_option', 'two paths have one name: rename one of them');
    const { actors } = machineShape(subject.machine);
    const tools = new Set(actors.flatMap(({ name, kind }) => (kind === 'promise' ? [name] : [])));
    if (tools.size === 0)
      throw new RehearsalError(
        'no_tools',
        `${subject.machine.id} has no tools: name its promises in setup({ actors })`,
      );
    for (const tool of [...Object.keys(settings.wrong ?? {}), ...(settings.replay ?? [])])
      if (!tools.has(tool))
        throw new RehearsalError('bad_option', `there is no tool "${tool}": the tools are ${[...tools].join(', ')}`);
  }

  /** The paths, each run without faults. */
  async references(): Promise<readonly Reference[]> {
    for (const path of this.#paths) {
      if (this.#references.has(path.name)) continue;
      const reference = await referenceOf(this.subject, path, (recorded) => this.#passing(null, recorded));
      this.#references.set(path.name, { path, course: reference });
    }
    return [...this.#references.values()];
  }

  /** Runs everything. */
  async report(): Promise<RehearsalReport> {
    const references = await this.references();
    const { seed = 1 } = this.settings;
    const drawn = await Promise.all(
      references.map(async (reference) => ({ reference, ...(await this.faults(reference)) })),
    );
    const of = drawn.reduce((sum, { chosen }) => sum + chosen.length, 0);
    const cells: RehearsalCell[] = [];
    for (const { reference, chosen } of drawn) {
      for (const fault of chosen) {
        const id = `${reference.path.name}/${faultId(fault)}`;
        this.settings.onCell?.({ id, index: cells.length, of });
        cells.push(await this.cell(reference, fault));
      }
    }
    const totals = { same: 0, parked: 0, harm: 0, unreached: 0 };
    for (const { verdict } of cells) totals[verdict.is] += 1;
    return {
      agent: this.subject.machine.id,
      seed,
      paths: drawn.map(({ reference, faults }) => pathOf(reference, faults.length)),
      cells,
      untaken: this.#untaken(references),
      totals,
    };
  }

  /** The faults of a path: all of them, and those that are run. */
  async faults(
    reference: Reference,
  ): Promise<{ faults: readonly RehearsedFault[]; chosen: readonly RehearsedFault[] }> {
    const { kills = 'sampled', sample = Number.POSITIVE_INFINITY, seed = 1 } = this.settings;
    const all = faultsOf(reference, {
      config: this.subject.config,
      reconcilers: new Set(reference.course.reconcilers),
      canBeWrong: (site, output) => this.#wrong(site, output) !== null,
    });
    const faults = kills === 'none' ? all.filter(({ kind }) => kind !== 'kill') : all;
    const deaths = faults.filter(({ kind }) => kind === 'kill');
    const some = new Set(kills === 'all' ? deaths : sampled(deaths, SOME_KILLS, seed, faultId));
    const wanted = faults.filter((fault) => fault.kind !== 'kill' || some.has(fault));
    return { faults, chosen: sampled(wanted, sample, seed, faultId) };
  }

  /** One cell: a run with a fault, judged; under another config than the agent's own, or with a counterparty that is not honest. */
  async cell(
    reference: Reference,
    fault: RehearsedFault,
    config: BoundaryConfig = this.subject.config,
    dishonest: Dishonesty | null = null,
  ): Promise<RehearsalCell> {
    const { path, course } = reference;
    const { subject } = this;
    const passing = this.#passing(dishonest, recordedCalls(course));
    const run = await runTrial({ subject, config, path, fault, passing });
    return {
      id: `${path.name}/${faultId(fault)}`,
      path: path.name,
      fault,
      site: siteText(fault),
      text: faultText(fault),
      verdict: judge(run, fault, course, subject.config, this.#ignored),
      timeline: run.seen.timeline,
    };
  }

  #passing(
    dishonest: Dishonesty | null,
    recorded: readonly { readonly tool: string; readonly args: unknown; readonly output: unknown }[],
  ): Omit<Passing, 'fault' | 'restart' | 'complain'> {
    const replayed = new Set(this.settings.replay ?? []);
    const { tools } = this.subject.config;
    return {
      dishonest,
      wrong: (site, output) => this.#wrong(site, output)?.output,
      refused: (tool) => refusedValue((output) => tools.get(tool)?.refuses(output) ?? null)?.output,
      recorded: (tool, args) => {
        if (!replayed.has(tool)) return undefined;
        const text = JSON.stringify(args);
        return recorded.find((call) => call.tool === tool && JSON.stringify(call.args) === text);
      },
      lateness: (tool) => (tools.get(tool)?.asking.settles ?? 2_000) / 2,
    };
  }

  #wrong({ tool }: CallSite, output: unknown): { readonly output: unknown } | null {
    const own = this.settings.wrong?.[tool];
    if (own !== undefined) return { output: own(output as never) };
    const declared = this.subject.config.tools.get(tool);
    return wrongValue(plain(output), (other) => declared?.refuses(other) ?? null);
  }

  #untaken(references: readonly Reference[]): readonly string[] {
    const taken = new Set(references.flatMap(({ course }) => [...course.edges]));
    const edges = machineShape(this.subject.machine).edges.map(edgeText);
    return [...new Set(edges)].filter((edge) => !taken.has(edge));
  }
}

function ignoredKey(text: string): Key {
  try {
    return parseKey(text);
  } catch (error) {
    throw new RehearsalError('bad_option', `"${text}" under ignore is no key: ${(error as Error).message}`);
  }
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
