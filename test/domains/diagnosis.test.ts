import { describe, expect, test } from 'vitest';
import { agents } from '../../domains/agents.ts';
import type { Fault } from '../../src/xstate/faults.ts';
import { folder, reviewed, runsOf } from './running.ts';

const agent = agents.diagnosis;
const run = runsOf(agent);

describe('the machine and its boundaries', () => {
  const { size, warnings, notRecoverable } = reviewed(agent);

  test('have the size of the paper: 13 states, 19 legal edges, 3 skeletons, 4 commits, 6 exits', () => {
    expect(size).toMatchObject({ states: 13, edges: 19, skeletons: 3, commits: 4, exits: 6 });
  });

  test('have one edge that leaves a skeleton and is no boundary: giving up', () => {
    expect(warnings).toEqual([]);
    expect(notRecoverable()).toEqual(['PLANNING_REPAIR -> ESCALATED']);
  });
});

describe('a run that never fails', () => {
  test('takes 19 actions with three faults, and certifies every boundary that it comes past', async () => {
    const { status, calls, world, findings } = await run({});
    expect([status, calls.length, findings]).toEqual(['done', 19, []]);
    expect(world).toMatchObject({
      lock: [],
      quota: [{ used: 120, size: 140 }],
      work: [{ cause: 'lock' }, { cause: 'quota' }, { cause: 'queue' }],
      notice: { length: 2 },
      incident: [{ service: 'shop', causes: 'lock, quota, queue' }],
    });
  });

  test('leaves the same rows in every folder', async () => {
    expect((await run({})).world).toEqual((await run({})).world);
  });

  test('follows a hypothesis again where one repair was not enough, as its next occurrence', async () => {
    const { named, world, findings } = await run({ faults: ['quota'], used: 190 });
    expect(named.filter((call) => call.startsWith('judge'))).toEqual([
      'judge_hypothesis ResolveCheck::quota::0',
      'judge_hypothesis ResolveCheck::quota::1',
      'judge_hypothesis ResolveCheck::quota::2',
    ]);
    expect(world).toMatchObject({ quota: [{ size: 220 }], work: [{ now: '140' }, { now: '180' }, { now: '220' }] });
    expect(findings).toEqual([]);
  });

  test('finds what a port that refused has hidden', async () => {
    const { value, world } = await run({ faults: ['config', 'lock', 'certificate'] });
    expect([value, world.config]).toEqual(['CLOSED', [{ content: '{"workers":4}' }]]);
    expect(world.work?.map((row) => (row as { cause: string }).cause)).toEqual(['config', 'lock', 'certificate']);
  });

  test('gives up where a check stays inconclusive, and tells nobody', async () => {
    const { status, value, world, findings } = await run({ faults: ['keystore'] });
    expect([status, value, world.work, world.notice, findings]).toEqual(['done', 'ESCALATED', [], [], []]);
  });

  test('is over at once where nothing is wrong', async () => {
    const { value, named } = await run({ faults: [] });
    expect([value, named]).toEqual(['CLOSED', ['collect_symptoms Triage::incident::0']]);
  });

  test('refuses an input that is no request, and says why', async () => {
    await expect(agent.open({ run: 'r', folder: folder(), input: { used: 3, faultz: [] } })).rejects.toThrow(
      /no request.*additional properties.*\/used must be >= 100/,
    );
  });
});

describe('a run that fails ends in the same world', () => {
  const cases: readonly (readonly [string, Fault, readonly string[]])[] = [
    ['a look that times out', { tool: 'run_check', nth: 3, when: 'before', signal: 'TIMEOUT' }, ['restore']],
    [
      'a judgement that is none',
      { tool: 'judge_hypothesis', nth: 2, when: 'after', signal: 'INVALID_OUTPUT' },
      ['restore'],
    ],
    ['a probe whose reply is lost', { tool: 'probe_queue', when: 'after', signal: 'TIMEOUT' }, ['settle']],
    [
      'a repair whose reply is lost',
      { tool: 'apply_repair', nth: 2, when: 'after', signal: 'TOOL_EXCEPTION' },
      ['settle'],
    ],
    [
      'a repair that never left',
      { tool: 'apply_repair', nth: 2, when: 'before', signal: 'TOOL_EXCEPTION' },
      ['settle'],
    ],
    [
      'a repair that is denied',
      { tool: 'apply_repair', nth: 2, when: 'before', signal: 'GOVERNOR_DENIED' },
      ['restore'],
    ],
    ['a verification that fails', { tool: 'verify_service', nth: 2, when: 'before', signal: 'TIMEOUT' }, ['restore']],
    ['a record that is not taken', { tool: 'close_incident', when: 'before', signal: 'TOOL_EXCEPTION' }, ['restore']],
  ];
  test.each(cases)('%s', async (_, fault, verdicts) => {
    const whole = (await run({})).world;
    const { status, world, verdicts: seen } = await run({}, fault);
    expect([status, seen, world]).toEqual(['done', verdicts, whole]);
  });

  test('a notice whose reply is lost: nobody can be asked, so a person has to say', async () => {
    const fault = { tool: 'notify_customers', when: 'after', signal: 'TIMEOUT' } as const;
    const { status, verdicts, world } = await run({}, fault);
    expect([status, verdicts, world.notice?.length, world.incident]).toEqual(['parked', ['escalate'], 2, []]);
  });
});
