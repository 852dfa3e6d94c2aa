/** The runs of a rehearsal: each path without faults, and each cell. */
import type { BoundaryConfig } from '../boundaries/config.ts';
import { type Key, parseKey } from '../model/key.ts';
import { edgeText } from '../xstate/edges-taken.ts';
import { machineShape } from '../xstate/shape.ts';
import { isFirst } from './coverage.ts';
import { exploredPaths } from './explored-paths.ts';
import { faultsOf } from './faults/draw-faults.ts';
import { type CallSite, faultId, faultText, type RehearsedFault, type SteerFault, siteText } from './faults/fault.ts';
import type { Reference } from './faults/reference.ts';
import { sampled } from './faults/sample.ts';
import { toldPath } from './faults/steers.ts';
import { refusedValue, wrongValue } from './faults/wrong-value.ts';
import { judge } from './judge.ts';
import { RehearsalError } from './rehearsal-error.ts';
import type { RehearsalCell, RehearsalSettings } from './report.ts';
import type { Answered, Judged } from './trial/course.ts';
import type { Dishonesty } from './trial/dishonesty.ts';
import { plain } from './trial/observation.ts';
import { replayedAnswer, type Treatment } from './trial/passing.ts';
import { recordedCalls, referenceOf } from './trial/reference.ts';
import { type NamedPath, namedPaths, type RecordedCall, type Subject } from './trial/subject.ts';
import { runTrial } from './trial/trial.ts';

/** The most paths of a rehearsal. */
const MOST_PATHS = 50;
/** The kills of a path, unless all of them are wanted. */
const SOME_KILLS = 24;
/** The same where processes are really killed: each takes two of them. */
const FEW_KILLS = 8;
/** The acts on events of a path, unless all of them are wanted. */
const SOME_ACTS = 24;

/** The runs of one subject: without faults, with one, and with other configs. */
export class Runs {
  readonly subject: Subject;
  readonly settings: RehearsalSettings;
  readonly #paths: readonly NamedPath[];
  readonly #ignored: readonly Key[];
  /** The runs that were told from the beginning what acts have said, by their events. */
  readonly #told = new Map<string, Promise<Judged>>();
  /** Paths that were found and cannot be rehearsed. */
  readonly dropped: { readonly path: string; readonly why: string }[] = [];

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
    if (isReal(settings.kills ?? 'sampled') && subject.killed === undefined)
      throw new RehearsalError(
        'world_in_process',
        'a process is killed only where the world outlives it: run `belay rehearse`, and say `outlives: true` in `rehearsal` of the agent once all that its tools change lies in files, a database or a service',
      );
    for (const tool of [...Object.keys(settings.wrong ?? {}), ...(settings.replay ?? [])])
      if (!tools.has(tool))
        throw new RehearsalError('bad_option', `there is no tool "${tool}": the tools are ${[...tools].join(', ')}`);
  }

  /** The paths, each run without faults. */
  async references(): Promise<readonly Reference[]> {
    const references: Reference[] = [];
    for (const path of this.#paths) references.push(await this.reference(path));
    const { explore } = this.settings;
    if (explore === undefined) return references;
    for (const path of exploredPaths(this.subject.machine, explore, references)) {
      if (references.length === MOST_PATHS) {
        this.dropped.push({ path: path.name, why: `a rehearsal has at most ${MOST_PATHS} paths` });
        continue;
      }
      try {
        references.push(await this.reference(path));
      } catch (error) {
        if (!(error instanceof RehearsalError)) throw error;
        this.dropped.push({ path: path.name, why: error.message });
      }
    }
    return references;
  }

  /** One path, run without faults. */
  async reference(path: NamedPath): Promise<Reference> {
    return { path, course: await referenceOf(this.subject, path, (recorded) => this.#passing(null, recorded)) };
  }

  /** The faults of a path: all of them, and those that are run. */
  faults(reference: Reference): {
    readonly faults: readonly RehearsedFault[];
    readonly chosen: readonly RehearsedFault[];
  } {
    const {
      kills = 'sampled',
      acts = 'sampled',
      sample = Number.POSITIVE_INFINITY,
      seed = 1,
      only = '',
    } = this.settings;
    const all = faultsOf(reference, {
      config: this.subject.config,
      reconcilers: new Set(reference.course.reconcilers),
      areRealKills: isReal(kills),
      canBeWrong: (site, output) => this.#wrong(site, output) !== null,
    });
    const faults = all.filter(
      ({ kind }) => (kind !== 'kill' || kills !== 'none') && (kind !== 'steer' || acts !== 'none'),
    );
    const deaths = faults.filter(({ kind }) => kind === 'kill');
    const steers = faults.filter(({ kind }) => kind === 'steer');
    const isEach = kills === 'all' || kills === 'process-all' || only !== '';
    const some = new Set(
      isEach ? deaths : sampled(deaths, kills === 'process' ? FEW_KILLS : SOME_KILLS, seed, faultId),
    );
    for (const steer of acts === 'all' || only !== '' ? steers : sampled(steers, SOME_ACTS, seed, faultId))
      some.add(steer);
    const wanted = faults.filter(
      (fault) =>
        ((fault.kind !== 'kill' && fault.kind !== 'steer') || some.has(fault)) &&
        `${reference.path.name}/${faultId(fault)}`.includes(only),
    );
    const { first } = this.settings;
    const leading = first === undefined ? [] : wanted.filter((fault) => isFirst(fault, first));
    const others = first === undefined ? wanted : wanted.filter((fault) => !isFirst(fault, first));
    const led = sampled(leading, sample, seed, faultId);
    return { faults, chosen: [...led, ...sampled(others, sample - led.length, seed, faultId)] };
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
    const passed = (isMissed: boolean): Promise<Judged> => {
      if (fault.kind === 'kill' && fault.isReal && subject.killed !== undefined)
        return subject.killed(path, fault.append, recordedCalls(course));
      const passing = this.#passing(dishonest, recordedCalls(course), isMissed);
      return runTrial({ subject, config, path, fault, passing });
    };
    const run = await passed(false);
    const told =
      fault.kind === 'steer' && run.steered?.includes('done')
        ? await this.#toldOf(reference, fault, run.steered)
        : course;
    const verdict = judge(run, fault, told, subject.config, this.#ignored);
    // The delay may also win: then the call must be as if it had never acted.
    const isMeeting = verdict.is === 'harm' && fault.kind === 'timer' && fault.call !== null && run.status === 'done';
    const missed = isMeeting ? await passed(true) : null;
    return {
      id: `${path.name}/${faultId(fault)}`,
      path: path.name,
      fault,
      site: siteText(fault),
      text: faultText(fault),
      verdict: missed?.status === 'done' ? judge(run, fault, missed, subject.config, this.#ignored) : verdict,
      timeline: run.seen.timeline,
    };
  }

  /** The run of a path that was told from the beginning what acts have said. */
  #toldOf({ path, course }: Reference, fault: SteerFault, answered: readonly Answered[]): Promise<Judged> {
    const told = toldPath(path, fault, answered);
    const name = JSON.stringify([path.name, told.events]);
    const { subject } = this;
    const passing = this.#passing(null, recordedCalls(course));
    const run = this.#told.get(name) ?? runTrial({ subject, config: subject.config, path: told, fault: null, passing });
    this.#told.set(name, run);
    return run;
  }

  #passing(dishonest: Dishonesty | null, recorded: readonly RecordedCall[], isMissed = false): Treatment {
    const { tools } = this.subject.config;
    return {
      dishonest,
      isMissed,
      wrong: (site, output) => this.#wrong(site, output)?.output,
      refused: (tool) => refusedValue((output) => tools.get(tool)?.refuses(output) ?? null)?.output,
      recorded: (tool, args) => replayedAnswer(this.settings.replay ?? [], recorded, { tool, args }),
      lateness: (tool) => (tools.get(tool)?.asking.settles ?? 2_000) / 2,
    };
  }

  #wrong({ tool }: CallSite, output: unknown): { readonly output: unknown } | null {
    const own = this.settings.wrong?.[tool];
    if (own !== undefined) return { output: own(output as never) };
    const declared = this.subject.config.tools.get(tool);
    return wrongValue(plain(output), (other) => declared?.refuses(other) ?? null);
  }

  /** The edges of the machine that no path takes without a fault. */
  untaken(references: readonly Reference[]): readonly string[] {
    const taken = new Set(references.flatMap(({ course }) => [...course.edges]));
    const edges = machineShape(this.subject.machine).edges.map(edgeText);
    return [...new Set(edges)].filter((edge) => !taken.has(edge));
  }
}

function isReal(kills: NonNullable<RehearsalSettings['kills']>): boolean {
  return kills === 'process' || kills === 'process-all';
}

function ignoredKey(text: string): Key {
  try {
    return parseKey(text);
  } catch (error) {
    throw new RehearsalError('bad_option', `"${text}" under ignore is no key: ${(error as Error).message}`);
  }
}
