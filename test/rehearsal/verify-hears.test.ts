/** A replay of a recorded run hears all that the run heard, and starts nothing. */
import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, assign, fromCallback, fromPromise, raise, sendParent, setup } from 'xstate';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { verifyRuns } from '../../src/testing/index.ts';
import { attach } from '../../src/xstate/attach.ts';
import { config } from './recorded.ts';

describe('a replay hears', () => {
  const TEXT = 'belay: 1\nagent: many\ntools: { look: { effect: none }, inner: { effect: none } }\nskeletons: {}\n';
  const started: string[] = [];
  const look = fromPromise(async () => {
    started.push('look');
    return 'seen';
  });

  /** A machine with regions, a machine in it, a callback, a delay, a raised event and an inline actor. */
  const many = (delay = 5) => {
    const inner = setup({ actors: { look } }).createMachine({
      initial: 'looking',
      context: { times: 0 },
      states: {
        looking: {
          invoke: {
            src: 'look',
            onDone: {
              target: 'told',
              actions: [assign({ times: ({ context }) => context.times + 1 }), sendParent({ type: 'LOOKED' })],
            },
          },
        },
        told: { type: 'final' },
      },
    });
    const ring = fromCallback(({ sendBack }) => {
      started.push('ring');
      sendBack({ type: 'RING', at: started.length });
    });
    return setup({ actors: { inner, look, ring } }).createMachine({
      id: 'many',
      type: 'parallel',
      context: { rung: 0, looked: false },
      states: {
        bell: {
          initial: 'silent',
          states: {
            silent: {
              invoke: { src: 'ring' },
              on: { RING: { target: 'rings', actions: [assign({ rung: 1 }), raise({ type: 'AGAIN' })] } },
            },
            rings: { on: { AGAIN: 'over' } },
            over: { type: 'final' },
          },
        },
        view: {
          initial: 'inside',
          states: {
            inside: { invoke: { src: 'inner', onDone: 'late' }, on: { LOOKED: { actions: assign({ looked: true }) } } },
            late: { after: { [delay]: 'asked' } },
            asked: { invoke: { src: fromPromise(async () => started.push('inline')), onDone: 'told' } },
            told: { on: { BYE: 'bye' } },
            bye: { type: 'final' },
          },
        },
      },
    } as never) as unknown as AnyStateMachine;
  };

  test('regions, machines in machines, callbacks, delays, raised and outside events, and starts none of them', async () => {
    const journal = memoryStore();
    const sidecar = await attach(many(), { run: 'm', config: config(TEXT), journal });
    sidecar.actor.start();
    const told = () => JSON.stringify(sidecar.actor.getSnapshot().value).includes('told');
    while (!told()) await new Promise((resolve) => setTimeout(resolve, 2));
    sidecar.actor.send({ type: 'BYE' } as never);
    await sidecar.finished();
    await sidecar.close();
    expect([...started].sort()).toEqual(['inline', 'look', 'ring']);
    started.length = 0;
    const [one] = await verifyRuns({ journal, machine: many(), config: config(TEXT) });
    expect(one).toMatchObject({ is: 'equal', config: [], changed: { machine: false } });
    expect(one?.steps).toBeGreaterThan(8);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(started).toEqual([]);
    const [slower] = await verifyRuns({ journal, machine: many(50), config: config(TEXT) });
    expect(slower).toMatchObject({
      is: 'parts',
      parting: { is: 'step', region: 'view', expected: expect.stringContaining('asked'), found: 'no step' },
    });
  });
});
