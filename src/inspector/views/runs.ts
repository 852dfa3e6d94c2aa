/** The list of runs. */
import type { RunSummary } from '../../journal/journal.ts';
import { JournalError } from '../../journal/journal.ts';
import { explain, quoted } from '../../recovery/explain.ts';
import type { WireRunRow, WireRuns } from '../page-data.ts';
import { idOf, type Read, type Runs } from '../reading.ts';
import { unblocking } from './cause.ts';
import { stateOf } from './words.ts';

/** The most runs that are read in full to say what they wait for; the others are said in one word. */
const READ_IN_FULL = 200;

/** Every run of the file, those that need a person first. */
export async function runsView(runs: Runs, file: string, now: number, waits: Waits): Promise<WireRuns> {
  const rows: WireRunRow[] = [];
  let full = READ_IN_FULL;
  for (const summary of await runs.summaries()) {
    const { agent, status } = await runs.standing(summary);
    const state = stateOf(status, summary.held);
    const isAsking = state.needs && status.is !== 'unread' && full > 0;
    if (isAsking) full -= 1;
    const waitsFor = isAsking ? await waits.of(runs, summary) : null;
    const { run, head, time } = summary;
    rows.push({ id: idOf(run), run, agent, state, head, time: head === 0 ? null : time, waitsFor });
  }
  rows.sort((a, b) => Number(b.state.needs) - Number(a.state.needs) || (b.time ?? 0) - (a.time ?? 0));
  return { file, now, runs: rows };
}

/** The things that runs wait for, kept by their heads. */
export class Waits {
  readonly #known = new Map<string, { readonly head: number; readonly text: string | null }>();

  /** Says in a few words for what a run waits. */
  async of(runs: Runs, summary: RunSummary): Promise<string | null> {
    const known = this.#known.get(summary.run);
    if (known !== undefined && known.head === summary.head) return known.text;
    let text: string | null = null;
    try {
      text = waitsFor(await runs.read(summary));
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
    }
    this.#known.set(summary.run, { head: summary.head, text });
    return text;
  }
}

function waitsFor({ timeline }: Read): string | null {
  const { standing, runState, open } = timeline;
  if (standing.is === 'paused') return 'a person who says unpause';
  const gates = runState.asked.pending();
  if (gates.length > 0) {
    return gates
      .map(({ asks, key }) => {
        const tool = quoted(runState.ledger.get(key)?.intent.tool ?? 'a call');
        return asks === 'approval' ? `approval of ${tool}` : `what became of ${tool}`;
      })
      .join(', ');
  }
  if (standing.is === 'stuck') return 'an undo by hand';
  if (standing.is === 'recovering') return 'a process that finishes its recovery';
  const last = open.at(-1);
  if (standing.is !== 'parked' || last === undefined) return null;
  if (standing.verdict === 'rerun') return 'a rerun';
  return unblocking(explain(last.entry.decision, last.around))[0] ?? 'a person';
}
