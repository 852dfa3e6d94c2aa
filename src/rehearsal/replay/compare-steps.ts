/** Compares a recorded step with today's machine's step at the same place. */
import { isDeepStrictEqual } from 'node:util';
import type { Entry } from '../../model/entry.ts';
import { instanceName, ROOT } from '../../model/instance.ts';
import type { Key } from '../../model/key.ts';
import { split } from '../../model/region.ts';
import { eventType } from '../../model/reply-event.ts';
import type { StepEntry } from '../../model/step-entry.ts';
import { CLAIMED } from '../../projection/set-aside/records.ts';
import { stateText } from '../../reports/timeline.ts';
import { firstDifference, withoutKeys } from '../difference.ts';
import type { TakenStep } from './replayed-machine.ts';
import type { ConfigDifference, Parting } from './verified-run.ts';

/** A difference between two steps. */
export type StepDifference = Pick<Parting, 'is' | 'expected' | 'found'>;

/** A step as the journal has it, with the context of its actor after it. */
export interface RecordedStepOf {
  readonly entry: StepEntry;
  readonly context: unknown;
}

/** The longest value that is shown, in UTF-16 units. */
const LONGEST = 200;

/**
 * The first difference between two steps; null where they are the same. `ignored` are keys of the context that may
 * differ.
 */
export function differenceOf(
  recorded: RecordedStepOf,
  today: TakenStep,
  ignored: readonly Key[],
): StepDifference | null {
  const [then, now] = [recorded.entry, today.entry];
  const event = different('event', eventType(then.event), eventType(now.event));
  if (event !== null) return event;
  if (!isDeepStrictEqual(then.value, now.value) || then.done !== now.done)
    return { is: 'state', expected: statesOf(then), found: statesOf(now) };
  const [before, after] = [withoutKeys(recorded.context, ignored), withoutKeys(today.context, ignored)];
  const path = isDeepStrictEqual(before, after) ? null : (firstDifference(before, after) ?? '');
  if (path !== null) return { is: 'context', expected: shownAt(before, path), found: shownAt(after, path) };
  return different('actors', actorsOf(then), actorsOf(now));
}

function different(is: Parting['is'], expected: string, found: string): StepDifference | null {
  return expected === found ? null : { is, expected, found };
}

/** The states after a step, and the end where it is one. */
export function statesOf({ value, done }: StepEntry): string {
  return `${stateText(value) || '(its only state)'}${done ? ', the end' : ''}`;
}

/** The region that a step moved, without the number of its actor. */
export function regionOf({ moves, parties }: StepEntry): string {
  return moves?.[0] ?? (parties[0] === undefined ? '' : split(parties[0].region)[1]);
}

function actorsOf({ started, ended }: StepEntry): string {
  const starts = started.map(({ id, src, at }) => `starts ${src ?? id}${at === null ? '' : ` in ${at}`}`);
  const ends = ended.length === 0 ? [] : [`ends ${ended.toSorted((a, b) => a - b).join(', ')}`];
  return [...starts, ...ends].join(', ') || 'starts and ends nothing';
}

function shownAt(context: unknown, path: string): string {
  const value = path
    .split('/')
    .filter((name) => name !== '')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[decodeURIComponent(name)], context);
  return `${path === '' ? 'the context' : path} = ${shown(value)}`;
}

/** A value in a few words. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}...` : text;
}

/** Compares the instances that a step enters, certifies and closes, under the config of the run and under today's. */
export function configDifferences(
  recorded: StepEntry,
  today: StepEntry,
  at: Pick<ConfigDifference, 'step' | 'row' | 'event'>,
): readonly ConfigDifference[] {
  const [then, now] = [doneBy(recorded), doneBy(today)];
  return (['entered', 'certified', 'closed'] as const).flatMap((is) => [
    ...then[is]
      .filter((what) => !now[is].includes(what))
      .map((what) => ({ ...at, is, what, only: 'recorded' as const })),
    ...now[is].filter((what) => !then[is].includes(what)).map((what) => ({ ...at, is, what, only: 'today' as const })),
  ]);
}

function doneBy({ marks, boundaries, closed }: StepEntry): Readonly<Record<ConfigDifference['is'], readonly string[]>> {
  const certifying = marks.filter((mark) => mark.do === 'boundary');
  return {
    entered: marks.flatMap((mark) => (mark.do === 'enter' && mark.in.skeleton !== ROOT ? [instanceName(mark.in)] : [])),
    certified: certifying.map(
      (mark, index) => `${instanceName(mark.in)} ${boundaries[index] || '(after the outcome of a call)'}`,
    ),
    closed: closed.map(({ instance }) => instanceName(instance)),
  };
}

/**
 * True for entries that put control elsewhere: restores, work that is taken over, and the steps that say what that
 * reads.
 */
export function movesControl(entry: Entry): boolean {
  if (entry.do === 'step') return [CLAIMED, '@belay.restart'].includes(eventType(entry.event));
  return entry.do === 'restored' || entry.do === 'claimed';
}
