/** The tries of a commit before a person is asked, and the waits between them. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import type { PublishEntry } from '../../model/call-entries.ts';

/** The wait before each try, in milliseconds: the last for all further ones. So often a commit is tried at least. */
const WAITS = [0, 20, 100, 500];

/** The number of tries: what the skeleton of the commit may have recoveries for, and a few in any case. */
export function triesOf({ skeletons, tries }: BoundaryConfig, { instance }: PublishEntry): number {
  return Math.max(WAITS.length, 1 + (skeletons.get(instance.skeleton)?.rollback.tries ?? tries));
}

/** The wait before a try, in milliseconds; the first has number 0. */
export function waitOf(round: number): number {
  return WAITS[Math.min(round, WAITS.length - 1)] as number;
}
