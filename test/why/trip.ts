/** A trip: look; choose; book, where the choice and the booking are one unit, and the choice is a decision. */
import { calls, configOf, machineOf, World } from '../semantics/little.ts';

/** The entry of the tool that decides. */
export const DECIDES = 'reads: [asked], writes: [choice], effect: none, decides: true';

/** The answers of the choice, one after the other. */
const ANSWERS: readonly unknown[] = ['SQ1', 'TR9', 'LH3'];

/** @param book the class of the booking, and what follows it in the config. */
export function trip({ choose = DECIDES, answers = ANSWERS, book = 'reversible' } = {}) {
  const world = new World();
  const machine = machineOf(
    {
      look: world.tool('look'),
      choose: world.tool('choose', ({ nth }) => answers[nth]),
      book: world.tool('book', ({ input, nth }) => `${String(input.choice)} booked ${nth}`),
    },
    {
      initial: 'looking',
      states: {
        looking: calls('look', 'asked', 'choosing'),
        choosing: calls('choose', 'choice', 'booking', ['asked']),
        booking: calls('book', 'booking', 'resting', ['choice']),
        resting: { on: { close: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    {
      look: "reads: ['air:fares'], writes: [asked], effect: none",
      choose,
      book: `reads: [choice], writes: [booking], effect: ${book}, undo: un, reconcile: find`,
    },
    {
      LOOK: {
        states: ['looking'],
        at: 'looking -> choosing',
        writes: ['asked'],
        reads: ['air:fares'],
        rollback: 'joint: [TRIP]',
      },
      TRIP: {
        states: ['choosing', 'booking'],
        at: 'booking -> resting',
        writes: ['booking', 'choice'],
        reads: ['asked'],
      },
    },
  );
  const reconcilers = { find: () => ({ is: 'not_applied' }) as const };
  return { world, machine, config, more: { undo: world.undo, reconcilers } };
}
