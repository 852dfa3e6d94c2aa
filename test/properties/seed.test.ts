/** The seed of properties: one that stays, or the one that the environment gives. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawingFiles } from './drawing.ts';
import { seedOf } from './seed.ts';

describe('the seed of a property that names none', () => {
  test('is that of the run of the tests, so that the same is drawn again', () => {
    expect(fc.readConfigureGlobal()?.seed).toBe(seedOf(process.env.BELAY_SEED));
    const draw = () => fc.sample(fc.integer(), 5);
    expect(draw()).toEqual(draw());
  });

  test('stays where the environment names none', () => {
    expect(seedOf(undefined)).toBe(seedOf(undefined));
    expect(seedOf(undefined)).not.toBe(seedOf('0'));
  });

  test.each(['0', '7', '2147483647'])('is the one that the environment names: %s', (text) => {
    expect(seedOf(text)).toBe(Number(text));
  });

  test.each(['', ' 7', '-1', '1.5', '2147483648', '99999999999', 'seven'])(
    'is never a guess: "%s" is refused',
    (text) => {
      expect(() => seedOf(text)).toThrow(
        `BELAY_SEED is ${JSON.stringify(text)}, not a whole number from 0 to 2147483647`,
      );
    },
  );
});

test('the files that a soak of properties runs are those that import the generators, themselves or through others', () => {
  const files = drawingFiles();
  expect(files).toContain('test/properties/seed.test.ts');
  expect(files).toContain('test/scenarios/held-back.test.ts');
  expect(files).toContain('test/journal/contract.test.ts'); // through contract.ts
  expect(files).not.toContain('test/commands/commands.test.ts');
  expect(files).not.toContain('test/words.test.ts');
});
