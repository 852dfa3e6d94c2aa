/** One step entry for each way in which its members can be there or not. */
import { ActorReference } from '../../src/model/actor-reference.ts';
import type { InstanceId } from '../../src/model/instance.ts';
import { parseKey } from '../../src/model/key.ts';
import type { StepEntry } from '../../src/model/step-entry.ts';

const root: InstanceId = { skeleton: '', entity: '0:', ordinal: 0 };
export const book: InstanceId = { skeleton: 'Book', entity: 'p1', ordinal: 0 };
export const pay: InstanceId = { skeleton: 'Pay', entity: 'p1', ordinal: 2 };
export const digests = { config: 'c0', machine: 'm0' };
export const controls = [{ actor: 0, value: { a: 'b' }, remembered: { 'm.a.h': ['m.a.b'] } }];
const longName = `slots/${'x'.repeat(220)}`;

export const step: StepEntry = {
  do: 'step',
  actor: 0,
  event: { type: 'go', n: 1 },
  value: 'a',
  parties: [],
  edits: [],
  marks: [],
  boundaries: [],
  started: [],
  regions: [],
  closed: [],
  ended: [],
  remembered: null,
  done: false,
  outside: false,
};
export const party = { instance: book, region: '0:a' };
const beside = { instance: root, region: '0:' };

export const steps: Record<string, StepEntry> = {
  'with nothing but its event': step,
  'from outside, the last of its actor': { ...step, outside: true, done: true },
  'with values that JSON has no form for': {
    ...step,
    event: {
      type: 'go',
      at: new Date(0),
      big: 7n,
      none: undefined,
      of: new Map([['k', -0]]),
      to: new ActorReference('x:1'),
    },
  },
  'that edits for all parties and for one': {
    ...step,
    parties: [party, beside],
    edits: [
      { op: 'set', path: ['slots', '0'], by: [0, 1], value: { free: true } },
      { op: 'set', path: ['slots', '0'], by: [1], value: undefined },
      { op: 'append', path: [], by: [0], value: ['x', 'y'] },
      { op: 'delete', path: ['old'], by: [0, 1] },
    ],
  },
  'with every mark': {
    ...step,
    parties: [party],
    marks: [
      { do: 'enter', in: book, by: null },
      { do: 'enter', in: pay, by: book },
      { do: 'read', in: book, key: parseKey('slots/0') },
      { do: 'read', in: book, key: parseKey('calendar:p1/*') },
      { do: 'write', in: book, key: parseKey('slots/0'), mode: 'update' },
      { do: 'write', in: book, key: parseKey('slots/1'), mode: 'blind' },
      { do: 'write', in: book, key: parseKey('log'), mode: 'append' },
      { do: 'boundary', in: book, kind: 'commit' },
      { do: 'boundary', in: book, kind: 'exit' },
      { do: 'boundary', in: pay, kind: 'outcome' },
    ],
    boundaries: ['booked', 'left', ''],
    regions: ['0:a', '0:a.b'],
  },
  'that starts every kind of actor': {
    ...step,
    started: [
      { id: 'call', src: 'book', at: 'a', kind: 'promise', input: { n: 1 } },
      { id: 'inline', src: null, at: 'a', kind: 'machine', input: undefined },
      { id: 'spawned', src: 'watch', at: null, kind: 'other', input: new Set([1]) },
    ],
  },
  'that closes instances and ends actors': {
    ...step,
    closed: [
      { instance: book, gate: true },
      { instance: pay, gate: false },
    ],
    ended: [1, 2],
  },
  'that history states remember': {
    ...step,
    value: { a: { b: 'c' }, d: {} },
    remembered: { 'm.a.h': ['m.a.b', 'm.a.c'] },
  },
  'that moves the region of its party': { ...step, parties: [party], moves: ['a'] },
  'that moves the regions of its parties, the other one first': { ...step, parties: [party, beside], moves: ['', 'a'] },
  'that moves another region than its party': { ...step, parties: [party], moves: ['b'] },
  'that looks at a region': { ...step, parties: [party], moves: ['a'], looks: ['b', 'c'] },
  'that is tied to earlier steps': {
    ...step,
    parties: [party],
    moves: ['b'],
    ties: [
      [0, 1],
      [3, 2],
    ],
  },
  'that received a chunk of a source': { ...step, parties: [party], moves: ['a'], source: 3 },
  'that told sources something': { ...step, parties: [party], moves: ['b'], tells: [3, 4] },
  'tied, in a journal that does not say what it moved': { ...step, parties: [party], ties: [[1, 1]] },
  'with a name that is too long for a number': {
    ...step,
    marks: [{ do: 'read', in: book, key: parseKey(longName) }],
  },
};
