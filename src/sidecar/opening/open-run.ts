/**
 * Opens a run over a runtime: begins it, or takes it up again where its journal ends (semantics.md §10, §11). The
 * caller makes the runtime for this run.
 */
import { randomBytes } from 'node:crypto';
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { alternativesTrouble } from '../../boundaries/lint/alternatives.ts';
import { processClock } from '../../clock/clock.ts';
import { argsDigest } from '../../effects/digest.ts';
import type { SentEvent } from '../../effects/messages/sent-events.ts';
import { EntryEncoder, FORMAT } from '../../journal/entry-codec.ts';
import type { Journal, OpenMode } from '../../journal/journal.ts';
import { isGoneAnywhere, thisProcess } from '../../journal/lease/holder.ts';
import { isUnder } from '../../journal/work.ts';
import type { Digests } from '../../model/entry.ts';
import type { Renames } from '../../model/renames.ts';
import type { RunState } from '../../projection/run-state.ts';
import { DECISION_POLICY, type DecisionPolicy } from '../../recovery/decision-policy.ts';
import { RunNoteFold } from '../../reports/run-note.ts';
import type { ActorHandle } from '../../runtime/microstep.ts';
import { Activity } from '../activity.ts';
import { Basing } from '../bases/basing.ts';
import { Kin } from '../calls/kin.ts';
import { forgetLeft } from '../calls/left-behind.ts';
import { Lifecycle } from '../lifecycle/lifecycle.ts';
import { heldMove } from '../migration/from-here.ts';
import type { Naming } from '../migration/names.ts';
import { type RunPlan, replacedTools, unsureText } from '../migration/plan.ts';
import { observing } from '../observing.ts';
import { outside } from '../outside.ts';
import type { Parting } from '../paper/parting.ts';
import type { RunParts } from '../parts.ts';
import { planResume } from '../plan/resume-plan.ts';
import { pausedError } from '../run/pauses.ts';
import { givenBack } from '../run/rest.ts';
import { Run } from '../run/run.ts';
import { type EventOutcome, type Sending, sendEvent } from '../run/sending.ts';
import { SidecarError } from '../sidecar-error.ts';
import { claimedAgain, endUnbegun, finishCancelled, planStandstill } from './cancelled.ts';
import { commandsOf, type RunCommands } from './commands.ts';
import { configOf, joinPools, redactOf, storeFor, withStore } from './config.ts';
import {
  planOf,
  refuseMoved,
  refuseOthers,
  refuseOtherThanBefore,
  refuseToMove,
  refuseToReturn,
} from './held-to-release.ts';
import { keptClasses } from './kept-classes.ts';
import { type RunOptions, SECRET, spacingOf, underOf } from './options.ts';
import type { Program } from './program.ts';
import { readInNames } from './read-in-names.ts';
import { foldWith, readRun } from './read-run.ts';
import { refuseOffMachines, refuseOverMachines, refusePooledFork } from './unfit.ts';

/** A run that is open: its root, not started, and its commands. */
export interface Opened {
  readonly root: ActorHandle;
  readonly commands: RunCommands;
  /** Sends the root an event under a name. */
  readonly send: (event: SentEvent['event'] | string, how?: Sending) => Promise<EventOutcome>;
}

/** Begins a run. @throws SidecarError, JournalError (`run_exists`, `lease_held`). */
export async function beginRun(
  program: Program,
  given: RunOptions,
  decisionPolicy: DecisionPolicy = DECISION_POLICY,
): Promise<Opened> {
  const options = withStore(withActors(program, given));
  const config = configFor(program, options);
  refuseOverMachines(config, program);
  refuseAlternatives(config, program);
  const journal = await openIn(config, options, 'create');
  return opened(journal, () => begin(program, options, config, journal, decisionPolicy));
}

/**
 * Takes a run up where its journal ends; one of which nothing is recorded begins.
 * @throws SidecarError, JournalError (`journal_tail_lost`, `journal_corrupt`, `lease_held`).
 */
export async function resumeRun(program: Program, given: RunOptions): Promise<Opened> {
  const options = withStore(withActors(program, given));
  const config = configFor(program, options);
  refuseAlternatives(config, program);
  const journal = await openIn(config, options, 'either');
  return opened(journal, () =>
    journal.head === 0 ? beginLeft(program, options, config, journal) : takeUp(program, options, config, journal),
  );
}

/** Opens the journal of a run whose pools have the limits of its config. @throws SidecarError `pool_limit_differs`, `pools_unsupported`. */
async function openIn(config: BoundaryConfig, options: RunOptions, mode: OpenMode): Promise<Journal> {
  const store = storeFor(config, options);
  if (config.sandboxes.size > 0 && store.sandboxes === undefined)
    throw new SidecarError('sandboxes_unsupported', 'the journal has no rows of sandboxes, and the config names one');
  await joinPools(config, store);
  return store.open(options.run, mode);
}

/** The config of a program. @throws SidecarError where the program is no machine, and the config needs one. */
function configFor(program: Program, options: RunOptions): BoundaryConfig {
  const config = configOf(program.agent, options);
  refuseOffMachines(config, program);
  return config;
}

/** The options of a run whose values may hold its actors. */
export function withActors({ actors }: Program, options: RunOptions): RunOptions {
  return actors === undefined ? options : { ...options, codecs: [actors, ...(options.codecs ?? [])] };
}

/** @throws SidecarError `alternatives_refused` where a machine does not fit the alternatives of its config, or the runtime has none. */
function refuseAlternatives(config: BoundaryConfig, { shape }: Program): void {
  if (config.alternatives.size === 0) return;
  const texts =
    shape !== undefined
      ? alternativesTrouble(config, shape)
      : ['only xstate machines have alternatives: take them out of the config'];
  if (texts.length > 0) throw new SidecarError('alternatives_refused', texts.join('\n'));
}

function digestsOf({ digest, code, tools }: Program, { version }: RunOptions, config: BoundaryConfig): Digests {
  const { digest: own, certificate } = config;
  const named = [...(tools ?? [])].map(([name, tool]) => [name, tool.version] as const);
  return {
    ...{ config: own, machine: digest, certificate },
    ...(code !== undefined && { code }),
    ...(named.length > 0 && { tools: Object.fromEntries(named) }),
    ...(version !== undefined && { version }),
  };
}

/** The runs of the store, as a fork looks at its kin. */
function kinIn({ config, runState: { codecs } }: Recorded, options: RunOptions): ConstructorParameters<typeof Kin>[1] {
  const store = storeFor(config, options);
  return {
    run: (name) => store.run(name),
    read: (name) => store.read(name),
    posts: (name) => store.posts(name),
    post: (name, body) => store.post(name, body),
    fold: (rows) => readRun(rows, codecs).runState,
  };
}

/** Gives the lease back where opening fails. */
async function opened<T>(journal: Journal, go: () => T | Promise<T>): Promise<T> {
  try {
    return await go();
  } catch (error) {
    await journal.close().catch(() => {});
    throw error;
  }
}

/** Calls that were left under way by a process that is gone act no more. */
function forgetGone({ write, runState }: Run): void {
  const here = thisProcess();
  const gone = [...runState.ledger.left].filter(([, by]) => isGoneAnywhere(by, here));
  if (gone.length > 0) write.append(gone.map(([key]) => ({ do: 'returned', key }) as const));
}

/** The parts that a run is recorded with. */
type Recorded = Pick<RunParts, 'config' | 'journal' | 'runState' | 'encoder' | 'note' | 'basing' | 'decisionPolicy'>;

function parts(program: Program, options: RunOptions, recorded: Recorded): RunParts {
  const { redaction } = recorded.runState;
  const lifecycle = new Lifecycle(recorded.runState);
  const brought = {
    reconcilers: options.reconcilers ?? {},
    undos: options.undo ?? {},
    buffers: options.buffers ?? {},
    checks: options.checks ?? {},
    governor: options.governor ?? (() => null),
  };
  return {
    run: options.run,
    activity: new Activity(),
    ...recorded,
    ...outside(brought, () => lifecycle.leave.aborted),
    lifecycle,
    onGate: (gate) => options.onGate?.({ ...gate, reason: redaction.text(gate.reason) }),
    keepAlive: options.keepAlive ?? true,
    claims: options.claims ?? null,
    pools: recorded.config.pools.size > 0 ? (storeFor(recorded.config, options).pools ?? null) : null,
    sandboxes: options.sandboxes ?? {},
    sandboxDesk: recorded.config.sandboxes.size > 0 ? (storeFor(recorded.config, options).sandboxes ?? null) : null,
    kin: new Kin(recorded, kinIn(recorded, options)),
    ...processClock(options.now),
    redeliver: options.redeliver ?? true,
    versions: program.tools,
    callable: callableIn(program),
    version: options.version ?? null,
    limit: program.limit ?? null,
    verify: options.verify ?? false,
    observing: observing(options, program.observer, () => recorded.journal.flush()),
    onCommit: options.onCommit ?? null,
    onDecision: (report) => options.onDecision?.({ ...report, error: redaction.text(report.error) }),
    onFinding: (finding) => options.onFinding?.({ ...finding, text: redaction.text(finding.text) }),
  };
}

/** The names of all that a machine may call: its actors, and what its states invoke; null for a program that shows no machine. */
function callableIn({ shape }: Program): ReadonlySet<string> | null {
  if (shape === undefined || shape.channels !== undefined) return null;
  const invoked = shape.states.flatMap(({ invokes }) => invokes.flatMap(({ tool }) => tool ?? []));
  return new Set([...shape.actors.map(({ name }) => name), ...invoked]);
}

function begin(
  program: Program,
  options: RunOptions,
  config: BoundaryConfig,
  journal: Journal,
  decisionPolicy: DecisionPolicy,
): Opened {
  const run = begun(program, options, config, journal, decisionPolicy);
  return handedOver(run, run.runtime.make({ input: program.input }), journal);
}

/** Begins a run that was left for workers: it may have been cancelled before. */
async function beginLeft(
  program: Program,
  options: RunOptions,
  config: BoundaryConfig,
  journal: Journal,
): Promise<Opened> {
  refuseOverMachines(config, program);
  const run = begun(program, options, config, journal, DECISION_POLICY);
  run.approvals.poll();
  if (run.runState.asked.cancelled !== null) await endUnbegun(run, journal);
  await refusePaused(run, journal);
  return handedOver(run, run.runtime.make({ input: program.input }), journal);
}

function begun(
  program: Program,
  options: RunOptions,
  config: BoundaryConfig,
  journal: Journal,
  decisionPolicy: DecisionPolicy,
): Run {
  const encoder = new EntryEncoder(undefined, options.codecs);
  encoder.trust([], options.verify);
  const [runState, note] = [foldWith(options.codecs), new RunNoteFold()];
  const from = { base: null, rows: 0, bytes: 0 };
  const basing = new Basing(
    { journal, runState, encoder, note, codecs: options.codecs ?? [], from },
    spacingOf(options),
  );
  const recorded = { config, journal, runState, encoder, note, basing, decisionPolicy };
  const run = runOf(program, parts(program, options, recorded));
  const secret = (options as { readonly [SECRET]?: string })[SECRET] ?? randomBytes(32).toString('hex');
  forgetLeft(secret);
  const input = inputDigest(program, options, secret);
  const digests = { ...digestsOf(program, options, config), ...(input !== null && { input }) };
  const trace = run.parts.observing?.opens(options.run, config.agent, run.runState) ?? null;
  const form = { format: FORMAT, secret, ...redactOf(config), ...(trace !== null && { trace }) };
  run.write.append([{ do: 'begin', agent: config.agent, digests, ...form }]);
  run.mandates.begin(options.mandate);
  return run;
}

/**
 * Moves a run that no process has to another release, where that takes its whole past the same way (CO3): one entry, and the run is given back.
 * @param word the word of a person; null where a process moves it by itself.
 * @returns the plan by which it was moved, or stays.
 * @throws SidecarError, JournalError (`journal_corrupt`, `lease_held`).
 */
export async function migrateRun(program: Program, given: RunOptions, word: Word | null): Promise<RunPlan> {
  const options = { ...withActors(program, given), adopt: true };
  const config = configFor(program, options);
  const journal = await openIn(config, options, 'resume');
  return opened(journal, async () => {
    const { run, plan } = await underRelease(program, options, config, journal, word ?? undefined);
    await run.write.durable();
    // Due at once: a process of the release says from when the run can go on by itself.
    await journal.close({ ...givenBack(run), due: 0 });
    return plan;
  });
}

/** A person's word that moves a run. */
interface Word extends Naming {
  readonly by: string | null;
}

/** Reads a run that is taken up, and has it go under the digests of its program and its config. */
async function underRelease(
  program: Program,
  options: RunOptions,
  config: BoundaryConfig,
  journal: Journal,
  word?: Word,
): Promise<{ readonly run: Run; readonly plan: RunPlan }> {
  const { renames, resumed: found } = await readInNames(program, options, config, journal, word);
  const { runState, reader, note, from: read } = found;
  const under = underOf(options);
  if (under !== null && runState.digests !== null && !isUnder(runState.digests, under))
    await refuseMoved(journal, runState.digests);
  refuseOthers(program, runState, reader);
  if (word?.back === true) refuseOtherThanBefore(program, config, runState);
  if (word === undefined && options.adopt === true) refuseToReturn(program, config, runState);
  const plan = planOf(program, runState, config, word, renames);
  refuseToMove(plan, runState, options);
  refuseOtherInput(program, options, runState);
  const encoder = new EntryEncoder(reader.names, options.codecs, reader.contentsToWrite());
  encoder.trust(runState.actors, options.verify);
  const basing = new Basing(
    { journal, runState, encoder, note, codecs: options.codecs ?? [], from: read },
    spacingOf(options),
  );
  const recorded = { config, journal, runState, encoder, note, basing, decisionPolicy: DECISION_POLICY };
  const run = runOf(program, parts(program, options, recorded));
  if (runState.ended === null && journal.overtaken > runState.ledger.overtaken)
    run.write.append([{ do: 'overtaken', upTo: journal.overtaken }]);
  if (runState.ended === null) forgetGone(run);
  run.parts.observing?.opens(options.run, config.agent, runState);
  if (runState.ended === null) goUnder(run, program, options, plan, { by: word?.by ?? null, renames });
  return { run, plan };
}

async function takeUp(
  program: Program,
  options: RunOptions,
  config: BoundaryConfig,
  journal: Journal,
): Promise<Opened> {
  const { run } = await underRelease(program, options, config, journal);
  const { runState } = run.parts;
  refusePooledFork(config, runState.ledger.forks.length > 0);
  run.approvals.poll();
  run.mandates.begin(options.mandate);
  await refusePaused(run, journal);
  const isStuck = await finishLeft(run, journal);
  const isCancelled = runState.asked.cancelled !== null;
  if (isCancelled && runState.places.steps.last === undefined) await endUnbegun(run, journal);
  const standing = isCancelled ? planStandstill : planResume;
  // A run that ended before its first step has nothing to stand on: it begins.
  const from =
    runState.places.steps.last === undefined ? { input: program.input } : { plan: standing(runState, run.parts.now) };
  const root = run.runtime.make(from);
  const taken = handedOver(run, root, journal);
  if (runState.ended === 'cancelled' || runState.ended === 'compensated') await run.recovering.byPerson.over();
  else if (runState.ended !== null) void run.recovering.finish(run.runtime.outputOf(root));
  else if (!isCancelled) goOn(run, isStuck);
  return taken;
}

function notPure(unsure: Parting) {
  return { do: 'finding', code: 'machine_not_pure', instance: null, text: unsureText(unsure) } as const;
}

/** Has a run that goes on do so under the digests of its program and its config: with an entry where they are others. */
function goUnder(
  { write, owing, parts: { config, runState, onFinding } }: Run,
  program: Program,
  options: RunOptions,
  plan: RunPlan,
  { by, renames }: { readonly by: string | null; readonly renames: Renames | null },
): void {
  const own = digestsOf(program, options, config);
  const { digests } = runState;
  const { version: _, code: __, tools: ___, ...before } = digests ?? own;
  const now: Digests = { ...before, ...own };
  const isOther = digests?.config !== now.config || digests.version !== now.version;
  if (plan.is !== 'goes' && !isOther) return;
  const isReplaced = replacedTools(runState, program.tools).length > 0;
  const isTold = plan.is === 'goes' || digests?.config !== now.config;
  const classes = isTold ? keptClasses(runState, config, program.tools) : [];
  const more = {
    ...redactOf(config),
    ...(classes.length > 0 && { classes }),
    ...(isReplaced && { isReplaced: true as const }),
  };
  const named = renames === null ? {} : { renames };
  if (plan.is !== 'goes' || !plan.isMoved) {
    const findings = plan.is === 'goes' && plan.unsure !== null ? [notPure(plan.unsure)] : [];
    owing.beside(() => write.append([{ do: 'config', digests: now, ...more }, ...findings]));
    for (const finding of findings) onFinding(finding);
  } else {
    const { compared, carried } = plan;
    const moved = {
      do: 'migrated',
      from: digests ?? own,
      digests: now,
      ...more,
      ...named,
      ...(plan.isFromHere && { isFromHere: true as const }),
      compared,
      carried,
      ...(by !== null && { by }),
    } as const;
    owing.beside(() => write.append([moved, ...heldMove(plan.sent, by)]));
  }
}

/** Has the machine go on from where it stands, unless something has to be answered first. */
function goOn(run: Run, isStuck: boolean): void {
  run.settleAll();
  if (isStuck) return;
  const { lifecycle } = run.parts;
  run.recovering.parkAgain();
  run.recovering.discarding.begin();
  run.choosing.takenUp();
  run.recovering.losers.begin();
  if (run.recovering.raiseGone()) lifecycle.note({ isUnsure: true });
  // What a complaint says is of the past: it is answered before the machine goes on.
  if (run.heard.hasComplaints) lifecycle.note({ isAskedAgain: true });
  else run.settled();
}

/** Finishes what the last process of a run has left, before its machine is there. @returns true where an undo failed. */
async function finishLeft(run: Run, journal: Journal): Promise<boolean> {
  const { runState, recovering } = run;
  if (runState.asked.cancelled !== null) return finishCancelled(run);
  const refused = runState.ended === null ? await claimedAgain(run) : null;
  await refusePaused(run, journal);
  if (runState.asked.cancelled !== null) return finishCancelled(run);
  if (refused !== null) throw new SidecarError('claimed', `the run cannot be taken up: ${refused}`);
  run.heard.holdEvents();
  await run.calls.pooling.takenUp();
  await recovering.reconcile();
  let finished = await recovering.finishPlan();
  if (finished !== 'stuck') {
    await recovering.finishUndos();
    if (!run.heard.hasComplaints) recovering.retrying.takenUp();
  }
  if (finished === 'nothing') finished = await recovering.askPending();
  return finished === 'stuck' || (await recovering.takeUpCommits()) === 'stuck';
}

/** Gives a run back that a person has paused, before anything of it goes on. @throws SidecarError `paused`. */
async function refusePaused(run: Run, journal: Journal): Promise<void> {
  if (run.parts.lifecycle.configuration.pause === 'off') return;
  // The process that was told may have died before it stopped them.
  await run.calls.sandboxes.closing();
  await run.write.durable();
  await journal.close(givenBack(run));
  throw pausedError(run.parts);
}

function runOf(program: Program, parts: RunParts): Run {
  return new Run(parts, (watcher) => program.runtime(watcher, parts.now), program.input);
}

/** The digest of the input that a program holds its runs to; null where none was given, or it holds them to none. */
function inputDigest({ input, isHeldToInput }: Program, { codecs = [] }: RunOptions, secret: string): string | null {
  return isHeldToInput === true && input !== undefined ? argsDigest(input, secret, codecs) : null;
}

/** @throws SidecarError `other_input` where an input is given, and the run was begun with another one. */
function refuseOtherInput(program: Program, options: RunOptions, { digests, secret }: RunState): void {
  const [given, begun] = [inputDigest(program, options, secret), digests?.input];
  if (given === null || begun === undefined || given === begun) return;
  throw new SidecarError(
    'other_input',
    `the run ${JSON.stringify(options.run)} was begun with another input, and goes on with that: take it up with the same input or without one, and begin a run of another name for this one`,
  );
}

function handedOver(run: Run, root: ActorHandle, journal: Journal): Opened {
  if (run.runtime.machines !== null && run.runState.places.steps.last === undefined) run.write.startsLater();
  run.parts.lifecycle.note({ hold: 'held', machine: 'asleep' });
  run.adopted(root, 0);
  if (run.runState.toRedeliver.length > 0)
    run.runtime.machines?.onceTold(root, () => queueMicrotask(() => run.offer()));
  run.heard.beginWith(root);
  if (run.runState.ended === null) run.approvals.listen();
  run.end.tellUnbegun();
  const commands = commandsOf(run, root, journal);
  return { root, commands, send: async (event, how = {}) => sendEvent(run, event, how) };
}
