/** The list of runs. */
import { byWait, firstExpiry, needsPerson, type Wait, waitingSince, waitsOf, waitsText } from '../../reports/waits.ts';
import type { WireRunRow, WireRuns } from '../page-data.ts';
import { idOf, type Runs } from '../reading.ts';
import { stateOf } from './words.ts';

/** Every run of the file: those that need a person first, the longest wait in front, and then those that were written last. */
export async function runsView(runs: Runs, file: string, now: number): Promise<WireRuns> {
  const rows: { readonly row: WireRunRow; readonly waits: readonly Wait[] }[] = [];
  for (const summary of await runs.summaries()) {
    const { agent, status, waits: journaled } = await runs.standing(summary);
    const { run, head, time: written, held } = summary;
    const time = head === 0 ? null : written;
    const waits = waitsOf(status.is, journaled, { held, last: time });
    const { needs: isUnread, ...state } = stateOf(status, held);
    const needs = needsPerson(waits) || (status.is === 'unread' && isUnread);
    const waitsFor = waitsText(waits);
    const times = { since: waitingSince(waits), expires: firstExpiry(waits) };
    const told = { waitsFor: waitsFor === '' ? null : waitsFor, waits, ...times };
    rows.push({ row: { id: idOf(run), run, agent, state: { ...state, needs }, head, time, ...told }, waits });
  }
  rows.sort((a, b) => Number(b.row.state.needs) - Number(a.row.state.needs) || (b.row.time ?? 0) - (a.row.time ?? 0));
  return { file, now, runs: byWait(rows).map(({ row }) => row) };
}
