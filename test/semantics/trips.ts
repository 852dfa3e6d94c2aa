/** A little machine that looks something up, books, and pays on what it found. */
import { calls, machineOf, type World } from './little.ts';

/** look; book; pay; rest until GO: both rest on what look answered. */
export function tripOf(world: World) {
  return machineOf(
    { look: world.tool('look'), book: world.tool('book'), pay: world.tool('pay') },
    {
      initial: 'look',
      states: {
        look: calls('look', 'looked', 'book'),
        book: calls('book', 'booked', 'pay', ['looked']),
        pay: calls('pay', 'paid', 'rest', ['looked']),
        rest: { on: { GO: 'end' } },
        end: { type: 'final' },
      },
    },
  );
}
