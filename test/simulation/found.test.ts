/** Scenarios that a campaign has found and cut down: each ends as without faults, or parked. */
import { expect, test } from 'vitest';
import type { Scenario, Step, Unit } from './scenario.ts';
import { runScenario } from './trial.ts';

const call = (at: string, key: string, repeats?: string): Step => ({
  step: 'call',
  at,
  tool: 't2',
  key,
  also: null,
  reads: [],
  retry: false,
  ...(repeats !== undefined && { repeats }),
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

/** Three units in regions act twice each. Two acts are undone by hand while the run is paused, and their replies wait for it to go on: they end the machine. */
const endsBesideADecision: Scenario = {
  body: [
    {
      block: 'parallel',
      at: 'pU6',
      regions: [
        [unit('U6', [call('s1', 'k3'), call('s4r', 'ks4r', 's4')])],
        [unit('U6p1', [call('s1p1', 'k3p1'), call('s4rp1', 'ks4rp1', 's4p1')])],
        [
          unit('U6p2', [call('s1p2', 'k3p2'), call('s4p2', 'k5p2'), call('s4rp2', 'ks4rp2', 's4p2')], {
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
    {
      name: 't2',
      effect: 'reversible',
      reconcile: true,
      refusesKey: false,
      undo: true,
      buffer: false,
      gate: false,
      timeout: false,
      reads: [],
      writes: ['bank:{args.entity}'],
      schema: false,
      spends: false,
      before: 0,
      after: 0,
      once: 'site',
    },
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

test('a step that ends the machine between a decision and its entry has the run decide anew (C13, R5)', async () => {
  const result = await runScenario(endsBesideADecision);
  expect(result?.verdict).toEqual({ is: 'same' });
  expect(result?.fired).toHaveLength(3);
});
