/** The treatment of each call, question and undo that passes between an agent and its world. */
import type { CallSite, RehearsedFault, SteerFault, WrongFault } from '../faults/fault.ts';
import type { Dishonesty } from './dishonesty.ts';
import type { RecordedCall } from './subject.ts';

/** A process of a run. */
export interface Life {
  isAlive: boolean;
}

/** The treatment of what passes the transport. */
export interface Passing {
  readonly fault: RehearsedFault | null;
  readonly dishonest: Dishonesty | null;
  /** The answer in place of a right one. */
  wrong(site: CallSite, output: unknown): unknown;
  /** A value that the schema of a tool refuses. */
  refused(tool: string): unknown;
  /** The recorded answer of a call of a tool that is replayed; absent for others. */
  recorded(tool: string, args: unknown): { readonly output: unknown } | undefined;
  /** Time in milliseconds after which a late call acts. */
  lateness(tool: string): number;
  /** Told as a call leaves at which the process is to be closed. */
  restart(): void;
  /** Told as a moment comes at which what is wrong is found. */
  complain(fault: WrongFault): void;
  /** Told as the moment comes at which events are said otherwise. */
  steer(fault: SteerFault): void;
  /** Resolves once the delay that a reply meets rings. */
  meets(call: CallSite): Promise<void>;
  /** True where a call that a delay meets does not act, and is not answered. */
  readonly isMissed: boolean;
}

/** The treatment of what passes, as far as it is the same for every run. */
export type Treatment = Omit<Passing, 'fault' | 'restart' | 'complain' | 'steer' | 'meets'>;

/** The recorded answer of a call of a tool that is replayed; undefined for others. */
export function replayedAnswer(
  replay: readonly string[],
  recorded: readonly RecordedCall[],
  { tool, args }: Pick<RecordedCall, 'tool' | 'args'>,
): RecordedCall | undefined {
  if (!replay.includes(tool)) return undefined;
  const text = JSON.stringify(args);
  return recorded.find((call) => call.tool === tool && JSON.stringify(call.args) === text);
}

/** The treatment of a run in which nothing goes wrong on the way. */
export function undisturbed(replay: readonly string[], recorded: readonly RecordedCall[]): Treatment {
  return {
    ...{ dishonest: null, isMissed: false },
    wrong: (_, output) => output,
    refused: () => undefined,
    recorded: (tool, args) => replayedAnswer(replay, recorded, { tool, args }),
    lateness: () => 0,
  };
}
