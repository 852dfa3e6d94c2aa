/** The verb `follow`: the rows of a run, printed as they become durable. */
import type { JournalStore } from '../../journal/journal.ts';
import type { FollowedRow } from '../../reports/followed.ts';
import { workClient } from '../../workers/client.ts';
import { openJournal } from '../reading/journal-key.ts';
import { journalProblem, runNamed } from '../reading/reading.ts';
import { printable } from '../terminal/printable.ts';
import { timeText } from '../terminal/wording.ts';

/** Options of following a run. */
export interface FollowOptions {
  readonly file: string;
  readonly run: string;
  readonly after: number;
  readonly json: boolean;
}

/** Prints the rows of a run until it has ended, or the process is told to stop. @returns the exit code, and what went wrong. */
export async function follow({
  file,
  run,
  after,
  json,
}: FollowOptions): Promise<{ problem: string | null; code: number }> {
  const leave = new AbortController();
  let code = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    code = signal === 'SIGINT' ? 130 : 143;
    leave.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  let store: JournalStore | undefined;
  try {
    store = await openJournal(file, { readonly: true });
    await runNamed(store, run);
    for await (const row of workClient(store).follow(run, { after, signal: leave.signal }))
      process.stdout.write(json ? `${JSON.stringify({ run, ...row })}\n` : lineOf(row));
    return { problem: null, code };
  } catch (error) {
    return { problem: journalProblem(file, error), code: 2 };
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    await store?.close();
  }
}

function lineOf({ seq, time, is, says, undone }: FollowedRow): string {
  const back = undone.length === 0 ? '' : `; takes back row${undone.length === 1 ? '' : 's'} ${undone.join(', ')}`;
  return `${String(seq).padStart(6)}  ${timeText(time)}  ${is.padEnd(9)} ${printable(says)}${back}\n`;
}
