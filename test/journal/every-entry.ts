/** One entry of every kind, and one for each way in which its members can be there or not: what the rows of a journal are made of. */
import type { IntentEntry, OutcomeEntry } from '../../src/model/call-entries.ts';
import type { Decision } from '../../src/model/decision.ts';
import type { Entry } from '../../src/model/entry.ts';
import { book, controls, digests, party, pay, step, steps } from './every-step.ts';

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
  migrated: {
    'with what was compared': {
      do: 'migrated',
      from: digests,
      digests: { ...digests, code: 'd0', tools: { pay: '2' } },
      classes: [{ key: 'k0', class: 'irreversible', undo: false }],
      isReplaced: true,
      compared: { steps: 3, calls: 1 },
      carried: ['k1'],
      by: 'ada',
    },
  },
  verified: {
    'the first look': {
      do: 'verified',
      key: null,
      reads: [{ actor: 3, at: 12, first: { tool: 'fares', args: { trip: 'r' }, output: [{ cents: 40_000 }] } }],
    },
    'by a call': {
      do: 'verified',
      key: 'k1',
      reads: [
        { actor: 3, at: 12 },
        { actor: 4, at: 20, again: true },
      ],
    },
  },
  sandbox: {
    'about to be started': { do: 'sandbox', name: 'box', key: 'r/box', is: 'starting', provider: 'folder' },
    'that was started': { do: 'sandbox', name: 'box', key: 'r/box', is: 'started', handle: { folder: 'a' } },
    'whose contents were kept': { do: 'sandbox', name: 'box', key: 'r/box', is: 'kept', snapshot: '1' },
    'that is gone': { do: 'sandbox', name: 'box', key: 'r/box~1', is: 'gone' },
  },
  released: { 'of two keys': { do: 'released', keys: ['stock:7', 'seat:*'] } },
  promised: {
    'at an exit': {
      do: 'promised',
      instance: { skeleton: 'Reserve', entity: 'order-1', ordinal: 0 },
      boundary: 'reserved',
      at: 12,
      keys: ['stock:7'],
    },
  },
  committed: {
    'that says something': {
      ...{ do: 'committed', id: 'c1', instance: pay, actor: 0, boundary: 'paid', at: 7 },
      ...{ text: 'paid ada', due: true },
    },
    'that says nothing': { do: 'committed', id: 'c2', instance: pay, actor: 1, boundary: 'paid', at: 9, due: true },
  },
  judging: {
    'of outputs and calls': {
      ...{ do: 'judging', id: 'v1', instance: pay, actor: 0, boundary: 'paid', at: 7, tool: 'grade' },
      work: { unit: 'Pay', entity: 'ada', outputs: { receipt: 'r1' }, calls: [{ tool: 'mail', args: { to: 'ada' } }] },
    },
  },
  judged: {
    'by the judge': { do: 'judged', id: 'v1', is: 'weak', pass: true, why: 'thin', found: 'receipt', by: null },
    'by a person': { do: 'judged', id: 'v1', is: 'accepted', pass: null, why: null, found: null, by: 'ann' },
  },
  obligation: {
    'that is owed': {
      ...{ do: 'obligation', is: 'owed', key: 'k1', each: 'args.promises', due: [1_700_000_000_000, null] },
      ...{ keptBy: 'refund', as: 'kept.args.cents >= obligation.cents', until: 'memory.?over.hasValue()' },
    },
    'of a list': { do: 'obligation', is: 'owed', key: 'k1', each: [{ what: 'revert' }], due: [null], keptBy: 'revert' },
    'that a person answers': {
      ...{ do: 'obligation', is: 'answered', name: 'k1#1', as: 'released', by: 'ann', why: null },
    },
    'that is overdue': { do: 'obligation', is: 'overdue', name: 'k1#1' },
    'that nothing keeps': { do: 'obligation', is: 'unkept', name: 'k1#1', why: 'the config has no tool refund' },
  },
  announced: { once: { do: 'announced', id: 'c1' } },
  freed: { 'of one key': { do: 'freed', keys: ['stock:7'] } },
  reclaimed: {
    'but for one': { do: 'reclaimed', passed: [{ key: 'stock:7', run: 'order-2', epoch: 5 }] },
  },
  forked: {
    "with the calls that are another run's": {
      do: 'forked',
      of: 'trip-1',
      at: 41,
      by: 'ada',
      why: 'another itinerary',
      classes: [{ key: 'k0', class: 'irreversible', undo: false }],
    },
    'as an attempt': {
      do: 'forked',
      of: 'trip-1',
      at: 41,
      by: 'ada',
      why: null,
      attempt: { of: 'tries', number: 2, count: 3, score: '-event.output.price', until: 1_700_000_000_000 },
    },
  },
  tried: {
    'at its end, with a score': { do: 'tried', at: 'end', score: -12.5 },
    'before a call': { do: 'tried', at: 'act', tool: 'pay', why: 'unknown: event.output' },
    'in line': { do: 'tried', at: 'key' },
  },
  kept: {
    'by a person': { do: 'kept', run: 'tries-2', post: 3, by: 'ada', why: 'cheaper', refused: null },
    'by the score': { do: 'kept', run: 'tries-2', post: null, by: null, why: null, refused: null },
    refused: { do: 'kept', run: 'tries-1', post: 4, by: 'bob', why: null, refused: 'tries-2 was kept' },
  },
  begin: {
    'with its secret': { do: 'begin', agent: 'm', digests, format: 1, secret: 'ab' },
    'with rules of redaction': {
      do: 'begin',
      agent: 'm',
      digests,
      format: 1,
      secret: 'ab',
      redact: { keys: ['card/*'], tools: { pay: ['args.card'] } },
    },
    'in a trace': {
      do: 'begin',
      agent: 'm',
      digests,
      format: 1,
      secret: 'ab',
      trace: { parent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, state: 'vendor=1' },
    },
    'in a trace of no vendor': {
      do: 'begin',
      agent: 'm',
      digests,
      format: 1,
      secret: 'ab',
      trace: { parent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00` },
    },
  },
  config: {
    'with other digests': { do: 'config', digests },
    'with rules of redaction': { do: 'config', digests, redact: { keys: [], tools: {} } },
    'with what certificates rest on': {
      do: 'config',
      digests: { ...digests, certificate: { page: 'a0', tools: { pay: 'b0' } } },
    },
    'with calls that are kept as another class': {
      do: 'config',
      digests,
      classes: [{ key: 'k0', class: 'irreversible', undo: false }],
    },
  },
  step: steps,
  intent: {
    'of a call': intent,
    'without arguments': { ...intent, class: 'none', args: undefined },
    'of a call that waits for a person': { ...intent, held: 'gate' },
    'of a call that waits for its commit': { ...intent, class: 'compensable', undo: true, held: 'buffer' },
    'of a call whose key is made of another entity': { ...intent, keyedAs: 'p0' },
    'of a call in a region of its unit': { ...intent, place: 'work.a' },
    'of a call that is an act of its store': { ...intent, once: 'digest', inStore: true },
    'of a call that repeats an act': { ...intent, class: 'none', undo: false, once: 'digest', repeats: 'k0' },
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
    'of control alone': restored,
    'that sets work aside': { ...restored, aside: [book], wrong: ['k1'], sure: true },
    'that resumes elsewhere': { ...restored, wrong: ['k1'], sure: ['k1'], resumed: [{ region: '0:a', by: book }] },
  },
  claimed: { 'of an instance': { do: 'claimed', instance: book } },
  dismissed: {
    'of an instance': { do: 'dismissed', instance: book, why: 'unclaimed' },
    'with wrong answers': { do: 'dismissed', instance: book, why: 'found_wrong', wrong: ['k1'] },
  },
  late: { 'of an actor': { do: 'late', actor: 4, event: 'xstate.done.actor.call' } },
  finding: {
    'about the run': finding,
    'about a boundary of an instance': { ...finding, instance: book, boundary: 'booked' },
  },
  end: {
    done: { do: 'end', status: 'done' },
    stopped: { do: 'end', status: 'stopped' },
    cancelled: { do: 'end', status: 'cancelled', standing: ['k1'] },
    compensated: { do: 'end', status: 'compensated', standing: ['k1'] },
  },
  turn: {
    'that stands': { do: 'turn', nth: 1, said: 'stands', left: [] },
    'with a name, and a call that never left': {
      do: 'turn',
      nth: 2,
      said: 'rewritten',
      id: 'm-7',
      is: 'e1',
      left: ['k1'],
    },
  },
  branch: { 'that has failed': { do: 'branch', actor: 2, error: 'no seat' } },
  choice: {
    'of the best': {
      do: 'choice',
      alternatives: 'Trip',
      by: 'best',
      branches: [
        { actor: 1, branch: 'rome', is: 'won', score: -80 },
        { actor: 2, branch: 'oslo', is: 'failed', why: 'no seat' },
      ],
    },
    'of none, for the state was left': {
      do: 'choice',
      alternatives: 'Trip',
      by: 'left',
      branches: [{ actor: 1, branch: 'rome', is: 'unfinished' }],
    },
  },
  idled: { 'after a death': { do: 'idled', since: 1_000_040 } },
  overtaken: { 'from a process that may live': { do: 'overtaken', upTo: 41 } },
  given_back: {
    'with calls under way': { do: 'given_back', keys: ['k1', 'k2'], by: { host: 'a b c', pid: 7, started: '9' } },
  },
  returned: { 'after that': { do: 'returned', key: 'k1' } },
  voided: { 'of a call': { do: 'voided', key: 'k1' } },
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
    'that no area has prepared': {
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
  retried: {
    'by a person': { do: 'retried', questions: ['[1]'], by: 'ann', why: 'put right', post: null, refused: null },
    'that was refused': { do: 'retried', questions: [], by: 'ann', why: null, post: 3, refused: 'nothing threw' },
  },
  mandate: {
    'that is given': {
      do: 'mandate',
      is: 'given',
      id: 'm1',
      terms: { id: 'm1', by: 'ann', policy: 'cash', until: '2026-12-01', cents: 500 },
      why: null,
      post: 4,
      refused: null,
    },
    'that is withdrawn': { do: 'mandate', is: 'revoked', id: null, by: 'ann', why: 'odd', post: null, refused: 'no' },
    'that is over': { do: 'mandate', is: 'over', why: 'expired' },
    'that is wanted': { do: 'mandate', is: 'wanted', tool: 'pay' },
  },
  pause: {
    'by a message': { do: 'pause', paused: true, post: 4, by: 'ann', why: 'the price is odd', refused: null },
    'that was refused': { do: 'pause', paused: false, post: null, by: 'ann', why: null, refused: 'not paused' },
  },
  steered: {
    'by a message': {
      do: 'steered',
      act: 'revise',
      of: 'brief',
      id: 'r1',
      digest: 'aa',
      type: 'BRIEF',
      post: 4,
      by: 'ada',
      why: null,
      event: { type: 'BRIEF', words: 8000 },
      version: 1,
      refused: null,
    },
    'that was refused': {
      do: 'steered',
      act: 'retract',
      of: '@12',
      type: '',
      post: null,
      by: null,
      why: 'a slip',
      version: 0,
      refused: 'it was paid',
    },
  },
  discarded: {
    'with its calls': { do: 'discarded', instance: { skeleton: 'Book', entity: 'p1', ordinal: 0 } },
    'that was refused': {
      do: 'discarded',
      instance: { skeleton: 'Book', entity: 'p1', ordinal: 0 },
      refused: 'others rest on it',
    },
  },
  stands: {
    'for good': { do: 'stands', key: 'k1', why: 'it is irreversible' },
    'after an abort': { do: 'stands', key: 'k1', why: 'it is irreversible', on: ['k0'] },
    'by a person': { do: 'stands', key: 'k1', why: 'a person says so', by: 'ann' },
  },
  settled: {
    'that was taken': { do: 'settled', post: 7, key: 'k1', status: 'confirmed', by: 'ann', why: null, refused: null },
    'that was refused': {
      do: 'settled',
      post: 8,
      key: 'k1',
      status: 'failed',
      by: 'ann',
      why: 'seen',
      refused: 'known',
    },
  },
  retracted: { 'of two questions': { do: 'retracted', questions: ['[1]', '[2]'] } },
  complaint: {
    'about one occurrence': {
      ...{ do: 'complaint', post: 5, signal: 'INVALID_OUTPUT', instance: pay, key: 'price' },
      ...{ by: 'ann', why: 'too high', refused: null },
    },
    'that was refused': {
      ...{ do: 'complaint', post: 6, signal: 'INVALID_OUTPUT', instance: { skeleton: 'Pay', entity: 'e' }, key: null },
      ...{ by: 'ann', why: null, refused: 'never begun' },
    },
  },
  cancel: {
    'that undoes it as well': { do: 'cancel', post: 7, by: 'ann', why: null, refused: null, undo: true },
    'that ends the run': { do: 'cancel', post: 7, by: 'ann', why: 'not wanted', refused: null },
    'that came late': { do: 'cancel', post: 8, by: 'ann', why: null, refused: 'the run has ended' },
  },
  held: {
    'that a region takes': {
      do: 'held',
      post: 3,
      event: { type: 'PAID' },
      by: 'ann',
      takers: [
        ['0:a', 'Pay(it)#0'],
        ['0:', null],
      ],
    },
    'that the program sent': { do: 'held', post: null, event: { type: 'PAID' }, by: null, takers: [] },
    'with an id and what was seen': {
      ...{ do: 'held', post: 5, event: { type: 'PAID' }, by: null, takers: [] },
      ...{ id: 'k1', digest: 'ab', seen: { price: 'cd' } },
    },
  },
  message: {
    'that was sent': { do: 'message', post: 3, event: 'PAID', by: 'ann', refused: null },
    'that was held': { do: 'message', post: null, held: 0, event: 'PAID', by: null, refused: null },
    'that was refused': { do: 'message', post: 4, event: 'PAID', by: null, refused: 'not in this state' },
    'with an id': { do: 'message', post: null, id: 'k1', digest: 'ab', event: 'PAID', by: 'ann', refused: null },
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
    started: [
      { id: 'call', src: 'book', at: 'a', kind: 'promise', input: { a: { b: () => 1 }, c: [() => 2, 3] } },
      { id: 'call', src: 'book', at: null, kind: 'machine', input: { a: { b: () => 1 } }, systemId: 'a' },
    ],
  },
  'an intent whose arguments hold a function': { ...intent, held: 'gate', args: { call: () => 1 } },
  'an outcome whose output holds a function': { ...outcome, output: { a: [() => 1] } },
  'a timer whose event holds a function': { ...timer, event: { type: 'later', call: () => 1 } },
};
