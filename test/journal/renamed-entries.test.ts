/** CO5: an entry that a map cannot read in other names is refused, and so are two things of one name. */
import { expect, test } from 'vitest';
import { RenamedEntries } from '../../src/journal/renamed-entries.ts';
import type { Entry } from '../../src/model/entry.ts';

const NONE = { states: {}, keys: {}, tools: {}, skeletons: {} };
const instance = { skeleton: 'Pay', entity: 'e', ordinal: 0 };
const call = (tool: string) => ({ do: 'intent', key: 'k', actor: 1, tool, instance, args: {} }) as unknown as Entry;

test('a name of now is that of one thing', () => {
  const names = new RenamedEntries({ ...NONE, tools: { pay: 'charge' } });
  expect(names.entry(call('pay'))).toMatchObject({ tool: 'charge' });
  expect(() => names.entry(call('charge'))).toThrow(/pay and charge would both be called charge/);
});

test('an entry of another kind is refused by its name', () => {
  const entry = { do: 'claimed', instance } as const;
  expect(() => new RenamedEntries(NONE).entry(entry)).toThrow(/an entry "claimed"/);
});

test('a region and what a history state remembers have the names of now, and a machine that was invoked keeps its own', () => {
  const names = new RenamedEntries({ ...NONE, states: { stay: 'lodging', 'stay.rooms': 'lodging.beds' } });
  names.entry({ do: 'begin', agent: 'trip', digests: { machine: 'm', config: 'c' } } as never);
  const none = { parties: [], edits: [], started: [], marks: [], regions: ['0:stay.rooms', '1:stay'], closed: [] };
  const step = {
    ...{ do: 'step', actor: 0, event: { type: 'go' }, value: { stay: { rooms: 'asked' } }, moves: ['stay.rooms'] },
    ...{ remembered: { 'trip.stay.rooms.last': ['trip.stay.rooms.asked'], named: ['trip.over'] }, ...none },
  };
  expect(names.entry(step as never)).toMatchObject({
    value: { lodging: { beds: 'asked' } },
    remembered: { 'trip.lodging.beds.last': ['trip.lodging.beds.asked'], named: ['trip.over'] },
    regions: ['0:lodging.beds', '1:stay'],
    moves: ['lodging.beds'],
  });
  const timer = { do: 'timer', id: 'a', event: { type: 'x' }, region: 'stay.rooms', delay: null };
  expect([0, 1].map((actor) => names.entry({ ...timer, actor } as never))).toMatchObject([
    { region: 'lodging.beds' },
    { region: 'stay.rooms' },
  ]);
});

test('an event that waits is read in the names of now, unless a unit takes it or its sender was shown keys', () => {
  const names = new RenamedEntries({ ...NONE, states: { stay: 'lodging' } });
  const held = { do: 'held', id: 'm', post: null, by: 'ada', event: { type: '@belay.moved', nth: 1 } };
  const free = { ...held, takers: [['0:stay', null]] };
  expect(names.entry(free as never)).toMatchObject({ event: held.event, takers: [['0:lodging', null]] });
  for (const other of [
    { ...held, takers: [['0:stay', 'Pay(e)#0']] },
    { ...free, seen: { receipt: 'd' } },
  ])
    expect(() => names.entry(other as never)).toThrow(/an entry "held"/);
});
