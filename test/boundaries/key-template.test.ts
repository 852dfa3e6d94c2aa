import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyTemplate, widened } from '../../src/boundaries/keys/key-template.ts';
import { coverage } from '../../src/boundaries/keys/keys.ts';
import { escapeSegment, overlaps, parseKey } from '../../src/model/key.ts';
import { facts } from '../predicates/facts.ts';

const fill = (text: string, args: unknown = {}, entity: string | null = 'e') =>
  keyTemplate(text).fill(facts({ args, entity }));

describe('a key template', () => {
  test.each([
    ['slots/{entity}/value', {}, 'slots/e/value'],
    ['slots/{args.slot}/value', { slot: 0 }, 'slots/0/value'],
    ['slots/{args.slot}', { slot: 12n }, 'slots/12'],
    ['slots/{args.slot}', { slot: false }, 'slots/false'],
    ['slots/{args.at.slot}', { at: { slot: 's' } }, 'slots/s'],
    ['slots/{args.list}/x', { list: 'a/b' }, 'slots/a%2Fb/x'],
    ['slots/{args.slot}', { slot: '*' }, 'slots/%2A'],
    ['slots/{args.slot}', { slot: '..' }, 'slots/%2E%2E'],
    ['slots/{args.slot}', { slot: '' }, 'slots/%'],
    ['day-of/x-{args.day}-y', { day: '1/2' }, 'day-of/x-1%2F2-y'],
    ['calendar:{args.person}/**', { person: 'p1' }, 'calendar:p1/**'],
    ['calendar:**', {}, 'calendar:**'],
    ['slots/*/value', {}, 'slots/*/value'],
    ['**', {}, '**'],
    ['receipt', {}, 'receipt'],
  ])('%s with %o is %s', (template, args, text) => {
    expect(fill(template, args)).toEqual(parseKey(text));
  });

  test.each([
    ['slots/{args.slot}/value', {}, 'slots/**'],
    ['slots/{args.slot}/value', { slot: null }, 'slots/**'],
    ['slots/{args.slot}/value', { slot: {} }, 'slots/**'],
    ['slots/{args.slot}/value', { slot: undefined }, 'slots/**'],
    ['slots/{args.toString}/value', {}, 'slots/**'],
    ['slots/{args}/value', 7, 'slots/7/value'],
    ['slots/x-{args.slot}/value', {}, 'slots/**'],
    ['a/*/{args.slot}/b', {}, 'a/*/**'],
    ['calendar:{args.person}/**', {}, 'calendar:**'],
    ['calendar:{args.person}/**', null, 'calendar:**'],
    ['slots/{event.gone.deep}', {}, 'slots/**'],
  ])('%s with %o becomes wider, never narrower: %s', (template, args, text) => {
    expect(fill(template, args)).toEqual(parseKey(text));
  });

  test('without an entity is as wide', () => {
    expect(fill('slots/{entity}/value', {}, null)).toEqual(parseKey('slots/**'));
  });

  test('never runs what fills it', () => {
    const trap = new Proxy(
      {},
      {
        get: () => {
          throw new Error('was run');
        },
      },
    );
    const getter = {
      get slot() {
        throw new Error('was run');
      },
    };
    for (const args of [trap, getter, { slot: trap }]) expect(fill('slots/{args.slot}', args).text).toBe('slots/**');
  });

  test('whatever fills it, names one segment and nothing beside it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        const [a, b] = [fill('slots/{args.x}/value', { x: one }), fill('slots/{args.x}/value', { x: other })];
        expect(a).toEqual(parseKey(`slots/${escapeSegment(one)}/value`));
        expect(overlaps(a, b)).toBe(one === other);
      }),
    );
  });
});

test('widened, every hole may be anything', () => {
  const wide = (text: string) =>
    widened(keyTemplate(text))
      .map((key) => key.text)
      .join();
  expect(wide('slots/{entity}/value')).toBe('slots/*/value');
  expect(wide('slots/x-{args.y}')).toBe('slots/*');
  expect(wide('calendar:{args.person}/**')).toBe('calendar:*/**');
  expect(wide('a/b:{args.x}')).toBe('a/*');
  expect(wide('a/**')).toBe('a/**');
});

describe('a key is covered by declared keys', () => {
  const covered = (key: string, ...by: string[]) =>
    coverage(
      keyTemplate(key),
      by.map((text) => keyTemplate(text)),
    );
  test.each([
    ['slots/{entity}/value', 'slots/{entity}', true],
    ['slots/{entity}/value', 'slots/**', true],
    ['slots/{entity}/value', 'slots/*/value', true],
    ['slots/{entity}/value', 'slots/{args.slot}/value', true],
    ['slots/0/value', 'slots/{entity}/value', true],
    ['slots/{entity}', 'slots/{entity}/value', false],
    ['slots/*/value', 'slots/{entity}/value', false],
    ['slots/*/value', 'slots/*', true],
    ['**', 'slots/**', false],
    ['a', '**', true],
    ['calendar:p/x', 'calendar:**', true],
    ['calendar:p/x', 'calendar:{args.p}', true],
    ['calendar:p/x', '**', true],
    ['a/b', 'calendar:**', false],
  ])('%s by %s: %s', (key, by, all) => {
    expect(covered(key, by).all).toBe(all);
  });

  test('or at least touched', () => {
    expect(covered('slots/{entity}', 'slots/*/value')).toEqual({ some: true, all: false });
    expect(covered('slots/{entity}/value', 'slots/{args.slot}/status')).toEqual({ some: false, all: false });
    expect(covered('slots/{entity}')).toEqual({ some: false, all: false });
  });
});
