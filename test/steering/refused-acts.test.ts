/** ST7: an act that is refused moves nothing, though calls under way were asked about for it. */
import { expect, test } from 'vitest';
import { until } from '../poll.ts';
import { calls, configOf, machineOf, run, World } from '../semantics/little.ts';
import { keeps } from './writers.ts';

test('ST7: a call that was aborted for a refused act is made again, and its machine hears of no error', async () => {
  const world = new World();
  const done = new Set<string>();
  let answers = () => {};
  const book = world.tool('book', ({ nth, signal }) => {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
      answers = () => resolve(`book${nth}`);
    });
  });
  const pay = world.tool('pay', () => void done.add('pay'));
  const booking = calls('book', 'booked', 'over', ['words']);
  const machine = machineOf(
    { pay, book },
    {
      initial: 'waiting',
      states: {
        waiting: { on: { GO: { target: 'paying', actions: keeps('words') } } },
        paying: calls('pay', 'paid', 'booking', ['words']),
        booking: { invoke: { ...booking.invoke, onError: 'failed' } },
        over: { type: 'final' },
        failed: { type: 'final' },
      },
    },
  );
  const acts = 'effect: irreversible, reconcile: ask';
  const config = configOf(
    { pay: `reads: [words], writes: [paid], ${acts}`, book: `reads: [words], writes: [booked], ${acts}` },
    {
      Pay: { states: ['paying'], at: 'paying -> booking', writes: ['paid'], reads: ['words'] },
      Book: { states: ['booking'], at: 'booking -> over', writes: ['booked'], reads: ['words'] },
    },
  );
  // Nothing of a booking has happened before it answers.
  const ask = ({ tool }: { readonly tool: string }) =>
    done.has(tool) ? { is: 'applied' as const, output: tool } : { is: 'not_applied' as const };
  const it = await run(machine, config, { reconcilers: { ask } } as never);
  await it.sidecar.send({ type: 'GO', words: 1 } as never, { id: 'go', by: 'ada' });
  await until(() => world.count('book') === 1);
  expect(await it.sidecar.revise('go', { words: 2 }, { by: 'ada' })).toMatchObject({ is: 'refused' });
  await until(() => world.count('book') === 2 || it.value() === 'failed');
  answers();
  expect(await it.ending()).toMatchObject({ status: 'done' });
  expect([it.value(), it.reports.length, new Set(world.keys('book')).size]).toEqual(['over', 0, 1]);
  await it.sidecar.close();
});
