/** Scenarios that a campaign has found and cut down: each ends as without faults, or parked. */
import { expect, test } from 'vitest';
import type { Scenario, Step, ToolSpec, Unit } from './scenario.ts';
import { runScenario } from './trial.ts';

const call = (at: string, key: string, more: Partial<Step & { step: 'call' }> = {}): Step => ({
  step: 'call',
  at,
  tool: 't2',
  key,
  also: null,
  reads: [],
  retry: false,
  ...more,
});
const unit = (name: string, steps: Step[], more: Partial<Unit> = {}): Unit => ({
  block: 'unit',
  name,
  steps,
  anchors: 'all',
  resume: true,
  undoes: true,
  joint: 'none',
  outcomes: false,
  ...more,
});

const tool = (name: string, more: Partial<ToolSpec>): ToolSpec => ({
  name,
  effect: 'none',
  reconcile: false,
  refusesKey: false,
  undo: false,
  buffer: false,
  gate: false,
  timeout: false,
  reads: [],
  writes: [],
  schema: false,
  spends: false,
  before: 0,
  after: 0,
  ...more,
});

/** Three units in regions act twice each. Two acts are undone by hand while the run is paused, and their replies wait for it to go on: they end the machine. */
const endsBesideADecision: Scenario = {
  body: [
    {
      block: 'parallel',
      at: 'pU6',
      regions: [
        [unit('U6', [call('s1', 'k3'), call('s4r', 'ks4r', { repeats: 's4' })])],
        [unit('U6p1', [call('s1p1', 'k3p1'), call('s4rp1', 'ks4rp1', { repeats: 's4p1' })])],
        [
          unit('U6p2', [call('s1p2', 'k3p2'), call('s4p2', 'k5p2'), call('s4rp2', 'ks4rp2', { repeats: 's4p2' })], {
            joint: 'all',
            skeleton: 'U6',
            about: 'entity',
          }),
        ],
      ],
      leaves: false,
    },
  ],
  tools: [
    tool('t2', {
      effect: 'reversible',
      reconcile: true,
      undo: true,
      writes: ['bank:{args.entity}'],
      once: 'site',
    }),
  ],
  children: [],
  redeliver: false,
  paged: false,
  faults: [
    { fault: 'by hand', calls: 5, which: 1, ms: 1, after: 4 },
    { fault: 'by hand', calls: 4, which: 0, ms: 60, after: 4 },
    { fault: 'pause', calls: 5, ms: 0, lasts: 8 },
  ],
};

/** Work that was set aside is entered again while a complaint is open, and taken out again by its answer, which leads before it. */
const claimsUnderComplaints: Scenario = {
  body: [
    {
      block: 'parallel',
      at: 'pU4',
      regions: [[unit('U4', [call('s1', 'k3')])], [unit('U4p1', [call('s1p1', 'k3p1')])]],
      leaves: false,
    },
    unit('U14', [
      call('s7', 'k9', { tool: 't8', reads: ['k5'] }),
      call('s10', 'k9', { tool: 't11' }),
      { step: 'await', at: 'w12', key: 'k13' },
    ]),
    unit('U14s7r', [call('s7r', 'ks7r', { tool: 't8', reads: ['k5'], repeats: 's7' })]),
    unit('U17', [{ step: 'await', at: 'w15', key: 'k16' }]),
    unit('U23', [call('s18', 'k20', { tool: 't19' }), { step: 'await', at: 'w21', key: 'k22' }]),
  ],
  tools: [
    tool('t2', { before: 1, after: 1 }),
    tool('t8', { effect: 'irreversible', reconcile: true, once: 'site and sum' }),
    tool('t11', { effect: 'compensable', reconcile: true, undo: true, before: 1 }),
    tool('t19', { spends: true, before: 2 }),
  ],
  children: [],
  redeliver: true,
  paged: false,
  faults: [
    { fault: 'wrong', site: 's1p1 it 0', named: false, calls: 2, ms: 3, twice: false },
    { fault: 'wrong', site: 's7 it 0', named: false, calls: 3, ms: 1, twice: false },
    { fault: 'killed', append: 19, when: 'lost' },
    { fault: 'by hand', calls: 4, which: 0, ms: 60, after: 12 },
    { fault: 'by hand', calls: 5, which: 3, ms: 1, after: 1 },
    { fault: 'pause', calls: 6, ms: 1, lasts: 3 },
  ],
};

test('a claim that waits for the answer to a complaint is looked at again whatever lets it go on (C5, LC2)', async () => {
  const result = await runScenario(claimsUnderComplaints);
  expect(result?.verdict).toEqual({ is: 'same' });
  expect(result?.fired).toHaveLength(5);
});

test('a step that ends the machine between a decision and its entry has the run decide anew (C13, R5)', async () => {
  const result = await runScenario(endsBesideADecision);
  expect(result?.verdict).toEqual({ is: 'same' });
  expect(result?.fired).toHaveLength(3);
});
