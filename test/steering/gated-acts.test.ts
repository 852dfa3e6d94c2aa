/** Acts on events beside requests to people: what waits at its gate has not happened (semantics.md §6, R4, ST7). */
import { expect, test } from 'vitest';
import { until } from '../poll.ts';
import { calls, configOf, machineOf, run, World } from '../semantics/little.ts';
import { keeps } from './writers.ts';

test.each(['idempotent', 'irreversible'])(
  'R4, ST7: an act voids the request of a call of class %s that rests on the event, and the call asks anew with what is said now',
  async (kind) => {
    const world = new World();
    const GO = { target: 'paying', actions: keeps('words') };
    const states = { waiting: { on: { GO } }, paying: calls('pay', 'paid', 'end', ['words']), end: { type: 'final' } };
    const machine = machineOf({ pay: world.tool('pay') }, { initial: 'waiting', states });
    const unit = { states: ['paying'], at: 'paying -> end', writes: ['paid'], reads: ['words'] };
    const it = await run(
      machine,
      configOf({ pay: `reads: [words], writes: [paid], effect: ${kind}, gate: true` }, { Pay: unit }),
    );
    await it.sidecar.send({ type: 'GO', words: 1 } as never, { id: 'go', by: 'ada' });
    await until(() => it.sidecar.gates().length === 1);
    const [first] = it.sidecar.gates();
    expect(await it.sidecar.revise('go', { words: 2 }, { by: 'ada' })).toMatchObject({ is: 'done' });
    await until(() => it.sidecar.requests().some(({ gate }) => gate !== first?.gate));
    expect(it.sidecar.requests()).toMatchObject([{ tool: 'pay', args: { words: 2 } }]);
    expect(await it.sidecar.answer(first?.gate ?? '', 'approved', { by: 'eve' })).not.toBeNull();
    expect(await it.sidecar.answer(it.sidecar.gates()[0]?.gate ?? '', 'approved', { by: 'eve' })).toBeNull();
    expect(await it.ending()).toMatchObject({ status: 'done' });
    expect(world.acts.map(({ input }) => input)).toEqual([{ words: 2 }]);
    await it.sidecar.close();
  },
);
