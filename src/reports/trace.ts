/**
 * A run as a trace (docs/trace-format.md), so that its decisions can be asked for again by `belay decide`. A trace knows no
 * restore: after each the retained events begin another trace of the same run, `RUN#1`, `RUN#2`. A failure that fits no
 * instance asks nothing there, and a settled call moves nothing.
 */

import type { PlacedStep } from '../history/step-lists.ts';
import { entriesOf } from '../journal/entries.ts';
import type { StoredRow } from '../journal/journal.ts';
import { NAME, ROWS, refuseOther } from '../model/argument.ts';
import type { DecisionEntry } from '../model/entry.ts';
import type { HistoryEvent } from '../model/event.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import type { Region } from '../model/region.ts';
import { RunState } from '../projection/run-state.ts';
import type { RecordedStep } from '../projection/state-types.ts';

/** A line of a trace, and the decision that was made where it asks one. */
export interface TraceLineOut {
  readonly text: string;
  readonly decision?: DecisionEntry;
}

/** An item of a trace, in order: an event, or a step of the machine. */
type Item =
  | {
      readonly is: 'event';
      readonly event: HistoryEvent;
      /**
       * The number by which a restore keeps or undoes the line: its own, or for news of an effect the number of that
       * effect.
       */
      readonly place: number;
      readonly number: number;
    }
  | { readonly is: 'step'; readonly step: RecordedStep; readonly closed: boolean };

/**
 * The lines of a run's trace, one JSON object each, without line ends.
 * @throws JournalError `journal_corrupt`.
 * @example
 * import { traceOf } from 'belay-sidecar/reports';
 *
 * const [first] = traceOf('order-1', []);
 * assert.equal(first?.text, '{"do":"trace","id":"order-1"}');
 */
export function* traceOf(run: string, rows: Iterable<StoredRow>): Generator<TraceLineOut> {
  refuseOther('traceOf', { run: [run, NAME], rows: [rows, ROWS] });
  const writer = new TraceWriter();
  let epoch = 0;
  yield { text: JSON.stringify({ do: 'trace', id: run }) };
  for (const { entry, row, fold } of entriesOf(rows)) {
    fold(() => writer.runState.apply(entry, row.time));
    if (writer.advance()) {
      epoch += 1;
      yield { text: JSON.stringify({ do: 'trace', id: `${run}#${epoch}` }) };
    }
    for (const text of writer.news()) yield { text };
    if (entry.do !== 'decision' || entry.decision.failed === null || entry.decision.verdict === 'settle') continue;
    if (isNoQuestion(entry)) continue;
    for (const text of writer.knownBefore(entry)) yield { text };
    const key = entry.key === null ? {} : { key: entry.key };
    yield { text: JSON.stringify({ do: 'fail', in: triple(entry.decision.failed), ...key }), decision: entry };
  }
}

/** True where a decision answers no question about a line: a call that must not be made while something stands (C8, C9). */
function isNoQuestion({ decision }: DecisionEntry): boolean {
  return decision.refusals.some((refusal) => 'code' in refusal && refusal.code === 'unclaimed_effect');
}

/** Writes down what a fold has come to, without what restores have undone. */
class TraceWriter {
  readonly runState: RunState;
  #items: Item[] = [];
  #fresh: Extract<Item, { is: 'event' }>[] = [];
  /** The number of the items, steps and actors that are told. */
  #told = 0;
  #steps = 0;
  #actors = 1;
  #isUndone = false;
  /** The newest version of each region's control in this trace. */
  #versions = new Map<string, number>();
  readonly #places = new Map<string, number>();

  constructor() {
    this.runState = new RunState(
      (event, number) => {
        const id = event.do === 'effect' ? event.id : null;
        const place = (id === null ? undefined : this.#places.get(id)) ?? number;
        if (id !== null) this.#places.set(id, place);
        this.#fresh.push({ is: 'event', event, place, number });
      },
      (id, at) => this.#undo(instanceName(id), at),
    );
  }

  #undo(name: string, at: number): void {
    this.#isUndone = true;
    const stays = (item: Item) => {
      if (item.is === 'step' || item.place <= at || instanceName(item.event.in) !== name) return true;
      if (item.event.do === 'effect' && item.event.id !== null) this.#places.delete(item.event.id);
      return false;
    };
    this.#items = this.#items.filter(stays);
    this.#fresh = this.#fresh.filter(stays);
  }

  /** Takes in what has happened. @returns whether something was undone, so that another trace begins. */
  advance(): boolean {
    this.#items = this.#items.filter((item) => item.is !== 'step' || !item.step.gone);
    const fresh = this.#fresh;
    this.#fresh = [];
    const until = (number: number) => {
      while (fresh[0] !== undefined && fresh[0].number <= number) this.#items.push(fresh.shift() as Item);
    };
    for (const step of this.runState.places.between(this.#steps - 1, Number.POSITIVE_INFINITY)) {
      until(step.act);
      this.#items.push({ is: 'step', step, closed: false });
      until(step.to);
      this.#items.push({ is: 'step', step, closed: true });
    }
    this.#steps = this.runState.places.next;
    this.#items.push(...fresh);
    const isUndone = this.#isUndone;
    this.#isUndone = false;
    if (isUndone) {
      this.#told = 0;
      this.#actors = 1;
      this.#versions = new Map();
    }
    return isUndone;
  }

  /** The lines of what is not told yet. */
  *news(): Generator<string> {
    for (; this.#actors < this.runState.actors.length; this.#actors += 1) {
      const { number, parent, started } = this.runState.actor(this.#actors);
      if (started !== null && started.kind !== 'promise')
        yield JSON.stringify({ do: 'actor', number, parent: parent ?? 0, at: started.at ?? '' });
    }
    for (const item of this.#items.slice(this.#told)) {
      if (item.is === 'event') yield this.#event(item.event);
      else yield* item.closed ? this.#closed(item.step) : this.#control(item.step);
    }
    this.#told = this.#items.length;
  }

  #event(event: HistoryEvent): string {
    const region = event.do === 'enter' ? this.runState.places.of(instanceName(event.in))?.region : undefined;
    return line(event, region);
  }

  *#control(step: RecordedStep): Generator<string> {
    const tied = step.ties.filter(({ gone }: PlacedStep) => !gone).map(({ nth }) => nth);
    const besides = { ...(tied.length > 0 && { with: tied }), ...(step.spawns && { spawns: true }) };
    const parties = step.parties.map(({ name }) => {
      const id = this.runState.places.of(name)?.id;
      return id && { in: triple(id) };
    });
    for (const region of orNone([...step.moves, ...step.looks])) {
      const access = region && this.#access(region, step.moves.includes(region));
      for (const party of orNone(parties))
        yield JSON.stringify({ do: 'control', step: step.nth, ...party, ...access, ...besides });
    }
  }

  /** The version of a region's control that a step reads, and the one that it writes. */
  #access(region: Region, writes: boolean): object {
    const read = this.#versions.get(region) ?? 0;
    if (!writes) return { region, read };
    this.#versions.set(region, read + 1);
    return { region, read, wrote: read + 1 };
  }

  *#closed(step: RecordedStep): Generator<string> {
    for (const name of step.closes) {
      const place = this.runState.places.of(name);
      if (place === undefined || place.closed !== step) continue;
      yield JSON.stringify({ do: 'closed', in: triple(place.id), certified: place.certified });
    }
  }

  /** The lines for the facts that were known when a question was asked, besides the events. */
  *knownBefore({ decision }: DecisionEntry): Generator<string> {
    const { history, open, publications } = this.runState;
    const failed = decision.failed as InstanceId;
    for (const { instance, at: _, ...effect } of history.effects.asides())
      yield JSON.stringify({ do: 'aside', in: triple(instance), effects: [effect] });
    const others = [...open.values()].flatMap((entry) =>
      entry.decision === decision ? [] : (entry.decision.failed ?? []),
    );
    for (const id of [...others, ...publications.map(({ instance }) => instance)])
      yield JSON.stringify({ do: 'suspect', in: triple(id) });
    const checkpoints = history.registry.get(failed)?.checkpoints.all ?? [];
    for (const refusal of decision.refusals) {
      if (!('code' in refusal) || refusal.candidate === null) continue;
      if (refusal.code === 'exit_not_restorable') continue;
      const { code, candidate, instance, ...rest } = refusal;
      const checkpoint = checkpoints.findIndex(({ at }) => at === candidate.at);
      const escaping = code === 'replay_escapes_instance' ? { instance: triple(instance) } : {};
      yield JSON.stringify({ do: 'unavailable', in: triple(failed), checkpoint, code, ...rest, ...escaping });
    }
  }
}

/** The members of a list; nothing, once, where it has none. */
function orNone<T>(list: readonly T[]): readonly (T | undefined)[] {
  return list.length > 0 ? list : [undefined];
}

function line(event: HistoryEvent, region: string | undefined): string {
  switch (event.do) {
    case 'enter':
      return JSON.stringify({
        do: 'enter',
        in: triple(event.in),
        ...(event.by !== null && { by: triple(event.by) }),
        ...(region !== undefined && { region }),
      });
    case 'read':
      return JSON.stringify({ do: 'read', in: triple(event.in), key: event.key.text });
    case 'write': {
      const mode = event.mode === 'update' ? {} : { [event.mode]: true };
      return JSON.stringify({ do: 'write', in: triple(event.in), key: event.key.text, ...mode });
    }
    case 'boundary':
      return JSON.stringify({ do: 'boundary', in: triple(event.in), kind: event.kind });
    case 'effect': {
      const { class: kind, status, undo, id, tool } = event;
      const known = { ...(undo !== null && { undo }), ...(id !== null && { id }), ...(tool !== undefined && { tool }) };
      return JSON.stringify({ do: 'effect', in: triple(event.in), class: kind, status, ...known });
    }
  }
}

function triple({ skeleton, entity, ordinal }: InstanceId): [string, string, number] {
  return [skeleton, entity, ordinal];
}
