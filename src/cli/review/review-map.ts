/** `belay review` of a map of names: who vouches for it, as for a config. */
import { basename } from 'node:path';
import { readLock, readMap, writeLock } from '../../boundaries/directory.ts';
import { isReviewed, withReview } from '../../boundaries/review.ts';
import type { Reviewed, ReviewOptions } from './review.ts';

/** Reviews a map; null where the file is none. */
export function reviewMap({ file, by, accept, now }: ReviewOptions): Reviewed | { readonly problem: string } | null {
  const { isMap, map, findings } = readMap(file);
  if (!isMap) return null;
  const read = readLock(file);
  if ('problem' in read) return { problem: `the review lock beside ${file}: cannot_read ${read.problem}` };
  const name = basename(file);
  const none = { file, guards: [], notRecoverable: null, findings } as const;
  if (map === null) return { ...none, agent: null, digest: null, reviewed: false, review: read.lock.get(name) ?? null };
  const { agent, digest, renames } = map;
  let { lock } = read;
  if (accept && by !== null) {
    lock = withReview(lock, name, { agent, digest, by, when: now.toISOString() });
    try {
      writeLock(file, lock);
    } catch (error) {
      return { problem: `the review lock beside ${file}: cannot_write ${(error as Error).message}` };
    }
  }
  return { ...none, agent, digest, reviewed: isReviewed(lock, map), review: lock.get(name) ?? null, renames };
}
