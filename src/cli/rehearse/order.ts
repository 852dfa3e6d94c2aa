/** The order of a process that makes a part of a rehearsed run. */
import type { NamedPath, RecordedCall } from '../../rehearsal/trial/subject.ts';

/** The order that a process is given. */
export interface Order {
  /** The module of the agents; null for the one that package.json names. */
  readonly machines: string | null;
  /** The id of the agent's machine. */
  readonly agent: string;
  readonly config: string;
  readonly path: NamedPath;
  readonly replay: readonly string[];
  readonly recorded: readonly RecordedCall[];
  /** A folder of the run's own: `world` in it is the folder of the agent. */
  readonly folder: string;
  /** The append at which the process is sent SIGKILL; null where it goes on. */
  readonly dies: number | null;
}
