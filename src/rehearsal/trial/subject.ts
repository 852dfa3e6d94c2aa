/** The agent that is rehearsed, and the world that its tools act on. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import type { ConfigDocument } from '../../boundaries/page/document.ts';
import type { StateValue } from '../../model/step-entry.ts';
import type { Guards } from '../../predicates/compile.ts';
import type { AnyStateMachine, Event } from '../../xstate/actor.ts';
import type { OpenAgent, RehearsalPath } from '../../xstate/agent.ts';

/** The parts that a process of a run is given. */
export interface OpenSubject extends Omit<OpenAgent, 'world' | 'close'> {
  /** The content of the world now, as plain data. */
  snapshot(): unknown;
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
  /** Makes the world as it is before any run. */
  fresh(input: unknown): Promise<WorldOfRun>;
}

/** A path with its defaults. */
export interface NamedPath {
  readonly name: string;
  readonly input: unknown;
  readonly events: readonly { readonly send: Event; readonly at: StateValue | null }[];
}

/** The paths with their names. */
export function namedPaths(paths: readonly RehearsalPath[]): readonly NamedPath[] {
  return paths.map(({ name, input, events = [] }, index) => ({
    name: name ?? `path ${index + 1}`,
    input,
    events: events.map((event) => {
      if (!('send' in event) || 'type' in event) return { send: event as Event, at: null };
      return { send: event.send as Event, at: (event.at as StateValue | undefined) ?? null };
    }),
  }));
}
