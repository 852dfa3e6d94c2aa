/** The look at the lease of a run right before a call leaves: fencing guards the journal and not the world. */
import type { RunParts, Writer } from '../parts.ts';

/** Makes sure that no other process can have taken the run. @see GuardPort.confirm A run that was taken over ends here, with the error of its journal. */
export function confirmed({ journal, lifecycle }: RunParts, write: Writer): Promise<boolean> | null {
  // A person has ended the run since the call was admitted.
  if (lifecycle.answer('leave').is === 'no') return Promise.resolve(false);
  const lost = () => write.durable().then(no, no);
  try {
    return journal.confirm()?.then(() => true, lost) ?? null;
  } catch {
    return lost();
  }
}

function no(): false {
  return false;
}
