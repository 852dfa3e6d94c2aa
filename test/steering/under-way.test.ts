/** ST7: a refused act moves nothing, a call under way included. */
import { expect, test } from 'vitest';
import { until } from '../poll.ts';
import { calls, configOf, machineOf, run, World } from '../semantics/little.ts';
import { keeps, over, unit } from './writers.ts';

const by = { by: 'ada' };

/** wait BRIEF; draft reads words, and answers when it is let. Nobody can be asked about it. */
async function drafting(effect: string) {
  const world = new World();
  let answer: (text: string) => void = () => {};
  const draft = world.tool('draft', ({ signal }) => {
    return new Promise((resolve, reject) => {
      answer = resolve;
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  });
  const machine = machineOf(
    { draft },
    {
      initial: 'wait',
      states: {
        wait: { on: { BRIEF: { target: 'draft', actions: keeps('words') } } },
        draft: calls('draft', 'text', 'over', ['words']),
        over,
      },
    },
  );
  const undo = effect === 'compensable' ? ', undo: un' : '';
  const config = configOf(
    { draft: `reads: [words], writes: [text], effect: ${effect}${undo}` },
    { Draft: unit('draft', 'over', 'text', ['words']) },
  );
  const it = await run(machine, config, { undo: world.undo } as never);
  await it.sidecar.send({ type: 'BRIEF', words: 1 } as never, { id: 'brief', by: 'ada' });
  await until(() => world.count('draft') === 1);
  return { ...it, world, answer: (text: string) => answer(text) };
}

test.each(['irreversible', 'compensable'])(
  'ST7: an act that a call under way refuses leaves the call, which is %s, to its own answer',
  async (effect) => {
    const it = await drafting(effect);
    for (const said of [() => it.sidecar.revise('brief', { words: 2 }, by), () => it.sidecar.retract('brief', by)])
      expect((await said()).why).toMatch(/^effect_outcome_unknown: /);
    it.answer('a draft');
    expect(await it.ending()).toMatchObject({ status: 'done' });
    expect([it.context(), it.world.count('draft'), it.world.undone]).toEqual([{ words: 1, text: 'a draft' }, 1, []]);
    await it.sidecar.close();
  },
);
