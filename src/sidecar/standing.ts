/**
 * How a run stands, read off its journal and nothing else. It is asked for every run of a file, so most rows are only counted by
 * their kind and not read.
 */
import type { StoredRow } from '../journal/journal.ts';
import type { Verdict } from '../model/decision.ts';
import type { Entry } from '../model/entry.ts';
import { kindOf, Reader } from './layout.ts';

/** How a run stands; whether a living process holds it is for its lease to say. */
export type Standing =
  | { readonly is: 'done' }
  /** Nothing more happens until somebody acts (§8.4). */
  | { readonly is: 'parked'; readonly verdict: Verdict }
  /** What was to be undone could not be, and memory is not restored over it (E5): a person looks at it. */
  | { readonly is: 'stuck'; readonly verdict: Verdict; readonly effect: string; readonly error: string }
  /** A recovery was decided and is not yet carried out: it is under way, or was interrupted (R5). */
  | { readonly is: 'recovering'; readonly verdict: Verdict }
  | { readonly is: 'open' };

/** The entries that it depends on; of all others it is enough to know that they came. */
const TELLING: ReadonlySet<Entry['do']> = new Set(['begin', 'decision', 'phase', 'end'] as const);

/** Follows a run from entry to entry. */
export class StandingFold {
  agent: string | null = null;
  now: Standing = { is: 'open' };

  /** Whether the entry itself has to be handed to `take`. */
  static needs(kind: Entry['do']): boolean {
    return TELLING.has(kind);
  }

  /** Takes an entry in. */
  take(entry: Pick<Entry, 'do'> | Entry): void {
    const { now } = this;
    switch (entry.do) {
      case 'begin':
        this.agent = (entry as Extract<Entry, { do: 'begin' }>).agent;
        return;
      case 'end':
        this.now = { is: 'done' };
        return;
      case 'decision': {
        const { verdict } = (entry as Extract<Entry, { do: 'decision' }>).decision;
        this.now = { is: verdict === 'escalate' || verdict === 'rerun' ? 'parked' : 'recovering', verdict };
        return;
      }
      case 'phase': {
        const { phase, effect = '', error = '' } = entry as Extract<Entry, { do: 'phase' }>;
        if (phase === 'RESUMED') this.now = { is: 'open' };
        else if (phase === 'STUCK' && now.is === 'recovering')
          this.now = { is: 'stuck', verdict: now.verdict, effect, error };
        else if (now.is === 'stuck' && phase !== 'STUCK') this.now = { is: 'recovering', verdict: now.verdict };
        // A rerun was advised, and somebody has started it.
        else if (now.is === 'parked' && phase === 'FENCED') this.now = { is: 'recovering', verdict: now.verdict };
        return;
      }
      case 'step':
        // A parked machine takes no step: what it waited for was found out when the run was taken up again.
        if (now.is === 'parked') this.now = { is: 'open' };
        return;
      default:
        return;
    }
  }
}

/** The agent of a run and how it stands. @throws JournalError `journal_corrupt`, `journal_too_new`. */
export function standingOf(rows: Iterable<StoredRow>): { readonly agent: string | null; readonly standing: Standing } {
  const fold = new StandingFold();
  const reader = new Reader();
  for (const row of rows) {
    const kind = kindOf(row);
    if (kind === null || StandingFold.needs(kind)) {
      const entry = reader.entry(row);
      if (entry !== null) fold.take(entry);
    } else fold.take({ do: kind });
  }
  return { agent: fold.agent, standing: fold.now };
}
