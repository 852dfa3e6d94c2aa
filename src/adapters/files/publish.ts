/**
 * Publishes staged files. The manifest of a publication is written as a whole first; from then on the publication only
 * goes forward.
 */
import type { Publication, StagedCall } from '../../effects/counterparty.ts';
import { errorMessage, NotApplied } from '../../effects/signals.ts';
import { nameOf } from '../call.ts';
import type { Manifest } from './aside.ts';
import { apply, type Desk, isApplied, settle } from './change.ts';
import { checkedCalls, isWaiting, releaseAll } from './prepare.ts';

/** Makes calls visible. Asked again after a crash, it continues; asked again after it has finished, it does nothing. */
export function publish(desk: Desk, calls: readonly StagedCall[], { id }: Publication): void {
  const name = nameOf(id);
  const manifest = desk.aside.manifest(name) ?? begun(desk, calls, id);
  if (JSON.stringify(manifest.calls) !== JSON.stringify(calls.map(({ key }) => key)))
    throw new Error(`${id} has published other calls`);
  for (const key of manifest.writes) {
    const record = desk.aside.record(key);
    // Its record has been forgotten, so it was written.
    if (record === null) continue;
    try {
      apply(desk, record);
    } catch (error) {
      throw unpublished(desk, manifest, error);
    }
    settle(desk, record);
  }
  releaseAll(desk, pathsOf(desk, manifest.calls), name);
}

/**
 * Classifies an error: while nothing of a publication is visible it is withdrawn; afterwards it can only go on (E4).
 */
function unpublished(desk: Desk, { id, writes }: Manifest, error: unknown): unknown {
  const isVisible = writes.some((key) => {
    const record = desk.aside.record(key);
    if (record === null) return true;
    const changes = record.after !== null || record.before !== null;
    return changes && isApplied(desk, record);
  });
  if (isVisible) return new Error(errorMessage(error));
  desk.aside.withdraw(nameOf(id));
  return error instanceof NotApplied ? error : new NotApplied(`nothing was published: ${errorMessage(error)}`);
}

/** Writes the manifest. @throws NotApplied where it cannot be written: then nothing is visible. */
function begun(desk: Desk, calls: readonly StagedCall[], id: string): Manifest {
  const { aside } = desk;
  const name = nameOf(id);
  try {
    const last = new Map<string, string>();
    for (const record of checkedCalls(desk, calls, name)) {
      // Its place in the order is that of the last call.
      last.delete(record.path);
      last.set(record.path, record.key);
      aside.write({ ...record, publication: name });
    }
    const manifest: Manifest = { id, calls: calls.map(({ key }) => key), writes: [...last.values()] };
    aside.publish(name, manifest);
    return manifest;
  } catch (error) {
    if (error instanceof NotApplied || aside.manifest(name) !== null) throw error;
    throw new NotApplied(`nothing was published: ${errorMessage(error)}`);
  }
}

/** Releases what was reserved for a commit that is not made. */
export function withdraw(desk: Desk, calls: readonly StagedCall[], { id }: Publication): void {
  const keys = calls.map(({ key }) => key);
  releaseAll(desk, pathsOf(desk, keys), nameOf(id));
}

function pathsOf({ aside }: Desk, keys: readonly string[]): string[] {
  return keys.flatMap((key) => aside.record(key)?.path ?? []);
}

/** Removes what was staged. @throws where it has been published. */
export function discard(desk: Desk, calls: readonly StagedCall[]): void {
  for (const { key } of calls) {
    const record = desk.aside.record(key);
    if (record !== null && !isWaiting(desk, record)) throw new Error(`${key} was written, and is not discarded`);
    if (record !== null && desk.aside.reservation(record.path)?.key === key) desk.aside.release(record.path);
    desk.aside.drop(key);
  }
}
