/** The little machines whose events are changed by the tests beside this file. */
import { assign } from 'xstate';
import { calls, configOf, machineOf, run, type Unit, World } from '../semantics/little.ts';

export const unit = (state: string, target: string, writes: string, reads: readonly string[] = []): Unit => ({
  states: [state],
  at: `${state} -> ${target}`,
  writes: [writes],
  reads,
});

export const over = { type: 'final' };
export const keeps = (key: string) =>
  assign({ [key]: ({ event }: { event: { words?: number } }) => event.words ?? true } as never);

/** wait BRIEF; draft reads words; wait OK, which keeps a word of its own. */
export function writer(effect = 'none', events = '') {
  const world = new World();
  const machine = machineOf(
    { draft: world.tool('draft', ({ input }) => `draft of ${String(input.words)}`) },
    {
      initial: 'wait',
      states: {
        wait: { on: { BRIEF: { target: 'draft', actions: keeps('words') } } },
        draft: calls('draft', 'text', 'ready', ['words']),
        ready: { on: { OK: { target: 'over', actions: keeps('ok') } } },
        over,
      },
    },
  );
  const undo = effect === 'reversible' ? ', undo: un' : '';
  const tools = { draft: `reads: [words], writes: [text], effect: ${effect}, reconcile: find${undo}` };
  const config = configOf(tools, { Draft: unit('draft', 'ready', 'text', ['words']) }, events);
  return { world, machine, config };
}

/** par {wait BRIEF; draft reads words ‖ wait OK} */
export function parallel(effect: string, events: string, on: object = {}) {
  const world = new World();
  const machine = machineOf(
    { draft: world.tool('draft', ({ input }) => `draft of ${String(input.words)}`) },
    {
      type: 'parallel',
      states: {
        a: {
          initial: 'wait',
          states: {
            wait: { on: { BRIEF: { target: 'draft', actions: keeps('words') } } },
            draft: calls('draft', 'text', 'ready', ['words']),
            ready: { on },
          },
        },
        b: { initial: 'wait', states: { wait: { on: { OK: { target: 'heard', actions: keeps('ok') } } }, heard: {} } },
      },
    },
  );
  const tools = { draft: `reads: [words], writes: [text], effect: ${effect}` };
  const config = configOf(tools, { Draft: unit('a.draft', 'a.ready', 'text', ['words']) }, events);
  return { world, machine, config };
}

/** Its run, in which both were sent: BRIEF by ada, and OK by bob, or another. */
export async function twoEvents(events = '', by = 'bob') {
  const { world, machine, config } = parallel('none', events);
  const it = await run(machine, config);
  await it.sidecar.send({ type: 'BRIEF', words: 6000 } as never, { id: 'brief', by: 'ada' });
  await it.at({ a: 'ready', b: 'wait' });
  await it.sidecar.send({ type: 'OK' } as never, { id: 'ok', by });
  await it.at({ a: 'ready', b: 'heard' });
  return { ...it, world };
}
