/**
 * The interface of a data set: its files become tasks, with an agent that carries them out and a world that it acts on.
 * One adapter for each set and one boundary config; nothing else knows a set (README.md).
 */
import type { ReconcileResult, Suspect } from 'belay-sidecar';
import type { OpenAgent } from 'belay-sidecar/xstate';
import { z } from 'zod';

/** Rows by their names: the content of a world, as far as it can be noticed. Values are JSON. */
export const Rows = z.record(z.string(), z.unknown());
export type Rows = Readonly<z.infer<typeof Rows>>;

/** A tool of an agent, as its counterparty carries it out. */
export interface Tool {
  /** Carries a call out and answers. @throws where the counterparty refuses: then nothing happened. */
  act(args: unknown): unknown;
  /** Of calls that change the world, which are those that faults hit. */
  readonly change?: Change;
}

/** The further facts of a call that changes the world. */
interface Change {
  /** The work that it is made for. What is changed for other work is collateral. */
  unit(args: unknown): string;
  /** The later view of its counterparty, without looking at the call itself. Left out where no party can be asked. */
  shows?(args: unknown): ReconcileResult;
  /** Takes a call back. */
  undo?(args: unknown, output: unknown): void;
}

/** A call that is refused for good: the counterparty answers the same however often it is made. To be thrown by `Tool.act`. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** A call that tells that earlier work was wrong. */
export interface Wrong {
  readonly instance: Suspect;
  /** The key of its writes that is wrong. */
  readonly key: string;
  /** The call before which work has to be taken up: the right checkpoint is the last one before it was first made. */
  readonly before: { readonly tool: string; readonly args: unknown };
  /** True for a call that relied on the wrong answer; left out where that is not known. */
  affects?(tool: string, args: unknown): boolean;
}

/** A world that only one run acts on. */
export interface World {
  readonly tools: Readonly<Record<string, Tool>>;
  rows(): Rows;
  /** Asked before each call. */
  wrong?(tool: string, args: unknown): Wrong | null;
  close?(): void;
}

/** A unit of work of a task: the units whose results it uses, and its calls in order. */
export interface UnitOfWork {
  readonly unit: string;
  readonly uses: readonly string[];
  readonly calls: readonly { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }[];
}

/** One task of a set. */
export interface Task {
  readonly id: string;
  /**
   * The input of the agent's machine. @throws DataError where no tool can carry the task out: it is left out, with the
   * reason.
   */
  input(): unknown;
  /** @param rows the rows of a world that stands already, where the set has such: two tasks share it then, each adding what it begins with. */
  open(rows?: Record<string, unknown>): World;
  /** The required rows at the end, as far as the data names them: the run without faults is checked against them. */
  readonly expected?: Rows;
  /** The units of the task in order, for the agent whose units have progress keys of their own (unit-agent.ts). Left out, there is none. */
  units?(): readonly UnitOfWork[];
}

/** A data set, as its adapter exports it. */
export interface DataSet {
  readonly name: string;
  readonly about: string;
  /** The path of its boundary config. */
  readonly config: string;
  /** Its agent, with tools that are provided for each run. */
  readonly machine: OpenAgent['machine'];
  /** The states at which a runtime that knows checkpoints only takes its snapshots: where work begins. */
  readonly snapshots: readonly string[];
  /**
   * For each tool that changes the world: the party that can be asked what became of a call, with the reason; or the
   * reason why there is none.
   */
  readonly asks: Readonly<Record<string, string>>;
  /** True if tasks of it are about the same external things, so that two runs at once may meet. */
  readonly meets?: boolean;
  /** The files that it is made of, by what they are: a JSON Schema each. One folder holds all of them, each kind once or more. */
  readonly files: Readonly<Record<string, object>>;
  /** The tasks in the files of a folder. @throws DataError where they do not fit together. */
  tasks(files: Readonly<Record<string, readonly unknown[]>>): readonly Task[];
}

/** The form of a file that is a list of records. */
export function records(required: readonly string[]): object {
  return { type: 'array', minItems: 1, items: { type: 'object', required } };
}

/** Gives the content of a file by its type: a form tells only which file it is. @throws DataError where it is none of the type. */
export function contentOf<T>(type: z.ZodType<T>, content: unknown): T {
  const { data, error } = type.safeParse(content);
  if (error === undefined) return data;
  throw new DataError(error.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`).join('; '));
}

/** Data that cannot be used as it is. */
export class DataError extends Error {
  override readonly name = 'DataError';
}
