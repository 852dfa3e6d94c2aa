/** The work of a run that was set aside, in a base. */
import { inputPlace } from '../../journal/lost.ts';
import { instanceName } from '../../model/instance.ts';
import { parseKey } from '../../model/key.ts';
import type { Started } from '../../model/step-entry.ts';
import { ABSENT, type ReadValue, type WorkRecord } from '../set-aside/records.ts';
import type { RecordedStep } from '../state-types.ts';
import type { Loading } from './loading.ts';
import type { Saving } from './saving.ts';

/** Lays the records down. */
export function savedRecords(records: ReadonlyMap<string, WorkRecord>, to: Saving) {
  return [...records.values()].map((record) => savedRecord(record, to));
}

function savedRecord(record: WorkRecord, to: Saving) {
  const { id, structure, actor, region, entered, entry, first, items, members, next, by } = record;
  const done = items.map((item) =>
    item.is === 'call' ? to.calls.of(item.call) : ([to.step(item.step), savedReads(item.reads, to)] as const),
  );
  return {
    ...{ id: to.id(id), structure, actor, region, entered: to.step(entered), entry, first: savedReads(first, to) },
    ...{ items: done, members: [...members], next: savedNext(next, to), by: to.id(by) },
  };
}

function savedNext({ event, started, numbers, timers, raised, sent }: WorkRecord['next'], to: Saving) {
  const events = (all: readonly unknown[]) => all.map((each) => to.texts.value(each, 'event'));
  return {
    event: to.texts.value(event, 'event'),
    started: started.map(
      ({ input, ...rest }) => [rest, input === undefined ? [] : [to.texts.value(input, inputPlace(rest.at))]] as const,
    ),
    numbers,
    timers: timers.map((timer) => to.timers.of(timer)),
    raised: events(raised),
    sent: events(sent),
  };
}

function savedReads(reads: readonly ReadValue[], to: Saving) {
  return reads.map(({ key, saw, of }) => {
    return [key.text, of, saw === ABSENT ? null : ([to.texts.value(saw, 'memory')] as const)] as const;
  });
}

/** Makes the records again. */
export function loadRecords(records: Map<string, WorkRecord>, saved: ReturnType<typeof savedRecords>, from: Loading) {
  for (const { id, entered, first, items, members, next, by, ...rest } of saved) {
    const own = from.id(id);
    records.set(instanceName(own), {
      ...rest,
      id: own,
      entered: from.step(entered),
      first: readsFrom(first, from),
      items: items.map((item) =>
        typeof item === 'number'
          ? { is: 'call', call: from.call(item) }
          : { is: 'step', step: from.step(item[0]) as RecordedStep, reads: readsFrom(item[1], from) },
      ),
      members: new Set(members),
      next: nextFrom(next, from),
      by: by === -1 ? null : from.id(by),
    });
  }
}

function nextFrom(saved: ReturnType<typeof savedNext>, from: Loading): WorkRecord['next'] {
  const events = (all: readonly unknown[]) => all.map((each) => from.source.value(each));
  return {
    event: from.source.value(saved.event),
    started: saved.started.map(([rest, input]): Started => {
      return input.length === 0 ? rest : { ...rest, input: from.source.value(input[0]) };
    }),
    numbers: saved.numbers,
    timers: saved.timers.map((timer) => from.timer(timer)),
    raised: events(saved.raised),
    sent: events(saved.sent),
  };
}

function readsFrom(saved: ReturnType<typeof savedReads>, from: Loading): ReadValue[] {
  return saved.map(([text, of, saw]) => {
    return { key: parseKey(text), of, saw: saw === null ? ABSENT : from.source.value(saw[0]) };
  });
}
