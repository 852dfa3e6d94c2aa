/** The tries of a commit before a person is asked. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import type { PublishEntry } from '../../model/call-entries.ts';
import { triesOf as leastOf } from '../retry.ts';

/** The number of tries: at least a few, and more if the skeleton of the commit may have more recoveries. */
export function triesOf({ skeletons, tries }: BoundaryConfig, { instance }: PublishEntry): number {
  return Math.max(leastOf('commit'), 1 + (skeletons.get(instance.skeleton)?.rollback.tries ?? tries));
}
