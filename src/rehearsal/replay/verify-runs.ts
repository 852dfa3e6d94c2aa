/** `verifyRuns`: the runs of a journal, held against a machine and a config as they are in a program. */

import type { BoundaryConfig } from '../../boundaries/config.ts';
import { CONFIG } from '../../boundaries/config-argument.ts';
import { readConfig } from '../../boundaries/directory.ts';
import { loadConfig } from '../../boundaries/load.ts';
import { gathered } from '../../journal/gathered.ts';
import { JournalError, type JournalStore } from '../../journal/journal.ts';
import { STORE } from '../../journal/store-argument.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';
import { CODE, listOf, namedBy, OBJECT, optional, refuseOther, shape, TEXT } from '../../model/argument.ts';
import { parseKey } from '../../model/key.ts';
import type { Guards } from '../../predicates/compile.ts';
import { runStatusOf } from '../../reports/run-status.ts';
import type { AnyStateMachine } from '../../xstate/actor.ts';
import { MACHINE } from '../../xstate/machine-argument.ts';
import { RehearsalError } from '../rehearsal-error.ts';
import type { VerifiedRun } from './verified-run.ts';
import { incomparable, type ReplaySubject, verifyRun } from './verify-run.ts';

/** The runs that are verified, and what they are held against. */
export interface VerifyOptions {
  /** The journal of the runs. It is read, and nothing is written. */
  readonly journal: JournalStore;
  readonly machine: AnyStateMachine;
  /** The path of the boundary config, or the config itself; left out, only the machine is compared. */
  readonly config?: string | BoundaryConfig;
  readonly guards?: Guards;
  readonly codecs?: readonly ValueCodec[];
  /** The names of the runs; all runs of the journal, if left out. */
  readonly runs?: readonly string[];
  /** Keys of the context that may differ, `*` for any segment: what a clock or chance writes. */
  readonly ignore?: readonly string[];
}

/**
 * Sends a machine through recorded runs and says where it parts from them. Nothing is called, and nothing is written.
 * @throws RehearsalError `config_refused`, `bad_option`.
 * @example
 * import { setup } from 'xstate';
 * import { memoryStore } from 'belay-sidecar';
 * import { verifyRuns } from 'belay-sidecar/testing';
 *
 * const machine = setup({}).createMachine({ id: 'order', initial: 'idle', states: { idle: {} } });
 * assert.deepEqual(await verifyRuns({ journal: memoryStore(), machine }), []); // a journal without runs
 */
export async function verifyRuns(options: VerifyOptions): Promise<readonly VerifiedRun[]> {
  refuseOther('verifyRuns', { options: [options, VERIFY_OPTIONS] });
  const { journal, machine, config, guards, codecs = [], ignore = [] } = options;
  const subject = replaySubject(machine, config === undefined ? null : configOf(config, guards), codecs, ignore);
  const names = options.runs ?? (await journal.runs()).map(({ run }) => run);
  const verified: VerifiedRun[] = [];
  for (const run of names)
    verified.push(await verifyIn(journal, run, (agent) => (agent === machine.id ? subject : null)));
  return verified;
}

/** Verifies one run of a journal against what `subjectOf` gives for its agent; null where that is nothing. */
export async function verifyIn(
  journal: JournalStore,
  run: string,
  subjectOf: (agent: string) => ReplaySubject | null,
): Promise<VerifiedRun> {
  try {
    const { agent } = runStatusOf(await gathered(journal.read(run)));
    if (agent === null) return incomparable(run, null, { code: 'no_steps', text: 'nothing of it is recorded' });
    const subject = subjectOf(agent);
    if (subject !== null) return verifyRun(run, await gathered(journal.read(run)), subject);
    return incomparable(run, agent, { code: 'no_machine', text: `there is no machine "${agent}"` });
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return incomparable(run, null, { code: 'unreadable', text: `${error.code} ${error.message}` });
  }
}

/** A machine and its config as runs are held against them. @throws RehearsalError `bad_option` for a key that is none. */
export function replaySubject(
  machine: AnyStateMachine,
  config: BoundaryConfig | null,
  codecs: readonly ValueCodec[],
  ignore: readonly string[],
): ReplaySubject {
  return {
    machine,
    config: config ?? standIn(machine.id),
    compares: config !== null,
    codecs,
    ignored: ignore.map(key),
  };
}

function configOf(config: string | BoundaryConfig, guards: Guards | undefined): BoundaryConfig {
  if (typeof config !== 'string') return config;
  const loaded = readConfig(config, guards === undefined ? {} : { guards });
  if (loaded.config !== null) return loaded.config;
  const errors = loaded.findings.filter(({ severity }) => severity === 'error');
  const lines = errors.map(({ file, line, column, code, message }) => `${file}:${line}:${column} ${code} ${message}`);
  throw new RehearsalError('config_refused', `the config has ${errors.length} errors:\n${lines.join('\n')}`);
}

/** A config that says nothing, so that the steps of a machine without one can be made. */
function standIn(agent: string): BoundaryConfig {
  const text = `belay: 1\nagent: ${JSON.stringify(agent)}\ntools: {}\nskeletons: {}\n`;
  return loadConfig(text, { file: 'none' }).config as BoundaryConfig;
}

function key(text: string) {
  try {
    return parseKey(text);
  } catch (error) {
    throw new RehearsalError('bad_option', `"${text}" under ignore is no key: ${(error as Error).message}`);
  }
}

/** The options, as they are held against what is given. */
const VERIFY_OPTIONS = shape<VerifyOptions>('an object: { journal, machine }', {
  journal: STORE,
  machine: MACHINE,
  config: optional(CONFIG),
  guards: optional(namedBy(CODE)),
  codecs: optional(listOf(OBJECT)),
  runs: optional(listOf(TEXT)),
  ignore: optional(listOf(TEXT)),
});
