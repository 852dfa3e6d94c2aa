/** The verb `attempts`: the attempts of a group, their waits and their costs. */
import type { JournalStore } from '../../journal/journal.ts';
import { attemptWait } from '../../reports/noted-attempt.ts';
import { SidecarError } from '../../sidecar/sidecar-error.ts';
import { type AttemptGroup, workClient } from '../../workers/client.ts';
import { readRun } from '../reading/reading.ts';
import type { Problem } from '../run/run.ts';
import { printable } from '../terminal/printable.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';
import { command, count, timeText } from '../terminal/wording.ts';
import type { RefusedFork } from './fork-run.ts';
import { inStore } from './leaving.ts';

/** What an attempt has done behind the common past. */
interface Cost {
  /** The number of its calls that stand, are under way, or are unknown. */
  readonly calls: number;
  /** What these calls have taken of the budgets. */
  readonly spent: Readonly<Record<string, number>>;
}

/** A group with what each attempt has cost. */
export interface ListedAttempts extends Omit<AttemptGroup, 'attempts'> {
  readonly attempts: readonly (AttemptGroup['attempts'][number] & { readonly cost: Cost | null })[];
  /** The command that keeps one; null once one is kept. */
  readonly next: string | null;
}

/** Lists the attempts of the group that an attempt belongs to. */
export function attemptsOf(journal: string, run: string): Promise<ListedAttempts | RefusedFork | Problem> {
  return inStore<ListedAttempts | RefusedFork>(journal, async (store) => {
    try {
      const group = await workClient(store).attempts(run);
      const attempts = [];
      for (const each of group.attempts) attempts.push({ ...each, cost: await costOf(store, each) });
      const next = group.kept === null ? command('keep', run, journal, '--by', 'NAME') : null;
      return { ...group, attempts, next };
    } catch (error) {
      if (error instanceof SidecarError && error.code === 'keep_refused') return { refused: error.message };
      throw error;
    }
  });
}

async function costOf(store: JournalStore, { run, standing }: AttemptGroup['attempts'][number]): Promise<Cost | null> {
  if (standing === null) return null;
  const { ledger, budgets } = (await readRun(store, run, () => {})).runState;
  const own = [...ledger.all()].filter(({ key }) => !ledger.common.has(key));
  const spent: Record<string, number> = {};
  for (const { key } of own)
    for (const [budget, amount] of Object.entries(budgets.spentBy(key))) spent[budget] = (spent[budget] ?? 0) + amount;
  const calls = own.filter(({ status }) => !['failed', 'compensated', 'buffered'].includes(status)).length;
  return { calls, spent };
}

/** The text for a person. */
export function attemptsTable(listed: ListedAttempts | RefusedFork, medium: Medium): string {
  if ('refused' in listed) return `keep_refused: ${printable(listed.refused)}\n`;
  const { of, attempts, kept, score, until, next } = listed;
  const rows = attempts.map(({ run, is, tried, standing, cost }) => [
    run,
    run === kept?.keep ? 'kept' : is === 'over' || is === 'halted' ? (standing ?? 'gone') : is,
    tried?.score === undefined ? (tried?.why ?? '') : String(tried.score),
    tried === null ? '' : attemptWait(tried),
    cost === null ? '' : costText(cost),
  ]);
  const columns = ['ATTEMPT', 'IS', 'SCORE', 'WAITS', 'COST'].map((name) => ({ name }));
  const who = kept?.by == null ? 'the score' : JSON.stringify(kept.by);
  const chosen = kept === null ? choosesText(score, until) : `${kept.keep} was kept, by ${who}.`;
  const then = next === null ? '' : `${next}\n`;
  return `${printable(`${of}: ${chosen}`)}\n${table(columns, rows, medium)}${printable(then)}`;
}

function choosesText(score: string | null, until: number | null): string {
  if (score === null) return 'a person keeps one of them.';
  return `the highest ${score} is kept${until === null ? '' : `, from ${timeText(until)} on among those that wait`}.`;
}

function costText({ calls, spent }: Cost): string {
  const amounts = Object.entries(spent).map(([budget, amount]) => `${amount} ${budget}`);
  return [count(calls, 'call'), ...amounts].join(', ');
}
