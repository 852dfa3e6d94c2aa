/** Rehearses an agent that a program hands over: its machine, its config, and the world that its tools act on. */

import type { BoundaryConfig } from '../boundaries/config.ts';
import { CONFIG } from '../boundaries/config-argument.ts';
import { readConfig } from '../boundaries/directory.ts';
import {
  ANYTHING,
  CODE,
  FLAG,
  LIST,
  listOf,
  NUMBER,
  namedBy,
  OBJECT,
  oneOf,
  optional,
  refuseOther,
  shape,
  TEXT,
} from '../model/argument.ts';
import { RecordingWorld } from '../testing/recording-world.ts';
import type { AnyStateMachine } from '../xstate/actor.ts';
import { MACHINE } from '../xstate/machine-argument.ts';
import { RehearsalError } from './rehearsal-error.ts';
import { rehearseSubject } from './rehearse.ts';
import type { RehearsalReport, RehearsalSettings } from './report.ts';
import type { OpenSubject, Subject } from './trial/subject.ts';

/** A world that the tools of a machine act on, and that a rehearsal can look at. */
export interface RehearsalWorld {
  /** Makes the world as it is before any run. */
  reset(): Promise<void> | void;
  /** The content of the world now, as plain data: rows by table, or anything that JSON can hold. Leave times and random values out. */
  snapshot(): unknown;
}

/** The options of `rehearse`. */
export interface RehearsalOptions extends RehearsalSettings, Omit<OpenSubject, 'snapshot' | 'close' | 'input'> {
  /** The path of the boundary config, or the config itself, loaded. */
  readonly config: string | BoundaryConfig;
  /**
   * The world of the tools; a recording world has every tool act on it, and answers for the reconcilers and undos of the config.
   */
  readonly world: RehearsalWorld;
}

/**
 * Runs an agent without faults, then once for each fault, and judges each run by its world.
 * @throws RehearsalError where it cannot be rehearsed.
 * @example
 * import { setup } from 'xstate';
 * import { loadConfig } from 'belay-sidecar';
 * import { tool } from 'belay-sidecar/xstate';
 * import { recordingWorld, rehearse } from 'belay-sidecar/testing';
 *
 * const text = `
 * belay: 1
 * agent: order
 * tools:
 *   pay: { effect: irreversible, reconcile: find, timeout: 5s }
 * skeletons:
 *   Order:
 *     entity: '"the order"'
 *     states: [paying]
 *     entry: [paying]
 *     exit: [{ id: paid, at: paying -> paid, when: 'true' }]
 *     rollback: { anchors: [paid] }
 * `;
 * const { config } = loadConfig(text, { file: 'order.yaml' });
 * assert.ok(config);
 * const world = recordingWorld();
 * const machine = setup({ actors: { pay: tool<unknown, void>(async (call) => call.key) } }).createMachine({
 *   id: 'order',
 *   initial: 'paying',
 *   states: { paying: { invoke: { src: 'pay', onDone: 'paid' } }, paid: { type: 'final' } },
 * });
 * const report = await rehearse({ machine, config, world });
 * assert.equal(report.totals.harm, 0);
 */
export async function rehearse(options: RehearsalOptions): Promise<RehearsalReport> {
  refuseOther('rehearse', { options: [options, REHEARSAL_OPTIONS] });
  return rehearseSubject(subjectOf(options), options);
}

function subjectOf(options: RehearsalOptions): Subject {
  const { config, document } = configOf(options);
  const { world } = options;
  if (typeof world?.reset !== 'function' || typeof world.snapshot !== 'function')
    throw new RehearsalError('no_snapshot', 'the world needs reset() and snapshot(); recordingWorld() has both');
  const own = openOf(options, world, config);
  return {
    machine: options.machine,
    config,
    document,
    guards: options.guards ?? {},
    async fresh(input) {
      await world.reset();
      const open = { ...own, input, snapshot: () => world.snapshot(), close: () => {} };
      return { open: async () => open, clear: async () => {} };
    },
  };
}

function openOf(
  options: RehearsalOptions,
  world: RehearsalWorld,
  config: BoundaryConfig,
): Omit<OpenSubject, 'snapshot' | 'close'> {
  const { machine, reconcilers = {}, undo = {}, buffers = {}, checks = {}, guards, mandate } = options;
  const more = { ...(guards && { guards }), ...(mandate && { mandate }) };
  const own = { machine: machine as AnyStateMachine, reconcilers, undo, buffers, checks, ...more };
  if (!(world instanceof RecordingWorld)) return own;
  const recorded = world.around(own.machine, config);
  return {
    ...own,
    machine: recorded.machine,
    reconcilers: { ...recorded.reconcilers, ...reconcilers },
    undo: { ...recorded.undo, ...undo },
  };
}

function configOf({ config, guards }: RehearsalOptions): Pick<Subject, 'config' | 'document'> {
  if (typeof config !== 'string') return { config, document: null };
  const loaded = readConfig(config, guards === undefined ? {} : { guards });
  if (loaded.config !== null) return { config: loaded.config, document: loaded.document };
  const errors = loaded.findings.filter(({ severity }) => severity === 'error');
  const lines = errors.map(({ file, line, column, code, message }) => `${file}:${line}:${column} ${code} ${message}`);
  throw new RehearsalError('config_refused', `the config has ${errors.length} errors:\n${lines.join('\n')}`);
}

/** The options, as they are held against what is given; the world has an error of its own. */
const REHEARSAL_OPTIONS = shape<RehearsalOptions>('an object: { machine, config, world }', {
  machine: MACHINE,
  config: CONFIG,
  world: ANYTHING,
  reconcilers: optional(namedBy(CODE)),
  undo: optional(OBJECT),
  buffers: optional(OBJECT),
  checks: optional(namedBy(CODE)),
  guards: optional(namedBy(CODE)),
  mandate: optional(OBJECT),
  codecs: optional(listOf(OBJECT)),
  paths: optional(listOf(OBJECT)),
  explore: optional(LIST),
  wrong: optional(namedBy(CODE)),
  replay: optional(listOf(TEXT)),
  outlives: optional(FLAG),
  ignore: optional(listOf(TEXT)),
  kills: optional(oneOf('sampled', 'all', 'none', 'process', 'process-all')),
  acts: optional(oneOf('sampled', 'all', 'none')),
  first: optional(OBJECT),
  only: optional(TEXT),
  sample: optional(NUMBER),
  seed: optional(NUMBER),
  mutations: optional(NUMBER),
  onMutation: optional(CODE),
  onAgain: optional(CODE),
  onCell: optional(CODE),
});
