/** Acts on the events of a path: each event is revised and retracted at each later moment, and two events at once (semantics.md ST2). */
import type { Event } from '../../xstate/actor.ts';
import type { Answered } from '../trial/course.ts';
import type { NamedPath } from '../trial/subject.ts';
import type { RehearsedAct, SteerFault } from './fault.ts';
import type { Reference } from './reference.ts';
import { wrongValue } from './wrong-value.ts';

/** The members of an event in another version, without its type; null where nothing of it can be another. */
export function otherWords({ type: _, ...members }: Event): Readonly<Record<string, unknown>> | null {
  return (wrongValue(members, () => null)?.output as Readonly<Record<string, unknown>> | undefined) ?? null;
}

/** The acts on the events of a path that were sent to the machine itself, and each two of them at once. */
export function steerFaults({ path, course: { seen } }: Reference): SteerFault[] {
  const singles = path.events.flatMap(({ send, to }, index): RehearsedAct[][] => {
    if (to !== null || seen.sentAt[index] === undefined) return [];
    const of = { index, type: send.type };
    return [...(otherWords(send) === null ? [] : [[{ act: 'revise', ...of } as const]]), [{ act: 'retract', ...of }]];
  });
  const pairs = singles.flatMap((one, place) => singles.slice(place + 1).map((other) => [...one, ...other]));
  return [...singles, ...pairs].flatMap((acts) => {
    const from = Math.max(...acts.map(({ index }) => seen.sentAt[index] as number)) + 1;
    const count = Math.max(0, seen.moments - from + 1);
    return Array.from({ length: count }, (_, place): SteerFault => ({ kind: 'steer', acts, moment: from + place }));
  });
}

/** A path that was told from the beginning what acts have said. */
export function toldPath(path: NamedPath, { acts }: SteerFault, answered: readonly Answered[]): NamedPath {
  const carried = acts.filter((_, place) => answered[place] === 'done');
  const events = path.events.flatMap((event, index) => {
    const own = carried.filter((act) => act.index === index);
    if (own.some(({ act }) => act === 'retract')) return [];
    return own.length === 0 ? [event] : [{ ...event, send: { type: event.send.type, ...otherWords(event.send) } }];
  });
  return { ...path, events };
}
