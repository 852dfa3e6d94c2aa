/** The command within the process of the tests says what the built one does, of each verb that the tests run so. */
import { expect, test } from 'vitest';
import { placeOf, placeWords } from '../../src/cli/reading/place.ts';
import { belay, built, file, trace } from './belay.ts';
import { HERE } from './here.ts';
import { WARM } from './warm.ts';

/** The verbs of which the built command is asked, too: one in five. To be misused ends them all in the same way. */
const ASKED = [...HERE].filter((_, index) => index % 5 === 0);

test.each([...HERE, ...WARM])(
  'belay %s that is misused ends with 2 and one sentence, as in a process of its own',
  async (verb) => {
    const misused = [verb, '--no-such-option', '--journal', 'no-such-file'];
    const refused = await belay(misused);
    expect([refused.code, refused.out]).toEqual([2, '']);
    expect(refused.err).toMatch(/^error: /);
    if (ASKED.includes(verb) || WARM.has(verb)) expect(await built(misused)).toEqual(refused);
  },
);

test('what is read from a pipe, from a file and from the environment is, too', async () => {
  const A = ['S', 'A', 0];
  const asked = trace({ do: 'trace', id: 't1' }, { do: 'enter', in: A }, { do: 'fail', in: A });
  for (const args of [
    ['decide', '-', '--json'],
    ['decide', file('asked.jsonl', asked)],
  ])
    expect(await belay(args, asked)).toEqual(await built(args, asked));
  const env = { FORCE_COLOR: '1', BELAY_STORE: 'no-such-store.sqlite' };
  const ran = await built(['show', 'r'], '', env);
  expect(ran.code).toBe(2);
  expect(await belay(['show', 'r'], '', env)).toEqual(ran);
  expect(await belay(['decide', '-'], asked, env)).toEqual(await built(['decide', '-'], asked, env));
});

test('the place that the environment names to one command is none that the next one prints', () => {
  process.env.BELAY_STORE = 'elsewhere.sqlite';
  try {
    expect(placeWords(placeOf(null, 'belay.sqlite'), 'belay.sqlite')).toEqual([]);
    expect(placeWords('other.sqlite', 'belay.sqlite')).toEqual(['--store', 'other.sqlite']);
  } finally {
    delete process.env.BELAY_STORE;
  }
  expect(placeWords(placeOf(null, 'belay.sqlite'), 'belay.sqlite')).toEqual([]);
});
