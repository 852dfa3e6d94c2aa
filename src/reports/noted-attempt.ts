/** The attempt that a run is, in its note: enough for a list and for the choice of its group (semantics.md FK7 to FK9). */
import type { AttemptState } from '../projection/attempt.ts';
import { quoted } from '../recovery/explain.ts';
import type { Wait } from './waits.ts';

/** An attempt as a note has it. */
export type NotedAttempt = AttemptState & { readonly terms: NonNullable<AttemptState['terms']> };

/** The attempt of a note; null for a run that is none. */
export function notedAttempt({ now }: { readonly now: AttemptState }): NotedAttempt | null {
  const { terms } = now;
  return terms === null ? null : { ...now, terms };
}

/** The wait of an attempt for the choice; none while it is under way, or something else holds it up (FK8). */
export function choiceWaits(is: string, { now }: { readonly now: AttemptState }): Wait[] {
  const { terms, tried, kept, isEnding } = now;
  if (terms === null || tried === null || kept !== null || isEnding) return [];
  if (is !== 'open' && is !== 'waiting') return [];
  const { of, score } = terms;
  const text = `the choice among ${quoted(of)}, ${attemptWait(tried)}${tried.score === undefined ? '' : `, with the score ${tried.score}`}`;
  return [{ kind: score === undefined ? 'person' : 'event', text, since: tried.since, code: 'choice', act: 'keep' }];
}

/** Says where an attempt waits. */
export function attemptWait({ at, tool }: NonNullable<AttemptState['tried']>): string {
  if (at === 'act') return `before ${tool === undefined ? 'a call' : quoted(tool)}`;
  return at === 'end' ? 'at its end' : 'in line for the key of another one';
}

/** True for what a note tells of an attempt. */
export function isNotedAttempt(value: unknown): value is NotedAttempt {
  const { terms, tried, kept, isEnding } = membersOf(value);
  const { of, number, count, score, until } = membersOf(terms);
  const isName = kept === null || typeof kept === 'string';
  const isGroup = typeof of === 'string' && [number, count, until ?? 0].every(Number.isSafeInteger) && isText(score);
  return isGroup && isName && typeof isEnding === 'boolean' && (tried === null || isTried(membersOf(tried)));
}

function isTried({ at, tool, score, why, since }: Readonly<Record<string, unknown>>): boolean {
  const isScore = score === undefined || typeof score === 'number';
  return (
    ['end', 'act', 'key'].includes(String(at)) && isText(tool) && isText(why) && isScore && Number.isSafeInteger(since)
  );
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return (value ?? {}) as Readonly<Record<string, unknown>>;
}
