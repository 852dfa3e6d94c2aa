/**
 * The reasons of a call, or of a value (semantics.md WH1, WH2): the dependences of K6 read backward, over the past as it stood, down to
 * decisions, events, things seen outside and the input of the run. A projection of the journal: it acts on nothing.
 */
import type { LedgerCall } from '../effects/ledger-call.ts';
import type { Access } from '../history/key-tree.ts';
import type { PlacedStep } from '../history/step-lists.ts';
import { entriesOf } from '../journal/entries.ts';
import type { StoredRow } from '../journal/journal.ts';
import { OBJECT, ROWS, refuseOther } from '../model/argument.ts';
import type { Entry } from '../model/entry.ts';
import { isExternal } from '../model/external-keys.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { type Key, parseKey } from '../model/key.ts';
import { eventType } from '../model/reply-event.ts';
import { answeredBy, beganBy, readsOf, readsOfCall, standingWrites } from '../projection/relied-reads.ts';
import { RunState } from '../projection/run-state.ts';
import type { RecordedStep } from '../projection/state-types.ts';
import { EventRows } from './event-rows.ts';
import { shown } from './shown-values.ts';

/** The most nodes of an answer, and the most calls that are answered about: the newest. */
const MOST = { nodes: 2_000, calls: 20 };

/** A version that something rests on, or that was asked about. Values are JSON texts, redacted, and cut where they are long. */
export interface WhyVersion {
  /** The key that was read. */
  readonly key: string;
  /** The number in the history of the write; null where the run, or the world outside, gave the value. */
  readonly at: number | null;
  /** The work that wrote it. */
  readonly by: InstanceId | null;
  readonly source: WhySource;
}

/** The origin of a version: where `on` is there, it rests on more. */
export type WhySource =
  /** The answer of a call; `decides` where that is a decision whose question the journal has. */
  | (WhyCall & { readonly is: 'call' | 'decision' })
  /** An event from outside, by its name, in the version that the step has taken. */
  | {
      readonly is: 'event';
      readonly row: number | null;
      readonly event: string;
      readonly name: string | null;
      readonly by: string | null;
      readonly said: string;
      readonly version: number;
    }
  /** A step of the machine itself, such as an eventless transition. */
  | { readonly is: 'step'; readonly row: number | null; readonly event: string; readonly on: readonly WhyVersion[] }
  /** Something outside of the run, as the call saw it. */
  | { readonly is: 'outside' }
  /** The input of the run, or the first context of its machine. */
  | { readonly is: 'given' }
  /** A source that the answer has already, in a row. */
  | { readonly is: 'above'; readonly row: number | null }
  /** The answer has as many nodes as it may have. */
  | { readonly is: 'cut' };

/** A call that was answered. */
export interface WhyCall {
  readonly tool: string;
  readonly row: number | null;
  /** The arguments; null where the journal does not have them. */
  readonly asked: string | null;
  readonly answered: string;
  readonly on: readonly WhyVersion[];
}

/** The reasons of a call, as the past stood at its intent, or of a key, as the past is now. */
export interface Why {
  /** Null for a key. */
  readonly call: {
    readonly key: string;
    readonly tool: string;
    readonly instance: InstanceId;
    readonly row: number;
    readonly args: string;
    /** True where its place was taken back since. */
    readonly undone: boolean;
    /** The person whose approval it used. */
    readonly approval: { readonly by: string | null; readonly why: string | null } | null;
    /** The event that led to the step that made it, where that came from outside. */
    readonly after: Extract<WhySource, { is: 'event' }> | null;
  } | null;
  readonly on: readonly WhyVersion[];
}

/** The subject of the question: a call by its key or the name of its tool, or a key of the context. */
export type WhyOf = { readonly call: string } | { readonly key: string };

/**
 * The reasons of calls, the newest 20, or of a value.
 * @returns an entry for each intent of the call, in order; for a key one entry, and none where nothing wrote it.
 * @throws ArgumentError `bad_argument`; KeyError for a key that is none; JournalError `journal_corrupt`, `journal_not_ours`.
 * @example
 * import { whyOf } from 'belay-sidecar/reports';
 *
 * assert.deepEqual(whyOf([], { call: 'book' }), []);
 */
export function whyOf(rows: Iterable<StoredRow>, of: WhyOf): readonly Why[] {
  refuseOther('whyOf', { rows: [rows, ROWS], of: [of, OBJECT] });
  const eventRows = new EventRows();
  const runState = new RunState((_event, number) => eventRows.note(number));
  const found: { readonly why: Why; readonly row: number }[] = [];
  const all = [...rows];
  const isAsked = (entry: Entry) =>
    'call' in of && entry.do === 'intent' && !entry.repeats && (entry.key === of.call || entry.tool === of.call);
  const asked = 'call' in of ? [...entriesOf(all)].filter(({ entry }) => isAsked(entry)) : [];
  const wanted = new Set(asked.slice(-MOST.calls).map(({ row }) => row.seq));
  for (const { entry, row, fold } of entriesOf(all)) {
    eventRows.begin(row.seq);
    fold(() => runState.apply(entry, row.time));
    if (entry.do !== 'intent' || !wanted.has(row.seq)) continue;
    const call = runState.ledger.get(entry.key);
    if (call !== undefined) found.push({ why: new Backward(runState, eventRows).call(call, row.seq), row: row.seq });
  }
  if ('key' in of) {
    const on = new Backward(runState, eventRows).value(parseKey(of.key));
    return on.length === 0 ? [] : [{ call: null, on }];
  }
  const newest = new Map(found.map(({ why, row }) => [why.call?.key, row]));
  return found.map(({ why, row }) => finished(why, newest.get(why.call?.key) === row, runState));
}

/** The same with what became known behind its intent: who approved it, and whether it stands. */
function finished(why: Why, isNewest: boolean, { ledger, asked }: RunState): Why {
  const { call } = why;
  if (call === null) return why;
  const request = asked.of(call.key);
  const approved = request !== undefined && ['approved', 'used'].includes(request.status);
  const approval = approved ? { by: request.by, why: request.why } : null;
  return { ...why, call: { ...call, undone: !isNewest || ledger.get(call.key)?.at == null, approval } };
}

/** Reads the dependences of a run backward. */
class Backward {
  readonly #runState: RunState;
  readonly #eventRows: EventRows;
  readonly #met = new Set<number>();
  #left = MOST.nodes;

  constructor(runState: RunState, eventRows: EventRows) {
    this.#runState = runState;
    this.#eventRows = eventRows;
  }

  call({ key, tool, intent }: LedgerCall, row: number): Why {
    const { instance, actor, args } = intent;
    const began = beganBy(this.#runState, actor);
    const [name, { redaction }] = [instanceName(instance), this.#runState];
    const from = began === null ? null : this.#originOf(began);
    return {
      call: {
        key,
        tool,
        instance,
        row,
        args: shown(redaction.args(tool, args), this.#runState),
        undone: false,
        approval: null,
        after: from?.is === 'event' ? from : null,
      },
      on: this.#versions(
        began === null ? readsOf(this.#runState, name) : readsOfCall(this.#runState, began, actor, name),
      ),
    };
  }

  /** The versions of a key that stand. */
  value(key: Key): readonly WhyVersion[] {
    return this.#versionsOf(key.text, standingWrites(this.#runState, key));
  }

  #versions(reads: readonly Access[]): readonly WhyVersion[] {
    const byKey = new Map(reads.map((read) => [read.key.text, read]));
    return [...byKey.values()].flatMap((read) => {
      const all = [...this.#runState.history.versions.writersOf(read.key, read.at)].reverse();
      // The first context of a machine is a write of everything: of what is outside it says nothing.
      const isOut = isExternal(read.key);
      const writes = isOut ? all.filter(({ key }) => isExternal(key)) : all;
      if (writes.length > 0) return this.#versionsOf(read.key.text, writes);
      const source = { is: isOut ? ('outside' as const) : ('given' as const) };
      return [{ key: read.key.text, at: null, by: null, source }];
    });
  }

  #versionsOf(key: string, writes: readonly Access[]): readonly WhyVersion[] {
    return writes.map((write) => ({ key, at: write.at, by: write.by.id, source: this.#sourceOf(write) }));
  }

  #sourceOf(write: Access): WhySource {
    const step = this.#runState.places.stepAt(write.at);
    if (step === undefined) return { is: 'given' };
    if (this.#left === 0) return { is: 'cut' };
    this.#left -= 1;
    if (this.#met.has(step.nth)) return { is: 'above', row: this.#rowOf(step) };
    this.#met.add(step.nth);
    return this.#originOf(step, write) ?? { is: 'given' };
  }

  /** The origin of a step: an answer, an event, or the machine itself; null for the first step of the run. */
  #originOf(step: RecordedStep, write?: Access): WhySource | null {
    const event = step.entry?.event;
    const type = eventType(event);
    const row = this.#rowOf(step);
    const actor = answeredBy(this.#runState, step);
    if (actor?.started?.src != null && !step.isOutside)
      return write === undefined ? null : this.#answer(actor, step, write);
    if (step.isOutside) {
      const sent = this.#runState.received.takenBy(step.nth);
      const [name, by, version] = [sent?.name ?? null, sent?.by ?? null, sent?.version ?? 0];
      const shownBy = by === null ? null : this.#runState.redaction.text(by);
      return {
        is: 'event',
        row,
        event: type,
        name,
        by: shownBy,
        said: shown(event, this.#runState),
        version,
      };
    }
    if (write === undefined || step.nth === 0) return null;
    return { is: 'step', row, event: type, on: this.#versions(this.#readsBefore(step, write)) };
  }

  #answer(actor: ReturnType<RunState['actor']>, step: RecordedStep, write: Access): WhySource {
    const call = this.#runState.ledger.ofActor(actor.number);
    const tool = actor.started?.src as string;
    const { redaction } = this.#runState;
    const output = (step.entry?.event as { readonly output?: unknown } | undefined)?.output;
    const began = beganBy(this.#runState, actor.number);
    const name = instanceName(write.by.id);
    return {
      is: call?.decides ? 'decision' : 'call',
      tool,
      row: this.#rowOf(step),
      asked: call === undefined ? null : shown(redaction.args(tool, call.intent.args), this.#runState),
      answered: shown(redaction.output(tool, output), this.#runState),
      on: began === null ? [] : this.#kept(readsOfCall(this.#runState, began, actor.number, name), step, write),
    };
  }

  /** What a kept answer rests on: the reads of its call, and the other versions that its step has read to keep it, but for a step that reads everything. */
  #kept(reads: readonly Access[], step: RecordedStep, write: Access): readonly WhyVersion[] {
    const asked = this.#versions(reads);
    const named = new Set(asked.map(({ key, at }) => `${key} ${at}`));
    const { versions } = this.#runState.history;
    const isNamed = ({ key, at }: Access) => {
      const places = [...versions.writersOf(key, at)].map((one) => one.at);
      return (places.length === 0 ? [null] : places).every((place) => named.has(`${key.text} ${place}`));
    };
    const own = this.#readsBefore(step, write).filter(
      (read) => !isExternal(read.key) && read.key.text !== '**' && !isNamed(read),
    );
    return [...asked, ...this.#versions(own)];
  }

  /** What a step has read before it wrote a version. */
  #readsBefore(step: RecordedStep, write: Access): readonly Access[] {
    const reads = readsOf(this.#runState, instanceName(write.by.id));
    return reads.filter(({ at }) => at > step.act && at < write.at);
  }

  #rowOf(step: PlacedStep): number | null {
    return this.#eventRows.rowOf(step.to);
  }
}
