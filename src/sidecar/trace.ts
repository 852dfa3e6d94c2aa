/**
 * A run as a trace (docs/trace-format.md), so that its decisions can be asked for again by `belay decide`. A trace knows no
 * restore: after each the retained events begin another trace of the same run, `RUN#1`, `RUN#2`. A failure that fits no
 * instance asks nothing there, and a settled call moves nothing.
 */
import type { StoredRow } from '../journal/journal.ts';
import type { DecisionEntry } from '../model/entry.ts';
import type { HistoryEvent } from '../model/event.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { Fold } from './fold.ts';
import { following } from './following.ts';
import { Reader } from './layout.ts';

/** A line of a trace, and the decision that was made where it asks one. */
export interface TraceLineOut {
  readonly text: string;
  readonly decision?: DecisionEntry;
}

interface Kept {
  readonly event: HistoryEvent;
  /** The number by which a restore keeps or undoes it: its own, or that of the effect that it is news of. */
  readonly place: number;
}

/** The lines of a run's trace, one JSON object each, without line ends. @throws JournalError `journal_corrupt`. */
export function* traceOf(run: string, rows: Iterable<StoredRow>): Generator<TraceLineOut> {
  let kept: Kept[] = [];
  let told = 0;
  let epoch = 0;
  const places = new Map<string, number>();
  const fold = new Fold((event, number) => {
    const id = event.do === 'effect' ? event.id : null;
    const place = (id === null ? undefined : places.get(id)) ?? number;
    if (id !== null) places.set(id, place);
    kept.push({ event, place });
  });
  const reader = new Reader();
  yield { text: JSON.stringify({ do: 'trace', id: run }) };
  for (const row of rows) {
    const entry = reader.entry(row);
    if (entry === null) continue;
    following(row, () => fold.apply(entry, row.time));
    if (entry.do === 'restored') {
      const limits = new Map(entry.kept.map(([id, at]) => [instanceName(id), at]));
      kept = kept.filter(({ event, place }) => {
        const stays = place <= (limits.get(instanceName(event.in)) ?? Number.POSITIVE_INFINITY);
        if (!stays && event.do === 'effect' && event.id !== null) places.delete(event.id);
        return stays;
      });
      told = 0;
      epoch += 1;
      yield { text: JSON.stringify({ do: 'trace', id: `${run}#${epoch}` }) };
    }
    for (const { event } of kept.slice(told)) yield { text: line(event) };
    told = kept.length;
    if (entry.do !== 'decision' || entry.decision.failed === null || entry.decision.verdict === 'settle') continue;
    const key = entry.key === null ? {} : { key: entry.key };
    yield { text: JSON.stringify({ do: 'fail', in: triple(entry.decision.failed), ...key }), decision: entry };
  }
}

function line(event: HistoryEvent): string {
  switch (event.do) {
    case 'enter':
      return JSON.stringify({ do: 'enter', in: triple(event.in), ...(event.by !== null && { by: triple(event.by) }) });
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
