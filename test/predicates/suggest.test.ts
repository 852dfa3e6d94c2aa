import { describe, expect, test } from 'vitest';
import { suggest } from '../../src/predicates/suggest.ts';

describe('the name that was probably meant', () => {
  test.each([
    ['SLOT_REDY', ['SLOT_READY', 'SLOT_QUERYING'], 'Did you mean "SLOT_READY"?'],
    ['slot_ready', ['SLOT_QUERYING', 'SLOT_READY'], 'Did you mean "SLOT_READY"?'],
    ['wrok', ['walk', 'work'], 'Did you mean "work"?'],
    ['a', ['b'], 'Did you mean "b"?'],
    ['entirely', ['other'], 'There is "other".'],
    ['entirely', ['one', 'two'], 'There are "one", "two".'],
    ['xxxxxxxxxx', Array.from({ length: 9 }, (_, index) => `n${index}`), /^There are "n0", .*"n7", \.\.\.\.$/],
    ['a', [], 'There are none.'],
    ['x'.repeat(1_000), ['y'], 'There is "y".'],
  ])('of %.20s among %o', (name, names, sentence) => {
    const said = suggest(name, names);
    if (typeof sentence === 'string') expect(said).toBe(sentence);
    else expect(said).toMatch(sentence);
  });
});
