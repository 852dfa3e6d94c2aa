/**
 * An agent as the command can run it: its machine, its boundary config, and how to open the world that its tools act on. A
 * program that attaches the sidecar itself needs none of this.
 */
import type { Buffer, Inverse, Reconciler, Undo } from '../effects/counterparty.ts';
import type { ValueCodec } from '../journal/value-codec.ts';
import type { Guards } from '../predicates/compile.ts';
import type { AnyStateMachine } from '../xstate/actor.ts';
import type { Check } from './parts.ts';

/** The run that an agent is opened for. */
export interface AgentSetting {
  /** The name of the run. */
  readonly run: string;
  /** A folder of the run's own. It exists, and stays between a run and its resumption. */
  readonly folder: string;
  /** What the user gave as `--input`, from JSON; undefined where nothing was. */
  readonly input: unknown;
}

/** What one run of an agent needs, opened. */
export interface OpenAgent {
  /** The agent's machine with its tools provided. */
  readonly machine: AnyStateMachine;
  /** The machine's input. */
  readonly input?: unknown;
  /** Who can be asked whether a call happened, by the names that the config uses. */
  readonly reconcilers?: Readonly<Record<string, Reconciler>>;
  /** What undoes a call, by the names that the config uses. */
  readonly undo?: Readonly<Record<string, Undo | Inverse>>;
  /** What holds calls back until their instance commits, by the names that the config uses. */
  readonly buffers?: Readonly<Record<string, Buffer>>;
  /** What looks at the world once more before a call leaves, by the names that the config uses. */
  readonly checks?: Readonly<Record<string, Check>>;
  /** How values are journaled that have no form of their own. */
  readonly codecs?: readonly ValueCodec[];
  /** Conditions in code that the config names by digest. */
  readonly guards?: Guards;
  /** What is in the world: rows by the name of their table. For whoever wants to see what the run did to it. */
  world?(): Promise<Readonly<Record<string, readonly object[]>>>;
  /** Lets go of everything that was opened. */
  close(): Promise<void>;
}

/** An agent that `belay run` and `belay resume` can run; the module of the machines exports them as `agents`, by any name. */
export interface Agent {
  /** Its machine; the id is the agent's name. */
  readonly machine: AnyStateMachine;
  /** The path of its boundary config. */
  readonly config: string;
  /** What it does, in one line. */
  readonly about: string;
  /** Opens what one run needs. @throws where the input is none of its. */
  open(setting: AgentSetting): Promise<OpenAgent>;
}
