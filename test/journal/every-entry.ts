/** One entry of every kind, and one for each way in which its members can be there or not: what the rows of a journal are made of. */
import { ActorReference } from '../../src/model/actor-reference.ts';
import type { IntentEntry, OutcomeEntry } from '../../src/model/call-entries.ts';
import type { Decision } from '../../src/model/decision.ts';
import type { Entry } from '../../src/model/entry.ts';
import type { InstanceId } from '../../src/model/instance.ts';
import { parseKey } from '../../src/model/key.ts';
import type { StepEntry } from '../../src/model/step-entry.ts';

const root: InstanceId = { skeleton: '', entity: '0:', ordinal: 0 };
const book: InstanceId = { skeleton: 'Book', entity: 'p1', ordinal: 0 };
const pay: InstanceId = { skeleton: 'Pay', entity: 'p1', ordinal: 2 };
const digests = { config: 'c0', machine: 'm0' };
const controls = [{ actor: 0, value: { a: 'b' }, remembered: { 'm.a.h': ['m.a.b'] } }];
const longName = `slots/${'x'.repeat(220)}`;

const step: StepEntry = {
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
const party = { instance: book, region: '0:a' };
const beside = { instance: root, region: '0:' };

const steps: Record<string, StepEntry> = {
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
  'tied, in a journal that does not say what it moved': { ...step, parties: [party], ties: [[1, 1]] },
  'with a name that is too long for a number': {
    ...step,
    marks: [{ do: 'read', in: book, key: parseKey(longName) }],
  },
};

const intent: IntentEntry = {
  do: 'intent',
  key: 'k1',
  actor: 3,
  tool: 'pay',
  instance: pay,
  class: 'irreversible',
  undo: false,
  digest: 'd0',
  args: { amount: 12, note: 'a "b"\u2028' },
};
const outcome: OutcomeEntry = { do: 'outcome', key: 'k1', status: 'confirmed' };
const gate: Extract<Entry, { do: 'gate' }> = {
  do: 'gate',
  gate: 'g1',
  asks: 'approval',
  key: 'k1',
  digest: 'd0',
  epoch: 1,
  expires: null,
};
const timer: Extract<Entry, { do: 'timer' }> = {
  do: 'timer',
  actor: 0,
  id: 'xstate.after.10.m.a',
  region: 'a',
  event: { type: 'xstate.after.10.m.a' },
  delay: 10,
};
const restored: Extract<Entry, { do: 'restored' }> = {
  do: 'restored',
  kept: [
    [book, 0],
    [pay, 7],
  ],
  controls,
};
const escalated: Decision = {
  verdict: 'escalate',
  failed: book,
  at: 9,
  policy: 'line',
  refusals: [],
  undo: [],
  line: null,
  unblock: { leadsTo: 'restore', acts: [{ act: 'allow_joint', instances: [pay] }] },
};
const decision: Extract<Entry, { do: 'decision' }> = {
  do: 'decision',
  signal: 'TIMEOUT',
  error: 'late',
  actor: 2,
  call: 3,
  key: 'k1',
  decision: escalated,
  checkpoint: null,
};
const finding: Extract<Entry, { do: 'finding' }> = { do: 'finding', code: 'no_codec', instance: null, text: 'a text' };

/** The entries, by their kinds and by what each is. */
export const EVERY_ENTRY: { readonly [K in Entry['do']]: Readonly<Record<string, Extract<Entry, { do: K }>>> } = {
  begin: {
    'of the first format': { do: 'begin', agent: 'm', digests, format: 1 },
    'with a secret and rules of redaction': {
      do: 'begin',
      agent: 'm',
      digests,
      format: 4,
      secret: 'ab',
      redact: { keys: ['card/*'], tools: { pay: ['args.card'] } },
    },
    'in a trace': {
      do: 'begin',
      agent: 'm',
      digests,
      format: 4,
      trace: { parent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, state: 'vendor=1' },
    },
    'in a trace of no vendor': {
      do: 'begin',
      agent: 'm',
      digests,
      format: 4,
      trace: { parent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00` },
    },
  },
  config: {
    'with other digests': { do: 'config', digests },
    'with rules of redaction': { do: 'config', digests, redact: { keys: [], tools: {} } },
  },
  step: steps,
  intent: {
    'of a call': intent,
    'without arguments': { ...intent, class: 'none', args: undefined },
    'of a call that waits for a person': { ...intent, held: 'gate' },
    'of a call that waits for its commit': { ...intent, class: 'compensable', undo: true, held: 'buffer' },
    'of a call whose key is made of another entity': { ...intent, keyedAs: 'p0' },
    'of a held call whose key is made of another entity': { ...intent, held: 'gate', keyedAs: 'p0' },
  },
  outcome: {
    'with nothing': { ...outcome, status: 'unknown' },
    'with an output': { ...outcome, output: { receipt: 'r1' } },
    'with an output that is nothing': { ...outcome, output: undefined },
    'with an error': { ...outcome, status: 'failed', error: 'refused "it"' },
    'with an error and an output': { ...outcome, status: 'compensated', error: 'late', output: 1n },
  },
  timer: {
    'of an earlier version': timer,
    'that is armed': { ...timer, due: 1_000 },
    'that is taken back': { ...timer, delay: null },
  },
  decision: {
    'that waits for a person': decision,
    'about work that was found wrong': { ...decision, suspect: true, complaint: { skeleton: 'Book', entity: 'p1' } },
    'about a commit, with a checkpoint': {
      ...decision,
      key: null,
      commit: 'c1',
      checkpoint: { kind: 'commit', at: 4 },
    },
  },
  phase: {
    'of the whole plan': { do: 'phase', phase: 'FENCED' },
    'of an undo': { do: 'phase', phase: 'COMPENSATING', effect: 'k1' },
    'of an undo that failed': { do: 'phase', phase: 'STUCK', effect: 'k1', error: 'refused' },
  },
  restored: {
    'of an earlier version': restored,
    'that sets work aside': { ...restored, aside: [book], wrong: ['k1'], sure: true },
    'that resumes elsewhere': { ...restored, wrong: ['k1'], sure: ['k1'], resumed: [{ region: '0:a', by: book }] },
  },
  claimed: { 'of an instance': { do: 'claimed', instance: book } },
  dismissed: {
    'of an instance': { do: 'dismissed', instance: book, why: 'unclaimed' },
    'with wrong answers': { do: 'dismissed', instance: book, why: 'found_wrong', wrong: ['k1'] },
  },
  passed: { 'of an instance': { do: 'passed', instance: book, controls } },
  late: { 'of an actor': { do: 'late', actor: 4, event: 'xstate.done.actor.call' } },
  finding: {
    'about the run': finding,
    'about a boundary of an instance': { ...finding, instance: book, boundary: 'booked' },
  },
  end: { done: { do: 'end', status: 'done' }, stopped: { do: 'end', status: 'stopped' } },
  leave: { 'by an approval': { do: 'leave', key: 'k1', gate: 'g1' } },
  demoted: { 'for a reason': { do: 'demoted', key: 'k1', why: 'it has moved on' } },
  asked: {
    'again later': { do: 'asked', key: 'k1', tries: 2, next: 5_000 },
    'for the last time': { do: 'asked', key: 'k1', tries: 9, next: null },
  },
  gate: {
    'for an approval': gate,
    'for an outcome, until a time': { ...gate, asks: 'outcome', expires: 9_000 },
    'for an approval of a call like an earlier one': { ...gate, like: 'k0' },
  },
  answer: {
    'of a person': { do: 'answer', gate: 'g1', verdict: 'approved', by: 'ann', why: 'fine', post: 3 },
    'of the clock': { do: 'answer', gate: 'g1', verdict: 'expired', by: null, why: null, post: null },
  },
  publish: {
    'of an earlier version': {
      do: 'publish',
      id: 'c1',
      instance: book,
      boundary: 'booked',
      at: 7,
      keys: ['k1', 'k2'],
      invariants: ['one'],
    },
    'that an area has prepared': {
      do: 'publish',
      id: 'c1',
      instance: book,
      boundary: 'booked',
      at: 7,
      keys: [],
      invariants: [],
      prepared: { mail: 't1' },
    },
  },
  spend: { 'that is admitted': { do: 'spend', of: 'k1', is: 'admitted', amounts: { money: 12.5 } } },
  withdrawn: { 'for a reason': { do: 'withdrawn', id: 'c1', why: 'refused' } },
  position: {
    'of a call with a key': {
      do: 'position',
      actor: 3,
      instance: book,
      key: 'k1',
      reads: ['a:b'],
      areas: { files: '9' },
    },
    'of a call without one': { do: 'position', actor: 3, instance: book, reads: [], areas: {} },
  },
  retracted: { 'of two questions': { do: 'retracted', questions: ['[1]', '[2]'] } },
  message: {
    'that was sent': { do: 'message', post: 3, event: 'PAID', by: 'ann', refused: null },
    'that was refused': { do: 'message', post: 4, event: 'PAID', by: null, refused: 'not in this state' },
  },
};

/** Entries with a value that no journal holds, by what each is. */
export const LOSSY: Readonly<Record<string, Entry>> = {
  'a step whose event holds a function': { ...step, event: { type: 'go', call: () => 1 } },
  'a step that sets and appends what has no form': {
    ...step,
    parties: [party],
    edits: [
      { op: 'set', path: ['a'], by: [0], value: { deep: [Symbol('s')] } },
      { op: 'set', path: ['b'], by: [0], value: 1 },
      { op: 'append', path: ['c'], by: [0], value: [() => 1] },
    ],
    started: [{ id: 'call', src: 'book', at: 'a', kind: 'promise', input: { a: { b: () => 1 } } }],
  },
  'an intent whose arguments hold a function': { ...intent, held: 'gate', args: { call: () => 1 } },
  'an outcome whose output holds a function': { ...outcome, output: { a: [() => 1] } },
  'a timer whose event holds a function': { ...timer, event: { type: 'later', call: () => 1 } },
};
