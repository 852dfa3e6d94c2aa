/**
 * Attaches the sidecar to a machine: begins a run, or takes one up again where its journal ends (semantics.md §10, §11). Nothing
 * in the machine is rewritten; a provided copy of it runs, and its actor is an ordinary one.
 */

import type { Actor, ActorOptions, AnyStateMachine, EventFrom, InputFrom } from 'xstate';
import { ANYTHING, CODE, kind, OBJECT, optional, refuseOther, shape } from '../model/argument.ts';
import type { Digests } from '../model/entry.ts';
import { DECISION_POLICY, type DecisionPolicy } from '../recovery/decision-policy.ts';
import { SilentWatcher } from '../runtime/silent-watcher.ts';
import type { Release } from '../sidecar/migration/plan.ts';
import { type Adopted, adoptRun } from '../sidecar/opening/adopt-run.ts';
import type { RunCommands } from '../sidecar/opening/commands.ts';
import { beginRun, migrateRun, type Opened, resumeRun } from '../sidecar/opening/open-run.ts';
import { type RunOptions, UNDER, type UnderRelease } from '../sidecar/opening/options.ts';
import type { Program } from '../sidecar/opening/program.ts';
import { RUN_FIELDS } from '../sidecar/opening/taken-options.ts';
import type { EventOutcome, Sending } from '../sidecar/run/sending.ts';
import { codeDigest } from './code-digest.ts';
import { DELAYS, type Delays } from './delays.ts';
import { MACHINE } from './machine-argument.ts';
import { ActorPlaces } from './references.ts';
import { inertSetting, MachineRuntime } from './runtime.ts';
import { machineShape, toolVersions } from './shape.ts';

/** The options of a sidecar that is attached to a machine. */
export interface SidecarOptions<TMachine extends AnyStateMachine = AnyStateMachine> extends RunOptions {
  /** The machine's input, for a run that begins. */
  readonly input?: InputFrom<TMachine>;
  /** Told what happens to the actors, by xstate: a function, or an observer as `@statelyai/inspect` has it. */
  readonly inspect?: ActorOptions<AnyStateMachine>['inspect'];
}

/** A machine under the sidecar. */
export interface Sidecar<TMachine extends AnyStateMachine = AnyStateMachine> extends RunCommands {
  /** The machine's actor, to be started like any other. It stays the same through every recovery. */
  readonly actor: Actor<TMachine>;
  /**
   * Sends the machine an event under a name, and tells its outcome once that is durable: taken, held or refused. The same event under the same
   * `id` is one (CH2). With `seen`, the values that its sender was shown by their keys in the context, it is refused where any is another by
   * then (CH5). `actor.send` stays for events whose outcome is not asked for.
   * @throws SidecarError `message_differs` where another event has the id, `run_finished`; TypeError for an event that no run may be sent.
   */
  send(event: EventFrom<TMachine> | string, how?: Sending): Promise<EventOutcome>;
}

/**
 * Begins a run of a machine under the sidecar.
 * @throws SidecarError, JournalError (`run_exists`, `lease_held`).
 * @example
 * import { setup } from 'xstate';
 * import { loadConfig } from 'belay-sidecar';
 * import { attach, tool } from 'belay-sidecar/xstate';
 *
 * const text = `
 * belay: 1
 * agent: order
 * tools:
 *   pay: { effect: irreversible, reconcile: find, timeout: 5s }
 * skeletons: {}
 * `;
 * const { config } = loadConfig(text, { file: 'order.yaml' });
 * assert.ok(config);
 * const pay = tool<string, void>(async ({ key }) => `paid under ${key?.slice(0, 6)}`);
 * const machine = setup({ actors: { pay } }).createMachine({
 *   id: 'order',
 *   initial: 'paying',
 *   states: { paying: { invoke: { src: 'pay', onDone: 'paid' } }, paid: { type: 'final' } },
 * });
 * const find = () => ({ is: 'not_applied' }) as const;
 * const sidecar = await attach(machine, { run: 'order-1', config, reconcilers: { find } });
 * sidecar.actor.start();
 * assert.equal((await sidecar.finished()).status, 'done');
 * await sidecar.close();
 */
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
  return sidecarOf(await beginRun(programOf('attach', machine, options), options, decisionPolicy));
}

/**
 * Takes a run up where its journal ends: finishes a recovery that was under way, asks the counterparties of calls whose outcome
 * is open, and goes on. A run of which nothing is recorded begins, and one that is over says how it ended.
 * @throws SidecarError, JournalError (`journal_tail_lost`, `journal_corrupt`, `lease_held`).
 * @example
 * import { setup } from 'xstate';
 * import { loadConfig, memoryStore } from 'belay-sidecar';
 * import { resume, tool } from 'belay-sidecar/xstate';
 *
 * const text = `
 * belay: 1
 * agent: order
 * tools:
 *   pay: { effect: irreversible, reconcile: find, timeout: 5s }
 * skeletons: {}
 * `;
 * const { config } = loadConfig(text, { file: 'order.yaml' });
 * assert.ok(config);
 * const pay = tool<string, void>(async ({ key }) => `paid under ${key?.slice(0, 6)}`);
 * const machine = setup({ actors: { pay } }).createMachine({
 *   id: 'order',
 *   initial: 'paying',
 *   states: { paying: { invoke: { src: 'pay', onDone: 'paid' } }, paid: { type: 'final' } },
 * });
 * const find = () => ({ is: 'not_applied' }) as const;
 * const options = { run: 'order-1', config, journal: memoryStore(), reconcilers: { find } };
 * const first = await resume(machine, options); // nothing is recorded: the run begins
 * first.actor.start();
 * await first.close();
 * const second = await resume(machine, options); // it goes on where the journal ends
 * second.actor.start();
 * assert.equal((await second.finished()).status, 'done');
 * await second.close();
 */
export async function resume<TMachine extends AnyStateMachine>(
  machine: TMachine,
  options: SidecarOptions<TMachine>,
): Promise<Sidecar<TMachine>> {
  return sidecarOf(await resumeRun(programOf('resume', machine, options), options));
}

/**
 * Takes a run up that was taken for one release; if the run goes on under another release by now, gives it back under
 * that release.
 * @throws SidecarError `moved`, and as {@link resume}.
 */
export function resumeUnder<TMachine extends AnyStateMachine>(
  machine: TMachine,
  options: SidecarOptions<TMachine>,
  { machine: digest, config }: Pick<Digests, 'machine' | 'config'>,
): Promise<Sidecar<TMachine>> {
  const held: SidecarOptions<TMachine> & UnderRelease = { ...options, [UNDER]: { machine: digest, config } };
  return resume(machine, held);
}

/** A machine as a run executes it. */
export function programOf<TMachine extends AnyStateMachine>(
  called: string,
  machine: TMachine,
  options: SidecarOptions<TMachine>,
): Program {
  refuseOther(called, { machine: [machine, MACHINE], options: [options, SIDECAR_OPTIONS] });
  const { input, inspect, [DELAYS]: delays }: SidecarOptions<TMachine> & { readonly [DELAYS]?: Delays } = options;
  const shape = machineShape(machine);
  const places = new ActorPlaces();
  return {
    agent: machine.id,
    digest: shape.digest,
    code: codeDigest(machine),
    tools: toolVersions(machine),
    states: new Set(shape.states.map(({ path }) => path)),
    shape,
    input,
    actors: places,
    runtime: (watcher, now) => new MachineRuntime(machine, watcher, { inspect, now, delays, places }),
  };
}

/** A machine as a release that runs are planned under. */
export function releaseOf(machine: AnyStateMachine): Release {
  const shape = machineShape(machine);
  const { machines } = new MachineRuntime(machine, new SilentWatcher(), inertSetting());
  return {
    agent: machine.id,
    digest: shape.digest,
    shape,
    code: codeDigest(machine),
    tools: toolVersions(machine),
    machines,
  };
}

/**
 * Moves a run that no process has to the release of a machine and its config, where that takes its whole past the same way.
 * @throws SidecarError, JournalError (`journal_corrupt`, `lease_held`).
 */
export function migrate(
  machine: AnyStateMachine,
  options: RunOptions,
  word: Parameters<typeof migrateRun>[2],
): ReturnType<typeof migrateRun> {
  return migrateRun(programOf('migrate', machine, options), options, word);
}

/**
 * Moves a run that no process has to the release of a machine and its config by itself, as a worker that was told to adopt does.
 * @throws SidecarError, JournalError (`journal_corrupt`, `lease_held`, `rows_archived`).
 */
export function adopt(machine: AnyStateMachine, options: RunOptions): Promise<Adopted> {
  return adoptRun(programOf('adopt', machine, options), options);
}

function sidecarOf<TMachine extends AnyStateMachine>({ root, commands, send }: Opened): Sidecar<TMachine> {
  return Object.assign(commands, { actor: root as Actor<TMachine>, send: send as Sidecar<TMachine>['send'] });
}

/** The kinds of the options. */
const SIDECAR_OPTIONS = shape<SidecarOptions>('an object: { run, config }', {
  ...RUN_FIELDS,
  input: ANYTHING,
  inspect: optional(kind('a function, or an observer', (value) => CODE.takes(value) || OBJECT.takes(value))),
});
