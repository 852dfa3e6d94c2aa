/**
 * The note of a run (J6): the facts that a list of runs tells of it, as a text that stands beside its rows, so that the list costs the same for each
 * run however long it is. It is folded by the writer from the entries that it appends, and is never more than a copy of them.
 */
import { EntryDecoder, kindOf } from '../journal/entry-codec.ts';
import type { StoredRow } from '../journal/journal.ts';
import type { Verdict } from '../model/decision.ts';
import { isOpen } from '../model/effect.ts';
import type { Digests, Entry } from '../model/entry.ts';
import { Attempt } from '../projection/attempt.ts';
import type { OwedCounts } from '../projection/obligations.ts';
import { choiceWaits, isNotedAttempt, type NotedAttempt, notedAttempt } from './noted-attempt.ts';
import { type RunStatus, RunStatusFold } from './run-status.ts';
import { parsedWaits, type Wait } from './waits.ts';

/** The release of a run, as its note has it. */
export interface NotedRelease {
  readonly machine: string;
  readonly config: string;
  /** The version that the program has named; null where it named none. */
  readonly version: string | null;
}

/** The content of a note. */
export interface RunNote {
  readonly agent: string | null;
  /** The release that it is under; null before it began. */
  readonly under: NotedRelease | null;
  readonly standing: RunStatus;
  /** The things that it waits for, as its journal tells them: whether a process holds it is for its lease to say. */
  readonly waits: readonly Wait[];
  /** True once it has asked a person anything. */
  readonly asked: boolean;
  /** The number of questions that no entry has answered; those that a restore has voided may be among them. */
  readonly unanswered: number;
  /** The attempt that it is; left out for a run that is none. */
  readonly attempt?: NotedAttempt;
  /** What it owes, as its writer has counted; left out where no call has taken anything on. */
  readonly owes?: OwedCounts;
}

/** The longest note, in characters; a longer one is left out. */
const LONGEST = 4_096;

/** The entries that the note depends on, whatever the run stands at. */
const TELLING: ReadonlySet<Entry['do']> = new Set([
  ...(['begin', 'config', 'migrated', 'decision', 'phase', 'end', 'intent', 'gate', 'cancel'] as const),
  ...(['pause', 'asked', 'answer', 'outcome', 'restored', 'finding', 'complaint', 'retracted', 'retried'] as const),
  ...(['publish', 'stands', 'forked', 'tried', 'kept', 'mandate'] as const),
]);

/** The entries of attempts. */
const OF_ATTEMPTS: ReadonlySet<Entry['do']> = new Set(['forked', 'tried', 'kept'] as const);

/** The version of a note; one of another version is none. */
const VERSION = 4;

/** Follows a run from entry to entry. */
export class RunNoteFold {
  readonly #status = new RunStatusFold();
  #under: NotedRelease | null = null;
  #asked = false;
  readonly #attempt = new Attempt();
  /** The questions without an answer: the key of the call, by the gate. */
  readonly #unanswered = new Map<string, string>();
  #owes: OwedCounts | null = null;
  /** The text of the note; undefined where it has to be made anew. */
  #text: string | null | undefined;

  /** The parts that a base holds. */
  get parts() {
    return {
      status: this.#status.parts,
      under: this.#under,
      asked: this.#asked,
      unanswered: [...this.#unanswered] as readonly (readonly [string, string])[],
      ...(this.#attempt.now.terms !== null && { attempt: this.#attempt.now }),
    };
  }

  /** Goes on from what a base holds. */
  resumeAt({ status, under, asked, unanswered, attempt }: RunNoteFold['parts']): void {
    if (attempt !== undefined) this.#attempt.resumeAt(attempt);
    this.#status.resumeAt(status);
    this.#under = under;
    this.#asked = asked;
    for (const [gate, key] of unanswered) this.#unanswered.set(gate, key);
  }

  /** The present note. */
  get now(): RunNote {
    const { agent, now: standing } = this.#status;
    const waits = [...this.#status.waits, ...choiceWaits(standing.is, this.#attempt)];
    const attempt = notedAttempt(this.#attempt);
    return {
      ...{ agent, under: this.#under, standing, waits, asked: this.#asked, unanswered: this.#unanswered.size },
      ...(attempt !== null && { attempt }),
      ...(this.#owes !== null && { owes: this.#owes }),
    };
  }

  /** Notes what the run owes, which its writer counts. */
  owe(owes: OwedCounts | null): void {
    if (owes === null && this.#owes === null) return;
    this.#owes = owes;
    this.#text = undefined;
  }

  /** The present note as a text; undefined where it would be too long. */
  get text(): string | undefined {
    if (this.#text === undefined) {
      const text = JSON.stringify({ note: VERSION, ...this.now });
      this.#text = text.length > LONGEST ? null : text;
    }
    return this.#text ?? undefined;
  }

  /** True where the entry itself has to be handed to `take`. */
  needs(kind: Entry['do']): boolean {
    return (
      kind === 'config' ||
      kind === 'migrated' ||
      OF_ATTEMPTS.has(kind) ||
      this.#status.needs(kind) ||
      (this.#unanswered.size > 0 && TELLING.has(kind))
    );
  }

  /** Takes an entry in; of one that is not needed its kind is enough. @param time the wall clock of its append, in milliseconds. */
  take(entry: Pick<Entry, 'do'> | Entry, time: number): void {
    if (this.#attempt.now.tried !== null) this.#passes(entry.do);
    // A step tells something only of a run that is parked.
    if (!TELLING.has(entry.do) && (entry.do !== 'step' || this.#status.now.is !== 'parked')) return;
    this.#text = undefined;
    this.#status.take(entry, time);
    if (entry.do === 'gate') this.#asked = true;
    if (this.needs(entry.do)) this.#takeWhole(entry as Entry, time);
  }

  /** An attempt may not stand any more where it waited. */
  #passes(by: Entry['do']): void {
    if (by !== 'restored' && by !== 'step' && by !== 'intent') return;
    this.#attempt.passed(by);
    this.#text = undefined;
  }

  #takeWhole(entry: Entry, time: number): void {
    switch (entry.do) {
      case 'forked':
        this.#attempt.fork(entry.attempt);
        return;
      case 'tried':
        this.#attempt.try(entry, time);
        return;
      case 'kept':
        this.#attempt.keep(entry);
        return;
      case 'cancel':
        if (entry.refused === null) this.#attempt.end();
        return;
      case 'begin':
      case 'config':
      case 'migrated':
        this.#goUnder(entry.digests);
        return;
      case 'gate':
        this.#unanswered.set(entry.gate, entry.key);
        return;
      case 'answer':
        if (entry.verdict !== 'refused') this.#unanswered.delete(entry.gate);
        return;
      case 'outcome':
        if (!isOpen(entry.status)) this.#known(entry.key);
        return;
      default:
        return;
    }
  }

  #goUnder({ machine, config, version }: Digests): void {
    this.#under = { machine, config, version: version ?? null };
  }

  #known(about: string): void {
    for (const [gate, key] of this.#unanswered) if (key === about) this.#unanswered.delete(gate);
  }
}

/** The note that the rows of a run come to. @throws JournalError `journal_corrupt`, `journal_not_ours`. */
export function runNoteOf(rows: Iterable<StoredRow>): RunNote {
  const fold = new RunNoteFold();
  const reader = new EntryDecoder();
  for (const row of rows) {
    const kind = kindOf(row);
    if (kind === null || fold.needs(kind)) {
      const entry = reader.entry(row);
      if (entry !== null) fold.take(entry, row.time);
    } else fold.take({ do: kind }, row.time);
  }
  return fold.now;
}

/** The note of a text; null where it is none of this version's. */
export function parseRunNote(text: string | undefined): RunNote | null {
  if (text === undefined) return null;
  try {
    const { note, agent, under, standing, asked, unanswered, waits, attempt, owes } = JSON.parse(text) as Record<
      string,
      unknown
    >;
    const read = parsedWaits(waits);
    const fits =
      read !== null &&
      isName(agent) &&
      isRelease(under) &&
      isStanding(standing) &&
      note === VERSION &&
      typeof asked === 'boolean' &&
      Number.isSafeInteger(unanswered) &&
      (attempt === undefined || isNotedAttempt(attempt)) &&
      (owes === undefined || isOwed(owes));
    const of = {
      ...(attempt !== undefined && { attempt: attempt as NotedAttempt }),
      ...(isOwed(owes) && { owes }),
    };
    return fits ? { agent, under, standing, waits: read, asked, unanswered: unanswered as number, ...of } : null;
  } catch {
    return null;
  }
}

function isOwed(value: unknown): value is OwedCounts {
  const { open, overdue, broken } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return [open, overdue, broken].every(Number.isSafeInteger);
}

const STANDINGS: Readonly<Record<RunStatus['is'], (of: Readonly<Record<string, unknown>>) => boolean>> = {
  done: ({ unpublished, unanswered, untaken }) => [unpublished, unanswered, untaken].every(isCountOrNone),
  cancelled: () => true,
  compensated: ({ stands }) => isCountOrNone(stands),
  open: () => true,
  paused: ({ by, why }) => typeof by === 'string' && (why === null || typeof why === 'string'),
  parked: ({ verdict }) => isVerdict(verdict),
  recovering: ({ verdict }) => isVerdict(verdict),
  stuck: ({ verdict, effect, error }) => isVerdict(verdict) && typeof effect === 'string' && typeof error === 'string',
  waiting: ({ approvals }) => Number.isSafeInteger(approvals),
};

const VERDICTS: Readonly<Record<Verdict, true>> = {
  ...{ settle: true, restore: true, restore_joint: true },
  ...{ rerun: true, escalate: true },
};

function isCountOrNone(value: unknown): boolean {
  return value === undefined || Number.isSafeInteger(value);
}

function isVerdict(value: unknown): boolean {
  return typeof value === 'string' && Object.hasOwn(VERDICTS, value);
}

function isStanding(value: unknown): value is RunStatus {
  if (typeof value !== 'object' || value === null) return false;
  const of = value as Readonly<Record<string, unknown>>;
  return typeof of.is === 'string' && Object.hasOwn(STANDINGS, of.is) && STANDINGS[of.is as RunStatus['is']](of);
}

function isRelease(value: unknown): value is NotedRelease | null {
  if (value === null) return true;
  const { machine, config, version } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof machine === 'string' && typeof config === 'string' && isName(version);
}

function isName(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
