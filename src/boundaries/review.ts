/**
 * The reviewers of configs, and the content that each has vouched for: the lock file beside the configs. Pure; an
 * invalid lock vouches for nothing.
 */
import type { BoundaryConfig } from './config.ts';

/** The name of the lock file. */
export const LOCK_NAME = 'belay-review.lock';

/** One review. `when` is an ISO date, `digest` the content that was reviewed. */
export interface Review {
  readonly agent: string;
  readonly digest: string;
  readonly by: string;
  readonly when: string;
}

/** The reviews of a directory, by the name of the file. */
export type ReviewLock = ReadonlyMap<string, Review>;

/** The largest lock, in UTF-16 units. */
const LARGEST = 1024 * 1024;

/** Reads a lock. */
export function parseLock(text: string): { readonly lock: ReviewLock } | { readonly problem: string } {
  if (text.length > LARGEST) return { problem: 'it is larger than any lock' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'it is not JSON' };
  }
  if (!isTable(value) || value.version !== 1 || !isTable(value.reviews))
    return { problem: 'it does not have the form of a lock' };
  const lock = new Map<string, Review>();
  for (const [file, entry] of Object.entries(value.reviews)) {
    if (!isReview(entry)) return { problem: `the entry ${JSON.stringify(file.slice(0, 100))} is no review` };
    const { agent, digest, by, when } = entry;
    lock.set(file, { agent, digest, by, when });
  }
  return { lock };
}

/** The text of a lock: sorted, so that two reviews of different files merge. */
export function lockText(lock: ReviewLock): string {
  const reviews = Object.fromEntries([...lock].sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ version: 1, reviews }, null, 2)}\n`;
}

/** A lock with one more review, which replaces the one of the same file. */
export function withReview(lock: ReviewLock, file: string, review: Review): ReviewLock {
  return new Map([...lock, [file, review]]);
}

/** True if a reviewer has vouched for exactly this content for this agent, under any file name. */
export function isReviewed(lock: ReviewLock, config: Pick<BoundaryConfig, 'agent' | 'digest'>): boolean {
  return [...lock.values()].some(({ agent, digest }) => agent === config.agent && digest === config.digest);
}

function isReview(value: unknown): value is Review {
  if (!isTable(value)) return false;
  const { agent, digest, by, when } = value;
  return (
    isName(agent) &&
    isName(by) &&
    isDigest(digest) &&
    typeof when === 'string' &&
    /^\d{4}-\d\d-\d\dT[\d:.]{5,15}Z$/.test(when)
  );
}

/** True if a text can be the name of a reviewer or an agent. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= 200 && !/[\p{Cc}\p{Cs}]/u.test(value);
}

function isDigest(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
