/**
 * Attaches the sidecar to a machine: begins a run, or takes one up again where its journal ends (semantics.md §10, §11). Nothing
 * in the machine is rewritten; a provided copy of it runs, and its actor is an ordinary one.
 */
import { randomBytes } from 'node:crypto';
import type { BoundaryConfig } from '../boundaries/config.ts';
import { readConfig, readLock } from '../boundaries/directory.ts';
import { parseTime } from '../boundaries/page/time.ts';
import { isReviewed } from '../boundaries/review.ts';
import { redactionRules } from '../boundaries/sections/redact.ts';
import type { Claims } from '../effects/claims.ts';
import type { Inverse, Reconciler, StagingArea, Undo } from '../effects/counterparty.ts';
import type { ApprovalRequest, GuardedRequest } from '../effects/gates.ts';
import { entriesOf } from '../journal/entries.ts';
import { EntryDecoder, EntryEncoder, FORMAT } from '../journal/entry-codec.ts';
import { type Journal, JournalError, type JournalStore, type StoredRow } from '../journal/journal.ts';
import { memoryStore } from '../journal/memory/store.ts';
import type { ValueCodec } from '../journal/value-codec.ts';
import type { Policy } from '../model/decision.ts';
import type { Signal } from '../model/failure.ts';
import { SIGNALS } from '../model/failure.ts';
import type { InstanceId } from '../model/instance.ts';
import { type RedactionRules, redacts } from '../model/redaction.ts';
import type { Guards } from '../predicates/compile.ts';
import { RunState } from '../projection/run-state.ts';
import { DECISION_POLICY, type DecisionPolicy } from '../recovery/decision-policy.ts';
import {
  type Actor,
  type AnyStateMachine,
  anyRef,
  type InputFrom,
  type InspectionEvent,
  makeActor,
} from '../xstate/actor.ts';
import { machineShape } from '../xstate/shape.ts';
import { watchTimers } from '../xstate/timers.ts';
import { MachineWatch } from '../xstate/watch.ts';
import type { Check, RunParts, Suspect } from './parts.ts';
import { planResume } from './plan/resume-plan.ts';
import { compareNames } from './registered.ts';
import type { Ending, Report } from './report.ts';
import { Run } from './run.ts';
import { SidecarError } from './sidecar-error.ts';

/** What a sidecar is attached with. */
export interface SidecarOptions<TMachine extends AnyStateMachine = AnyStateMachine> {
  /** The name of the run. */
  readonly run: string;
  /** The path of the reviewed boundary config, or the config itself, loaded. */
  readonly config: string | BoundaryConfig;
  /** Refuses a config that nobody has vouched for (`belay review`); else that is only a finding. */
  readonly reviewed?: boolean;
  /** Where the journal is kept; in memory if left out. */
  readonly journal?: JournalStore;
  /** The machine's input, for a run that begins. */
  readonly input?: InputFrom<TMachine>;
  /** How lines are computed; `line` if left out. */
  readonly policy?: Policy;
  /** Who can be asked whether a call happened, by the names that the config uses. */
  readonly reconcilers?: Readonly<Record<string, Reconciler>>;
  /** What undoes a call, by the names that the config uses. */
  readonly undo?: Readonly<Record<string, Undo | Inverse>>;
  /** What holds calls back until their instance commits, by the names that the config uses. */
  readonly buffers?: Readonly<Record<string, StagingArea>>;
  /** What looks at the world once more before a call leaves, by the names that the config uses. */
  readonly checks?: Readonly<Record<string, Check>>;
  /** Conditions in code that the config names by digest. */
  readonly guards?: Guards;
  /** How values are journaled that have no form of their own: without one, a call with such an argument does not leave. */
  readonly codecs?: readonly ValueCodec[];
  /** Asked before every call; a text denies it (GOVERNOR_DENIED). */
  readonly governor?: (call: {
    tool: string;
    args: unknown;
    instance: InstanceId;
  }) => string | null | Promise<string | null>;
  /**
   * Keeps this run apart from others that touch the same things outside: before a call leaves, it waits until nobody else has them. What
   * a run has touched is its own until it is over, also while it is parked; `release` gives it free. Left out, runs do not know of each other.
   */
  readonly claims?: Claims;
  /**
   * Told of every question to a person, once it is journaled: whoever is to answer it has to hear of it. One that still waits is told
   * again by each process that takes the run up.
   */
  readonly onGate?: (gate: GuardedRequest) => void;
  /** True where the process stays while an approval is waited for; it does, if left out. */
  readonly keepAlive?: boolean;
  /** Told of every decision, once it is journaled. */
  readonly onDecision?: (report: Report) => void;
  /** Told of what a person should know: boundaries that do not certify, writes outside the outputs, values that are lost. */
  readonly onFinding?: (finding: {
    readonly code: string;
    readonly instance: InstanceId | null;
    readonly text: string;
  }) => void;
  /**
   * Sends the events from outside that a restore took back again, as soon as the machine can take them. Left out, their sender has
   * to: whoever reacts to states does so anyway, and would send them twice.
   */
  readonly redeliver?: boolean;
  /** For development: holds the memory against its changes at boundaries, at the cost of the memory's weight each time. */
  readonly verify?: boolean;
  /** The wall clock, in milliseconds: approvals expire, counterparties are asked again and the machine's delays are over by it. */
  readonly now?: () => number;
  /** Passed on to the actor. */
  readonly inspect?: (event: InspectionEvent) => void;
}

/** A machine under the sidecar. */
export interface Sidecar<TMachine extends AnyStateMachine = AnyStateMachine> {
  /** The machine's actor, to be started like any other. It stays the same through every recovery. */
  readonly actor: Actor<TMachine>;
  /** How the run ends, or comes to stand still; asked again after it was set going again. */
  finished(): Promise<Ending>;
  readonly status: Run['status'];
  /**
   * Says that something was found wrong that no tool and no error told of (F1): in which instance, and which key of its writes. Who
   * does not know which occurrence it was leaves the ordinal out: where there are several, the answer is `ambiguous_instance`.
   *
   * What the run is parked on stays found wrong beside it. With `instead`, it takes the place of all complaints that the run is parked on:
   * they were mistakes. One that names an occurrence takes the place of one that did not, and the same complaint twice is one.
   * @throws SidecarError `bad_failure`, `run_finished`, `stuck`.
   */
  fail(
    signal: Signal,
    suspect: {
      readonly instance: Suspect;
      readonly key?: string;
      readonly error?: unknown;
      readonly instead?: boolean;
    },
  ): Promise<void>;
  /**
   * Says what became of a call (E2), by its key, and asks again what the run is parked on.
   * @throws SidecarError `bad_settlement` where the journal or the counterparty knows better, the call is under way, no call has the key, or
   * the tool cannot have answered that.
   */
  settle(key: string, status: 'confirmed' | 'failed' | 'compensated', output?: unknown): Promise<void>;
  /** The questions that wait for a person. */
  gates(): readonly ApprovalRequest[];
  /**
   * Answers a gate that asks for an approval.
   * @param answer who says so, and why.
   * @returns why the answer is refused, or null: nobody asked for it, it was answered before, or it is void.
   */
  answer(
    gate: string,
    verdict: 'approved' | 'denied',
    answer: { readonly by: string; readonly why?: string },
  ): Promise<string | null>;
  /** Asks the counterparties of all calls whose outcome is open, and then the parked questions again. */
  reconcile(): Promise<void>;
  /** Starts the run over, where a decision advised it. @throws SidecarError `not_advised` where none did. */
  rerun(): Promise<void>;
  /** Resolves once everything that happened so far is durable. */
  durable(): Promise<void>;
  /**
   * Stops the actor, makes everything durable, and gives the run back. It can be resumed.
   * @param how `drain`: how long calls under way are waited for first, in milliseconds or as `10s`; not at all, if left out.
   * @throws RangeError where that is no time.
   */
  close(how?: { readonly drain?: number | string }): Promise<void>;
}

/** The option by which a rehearsal gives all of its runs one secret, so that their keys are the same; no other run has it. */
export const SECRET: unique symbol = Symbol('the secret of the run');

/** Begins a run of a machine under the sidecar. @throws SidecarError, JournalError (`run_exists`, `lease_held`). */
export function attach<TMachine extends AnyStateMachine>(
  machine: TMachine,
  options: SidecarOptions<TMachine>,
): Promise<Sidecar<TMachine>> {
  return attachJudged(machine, options, DECISION_POLICY);
}

/** Begins a run with other judges than every run has: for the audit (`seam.ts`). */
export async function attachJudged<TMachine extends AnyStateMachine>(
  machine: TMachine,
  options: SidecarOptions<TMachine>,
  decisionPolicy: DecisionPolicy,
): Promise<Sidecar<TMachine>> {
  const config = configOf(machine, options);
  const store = storeFor(config, options);
  const journal = await store.open(options.run, 'create');
  return opened(journal, () => begin(machine, options, config, journal, decisionPolicy));
}

/**
 * Takes a run up where its journal ends: finishes a recovery that was under way, asks the counterparties of calls whose outcome
 * is open, and goes on. A run of which nothing is recorded begins, and one that is over says how it ended.
 * @throws SidecarError, JournalError (`journal_tail_lost`, `journal_corrupt`, `lease_held`).
 */
export async function resume<TMachine extends AnyStateMachine>(
  machine: TMachine,
  options: SidecarOptions<TMachine>,
): Promise<Sidecar<TMachine>> {
  const config = configOf(machine, options);
  const store = storeFor(config, options);
  const journal = await store.open(options.run, 'either');
  return opened(journal, () =>
    journal.head === 0
      ? begin(machine, options, config, journal, DECISION_POLICY)
      : takeUp(machine, options, config, journal),
  );
}

/** What fails once the lease is taken gives it back. */
async function opened<T>(journal: Journal, go: () => T | Promise<T>): Promise<T> {
  try {
    return await go();
  } catch (error) {
    await journal.close().catch(() => {});
    throw error;
  }
}

/** The config, loaded. Says whether it is reviewed, and which names do not meet. */
function configOf<TMachine extends AnyStateMachine>(
  machine: TMachine,
  options: SidecarOptions<TMachine>,
): BoundaryConfig {
  const { config, guards, reviewed } = options;
  const loaded =
    typeof config === 'string' ? readConfig(config, guards === undefined ? {} : { guards }) : { config, findings: [] };
  if (loaded.config === null) {
    const errors = loaded.findings.filter(({ severity }) => severity === 'error');
    const lines = errors.map(({ file, line, column, code, message }) => `${file}:${line}:${column} ${code} ${message}`);
    throw new SidecarError('config_refused', `the config has ${errors.length} errors:\n${lines.join('\n')}`);
  }
  if (loaded.config.agent !== machine.id) {
    throw new SidecarError(
      'other_agent',
      `the config is for "${loaded.config.agent}", and the machine is "${machine.id}"`,
    );
  }
  checkCodecs(options.codecs ?? []);
  const names = compareNames(loaded.config, options);
  const unreviewed = typeof config === 'string' ? unreviewedText(config, loaded.config) : null;
  if (unreviewed !== null && reviewed === true) throw new SidecarError('config_unreviewed', unreviewed);
  if (unreviewed !== null) options.onFinding?.({ code: 'config_unreviewed', instance: null, text: unreviewed });
  for (const { code, text } of names) options.onFinding?.({ code, instance: null, text });
  return loaded.config;
}

/** @throws SidecarError `bad_codec` where a name could not tell one codec from another. */
function checkCodecs(codecs: readonly ValueCodec[]): void {
  const names = new Set<string>();
  for (const { name } of codecs) {
    if (!/^[\w.:/-]{1,100}$/.test(name))
      throw new SidecarError('bad_codec', `"${name}" is no name of a codec: letters, digits and _ . : / - are`);
    if (names.has(name)) throw new SidecarError('bad_codec', `there are two codecs "${name}": rename one of them`);
    names.add(name);
  }
}

/** The store of the journal. @throws SidecarError `redaction_needs_encryption` where what is redacted could be read out of it. */
function storeFor(config: BoundaryConfig, { journal = memoryStore() }: SidecarOptions): JournalStore {
  if (!redacts(redactionRules(config)) || journal.confidential === true) return journal;
  const what = 'the config redacts values, and the journal would keep them as they are';
  const mend = 'give it a key, sqliteStore(file, { key }) on a new file, at the terminal --key-file FILE';
  throw new SidecarError('redaction_needs_encryption', `${what}: ${mend}`);
}

/** What a journal says of the redaction, for whoever reads it without the config. */
function redactOf(config: BoundaryConfig): { readonly redact?: RedactionRules } {
  const rules = redactionRules(config);
  return redacts(rules) ? { redact: rules } : {};
}

function unreviewedText(file: string, config: BoundaryConfig): string | null {
  const read = readLock(file);
  if ('problem' in read) return read.problem;
  if (isReviewed(read.lock, config)) return null;
  return `nobody has vouched for ${file} as it is: belay review ${file} --accept --by NAME`;
}

function parts<TMachine extends AnyStateMachine>(
  options: SidecarOptions<TMachine>,
  config: BoundaryConfig,
  journal: Journal,
  runState: RunState,
  encoder: EntryEncoder,
  decisionPolicy: DecisionPolicy,
): RunParts {
  const { redaction } = runState;
  return {
    run: options.run,
    config,
    journal,
    runState,
    encoder,
    policy: options.policy ?? 'line',
    decisionPolicy,
    reconcilers: options.reconcilers ?? {},
    undos: options.undo ?? {},
    buffers: options.buffers ?? {},
    checks: options.checks ?? {},
    onGate: (gate) => options.onGate?.({ ...gate, reason: redaction.text(gate.reason) }),
    keepAlive: options.keepAlive ?? true,
    governor: options.governor ?? (() => null),
    claims: options.claims ?? null,
    now: options.now ?? (() => Date.now()),
    redeliver: options.redeliver ?? true,
    verify: options.verify ?? false,
    onDecision: (report) => options.onDecision?.({ ...report, error: redaction.text(report.error) }),
    onFinding: (finding) => options.onFinding?.({ ...finding, text: redaction.text(finding.text) }),
  };
}

function begin<TMachine extends AnyStateMachine>(
  machine: TMachine,
  options: SidecarOptions<TMachine>,
  config: BoundaryConfig,
  journal: Journal,
  decisionPolicy: DecisionPolicy,
): Sidecar<TMachine> {
  const run = new Run(
    parts(
      options,
      config,
      journal,
      foldWith(options.codecs),
      new EntryEncoder(undefined, options.codecs),
      decisionPolicy,
    ),
    options.input,
  );
  const watch = new MachineWatch(machine, run);
  run.bind(watch);
  const digests = { config: config.digest, machine: machineShape(machine).digest };
  const secret = (options as { readonly [SECRET]?: string })[SECRET] ?? randomBytes(32).toString('hex');
  run.append([{ do: 'begin', agent: config.agent, digests, format: FORMAT, secret, ...redactOf(config) }]);
  const actor = makeActor<TMachine>(watch, { input: options.input }, options.inspect, run.parts.now);
  return handle(run, watch, actor, journal);
}

async function takeUp<TMachine extends AnyStateMachine>(
  machine: TMachine,
  options: SidecarOptions<TMachine>,
  config: BoundaryConfig,
  journal: Journal,
): Promise<Sidecar<TMachine>> {
  const { runState, reader } = readRun(journal.read(), options.codecs);
  const now = { config: config.digest, machine: machineShape(machine).digest };
  refuseOthers(machine, runState, reader, now.machine);
  const run = new Run(
    parts(options, config, journal, runState, new EntryEncoder(reader.names, options.codecs), DECISION_POLICY),
    options.input,
  );
  const watch = new MachineWatch(machine, run);
  run.bind(watch);
  run.hold();
  if (runState.ended === null && runState.digests?.config !== now.config)
    run.append([{ do: 'config', digests: now, ...redactOf(config) }]);
  run.approvals.poll();
  const refused = runState.ended === null ? await run.claimAgain() : null;
  if (refused !== null) throw new SidecarError('claimed', `the run cannot be taken up: ${refused}`);
  await run.recovering.reconcile();
  let finished = await run.recovering.finishPlan();
  if (finished !== 'stuck') await run.recovering.finishUndos();
  if (finished === 'nothing') finished = await run.recovering.askPending();
  if (finished !== 'stuck' && (await run.recovering.takeUpCommits()) === 'stuck') finished = 'stuck';
  // A run that ended before its first step has nothing to stand on: it begins.
  const from = runState.steps.length === 0 ? { input: options.input } : { plan: planResume(runState, run.parts.now) };
  const actor = makeActor<TMachine>(watch, from, options.inspect, run.parts.now);
  const sidecar = handle(run, watch, actor, journal);
  if (runState.ended !== null) {
    void run.recovering.finish((actor.getSnapshot() as { output?: unknown }).output);
    return sidecar;
  }
  run.settleAll();
  if (finished !== 'stuck' && !run.recovering.parkAgain()) run.release();
  return sidecar;
}

/** Folds a run's journal. @throws JournalError `journal_corrupt`. */
export function readRun(
  rows: Iterable<StoredRow>,
  codecs: readonly ValueCodec[] = [],
): { runState: RunState; reader: EntryDecoder } {
  const runState = foldWith(codecs);
  const reader = new EntryDecoder(codecs);
  for (const { entry, row, fold } of entriesOf(rows, reader)) fold(() => runState.apply(entry, row.time));
  return { runState, reader };
}

function foldWith(codecs: readonly ValueCodec[] | undefined): RunState {
  return new RunState(undefined, undefined, codecs);
}

function refuseOthers(machine: AnyStateMachine, runState: RunState, reader: EntryDecoder, digest: string): void {
  if (runState.agent !== machine.id)
    throw new SidecarError('other_agent', `the run is of "${runState.agent}", and the machine is "${machine.id}"`);
  if (runState.digests?.machine !== digest) {
    throw new SidecarError(
      'machine_changed',
      'the machine has other states or edges than the run was journaled under; run the machine that it began with',
    );
  }
  const [codec] = reader.unregistered;
  if (codec !== undefined) {
    throw new SidecarError(
      'codec_missing',
      `the run has journaled values with the codec "${codec}": attach it with codecs: [{ name: '${codec}', ... }]`,
    );
  }
  const [missing] = reader.missing;
  if (missing !== undefined) {
    throw new SidecarError(
      'memory_lost',
      `${missing} held a value that no journal can hold, so the memory cannot be made again`,
    );
  }
}

function handle<TMachine extends AnyStateMachine>(
  run: Run,
  watch: MachineWatch,
  actor: Actor<TMachine>,
  journal: Journal,
): Sidecar<TMachine> {
  run.adopted(anyRef(actor), 0);
  watch.begin(anyRef(actor));
  if (run.runState.toRedeliver.length > 0) {
    const first = actor.subscribe(() => {
      first.unsubscribe();
      queueMicrotask(() => run.offer());
    });
  }
  run.tellUnbegun();
  let isClosed = false;
  /** A command is refused or has an effect: nothing is said to a sidecar that has given its run back. */
  const commanded = () => {
    if (!isClosed) return;
    const text = `The sidecar of run ${JSON.stringify(run.parts.run)} was closed, and nothing was done. Resume the run, and say it again.`;
    throw new JournalError('journal_closed', text);
  };
  watchTimers(anyRef(actor), (ref, id, event, delay) => run.timer(ref, id, event, delay));
  return {
    actor,
    finished: () => run.recovering.finished,
    get status() {
      return run.status;
    },
    async fail(signal, { instance, key, error, instead = false }) {
      commanded();
      if (!SIGNALS.includes(signal)) throw new SidecarError('bad_failure', `"${String(signal)}" is no signal`);
      if (run.runState.ended !== null)
        throw new SidecarError(
          'run_finished',
          'the run has ended and its output was handed over: nothing of it is redone',
        );
      run.recovering.refuseIfStuck();
      if (instead) run.recovering.refuseUnlessParked();
      const suspicion = run.suspected(instance, key);
      // What was undone already needs no second answer (C12).
      if (suspicion !== null) {
        const found = { signal, error: error ?? `found wrong: ${key ?? 'the work'}`, complaint: instance, instead };
        await run.recovering.fail({ ...suspicion, ...found });
      } else await run.recovering.retract(instance, instead);
      // A complaint is taken once its answer is durable.
      await run.durable();
    },
    async settle(key, status, output) {
      commanded();
      await run.recovering.settleEffect(key, status, output);
    },
    gates: () => run.runState.asked.pending(),
    async answer(gate, verdict, { by, why = null as string | null }) {
      commanded();
      const refused = run.approvals.answer(gate, verdict, by, why);
      await run.durable();
      return refused;
    },
    async reconcile() {
      commanded();
      await run.recovering.reconcile();
      await run.recovering.askAgain();
    },
    async rerun() {
      commanded();
      await run.recovering.rerun();
    },
    durable: async () => void (await run.durable()),
    async close({ drain = 0 } = {}) {
      const longest = typeof drain === 'string' ? parseTime(drain) : drain;
      if (!(longest >= 0 && longest <= 2 ** 31 - 1)) throw new RangeError(`"${drain}" is no time to wait for`);
      if (longest > 0) await run.drain(longest);
      isClosed = true;
      run.stopping();
      actor.stop();
      await journal.close();
    },
  };
}
