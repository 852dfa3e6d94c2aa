/** A program that is entered again, as it is handed out to a process that knows no more of it: a worker's. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { kind } from '../../model/argument.ts';
import type { TurnEntry } from '../../model/entry.ts';
import type { RunOptions } from './options.ts';
import type { Program } from './program.ts';

/** The key under which a program has its way to be handed out. */
export const HANDED_OUT: unique symbol = Symbol('the program as it is handed out');

/** The options of a run of such a program. */
export interface HandedOptions extends RunOptions {
  readonly config: BoundaryConfig;
  readonly input?: unknown;
  readonly said?: TurnEntry['said'];
}

/** The way to hand a program out. */
export interface HandedOut {
  /** The name that its config has for it. */
  readonly agent: string;
  /** The digest of the program under a config: a run is taken up with the same. */
  digestFor(config: BoundaryConfig): string;
  /** The program of one run, and the options that the run is opened with. */
  programFor(options: HandedOptions): { readonly program: Program; readonly options: RunOptions };
}

/** A loop, a flow, or the threads of a graph: what a worker carries that is no machine. */
export interface EnteredProgram {
  readonly [HANDED_OUT]: HandedOut;
}

/** The kind of a program that is handed out. */
export const PROGRAM = kind('a loop, a flow, or the threads of a graph', isProgram);

/** True for a program that can be handed out. */
export function isProgram(value: unknown): value is EnteredProgram {
  return typeof value === 'object' && value !== null && HANDED_OUT in value;
}
