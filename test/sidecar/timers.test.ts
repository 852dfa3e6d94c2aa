/** Delays run on the world's clock: through processes, sleeps and restores (semantics.md, "Beyond the model"). */
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { resume } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { VirtualTime } from '../virtual-time.ts';

const sleep = (wait: number) => new Promise((resolve) => setTimeout(resolve, wait));

const { config } = loadConfig(
  `belay: 1
agent: a
tools: { look: { writes: [seen], effect: none } }
skeletons:
  Look:
    entity: '"it"'
    states: [looking]
    entry: [looking]
    outputs: [seen]
    exit: [{ id: seen, at: looking -> end, when: 'memory.?seen.hasValue()' }]
    rollback: { anchors: [seen], resume: looking }
`,
  { file: 'page.yaml' },
);

/** A state that calls, and has a delay of a second; each call is the test's to answer. */
function machineOf(act: (nth: number) => Promise<unknown>) {
  let calls = 0;
  return setup({ actors: { look: tool(async () => act(calls++)) } }).createMachine({
    id: 'a',
    context: {},
    initial: 'looking',
    states: {
      looking: {
        invoke: { src: 'look', onDone: { target: 'end', actions: assign({ seen: ({ event }) => event.output }) } },
        after: { 1000: 'late' },
      },
      late: { type: 'final' },
      end: { type: 'final' },
    },
  });
}

describe('a delay of a second', () => {
  /** When it was over, in processes that live so long, with so long between them. */
  async function over(act: (nth: number) => Promise<unknown>, lives: readonly number[], between = 0): Promise<number> {
    const time = new VirtualTime();
    const began = time.now();
    const journal = memoryStore({ now: time.now });
    let late = Number.NaN;
    await time.during(async () => {
      for (const life of lives) {
        const sidecar = await resume(machineOf(act), { run: 'r', journal, config: config as never, now: time.now });
        sidecar.actor.subscribe(({ value }) => {
          if (value === 'late' && Number.isNaN(late)) late = time.now() - began;
        });
        // Whoever starts it later takes nothing from it.
        await sleep(10);
        sidecar.actor.start();
        await sleep(life);
        await sidecar.close();
        await sleep(between);
      }
    });
    return late;
  }
  const never = () => new Promise(() => {});

  test('is over a second after it was armed, however many processes lived in between', async () => {
    expect(await over(never, [300, 300, 300, 300])).toBe(1_010);
    expect(await over(never, [300, 300], 5_000)).toBeLessThan(5_400);
  });

  test('begins anew, and whole, with a call that a restore makes again, in a later process too', async () => {
    const act = async (nth: number) => {
      if (nth > 0) return never();
      await sleep(100);
      throw new Error('gone');
    };
    expect(await over(act, [3_000])).toBe(10 + 100 + 1_000);
    const slow = async () => {
      await sleep(350);
      throw new Error('gone');
    };
    let failed = false;
    const last = async () => {
      if (failed) return never();
      failed = true;
      return slow();
    };
    // Two processes of 300 ms each end before the call fails; the third one's fails after 350 ms.
    let process = 0;
    const turns = (nth: number) => {
      if (nth === 0) process += 1;
      return process < 3 ? never() : last();
    };
    expect(await over(turns, [300, 300, 3_000])).toBe(10 + 300 + 10 + 300 + 10 + 350 + 1_000);
  });
});
