/** Publishing staged files: what is to become visible is written down as a whole first, and from then on only goes forward. */
import type { Publication, StagedCall } from '../../effects/counterparty.ts';
import { NotApplied, told } from '../../effects/signals.ts';
import { nameOf } from '../call.ts';
import type { FileRecord, Manifest } from './aside.ts';
import { apply, type Desk, settle } from './change.ts';
import { contentOf } from './durable.ts';

/** Whether a call is staged and nobody has seen it yet. */
export function isWaiting({ aside }: Desk, { staged, publication }: FileRecord): boolean {
  return staged && (publication === null || aside.manifest(publication) === null);
}

/** Makes calls visible. Asked again after a crash it goes on where it was; asked again later it does nothing. */
export function publish(desk: Desk, calls: readonly StagedCall[], { id }: Publication): void {
  const manifest = desk.aside.manifest(nameOf(id)) ?? begun(desk, calls, id);
  if (JSON.stringify(manifest.calls) !== JSON.stringify(calls.map(({ key }) => key)))
    throw new Error(`${id} has published other calls`);
  for (const key of manifest.writes) {
    const record = desk.aside.record(key);
    // Forgotten since: then it was written.
    if (record === null) continue;
    apply(desk, record);
    settle(desk, record);
  }
}

/** Writes the manifest. @throws NotApplied where it cannot come to that: then nothing is visible. */
function begun(desk: Desk, calls: readonly StagedCall[], id: string): Manifest {
  const { root, aside } = desk;
  const name = nameOf(id);
  try {
    const last = new Map<string, string>();
    for (const { key } of calls) {
      const record = aside.record(key);
      if (record === null || !isWaiting(desk, record)) throw new NotApplied(`${key} is not staged`);
      root.place(record.path);
      const kept = record.after === null ? null : contentOf(aside.part(key, 'next'));
      if ((kept?.digest ?? null) !== record.after)
        throw new NotApplied(`what was staged for ${record.path} is not kept`);
      // The place in the order is that of the last one.
      last.delete(record.path);
      last.set(record.path, key);
      aside.write({ ...record, publication: name });
    }
    const manifest: Manifest = { id, calls: calls.map(({ key }) => key), writes: [...last.values()] };
    aside.publish(name, manifest);
    return manifest;
  } catch (error) {
    if (error instanceof NotApplied || aside.manifest(name) !== null) throw error;
    throw new NotApplied(`nothing was published: ${told(error)}`);
  }
}

/** Removes what was staged. @throws where it was published. */
export function discard(desk: Desk, calls: readonly StagedCall[]): void {
  for (const { key } of calls) {
    const record = desk.aside.record(key);
    if (record !== null && !isWaiting(desk, record)) throw new Error(`${key} was written, and is not discarded`);
    desk.aside.drop(key);
  }
}
