/**
 * An agent as the command can run it: its machine, its boundary config, and how to open the world that its tools act on. A
 * program that attaches the sidecar itself needs none of this.
 */
import type { Inverse, Reconciler, StagingArea, Undo } from '../effects/counterparty.ts';
import type { SandboxProvider } from '../effects/sandbox.ts';
import type { ValueCodec } from '../journal/value-codec.ts';
import type { StateValue } from '../model/step-entry.ts';
import type { Guards } from '../predicates/compile.ts';
import type { Check } from '../sidecar/parts.ts';
import type { AnyStateMachine, Event } from './actor.ts';

/** The run that an agent is opened for. */
export interface AgentSetting {
  /** The name of the run. */
  readonly run: string;
  /** A folder of the run's own. It exists, and stays between a run and its resumption. */
  readonly folder: string;
  /** The value of `--input`, from JSON; undefined where none was given. */
  readonly input: unknown;
}

/** The parts of one run of an agent, opened. */
export interface OpenAgent {
  /** The agent's machine with its tools provided. */
  readonly machine: AnyStateMachine;
  /** The machine's input. */
  readonly input?: unknown;
  /** Ask counterparties whether a call happened, by the names that the config uses. */
  readonly reconcilers?: Readonly<Record<string, Reconciler>>;
  /** Undo calls, by the names that the config uses. */
  readonly undo?: Readonly<Record<string, Undo | Inverse>>;
  /** Hold calls back until their instance commits, by the names that the config uses. */
  readonly buffers?: Readonly<Record<string, StagingArea>>;
  /** Look at the world once more before a call leaves, by the names that the config uses. */
  readonly checks?: Readonly<Record<string, Check>>;
  /** Codecs of values that have no form of their own in a journal. */
  readonly codecs?: readonly ValueCodec[];
  /** Conditions in code that the config names by digest. */
  readonly guards?: Guards;
  /** The content of the world: rows by the name of their table. It shows what the run did. */
  world?(): Promise<Readonly<Record<string, readonly object[]>>>;
  /** Lets go of everything that was opened; left out where nothing was. */
  close?(): Promise<void>;
}

/** One way through a machine, for a rehearsal: an input, and the events that are sent from outside, in order. */
export interface RehearsalPath {
  /** The name of the path; `path 1` and so on if left out. */
  readonly name?: string;
  /** The input: of the machine, or as `--input` gives it to an agent. */
  readonly input?: unknown;
  readonly events?: readonly PathEvent[];
}

/**
 * An event of a path. It is sent once, as soon as the machine can take it and, if `at` is given, is in that state. With
 * `to`, the event goes to the machine that is invoked or spawned under this id, and `at` is a state of that machine.
 */
export type PathEvent = Event | { readonly send: Event; readonly at?: StateValue; readonly to?: string };

/** The way in which an agent wants to be rehearsed (`belay rehearse`). */
export interface AgentRehearsal {
  /** The ways through the machine; its usual input without events, if left out. */
  readonly paths?: readonly RehearsalPath[];
  /**
   * Also runs paths on which these events, with their data, are sent in other states and in another order: each in
   * every state that takes it, and on to an end. Calls are answered as in the first runs; there are at most 50 paths in
   * all.
   */
  readonly explore?: readonly Event[];
  /** Wrong answers by tool, made from the right ones; near values that the output schema takes, if left out. */
  readonly wrong?: Readonly<Record<string, (output: never) => unknown>>;
  /** Tools that are not deterministic, models for instance: their calls are answered as in the run without faults. */
  readonly replay?: readonly string[];
  /**
   * True where all that the tools change outlives the process: files, a database, a service that is not of this process. Then `--kills
   * process` may send SIGKILL.
   */
  readonly outlives?: boolean;
  /** Keys of the context that may differ at the end, `*` for any segment: what counts attempts, or says how work came about. */
  readonly ignore?: readonly string[];
}

/** An agent that `belay run` and `belay resume` can run; the module of the machines exports them as `agents`, by any name. */
export interface Agent {
  /** Its machine; the id is the agent's name. */
  readonly machine: AnyStateMachine;
  /** The path of its boundary config. */
  readonly config: string;
  /** The version of its code, a text that changes with it: a step that threw is tried again under another one. Left out where it has none. */
  readonly version?: string;
  /** Its purpose, in one line. */
  readonly about: string;
  /**
   * Start and stop what its tools work in, by the names that the config uses. They are of the agent and of no run: a sandbox is destroyed after its
   * run. `folder`, left out, makes folders in the folder of the run.
   */
  readonly sandboxes?: Readonly<Record<string, SandboxProvider>>;
  /** Opens what one run needs. @throws where the input is none of its. */
  open(setting: AgentSetting): Promise<OpenAgent>;
  /** The rehearsal of it by `belay rehearse`. */
  readonly rehearsal?: AgentRehearsal;
}

/** Opens what one run of an agent needs. @throws what `open` throws; TypeError where `open` answers with nothing. */
export async function openedFor<T extends object>(
  agent: { open(setting: AgentSetting): Promise<T> },
  setting: AgentSetting,
): Promise<T> {
  const open: unknown = await agent.open(setting);
  if (typeof open === 'object' && open !== null) return open as T;
  throw new TypeError(
    'open() has answered with nothing; it answers with { machine }, and with what its run needs besides',
  );
}

/** Lets go of what was opened for a run. @throws what `close` throws. */
export async function letGo(open: { close?(): unknown }): Promise<void> {
  await open.close?.();
}

/** The options of a sidecar that an opened agent brings. */
export function openedOptions(open: Omit<OpenAgent, 'machine'>) {
  return {
    input: open.input as never,
    ...(open.reconcilers !== undefined && { reconcilers: open.reconcilers }),
    ...(open.undo !== undefined && { undo: open.undo }),
    ...(open.buffers !== undefined && { buffers: open.buffers }),
    ...(open.checks !== undefined && { checks: open.checks }),
    ...(open.guards !== undefined && { guards: open.guards }),
    ...(open.codecs !== undefined && { codecs: open.codecs }),
  };
}
