/**
 * Sends today's machine through a recorded run, like a replay before a deployment: it receives the recorded events, the
 * journal answers its tools, no call leaves, and each step is compared with the recorded one.
 */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { argsDigest } from '../../effects/digest.ts';
import { entriesOf } from '../../journal/entries.ts';
import { EntryDecoder } from '../../journal/entry-codec.ts';
import { JournalError, type StoredRow } from '../../journal/journal.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';
import type { IntentEntry } from '../../model/call-entries.ts';
import type { Entry } from '../../model/entry.ts';
import type { Key } from '../../model/key.ts';
import { eventType } from '../../model/reply-event.ts';
import type { StepEntry } from '../../model/step-entry.ts';
import { RunState } from '../../projection/run-state.ts';
import type { AnyStateMachine, Event } from '../../xstate/actor.ts';
import { machineShape } from '../../xstate/shape.ts';
import {
  configDifferences,
  differenceOf,
  movesControl,
  regionOf,
  type StepDifference,
  shown,
  statesOf,
} from './compare-steps.ts';
import { ReplayedMachine } from './replayed-machine.ts';
import type { ConfigDifference, IncomparableCode, Parting, VerifiedRun } from './verified-run.ts';

/** The machine and config that a run is held against. `compares` is false where the config is only a stand-in. */
export interface ReplaySubject {
  readonly machine: AnyStateMachine;
  readonly config: BoundaryConfig;
  readonly compares: boolean;
  readonly codecs: readonly ValueCodec[];
  readonly ignored: readonly Key[];
}

/** An entry with the row that it stands in. */
interface Recorded {
  readonly entry: Entry;
  readonly row: StoredRow;
}

/** Verifies one run. */
export function verifyRun(run: string, rows: Iterable<StoredRow>, subject: ReplaySubject): VerifiedRun {
  const read = readEntries(rows, subject.codecs);
  if ('code' in read) return incomparable(run, null, read);
  return new Replay(run, read.entries, subject).verified(read.why);
}

/** A run of which nothing can be compared. */
export function incomparable(
  run: string,
  agent: string | null,
  why: { readonly code: IncomparableCode; readonly text: string },
): VerifiedRun {
  const changed = { machine: false, config: false };
  return { run, agent, is: 'not comparable', equal: 0, steps: 0, parting: null, why, changed, config: null };
}

/** The entries of a run, and what of it no journal could give back. */
function readEntries(
  rows: Iterable<StoredRow>,
  codecs: readonly ValueCodec[],
):
  | { readonly entries: readonly Recorded[]; readonly why: VerifiedRun['why'] }
  | { readonly code: 'unreadable'; readonly text: string } {
  const decoder = new EntryDecoder(codecs);
  const entries: Recorded[] = [];
  try {
    for (const { entry, row } of entriesOf(rows, decoder)) entries.push({ entry, row });
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return { code: 'unreadable', text: `${error.code} ${error.message}` };
  }
  const [codec] = decoder.unregistered;
  const [missing] = decoder.missing;
  if (codec !== undefined)
    return {
      entries,
      why: { code: 'codec_missing', text: `it has values of the codec "${codec}", which is not given` },
    };
  if (missing === undefined) return { entries, why: null };
  return { entries, why: { code: 'memory_lost', text: `${missing} held a value that no journal can hold` } };
}

/** One run on its way through today's machine. */
class Replay {
  readonly #run: string;
  readonly #entries: readonly Recorded[];
  readonly #subject: ReplaySubject;
  readonly #then = new RunState();
  #now: ReplayedMachine;
  /** True once control was put elsewhere, and until today's machine is taken up there. */
  #isMoved = false;
  readonly #differences: ConfigDifference[] = [];
  #step = 0;
  #parting: Parting | null = null;
  #why: VerifiedRun['why'] = null;

  constructor(run: string, entries: readonly Recorded[], subject: ReplaySubject) {
    this.#run = run;
    this.#entries = entries;
    this.#subject = subject;
    this.#now = new ReplayedMachine(subject.machine, subject.config, subject.codecs);
  }

  verified(why: VerifiedRun['why']): VerifiedRun {
    const steps = this.#entries.filter(({ entry }) => entry.do === 'step').length;
    if (why === null && steps === 0) this.#why = { code: 'no_steps', text: 'nothing of it is recorded' };
    else if (why === null) this.#go();
    else this.#why = why;
    const begin = this.#entries.find(({ entry }) => entry.do === 'begin')?.entry;
    const { config } = this.#subject;
    const digests = this.#then.digests ?? (begin?.do === 'begin' ? begin.digests : null);
    return {
      run: this.#run,
      agent: begin?.do === 'begin' ? begin.agent : null,
      is: this.#parting !== null ? 'parts' : this.#why !== null ? 'not comparable' : 'equal',
      equal: this.#parting === null ? this.#step : this.#parting.step - 1,
      steps,
      parting: this.#parting,
      why: this.#parting === null ? this.#why : null,
      changed: {
        machine: digests !== null && digests.machine !== machineShape(this.#subject.machine).digest,
        config: this.#subject.compares && digests !== null && digests.config !== config.digest,
      },
      config: this.#subject.compares ? this.#differences : null,
    };
  }

  #go(): void {
    try {
      for (const [index, recorded] of this.#entries.entries()) {
        if (!this.#isMoved && movesControl(recorded.entry)) this.#parting = this.#leftOver();
        if (this.#parting === null) this.#follow(recorded, index);
        if (this.#parting !== null) return;
      }
      this.#parting = this.#isMoved ? null : this.#leftOver();
    } finally {
      this.#now.stop();
    }
  }

  /** Follows an entry. Where it puts control elsewhere, the machine is taken up there before it next hears of anything. */
  #follow({ entry, row }: Recorded, index: number): void {
    if (movesControl(entry)) this.#isMoved = true;
    if (entry.do === 'step' && !movesControl(entry)) {
      this.#step += 1;
      if (this.#isMoved && !this.#takenUp(entry, row, index)) return;
      this.#compare(entry, row);
      return;
    }
    if (entry.do === 'step') this.#step += 1;
    this.#then.apply(entry, row.time);
    if (this.#isMoved) return;
    if (entry.do === 'intent') this.#compareCall(entry, row);
    this.#now.follow(entry, row.time);
  }

  /** Takes today's machine up where the run stood before an entry. @returns false where that place is none of its own. */
  #takenUp(entry: StepEntry, row: StoredRow, index: number): boolean {
    this.#now.stop();
    const { machine, config, codecs } = this.#subject;
    this.#now = new ReplayedMachine(machine, config, codecs);
    this.#isMoved = false;
    try {
      this.#now.takeUp(this.#entries.slice(0, index));
      return true;
    } catch (error) {
      const found = `it cannot be taken up there: ${error instanceof Error ? error.message : String(error)}`;
      this.#parting = this.#parted(entry, row, { is: 'state', expected: statesOf(entry), found });
      return false;
    }
  }

  #compare(entry: StepEntry, row: StoredRow): void {
    this.#then.apply(entry, row.time);
    const isHeard = this.#now.hasNext(entry.actor) || this.#hear(entry);
    const today = this.#now.next(entry.actor);
    if (today === null) {
      this.#parting = this.#parted(entry, row, {
        is: 'step',
        expected: statesOf(entry),
        found: this.#now.error === null ? (isHeard ? 'no step' : 'no such actor') : `it throws: ${this.#now.error}`,
      });
      return;
    }
    const { context } = this.#then.actor(entry.actor);
    const difference = differenceOf({ entry, context }, today, this.#subject.ignored);
    if (difference !== null) this.#parting = this.#parted(entry, row, difference);
    else if (this.#subject.compares) {
      const at = { step: this.#step, row: row.seq, event: eventType(entry.event) };
      this.#differences.push(...configDifferences(entry, today.entry, at));
    }
  }

  #hear(entry: StepEntry): boolean {
    if (this.#step > 1) return this.#now.hear(entry.actor, entry.event as Event);
    this.#now.begin((entry.event as { readonly input?: unknown }).input);
    return true;
  }

  /** A call that asks for something else is another call, whatever it answered then. */
  #compareCall({ actor, args, digest, tool }: IntentEntry, row: StoredRow): void {
    const asks = this.#now.inputOf(actor);
    const { secret } = this.#then;
    if (argsDigest(asks, secret, this.#subject.codecs) === digest) return;
    const expected = `${tool} is asked ${shown(args)}`;
    const found = `${tool} is asked ${shown(asks)}`;
    const last = this.#entries.findLast(({ entry, row: { seq } }) => entry.do === 'step' && seq < row.seq);
    if (last?.entry.do !== 'step') return;
    this.#parting = this.#parted(last.entry, last.row, { is: 'arguments', expected, found });
  }

  /** Steps of today's machine that the run does not have. */
  #leftOver(): Parting | null {
    const [actor] = this.#now.ahead;
    const today = actor === undefined ? null : this.#now.next(actor);
    const last = this.#entries.at(-1);
    if (today === null || last === undefined) return null;
    this.#step += 1;
    return this.#parted(today.entry, last.row, { is: 'step', expected: 'no step', found: statesOf(today.entry) });
  }

  #parted(entry: StepEntry, row: StoredRow, difference: StepDifference): Parting {
    const started = this.#then.actors[entry.actor]?.started ?? null;
    const actor = started?.id ?? '';
    return {
      ...{ step: this.#step, row: row.seq, actor, region: regionOf(entry), event: eventType(entry.event) },
      ...difference,
    };
  }
}
