/** The judge of the simulator: it sees every kind of wrong ending, and is silent about right ones. */
import { describe, expect, test } from 'vitest';
import { judge } from './judge.ts';
import { type Reference, referenceOf } from './reference.ts';
import type { Block, Fault, Scenario, ToolSpec } from './scenario.ts';
import { runScenario } from './trial.ts';
import { World } from './world.ts';

const plain = {
  reconcile: true,
  refusesKey: false,
  undo: false,
  buffer: false,
  gate: false,
  timeout: false,
  schema: false,
  reads: [],
  writes: [],
  spends: false,
  before: 0,
  after: 0,
};
const look: ToolSpec = { ...plain, name: 'look', effect: 'none' };
const pay: ToolSpec = { ...plain, name: 'pay', effect: 'irreversible' };

function unit(name: string, tool: string, key: string, reads: readonly string[]): Block {
  const call = { step: 'call', at: `s${name}`, tool, key, also: null, reads, retry: false } as const;
  return {
    block: 'unit',
    name,
    steps: [call],
    anchors: 'all',
    resume: true,
    undoes: false,
    joint: 'none',
    outcomes: false,
  };
}

const scenario: Scenario = {
  tools: [look, pay],
  children: [],
  body: [unit('Look', 'look', 'k1', []), unit('Pay', 'pay', 'k2', ['k1']), unit('Tell', 'look', 'k3', ['k2'])],
  redeliver: false,
  paged: false,
  faults: [],
};
const args = { at: 'sPay', entity: 'it', round: 0, cents: 7, in: { k1: 5 } };
const expected: Reference = {
  context: { k1: 5 },
  acts: ['pay {at:"sPay",cents:7,entity:"it",in:{k1:5},round:0}'],
  sites: [],
};
const done = { status: 'done', context: { k1: 5 }, value: 'end', decision: null, unpublished: 0 } as const;

/** A world in which these acts stand. */
function worldWith(...paid: readonly (typeof args)[]): World {
  const world = new World([]);
  for (const [index, each] of paid.entries())
    world.acts.push({ tool: pay, args: each, key: `key ${index}`, stands: true });
  return world;
}

describe('a doctored world', () => {
  const harmsOf = (world: World, end: Parameters<typeof judge>[1] = done): readonly string[] => {
    const verdict = judge(scenario, end, world, [expected]);
    return verdict.is === 'harm' ? verdict.harms : [verdict.is];
  };

  test('is right as it should be', () => {
    expect(harmsOf(worldWith(args))).toEqual(['same']);
  });

  test('is wrong with an act that stands twice, is lost, or has another amount', () => {
    expect(harmsOf(worldWith(args, args))).toEqual(['twice']);
    expect(harmsOf(worldWith())).toEqual(['lost']);
    expect(harmsOf(worldWith({ ...args, cents: 8 }))).toEqual(['left over', 'lost']);
  });

  test('is wrong with another context', () => {
    expect(harmsOf(worldWith(args), { ...done, context: { k1: 6 } })).toEqual(['context']);
  });

  test('is wrong with what cannot be taken back and stands twice, also while the run is parked', () => {
    expect(harmsOf(worldWith(args, { ...args, cents: 8 }), { ...done, status: 'parked' })).toEqual([
      'twice while parked',
    ]);
    expect(harmsOf(worldWith(args), { ...done, status: 'parked' })).toEqual(['parked']);
  });
});

describe('a whole run', () => {
  const wrong: Fault = { fault: 'wrong', site: 'sLook it 0', named: true, calls: 1, ms: 0, twice: false };

  test('without faults is the same as without the sidecar', async () => {
    expect((await runScenario(scenario))?.verdict).toEqual({ is: 'same' });
    expect((await referenceOf(scenario, new Set()))?.acts).toHaveLength(1);
  });

  test('is wrong where the config lies: a payment that is declared to do nothing is made twice', async () => {
    const told: Scenario = { ...scenario, faults: [wrong] };
    expect((await runScenario(told))?.verdict.is).not.toBe('harm');
    const lying: Scenario = { ...told, tools: [look, { ...pay, declared: 'none' }] };
    const result = await runScenario(lying);
    expect(result?.verdict).toMatchObject({ is: 'harm', harms: ['left over'] });
  });
});
