/** ST2, ST3, ST7, ST9 and ST11: acts on the events of a run. */
import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { calls, configOf, machineOf, run, type Unit, World } from '../semantics/little.ts';

const unit = (state: string, target: string, writes: string, reads: readonly string[] = []): Unit => ({
  states: [state],
  at: `${state} -> ${target}`,
  writes: [writes],
  reads,
});

const over = { type: 'final' };
const words = assign({ words: ({ event }: { event: { words?: number } }) => event.words } as never);

/** wait BRIEF; draft reads words; wait OK */
function writer(effect = 'none') {
  const world = new World();
  const machine = machineOf(
    { draft: world.tool('draft', ({ input }) => `draft of ${String(input.words)}`) },
    {
      initial: 'wait',
      states: {
        wait: { on: { BRIEF: { target: 'draft', actions: words } } },
        draft: calls('draft', 'text', 'ready', ['words']),
        ready: { on: { OK: 'over' } },
        over,
      },
    },
  );
  const config = configOf(
    { draft: `reads: [words], writes: [text], effect: ${effect}${effect === 'reversible' ? ', undo: un' : ''}` },
    {
      Draft: unit('draft', 'ready', 'text', ['words']),
    },
  );
  return { world, machine, config };
}

describe('an act on an event', () => {
  test('a revision is received in its place, and what rests on it is done again', async () => {
    const { world, machine, config } = writer();
    const it = await run(machine, config);
    await it.sidecar.send({ type: 'BRIEF', words: 6000 } as never, { id: 'brief', by: 'ada' });
    await it.at('ready');
    const answer = await it.sidecar.revise('brief', { words: 8000 }, { by: 'ada', base: 0 });
    expect([answer.is, answer.version, answer.why]).toEqual(['done', 1, null]);
    await it.at('ready');
    expect(it.context()).toEqual({ words: 8000, text: 'draft of 8000' });
    expect(world.count('draft')).toBe(2);
    expect(it.sidecar.events()).toMatchObject([
      { name: 'input' },
      { name: 'brief', version: 1, is: 'taken', event: { type: 'BRIEF', words: 8000 }, by: 'ada' },
    ]);
    it.send('OK');
    expect(await it.ending()).toMatchObject({ status: 'done' });
    await it.sidecar.close();
  });
});
