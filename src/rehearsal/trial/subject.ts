/** The agent that is rehearsed, and the world that its tools act on. */

import type { BoundaryConfig } from '../../boundaries/config.ts';
import type { ConfigDocument } from '../../boundaries/page/document.ts';
import type { MandateTerms } from '../../model/mandate-entries.ts';
import type { StateValue } from '../../model/step-entry.ts';
import type { Guards } from '../../predicates/compile.ts';
import type { AnyStateMachine, Event } from '../../xstate/actor.ts';
import type { OpenAgent, PathEvent, RehearsalPath } from '../../xstate/agent.ts';
import type { Judged } from './course.ts';

/** The parts that a process of a run is given. */
export interface OpenSubject extends Omit<OpenAgent, 'world' | 'close'> {
  /** The content of the world now, as plain data. */
  snapshot(): unknown;
  /** The mandate that each run is begun under (MD1); left out where it needs none. */
  readonly mandate?: MandateTerms;
  close(): unknown;
}

/** The world of one run: opened by one process after the other. */
export interface WorldOfRun {
  open(): Promise<OpenSubject>;
  /** Removes it. */
  clear(): Promise<void>;
}

/** The agent that is rehearsed. */
export interface Subject {
  readonly machine: AnyStateMachine;
  readonly config: BoundaryConfig;
  /** The content of the config with its places; null where it was handed over loaded. */
  readonly document: ConfigDocument | null;
  readonly guards: Guards;
  /**
   * Makes a run in processes of its own, of which the first is sent SIGKILL at an append; left out where the world does not outlive a
   * process.
   */
  killed?(path: NamedPath, append: number, recorded: readonly RecordedCall[]): Promise<Judged>;
  /** Makes the world as it is before any run. */
  fresh(input: unknown): Promise<WorldOfRun>;
}

/** A call of the run without faults, and its answer. */
export interface RecordedCall {
  readonly tool: string;
  readonly args: unknown;
  readonly output: unknown;
}

/** A path with its defaults. */
export interface NamedPath {
  readonly name: string;
  readonly input: unknown;
  readonly events: readonly { readonly send: Event; readonly at: StateValue | null; readonly to: string | null }[];
}

/** The paths with their names. */
export function namedPaths(paths: readonly RehearsalPath[]): readonly NamedPath[] {
  return paths.map(({ name, input, events = [] }, index) => ({
    name: name ?? `path ${index + 1}`,
    input,
    events: events.map((event) => {
      if (!('send' in event) || 'type' in event) return { send: event as Event, at: null, to: null };
      const { send, at = null, to = null } = event as Exclude<PathEvent, Event>;
      return { send, at, to };
    }),
  }));
}
