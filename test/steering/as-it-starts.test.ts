/** What a machine is handed as a process takes its run up: it takes nothing before its start is over. */
import { expect, test } from 'vitest';
import { calm, until } from '../poll.ts';
import { context, Dying, value } from '../semantics/dying.ts';
import { calls, configOf, machineOf, World } from '../semantics/little.ts';

const says = (target: string) => ({ target });

test('CH6: two events that were held are handed on each where the one before has led', async () => {
  const world = new World();
  const machine = machineOf(
    { pay: world.tool('pay') },
    {
      initial: 'idle',
      states: {
        idle: { on: { GO: says('asking') } },
        asking: { on: { YES: says('pay') } },
        pay: calls('pay', 'paid', 'over'),
        over: { type: 'final' },
      },
    },
  );
  const config = configOf(
    { pay: 'reads: [], writes: [paid], effect: idempotent' },
    { Pay: { states: ['pay'], at: 'pay -> over', writes: ['paid'] } },
  );
  const dying = new Dying(machine, config);
  const first = await dying.attached();
  first.actor.start();
  await calm();
  await first.pause({ by: 'eve' });
  const sent = [
    first.send({ type: 'GO' } as never, { id: 'go', by: 'ada' }),
    first.send({ type: 'YES' } as never, { id: 'yes', by: 'ada' }),
  ];
  expect((await Promise.all(sent)).map(({ is }) => is)).toEqual(['held', 'held']);
  // The process dies as soon as the word that lets the run go on is in the journal.
  dying.store.kill({ append: dying.store.appends + 1, when: 'after' });
  void first.unpause({ by: 'eve' });
  await until(() => dying.isDead);
  const next = await dying.resumed(first);
  await until(() => next.status === 'done' || next.status === 'parked');
  await next.finished();
  expect([next.status, value(next), context(next), world.count('pay')]).toEqual(['done', 'over', { paid: 'pay0' }, 1]);
});
