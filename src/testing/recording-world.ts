/**
 * A world that records: each tool of a machine acts on it once for each idempotency key, as an honest counterparty
 * does. It can be asked what became of a call, and it takes a call back. A tool's own function makes its answer; so the
 * world fits tools that act on nothing, and stands in for services that a test must not call.
 */

import type { BoundaryConfig } from '../boundaries/config.ts';
import { readConfig } from '../boundaries/directory.ts';
import type { ReconcileResult, Reconciler, Undo } from '../effects/counterparty.ts';
import { listOf, optional, refuseOther, shape, TEXT } from '../model/argument.ts';
import { CodedError } from '../model/coded-error.ts';
import type { AnyStateMachine } from '../xstate/actor.ts';
import { type Act, withTools } from '../xstate/tools.ts';

/** One act of a tool on the world. */
export interface RecordedAct {
  readonly tool: string;
  readonly args: unknown;
  /** The idempotency key; null for a call without one, each of which is an act of its own. */
  readonly key: string | null;
  readonly output: unknown;
  /** False once it was taken back. */
  readonly stands: boolean;
}

/** A machine whose tools act on the recording world, and the counterparties that its config names. */
export interface Recorded<TMachine extends AnyStateMachine> {
  readonly machine: TMachine;
  readonly reconcilers: Readonly<Record<string, Reconciler>>;
  readonly undo: Readonly<Record<string, Undo>>;
}

/** Thrown for a config that a recording world cannot serve. */
export class RecordingError extends CodedError<'config_refused'> {
  override readonly name = 'RecordingError';
}

/** The habits of a recording world. */
export interface RecordingOptions {
  /**
   * Tools whose counterparty ignores keys: a repeated call is another act. The world still knows what was done under a
   * key.
   */
  readonly forgetful?: readonly string[];
  /** Tools that do not look at their key, and hand none on: each of their calls is another act, about which no counterparty can be asked. */
  readonly keyless?: readonly string[];
}

/** A world of recorded acts. */
export class RecordingWorld {
  readonly #forgetful: ReadonlySet<string>;
  readonly #keyless: ReadonlySet<string>;
  readonly #acts: { -readonly [Field in keyof RecordedAct]: RecordedAct[Field] }[] = [];
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor(options: RecordingOptions = {}) {
    refuseOther('recordingWorld', { options: [options, RECORDING_OPTIONS] });
    const { forgetful = [], keyless = [] } = options;
    this.#forgetful = new Set(forgetful);
    this.#keyless = new Set(keyless);
  }

  /** Every act, in order, also those that were taken back. */
  get acts(): readonly RecordedAct[] {
    return this.#acts;
  }

  /** The acts of a tool that stand. */
  actsOf(tool: string): readonly RecordedAct[] {
    return this.#acts.filter((act) => act.tool === tool && act.stands);
  }

  /** Forgets every act. */
  reset(): void {
    this.#acts.length = 0;
    this.#underWay.clear();
  }

  /** The acts that stand, by tool: their arguments and answers. */
  snapshot(): Readonly<Record<string, readonly object[]>> {
    const tools = new Map<string, object[]>();
    for (const { tool, args, output, stands } of this.#acts)
      if (stands) tools.set(tool, [...(tools.get(tool) ?? []), { args, output }]);
    return Object.fromEntries(tools);
  }

  /**
   * A copy of a machine whose tools act on this world, and the reconcilers and undos that its config names.
   * @param config the path of the boundary config, or the config: tools of class `none` are called and not recorded.
   * @throws RecordingError `config_refused` where the config has errors.
   */
  around<TMachine extends AnyStateMachine>(machine: TMachine, config: string | BoundaryConfig): Recorded<TMachine> {
    const page = typeof config === 'string' ? loaded(config) : config;
    const tools = [...page.tools.values()];
    const find: Reconciler = ({ key }) => this.#find(key);
    const undo: Undo = ({ key }) => this.#undo(key);
    return {
      machine: withTools(machine, (name, act) =>
        page.tools.get(name)?.effect === 'none' ? act : this.#recording(name, act),
      ),
      reconcilers: Object.fromEntries(
        tools.flatMap(({ reconcile }) => (reconcile === null ? [] : [[reconcile, find]])),
      ),
      undo: Object.fromEntries(tools.flatMap((tool) => (tool.undo === null ? [] : [[tool.undo, undo]]))),
    };
  }

  #recording(tool: string, act: Act): Act {
    return async (call) => {
      const key = this.#keyless.has(tool) ? null : (call.key ?? null);
      const isForgotten = key === null || this.#forgetful.has(tool);
      const known = isForgotten ? undefined : this.#acts.find((each) => each.key === key);
      if (known !== undefined) return known.output;
      const before = isForgotten ? undefined : this.#underWay.get(key);
      if (before !== undefined) return before;
      const acting = act(call).then((output) => {
        this.#acts.push({ tool, args: call.input, key, output, stands: true });
        return output;
      });
      if (key === null) return acting;
      this.#underWay.set(key, acting);
      return acting.finally(() => this.#underWay.delete(key));
    };
  }

  #find(key: string): ReconcileResult {
    if (this.#underWay.has(key)) return { is: 'unknown' };
    const act = this.#acts.find((each) => each.key === key && each.stands);
    return act === undefined ? { is: 'not_applied' } : { is: 'applied', output: act.output };
  }

  #undo(key: string): void {
    for (const act of this.#acts) if (act.key === key) act.stands = false;
  }
}

/**
 * Makes an empty recording world.
 * @example
 * import { recordingWorld } from 'belay-sidecar/testing';
 *
 * const world = recordingWorld();
 * assert.deepEqual(world.snapshot(), {});
 */
export function recordingWorld(options: RecordingOptions = {}): RecordingWorld {
  return new RecordingWorld(options);
}

function loaded(file: string): BoundaryConfig {
  const { config, findings } = readConfig(file);
  if (config !== null) return config;
  const errors = findings.filter(({ severity }) => severity === 'error');
  const lines = errors.map(({ line, column, code, message }) => `${file}:${line}:${column} ${code} ${message}`);
  throw new RecordingError(
    'config_refused',
    `the config has errors; belay check says how to fix them:\n${lines.join('\n')}`,
  );
}

/** The options, as they are held against what is given. */
const RECORDING_OPTIONS = shape<RecordingOptions>('an object', {
  forgetful: optional(listOf(TEXT)),
  keyless: optional(listOf(TEXT)),
});
