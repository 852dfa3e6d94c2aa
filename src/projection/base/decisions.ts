/** Saves in a base the live instances, the used occurrences, the decisions, and the events to send again. */
import type { DecisionEntry, Entry } from '../../model/entry.ts';
import { instanceName } from '../../model/instance.ts';
import { parseKey } from '../../model/key.ts';
import type { Events } from '../events.ts';
import type { LiveInstances } from '../live-instances.ts';
import type { OpenDecisions } from '../open-decisions.ts';
import type { Redaction } from '../redaction.ts';
import type { Redelivery } from '../redelivery.ts';
import type { HeardCourse, Pending, ToRedeliver } from '../state-types.ts';
import type { Loading } from './loading.ts';
import type { Saving } from './saving.ts';

/** Lays the live instances down. */
export function savedLive({ all }: LiveInstances, to: Saving) {
  return [...all.values()].map(({ id, region, certified, told, stray }) => {
    return [to.id(id), to.word(region), [...certified], [...told], stray] as const;
  });
}

export function loadLive({ all }: LiveInstances, saved: ReturnType<typeof savedLive>, from: Loading): void {
  for (const [number, region, certified, told, stray] of saved) {
    const id = from.id(number);
    const sets = { certified: new Set(certified), told: new Set(told) };
    all.set(instanceName(id), { id, region: from.word(region), ...sets, stray });
  }
}

/** Lays the occurrences and the versions of external keys down. */
export function savedUsed({ occurrences, versions, time }: Events, to: Saving) {
  const used = [...occurrences.parts].map(([name, { highest, free, undone }]) => {
    const keys = [...undone].map(([ordinal, all]) => [ordinal, [...all.values()].map(({ text }) => text)] as const);
    return [name, highest, [...free], keys] as const;
  });
  const external = versions.parts.map(({ key, at, by, origin }) => [key.text, at, by, origin] as const);
  return { used, external, time: to.texts.time(time) };
}

export function loadUsed(events: Events, { used, external, time }: ReturnType<typeof savedUsed>): void {
  for (const [name, highest, free, keys] of used) {
    const undone = keys.map(([ordinal, texts]) => {
      return [ordinal, new Map(texts.map((text) => [text, parseKey(text)] as const))] as const;
    });
    events.occurrences.parts.set(name, { highest, free: new Map(free), undone: new Map(undone) });
  }
  for (const [text, at, by, origin] of external) events.versions.wrote(parseKey(text), at, by, origin);
  events.time = time;
}

/** Lays the decisions down. */
export function savedDecisions(decisions: OpenDecisions, to: Saving) {
  const { open, pending, recoveries, spent, epochs, thrown, threw } = decisions;
  return {
    open: [...open].map(([question, entry]) => [question, to.texts.entry(entry)] as const),
    pending: pending === null ? null : savedPending(pending, to),
    recoveries,
    spent: [...spent],
    epochs: [...epochs],
    thrown: [...thrown],
    threw: [...threw].map(([question, versions]) => [question, [...versions]] as const),
  };
}

function savedPending({ entry, phase, stuck }: Pending, to: Saving) {
  return [to.texts.entry(entry), phase, [...stuck]] as const;
}

export function loadDecisions(
  decisions: OpenDecisions,
  { open, pending, recoveries, spent, epochs, thrown, threw }: ReturnType<typeof savedDecisions>,
  from: Loading,
): void {
  const decision = (stored: unknown) => from.source.entry(stored) as Extract<Entry, DecisionEntry>;
  for (const [question, entry] of open) decisions.open.set(question, decision(entry));
  if (pending !== null) {
    const [entry, phase, stuck] = pending;
    decisions.pending = { entry: decision(entry), phase, stuck: new Map(stuck) };
  }
  decisions.recoveries = recoveries;
  for (const [key, count] of spent) decisions.spent.set(key, count);
  for (const [name, epoch] of epochs) decisions.epochs.set(name, epoch);
  for (const [on, key] of thrown) decisions.thrown.set(on, key);
  for (const [question, versions] of threw) decisions.threw.set(question, new Set(versions));
}

/** Lays the events down that are to be sent again. */
export function savedRedelivery({ all, held, count }: Redelivery, to: Saving) {
  const saved = ({ event, context, control, regions, moved, heard, wrong, held: by, ...more }: ToRedeliver) => {
    const { name, place, confirmed } = more;
    const met = [to.texts.value(event, 'event'), to.texts.value(context, 'memory'), control] as const;
    return [
      ...met,
      regions,
      moved,
      to.courses.of(heard.course),
      heard.later,
      wrong,
      by,
      name,
      place,
      confirmed,
    ] as const;
  };
  return { all: all.map(saved), held: held.map(saved), count };
}

export function savedCourses(to: Saving) {
  return to.courses.all.map(({ regions, from, types }) => {
    return [regions, from === Number.POSITIVE_INFINITY ? null : from, types] as const;
  });
}

export function loadRedelivery(
  redelivery: Redelivery,
  saved: ReturnType<typeof savedRedelivery>,
  courses: ReturnType<typeof savedCourses>,
  from: Loading,
): void {
  for (const [regions, first, types] of courses)
    from.courses.push({ regions, from: first ?? Number.POSITIVE_INFINITY, types: [...types] });
  const loaded = ([
    event,
    context,
    control,
    regions,
    moved,
    number,
    later,
    wrong,
    held,
    name,
    place,
    confirmed,
  ]: (typeof saved.all)[number]) => {
    const met = { event: from.source.value(event), context: from.source.value(context), control };
    const course = from.courses[number] as HeardCourse;
    const said = { ...(place != null && { place }), ...(confirmed === true && { confirmed }) };
    return { ...met, regions, moved, heard: { course, later }, wrong, held, name, ...said };
  };
  redelivery.all.push(...saved.all.map(loaded));
  redelivery.held.push(...saved.held.map(loaded));
  redelivery.count = saved.count;
}

/** Lays down what is redacted, and the values that were learned. */
export function savedRedaction({ parts: { keys, parts, secrets } }: Redaction) {
  const paths = [...parts].map(([tool, all]) => [tool, [...all]] as const);
  return { keys: [...keys], parts: paths, secrets: [...secrets] };
}

export function loadRedaction(redaction: Redaction, { keys, parts, secrets }: ReturnType<typeof savedRedaction>): void {
  for (const [text, segments] of keys) redaction.parts.keys.set(text, segments);
  for (const [tool, paths] of parts) redaction.parts.parts.set(tool, new Map(paths));
  for (const secret of secrets) redaction.parts.secrets.add(secret);
}
