/** A program that a run executes, as any runtime has it. */
import type { ActorCodec } from '../../model/actor-reference.ts';
import type { MachineShape } from '../../model/machine.ts';
import type { ToolVersion } from '../../model/tool-version.ts';
import type { Runtime, Watcher } from '../../runtime/runtime.ts';
import type { EntryObserver } from '../observing.ts';

/** A program that a run executes. */
export interface Program {
  /** The name that its config calls the agent. */
  readonly agent: string;
  /** The digest of its states and edges: a run is taken up with the same. */
  readonly digest: string;
  /**
   * The digest of the text of the machine's deciding code (guards, assigns and the like); left out if the machine shows
   * none.
   */
  readonly code?: string;
  /** The versions of the tools that name one. */
  readonly tools?: ReadonlyMap<string, ToolVersion>;
  /** The paths of its states, where it may invoke other machines. */
  readonly states?: ReadonlySet<string>;
  /** Its states, edges and tools; left out by a runtime that executes no machine. */
  readonly shape?: MachineShape;
  readonly input: unknown;
  /** Its actors as the journal writes them; left out where values hold none. */
  readonly actors?: ActorCodec;
  /** The limit of the runtime, for instance of supersteps; left out where it has none (TH7). */
  readonly limit?: number;
  /** True where a run that was begun with an input is taken up with no other one. */
  readonly isHeldToInput?: true;
  /** Shown its run, beside the observer of the options; left out where it wants none. */
  readonly observer?: EntryObserver;
  /** Makes what executes it, by the clock of the run. */
  runtime(watcher: Watcher, now: () => number): Runtime;
}
