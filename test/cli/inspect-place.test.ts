/** The place that `belay inspect` reads: its FILE, --journal or --store, then BELAY_STORE, then the usual file. */
import { expect, test } from 'vitest';
import { belay } from './belay.ts';

const ENV = { BELAY_STORE: 'named-by-the-environment.sqlite' };

test.each([
  [[], {}, 'belay.sqlite'],
  [[], ENV, 'named-by-the-environment.sqlite'],
  [['--store', 'elsewhere.sqlite'], {}, 'elsewhere.sqlite'],
  [['--store', 'elsewhere.sqlite'], ENV, 'elsewhere.sqlite'],
  [['--journal', 'elsewhere.sqlite'], ENV, 'elsewhere.sqlite'],
  [['elsewhere.sqlite'], ENV, 'elsewhere.sqlite'],
])('%j with %j is about %s', async (args, env, place) => {
  const { code, err } = await belay(['inspect', ...args], '', env, import.meta.dirname);
  expect([code, err]).toEqual([2, expect.stringMatching(new RegExp(`^${place}: journal_cannot_read `))]);
});

test.each([
  ['--journal', 'FILE and --journal or --store name the same'],
  ['--store', 'FILE and --journal or --store name the same'],
])('a FILE beside %s is refused', async (option, said) => {
  const { code, err } = await belay(['inspect', 'one.sqlite', option, 'two.sqlite']);
  expect([code, err]).toEqual([2, expect.stringContaining(said)]);
});
