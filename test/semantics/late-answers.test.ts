/** C10 and C11: what an idempotent call answers that was under way when its work went back is not served to the replay. */
import { describe, expect, test } from 'vitest';
import { calm, until } from '../poll.ts';
import { calls, configOf, held, machineOf, run, World } from './little.ts';

type Held = ReturnType<typeof held>;

/** look; quote; rest, in one unit. The first quote, and the second look and quote, come when the test says. */
function quoting() {
  const world = new World();
  const [first, look, second] = [held(), held(), held()] as [Held, Held, Held];
  const machine = machineOf(
    {
      look: world.tool('look', ({ nth }) => (nth === 1 ? look.promise.then(() => 'item') : 'item')),
      quote: world.tool('quote', ({ nth }) =>
        nth === 0 ? first.promise.then(() => 'old') : second.promise.then(() => 'new'),
      ),
    },
    {
      initial: 'look',
      states: {
        look: calls('look', 'item', 'quote'),
        quote: calls('quote', 'price', 'rest', ['item']),
        rest: { on: { close: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    {
      look: 'writes: [item], effect: none',
      quote: 'reads: [item], writes: [price], effect: idempotent, timeout: 5s',
    },
    { QUOTE: { states: ['look', 'quote'], at: 'quote -> rest', writes: ['item', 'price'] } },
  );
  return { world, machine, config, first, look, second };
}

/** The steps after the complaint: the late answer comes before one of them, or after all. */
const MOMENTS = ['before the decision', 'while look is done again', 'after the quote was asked for again'] as const;

describe('C11: an answer that was asked for before the complaint is not served', () => {
  describe.each([undefined, 'item'])('the complaint names %s', (key) => {
    test.each(MOMENTS)('it comes %s', async (moment) => {
      const { world, machine, config, first, look, second } = quoting();
      const it = await run(machine, config);
      await until(() => world.count('quote') === 1);
      const complained = it.wrong('QUOTE', key);
      if (moment === 'before the decision') first.resolve(null);
      await complained;
      await until(() => world.count('look') === 2);
      if (moment === 'while look is done again') first.resolve(null);
      await calm();
      look.resolve(null);
      await until(() => world.count('quote') === 2);
      if (moment === 'after the quote was asked for again') first.resolve(null);
      await calm();
      second.resolve(null);
      await it.at('rest');
      it.send('close');
      expect((await it.ending()).status).toBe('done');
      expect(it.context()).toEqual({ item: 'item', price: 'new' });
      expect(world.count('quote')).toBe(2);
      expect(new Set(world.keys('quote')).size).toBe(1);
      await it.sidecar.close();
    });
  });
});
