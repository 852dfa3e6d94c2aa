/** The rows of a run as a follower sees them: one line each, and with a restore the rows whose steps it takes back. */
import { entriesOf } from '../journal/entries.ts';
import { EntryDecoder } from '../journal/entry-codec.ts';
import type { StoredRow } from '../journal/journal.ts';
import { RenamedEntries } from '../journal/renamed-entries.ts';
import { alternativesAsked } from '../model/choice-entries.ts';
import type { Entry } from '../model/entry.ts';
import { instanceName } from '../model/instance.ts';
import type { Renames } from '../model/renames.ts';
import { eventType } from '../model/reply-event.ts';
import { RunState } from '../projection/run-state.ts';
import type { RecordedStep } from '../projection/state-types.ts';
import { quoted } from '../recovery/explain.ts';
import { stateText } from './timeline.ts';

/** A durable row of a run. */
export interface FollowedRow {
  readonly seq: number;
  /** The wall clock at which it became durable, in milliseconds. */
  readonly time: number;
  /** The kind of its entry. */
  readonly is: Entry['do'];
  /** Its content in a few words, redacted as the config says. */
  readonly says: string;
  /** The rows of the steps that it takes back, those among them that are set aside as well; empty but for a restore. */
  readonly undone: readonly number[];
}

/** The reading of one run, row by row. */
export class Followed {
  #runState = new RunState();
  readonly #decoder = new EntryDecoder();
  /** The entries so far: where names are given anew, they are read in those (CO5). */
  #past: { readonly entry: Entry; readonly time: number }[] = [];
  /** The rows of the steps, by the numbers of the steps. */
  readonly #rows = new Map<number, number>();

  /** True once the run has ended: no row comes after that. */
  get isOver(): boolean {
    return this.#runState.ended !== null;
  }

  /** Folds the next row in; null for a row that only names things. @throws JournalError `journal_corrupt`, `journal_not_ours`. */
  take(row: StoredRow): FollowedRow | null {
    for (const { entry, fold } of entriesOf([row], this.#decoder)) {
      if (entry.do === 'migrated' && entry.renames !== undefined) fold(() => this.#rename(entry.renames as Renames));
      const runState = this.#runState;
      this.#past.push({ entry, time: row.time });
      let undone: readonly number[] = [];
      fold(() => {
        if (entry.do === 'restored') undone = this.#rowsOf(runState.takenOutBy(entry.kept));
        const before = runState.places.next;
        runState.apply(entry, row.time);
        for (let nth = before; nth < runState.places.next; nth += 1) this.#rows.set(nth, row.seq);
      });
      const says = runState.redaction.text(saysOf(entry, runState));
      return { seq: row.seq, time: row.time, is: entry.do, says, undone };
    }
    return null;
  }

  #rename(renames: Renames): void {
    const names = new RenamedEntries(renames);
    this.#past = this.#past.map(({ entry, time }) => ({ entry: names.entry(entry), time }));
    this.#runState = new RunState();
    for (const { entry, time } of this.#past) this.#runState.apply(entry, time);
  }

  /** The rows of steps, each once and in order. */
  #rowsOf(steps: readonly RecordedStep[]): readonly number[] {
    const rows = steps.flatMap(({ nth }) => this.#rows.get(nth) ?? []);
    return [...new Set(rows)].sort((a, b) => a - b);
  }
}

function askedAbout({ asks, key, review }: Extract<Entry, { do: 'gate' }>, toolOf: (key: string) => string): string {
  if (review !== undefined) return quoted(`${review.boundary} of ${instanceName(review.instance)}`);
  return asks === 'branch' ? quoted(alternativesAsked(key)) : toolOf(key);
}

function saysOf(entry: Entry, runState: RunState): string {
  const toolOf = (key: string) => quoted(runState.ledger.get(key)?.intent.tool ?? key);
  switch (entry.do) {
    case 'begin':
      return `agent ${quoted(runState.agent ?? '')}`;
    case 'step':
      return `${quoted(eventType(entry.event))} -> ${stateText(runState.actor(entry.actor).value)}`;
    case 'intent':
      return `${quoted(entry.tool)} of ${quoted(instanceName(entry.instance))}`;
    case 'outcome':
      return `${toolOf(entry.key)}: ${entry.status}`;
    case 'decision':
      return `${entry.signal}: ${entry.decision.verdict}`;
    case 'restored':
      return entry.kept.map(([id]) => quoted(instanceName(id))).join(', ');
    case 'phase':
      return entry.phase;
    case 'gate':
      return `${entry.asks} of ${askedAbout(entry, toolOf)}`;
    case 'judged':
      return `${entry.is}${entry.by === null ? '' : ` by ${quoted(entry.by)}`}${entry.why === null ? '' : `: ${quoted(entry.why)}`}`;
    case 'answer':
      return entry.verdict + (entry.by === null ? '' : ` by ${quoted(entry.by)}`);
    case 'message':
      return `${quoted(entry.event)}${refusedText(entry)}`;
    case 'held':
      return quoted(eventType(entry.event));
    case 'steered':
      return `${entry.act} ${quoted(entry.of)}${refusedText(entry)}`;
    case 'pause':
      return `${entry.paused ? 'paused' : 'goes on'}${refusedText(entry)}`;
    case 'mandate':
      return mandateText(entry);
    case 'complaint':
    case 'cancel':
    case 'retried':
      return refusedText(entry).replace(/^, /, '');
    case 'finding':
      return entry.code;
    case 'end':
      return entry.status;
    default:
      return '';
  }
}

function mandateText(entry: Extract<Entry, { do: 'mandate' }>): string {
  switch (entry.is) {
    case 'given':
      return `${quoted(entry.id)} by ${quoted(entry.terms.by)}${refusedText(entry)}`;
    case 'revoked':
      return `withdrawn by ${quoted(entry.by)}${refusedText(entry)}`;
    case 'over':
      return entry.why;
    case 'wanted':
      return `wanted by ${quoted(entry.tool)}`;
  }
}

function refusedText({ refused }: { readonly refused: string | null }): string {
  return refused === null ? '' : `, refused: ${refused}`;
}
