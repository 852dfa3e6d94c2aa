/**
 * CO7: a payment that version 1 of a tool has made belongs to version 1: its undo and its counterparty are those that the config has for `pay@1`, or none.
 * Each version pays at an agency of its own, which undoes and knows its own acts alone. `FULL=1` plays all, else a fixed share.
 */
import { describe, expect, test } from 'vitest';
import type { EffectClass } from '../../src/model/effect.ts';
import type { Release } from './little.ts';
import { type Retired, type Retiring, retire } from './retired.ts';

const isFull = process.env.FULL === '1';
const EFFECTS = ['idempotent', 'reversible', 'compensable', 'irreversible'] as const;
const ENDINGS = ['end', 'abort', 'Look', 'Pay'] as const;
const TRUTHS = [true, false];

/** What a config says of version 1: nothing, or a class with or without an undo and a counterparty. */
const rulesFor = (effect: EffectClass): readonly Release['older'][] => [
  undefined,
  ...(['idempotent', effect] as const).flatMap((each) =>
    TRUTHS.flatMap((canUndo) => TRUTHS.map((canAsk) => ({ effect: each, canUndo, canAsk }))),
  ),
];

function cases(): readonly Retiring[] {
  const all = EFFECTS.flatMap((was) =>
    EFFECTS.flatMap((is) =>
      rulesFor(was).flatMap((older) =>
        ENDINGS.flatMap((ending) =>
          // A call of another class holds its restore until it is answered.
          [null, 2, 3, 4, 5, 6, 7, ...(was === 'idempotent' ? (['aside'] as const) : [])].map((death): Retiring => {
            const before: Release = { effect: was, canAsk: true };
            const now: Release = { effect: is, canAsk: true, pay: { version: '2' }, ...(older && { older }) };
            return { before, now, death: death === 'aside' ? null : death, isAside: death === 'aside', ending };
          }),
        ),
      ),
    ),
  );
  return isFull ? all : all.filter((_, index) => index % 131 === 0);
}

/** What is wrong with the end of a run; null where nothing is. */
function wrongWith(
  { status, at, agencies: [first, second], named, called }: Retired,
  { now, ending }: Retiring,
): string | null {
  const acts = first + second;
  if (acts > 1) return `it is paid ${first} times at the first agency, and ${second} times at the second`;
  if (first > 0 && !called.includes('pay@1')) return 'it stands at the first agency, and pay@1 is not listed';
  if (second > 0 && !called.includes('pay@2')) return 'it stands at the second agency, and pay@2 is not listed';
  if (ending === 'abort')
    return status !== 'compensated' || named.length === acts ? null : `${acts} stand, ${named.length} are named`;
  if (status === 'parked' || status === 'stuck') return null;
  if (at !== 'over') return `it is at ${String(at)}`;
  return acts === 1 ? null : `it is paid ${acts} times, under ${JSON.stringify(now)}`;
}

describe('CO7: the rules of a version that made a call', () => {
  test('each class, each rule of the version before, each append, each end: paid once at one agency, or a person is asked', async () => {
    const wrong: unknown[] = [];
    const counts: Record<string, number> = {};
    for (const one of cases()) {
      const played = await retire(one);
      if (played === null) continue;
      const why = wrongWith(played, one);
      if (why !== null) wrong.push({ ...one, ...played, because: why });
      const name = `${one.ending}${one.isAside ? ', aside' : ''}: ${played.refused === null ? 'moved' : 'stayed'}, ${played.status}`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    if (isFull) console.log(counts);
    expect(wrong).toEqual([]);
  });

  const paid = (older: Release['older'], more: Partial<Retiring> = {}) =>
    retire({
      before: { effect: 'reversible' },
      now: { effect: 'reversible', pay: { version: '2' }, ...(older && { older }) },
      ...{ death: null, isAside: false, ending: 'abort', ...more },
    });

  test('an abort undoes it by the undo of its version, and names it where the config has none', async () => {
    const older = { effect: 'reversible', canUndo: true, canAsk: false } as const;
    expect(await paid(older)).toMatchObject({ status: 'compensated', agencies: [0, 0], named: [] });
    expect(await paid(undefined)).toMatchObject({
      status: 'compensated',
      agencies: [1, 0],
      named: [expect.stringMatching(/another version made it, and the config has no pay@1/)],
    });
    expect(await paid({ ...older, effect: 'irreversible' })).toMatchObject({
      agencies: [1, 0],
      named: ['it is irreversible'],
    });
  });

  test('a call whose answer is out is asked about where it was made, and nowhere else', async () => {
    const aside = (older: Release['older']) =>
      retire({
        before: { canAsk: true },
        now: { canAsk: true, pay: { version: '2' }, ...(older && { older }) },
        ...{ death: null, isAside: true, ending: 'end' },
      });
    expect(await aside(undefined)).toMatchObject({ refused: null, status: 'parked', agencies: [1, 0] });
    expect(await aside({ effect: 'idempotent', canUndo: false, canAsk: true })).toMatchObject({
      refused: null,
      status: 'parked',
      agencies: [1, 0],
    });
  });
});
