/**
 * Tells a run to a reader who was not there: its parties, its decisions with their circumstances and consequences, and
 * the facts that a person should know. Reads the journal once, while another process may be writing it.
 */

import { entriesOf, type StoredEntry } from '../journal/entries.ts';
import type { StoredRow } from '../journal/journal.ts';
import type { Circumstance } from '../model/aftermath.ts';
import type { AnswerEntry } from '../model/call-entries.ts';
import type { DecisionEntry, Digests, Entry } from '../model/entry.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import { answeringChild } from '../model/reply-event.ts';
import { questionOf } from '../projection/open-decisions.ts';
import { RunState } from '../projection/run-state.ts';
import { EventRows } from './event-rows.ts';
import { choiceWaits } from './noted-attempt.ts';
import { type RunStatus, RunStatusFold } from './run-status.ts';
import type { Wait } from './waits.ts';

/** A decision, and what was around it. */
export interface Decided {
  /** The how manieth of its run, from 1. */
  readonly number: number;
  /** The row that it stands in. */
  readonly seq: number;
  /** The wall clock of its append, in milliseconds. */
  readonly time: number;
  readonly entry: DecisionEntry;
  readonly around: Circumstance;
  /** Every instance that had been entered, in that order. */
  readonly entered: readonly InstanceId[];
}

/** Something that a person should know, and how often it was found. */
interface Found {
  readonly code: string;
  readonly text: string;
  readonly instance: InstanceId | null;
  readonly count: number;
}

/** A run, told. */
export interface Timeline {
  readonly agent: string | null;
  readonly digests: Digests | null;
  readonly standing: RunStatus;
  /** The things that it waits for, as its journal tells them. */
  readonly waits: readonly Wait[];
  readonly rows: number;
  /** The wall clock of its first and last rows, in milliseconds; null where it has none. */
  readonly times: { readonly first: number; readonly last: number } | null;
  readonly runState: RunState;
  readonly decisions: readonly Decided[];
  /** Those among them that the run is parked on, the newest last. */
  readonly open: readonly Decided[];
  readonly findings: readonly Found[];
  /** The number of times that each instance was put back, by its name. */
  readonly restored: ReadonlyMap<string, number>;
  /** The rows in which the events of its history and the intents of its calls stand. */
  readonly eventRows: EventRows;
  /** The persons who said what became of calls, by the keys of the calls. */
  readonly settledBy: ReadonlyMap<string, { readonly by: string; readonly why: string | null }>;
}

/**
 * Reads a run.
 * @param hear told each entry, and the state of the run behind it, so that rows are read once for several reports.
 * @throws JournalError `journal_corrupt`, `journal_not_ours`.
 */
export function timelineOf(
  rows: Iterable<StoredRow>,
  hear: (stored: StoredEntry, runState: RunState) => void = () => {},
): Timeline {
  const pieces = timelinePieces(rows, hear);
  let piece = pieces.next();
  while (piece.done !== true) piece = pieces.next();
  return piece.value;
}

/** Reads a run in pieces, an entry each, for who gives other work its turn in between. */
export function* timelinePieces(
  rows: Iterable<StoredRow>,
  hear: (stored: StoredEntry, runState: RunState) => void = () => {},
): Generator<void, Timeline> {
  const narrator = new Narrator();
  for (const stored of entriesOf(narrator.counted(rows))) {
    hear(stored, narrator.take(stored));
    yield;
  }
  return narrator.story();
}

type Replaying = { instance: InstanceId; tools: string[] };
type Draft = Omit<Decided, 'around'> & { around: Circumstance };

class Narrator {
  readonly #eventRows = new EventRows();
  readonly #runState = new RunState((_event, number) => this.#eventRows.note(number));
  readonly #settledBy = new Map<string, { by: string; why: string | null }>();
  readonly #standing = new RunStatusFold();
  readonly #decisions: Draft[] = [];
  readonly #findings = new Map<string, { code: string; text: string; instance: InstanceId | null; count: number }>();
  readonly #restored = new Map<string, number>();
  /** The pieces of work that are being done again, by their names. */
  readonly #replaying = new Map<string, Replaying>();
  #rows = 0;
  #times: { first: number; last: number } | null = null;

  /** Counts the rows, those too that only name things. */
  *counted(rows: Iterable<StoredRow>): Generator<StoredRow> {
    for (const row of rows) {
      this.#rows += 1;
      this.#times = { first: this.#times?.first ?? row.time, last: row.time };
      yield row;
    }
  }

  take({ entry, row, fold }: StoredEntry): RunState {
    if (entry.do === 'decision') this.#decide(entry, row);
    if (entry.do === 'restored') this.#restore(entry);
    if (entry.do === 'step') this.#replay(entry);
    if (entry.do === 'finding') this.#find(entry);
    if (entry.do === 'settled' && entry.refused === null) this.#settledBy.set(entry.key, entry);
    if (entry.do === 'answer') this.#answer(entry);
    this.#standing.take(entry, row.time);
    this.#eventRows.begin(row.seq);
    if (entry.do === 'intent') this.#eventRows.noteCall(entry.key, row.time);
    fold(() => this.#runState.apply(entry, row.time));
    return this.#runState;
  }

  story(): Timeline {
    const { redaction } = this.#runState;
    // A value may come to a redacted key after a text has named it.
    const decisions = redaction.isActive
      ? this.#decisions.map((each) => {
          const error = redaction.text(each.entry.error);
          return { ...each, entry: { ...each.entry, error }, around: { ...each.around, error } };
        })
      : this.#decisions;
    const findings = [...this.#findings.values()].map((each) => ({ ...each, text: redaction.text(each.text) }));
    return {
      agent: this.#standing.agent,
      digests: this.#runState.digests,
      standing: this.#standing.now,
      waits: [...this.#standing.waits, ...choiceWaits(this.#standing.now.is, this.#runState.attempt)],
      rows: this.#rows,
      times: this.#times,
      runState: this.#runState,
      decisions,
      open: this.#standing.open.map((question) => decisions.findLast((each) => isOf(each, question)) as Decided),
      findings,
      restored: this.#restored,
      eventRows: this.#eventRows,
      settledBy: new Map(
        [...this.#settledBy].map(([key, { by, why }]) => [
          key,
          { by: redaction.text(by), why: why === null ? null : redaction.text(why) },
        ]),
      ),
    };
  }

  /** A person has told an outcome by answering the question about it. */
  #answer({ gate, verdict, by, why }: AnswerEntry): void {
    const key = this.#runState.asked.get(gate)?.key;
    if (verdict === 'settled' && by !== null && key !== undefined) this.#settledBy.set(key, { by, why });
  }

  #decide(entry: DecisionEntry, { seq, time }: StoredRow): void {
    this.#replaying.clear();
    const { call, actor, signal, error } = entry;
    const started = call === null ? null : (this.#runState.actors[call]?.started ?? null);
    const value = this.#runState.actors[actor]?.value;
    this.#decisions.push({
      number: this.#decisions.length + 1,
      seq,
      time,
      entry,
      around: {
        signal,
        error,
        state: started?.at ?? (value === undefined || value === '' ? null : stateText(value)),
        tool: started?.src ?? null,
        aftermath: null,
      },
      entered: [...this.#runState.history.registry.all()].flatMap(({ id }) => (id.skeleton === ROOT ? [] : [id])),
    });
  }

  /** Only what a decision restores is told. */
  #restore({ kept }: Extract<Entry, { do: 'restored' }>): void {
    const decided = this.#decisions.at(-1);
    if (this.#runState.pending === null || decided === undefined) return;
    const moved = new Set(kept.map(([id]) => instanceName(id)));
    for (const name of moved) this.#restored.set(name, (this.#restored.get(name) ?? 0) + 1);
    const preserved = decided.entered.filter((id) => !moved.has(instanceName(id)) && this.#isComplete(id));
    const replayed = kept.flatMap(([id]) => (id.skeleton === ROOT ? [] : [{ instance: id, tools: [] }]));
    for (const each of replayed) this.#replaying.set(instanceName(each.instance), each);
    decided.around = { ...decided.around, aftermath: { replayed, preserved } };
  }

  #isComplete(id: InstanceId): boolean {
    const closed = this.#runState.places.of(instanceName(id))?.closed ?? null;
    return closed !== null && (this.#runState.history.registry.get(id)?.committed ?? null) !== null;
  }

  #replay(entry: Extract<Entry, { do: 'step' }>): void {
    if (this.#replaying.size === 0) return;
    const answered = this.#answered(entry);
    for (const { instance, region } of entry.parties) {
      // Other instances may take part in the step because of the answer's changes; the call belongs to the instance
      // whose states made it.
      const isOwn = answered !== null && this.#runState.places.within(answered.region, region);
      if (isOwn) this.#replaying.get(instanceName(instance))?.tools.push(answered.tool);
    }
    for (const mark of entry.marks) if (mark.do === 'boundary') this.#replaying.delete(instanceName(mark.in));
    for (const { instance } of entry.closed) this.#replaying.delete(instanceName(instance));
  }

  /** The tool whose answer a step took, and where it was called. */
  #answered({
    actor,
    event,
  }: Extract<Entry, { do: 'step' }>): { readonly tool: string; readonly region: string } | null {
    const { type } = event as { type?: unknown };
    const id = answeringChild(type);
    if (id === null) return null;
    const made = this.#runState.actors.findLast(({ parent, started }) => parent === actor && started?.id === id);
    const tool = made?.started?.src ?? null;
    return tool === null || made?.region === undefined || made.region === null ? null : { tool, region: made.region };
  }

  #find({ code, text, instance }: Extract<Entry, { do: 'finding' }>): void {
    const key = JSON.stringify([code, text, instance]);
    const known = this.#findings.get(key);
    if (known === undefined) this.#findings.set(key, { code, text, instance, count: 1 });
    else known.count += 1;
  }
}

/** A state value as a path, the regions of a parallel state in brackets: `filling.(slots.asking, clock.ticking)`. */
export function stateText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const parts = Object.entries(value).map(([key, inner]) => {
    const below = stateText(inner);
    return below === '' ? key : `${key}.${below}`;
  });
  return parts.length === 1 ? (parts[0] as string) : parts.length === 0 ? '' : `(${parts.join(', ')})`;
}

/** True for a decision about a question. */
function isOf({ entry }: Decided, question: string): boolean {
  return questionOf({ ...entry, failed: entry.decision.failed }) === question;
}
