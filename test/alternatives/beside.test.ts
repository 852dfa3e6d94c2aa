/** AL3, AL5, AL9: alternatives beside other work, taken up by another release, and gone through again. */

import { expect, test } from 'vitest';
import { type AnyStateMachine, setup } from 'xstate';
import { type JournalStore, loadConfig, memoryStore } from '../../src/index.ts';
import { entriesOf } from '../../src/journal/entries.ts';
import { verifyRun } from '../../src/rehearsal/replay/verify-run.ts';
import { attach, resume, tool } from '../../src/xstate/index.ts';
import { VirtualTime } from '../virtual-time.ts';

const TEXT = `
belay: 1
agent: shop
tools:
  book: { reads: [], writes: ['seat:one'], effect: compensable, undo: un }
  look: { reads: ['seat:one'], writes: [], effect: none }
  late: { reads: [], writes: [], effect: none }
alternatives:
  Trip: { at: work.trying, branch: trip, choose: { rule: best, score: '1', deadline: 80ms } }
skeletons: {}
`;
const { config } = loadConfig(TEXT, { file: 'shop.yaml' });

/** A machine that tries two trips in one region, and looks at the seat in another one. */
function shop(seen: string[]): AnyStateMachine {
  const named = (name: string) => tool(async () => void seen.push(name));
  const actors = { book: named('book'), look: named('look'), late: named('late') };
  const trip = setup({ actors: actors as never }).createMachine({
    context: ({ input }: { input: unknown }) => input as { acts: string },
    initial: 'begin',
    states: {
      begin: {
        always: [
          { guard: ({ context }: { context: { acts: string } }) => context.acts === 'book', target: 'booking' },
          { target: 'last' },
        ],
      },
      booking: { invoke: { src: 'book', onDone: 'waiting' } },
      waiting: {},
      last: { after: { 5: 'over' } },
      over: { type: 'final' },
    },
  } as never);
  return setup({ actors: { ...actors, trip } as never }).createMachine({
    id: 'shop',
    type: 'parallel',
    states: {
      work: {
        initial: 'trying',
        states: {
          trying: {
            invoke: [
              { src: 'trip', id: 'rome', input: { acts: 'book' } },
              { src: 'trip', id: 'oslo', input: { acts: '' } },
            ],
            on: { '@belay.chosen': 'over', '@belay.none': 'over' },
          },
          over: { type: 'final' },
        },
      },
      beside: {
        initial: 'resting',
        states: {
          resting: { after: { 20: 'looking' } },
          looking: { invoke: { src: 'look', onDone: 'over' } },
          over: { type: 'final' },
        },
      },
    },
  } as never) as never;
}

async function sold(journal: JournalStore) {
  const seen: string[] = [];
  const undo = { un: async () => void seen.push('undo') };
  const options = { run: 'r', config, journal, undo, keepAlive: false };
  const sidecar = await attach(shop(seen), options as never);
  sidecar.actor.start();
  const ending = await sidecar.finished();
  await sidecar.close();
  return { seen, ending, options };
}

test('AL3: a call outside that touches what a branch has written waits for the choice and the undos', async () => {
  const { seen, ending } = await new VirtualTime().during(() => sold(memoryStore()));
  expect(ending.status).toBe('done');
  expect(seen).toEqual(['book', 'undo', 'look']);
});

test('AL5: a run with a choice is gone through again as it was, and is over for every later process', async () => {
  const journal = memoryStore();
  const { options } = await new VirtualTime().during(() => sold(journal));
  const rows = [...(journal.read('r') as Iterable<never>)];
  const subject = { machine: shop([]), config: config as never, compares: true, codecs: [], ignored: [] };
  expect(verifyRun('r', rows, subject)).toMatchObject({ is: 'equal', parting: null, why: null });
  const again = await resume(shop([]), options as never);
  expect(again.status).toBe('done');
  await again.close();
  expect([...entriesOf(rows)].filter(({ entry }) => entry.do === 'choice').length).toBe(1);
});
