/** Waits for what a counterparty has yet to say of a call (semantics.md E2, AL10). */
import { setAlarm } from '../../clock/alarm.ts';
import type { RunParts, RunWriter } from '../parts.ts';

/** Resolves at a time, at the next entry, or as the call is dropped or the process takes leave of the run. */
export function askedLater(
  due: number,
  { now, keepAlive, lifecycle }: Pick<RunParts, 'now' | 'keepAlive' | 'lifecycle'>,
  write: Pick<RunWriter, 'atNext'>,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const ends = [signal, lifecycle.leave];
    const over = () => {
      alarm.cancel();
      for (const end of ends) end.removeEventListener('abort', over);
      resolve();
    };
    const alarm = setAlarm(due, now, over, keepAlive);
    for (const end of ends) end.addEventListener('abort', over, { once: true });
    write.atNext(over);
  });
}
