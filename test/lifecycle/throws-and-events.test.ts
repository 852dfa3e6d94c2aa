/** CH6 beside TH1 and TH6: an event whose step threw, and one that came meanwhile for another region, are each taken once. */
import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { memoryStore } from '../../src/index.ts';
import { resume } from '../../src/xstate/index.ts';
import { calm } from '../poll.ts';
import { configOf, machineOf, run } from '../semantics/little.ts';

type Counts = { readonly context: { readonly go: number; readonly other: number } };

/** wait GO ‖ wait OTHER ‖ wait END. What takes GO throws as long as the code is broken. */
function counting(code: { broken: boolean }) {
  const takes = (type: string, key: 'go' | 'other', may: () => void) => ({
    initial: 'waiting',
    states: {
      waiting: {
        on: {
          [type]: {
            actions: assign({
              [key]: ({ context }: Counts) => {
                may();
                return context[key] + 1;
              },
            } as never),
          },
          END: 'over',
        },
      },
      over: { type: 'final' },
    },
  });
  const throwing = () => {
    if (code.broken) throw new TypeError('a bug');
  };
  const machine = machineOf(
    {},
    {
      context: { go: 0, other: 0 },
      type: 'parallel',
      states: { a: takes('GO', 'go', throwing), b: takes('OTHER', 'other', () => {}) },
    },
  );
  const config = configOf(
    { none: 'effect: none' },
    { B: { states: ['b.waiting'], at: 'b.waiting -> b.over', writes: ['other'], reads: ['other'] } },
  );
  return { machine, config };
}

describe('a step that threw, and an event that came for another region while the run was parked', () => {
  test('are each taken once where a person has the step tried again in place', async () => {
    const code = { broken: true };
    const { machine, config } = counting(code);
    const it = await run(machine, config);
    it.send('OTHER');
    it.send('GO');
    expect((await it.ending()).status).toBe('parked');
    it.send('OTHER');
    await calm();
    expect(it.context()).toEqual({ go: 0, other: 1 });
    code.broken = false;
    await it.sidecar.retry({ by: 'ann' });
    await calm();
    expect(it.context()).toEqual({ go: 1, other: 2 });
    it.send('END');
    const ending = await it.ending();
    expect(ending).toMatchObject({ status: 'done' });
    expect(ending).not.toHaveProperty('untaken');
    await it.sidecar.close();
  });

  test('and where the next process has the code put right: a rerun is advised, and a person chooses to go on', async () => {
    const code = { broken: true };
    const { machine, config } = counting(code);
    const journal = memoryStore();
    const it = await run(machine, config, { journal });
    it.send('GO');
    expect((await it.ending()).status).toBe('parked');
    it.send('OTHER');
    await calm();
    await it.sidecar.close();
    code.broken = false;
    const sidecar = await resume(machine, { run: 'r', config, journal } as never);
    sidecar.actor.start();
    await calm();
    expect(sidecar.status).toBe('parked');
    await sidecar.retry({ by: 'ann' });
    await calm();
    expect((sidecar.actor.getSnapshot() as unknown as Counts).context).toEqual({ go: 1, other: 1 });
    sidecar.actor.send({ type: 'END' } as never);
    const ending = await sidecar.finished();
    expect(ending).toMatchObject({ status: 'done' });
    expect(ending).not.toHaveProperty('untaken');
    await sidecar.close();
  });
});
