/** An answer that is found wrong some units later, by agents of units with progress keys of their own and with a shared cursor. */
import { readConfig } from 'belay-sidecar';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Step } from '../../audit/workloads/agent.ts';
import { NO_FAULTS } from '../../audit/workloads/faults.ts';
import { misledWorld } from '../../audit/workloads/misled.ts';
import { POLICIES, type Policy } from '../../audit/workloads/policies.ts';
import { runTask } from '../../audit/workloads/run.ts';
import { CURSORS, type Cursor, unitMachine } from '../../audit/workloads/unit-agent.ts';
import { carries, relyingOn, unitConfig, unitsOf } from '../../audit/workloads/unit-work.ts';
import { type WrongCell, wrongAnswers } from '../../audit/workloads/wrong-answers.ts';
import { wrongScoreOf } from '../../audit/workloads/wrong-score.ts';
import { type Act, shop, taskOf } from './shop.ts';

const set = shop();
const own = readConfig(set.config).config;
if (own === null) throw new Error('the config of the shop does not load');

/** Units a, b and c, each with its acts; c uses what a has found. */
function taskWith(acts: Readonly<Record<'a' | 'b' | 'c', readonly Act[]>>) {
  const plan = Object.entries(acts).flatMap(([unit, tools]) =>
    tools.map(
      (tool): Step => ({
        ...{ kind: 'order', unit, tool, with: { order: unit } },
        ...(unit === 'c' && { uses: 'a' }),
      }),
    ),
  );
  return { ...taskOf({ order: 'o1', acts: [] }), input: () => ({ plan }) };
}

const LABELS = { a: ['label'], b: ['label', 'pay'], c: ['label'] } as const;

async function known(acts: Parameters<typeof taskWith>[0]) {
  const setting = { set, config: own as NonNullable<typeof own>, task: taskWith(acts) };
  return { setting, reference: await runTask({ ...setting, faults: NO_FAULTS }, 'oracle') };
}

/** Runs one case: the reading of a is wrong, and is found at the beginning of c. */
async function one(policy: Policy, cursor: Cursor, acts: Parameters<typeof taskWith>[0]) {
  const { setting, reference: before } = await known(acts);
  const units = unitsOf(setting.task, before);
  const tools = ['label', 'pack', 'pay'];
  const config = unitConfig('shop-units', setting.config, tools, cursor);
  const machine = unitMachine('shop-units', Object.fromEntries(tools.map((name) => [name, carries(name, config)])));
  const misreading = {
    wrong: 'a',
    found: 'c',
    by: 'look' as const,
    distance: 2,
    relying: relyingOn(units, 'a', cursor),
  };
  const task = (misled: typeof misreading | null) => ({
    id: 'o1',
    input: () => ({ plan: units, ...(cursor === 'shared' && { at: 0 }) }),
    open: () => misledWorld(setting.task.open(), misled),
  });
  const run = (misled: typeof misreading | null, by: Policy) =>
    runTask(
      {
        ...setting,
        set: { ...set, machine, snapshots: ['unit.LOOKING'] },
        config,
        task: task(misled),
        faults: NO_FAULTS,
      },
      by,
    );
  const reference = await run(null, 'oracle');
  const ran = await run(misreading, policy);
  return { run: ran, reference, score: wrongScoreOf(ran, reference, misreading, config) };
}

describe('an agent whose units have progress keys of their own', () => {
  test('depends on the units that it uses, and with a shared cursor on all before it', async () => {
    const { setting, reference } = await known(LABELS);
    const units = unitsOf(setting.task, reference);
    expect(units.map(({ unit, uses, calls }) => [unit, uses, calls.length])).toEqual([
      ['a', [], 1],
      ['b', [], 2],
      ['c', ['a'], 1],
    ]);
    expect([...relyingOn(units, 'a', 'own')]).toEqual(['a', 'c']);
    expect([...relyingOn(units, 'a', 'shared')]).toEqual(['a', 'b', 'c']);
  });

  test('keeps what each unit has done under the keys of that unit, and counts nothing in common', async () => {
    const { reference } = await one('oracle', 'own', LABELS);
    const { at, units } = reference.context as { at?: number; units: Record<string, { at?: number }> };
    expect([at, units.a?.at, units.b?.at, units.c?.at]).toEqual([undefined, 1, 2, 1]);
    expect(((await one('oracle', 'shared', LABELS)).reference.context as { at?: number }).at).toBe(11);
  });

  test('has the recovery of one unit leave the effects of another alone: with a shared cursor it cannot', async () => {
    const apart = await one('belay', 'own', LABELS);
    expect([apart.score.same, apart.score.harm, apart.score.mustWait]).toEqual([true, false, false]);
    expect(apart.run.wire.applied.filter(({ unit }) => unit === 'b').map(({ undone }) => undone)).toEqual([
      false,
      false,
    ]);
    const tied = await one('belay', 'shared', LABELS);
    expect([tied.run.status, tied.score.mustWait, tied.score.needless]).toEqual(['parked', true, false]);
  });
});

describe('a wrong answer that others acted on', () => {
  test.each<[Policy, Partial<Awaited<ReturnType<typeof one>>['score']>]>([
    ['give-up', { same: false, harm: true, stale: 2, completed: true }],
    ['naive-retry', { same: false, harm: true, stale: 2, completed: true }],
    ['ask-and-retry', { same: false, harm: false, completed: false, parked: true, needless: true }],
    ['whole-restart', { same: false, harm: true, duplicated: 3 }],
    ['checkpoint-rollback', { same: false, harm: true, duplicated: 3, redoneBeside: 4 }],
    ['checkpoint-every-step', { same: false, harm: true, duplicated: 3, redoneBeside: 4 }],
    ['belay', { same: true, harm: false, completed: true, stale: 0, duplicated: 0 }],
    ['oracle', { same: true, harm: false, completed: true, redone: 3, redoneBeside: 0 }],
  ])('under %s', async (policy, expected) => {
    expect((await one(policy, 'own', LABELS)).score).toMatchObject(expected);
  });

  test('is undone by the oracle where it was acted on, newest first, and nowhere else', async () => {
    const { run, reference } = await one('oracle', 'own', { a: ['label', 'label'], b: ['label'], c: ['pay'] });
    const acts = run.wire.applied.map(({ unit, undone }) => `${unit}${undone ? ' undone' : ''}`);
    expect(acts).toEqual(['a undone', 'a undone', 'b', 'a', 'a', 'c']);
    expect(run.rows).toEqual(reference.rows);
    expect(run.context).toEqual(reference.context);
  });

  test.each<Policy>(['belay', 'oracle'])('waits for a person under %s where it cannot be undone', async (policy) => {
    const { run, score } = await one(policy, 'own', { a: ['pay'], b: ['label'], c: ['label'] });
    expect([run.status, score.mustWait, score.needless, score.harm]).toEqual(['parked', true, false, false]);
    expect(run.wire.applied.every(({ undone }) => !undone)).toBe(true);
  });

  test('counts as harm what differs only in the context', async () => {
    const { run, reference } = await one('belay', 'own', LABELS);
    const misreading = { wrong: 'a', found: 'c', by: 'look' as const, distance: 2, relying: new Set(['a', 'c']) };
    const spoilt = { ...run, context: { ...(run.context as object), units: {} } };
    const config = own as NonNullable<typeof own>;
    expect(wrongScoreOf(run, reference, misreading, config).harm).toBe(false);
    expect(wrongScoreOf(spoilt, reference, misreading, config).harm).toBe(true);
  });
});

describe('the cases of a set', () => {
  let cells: readonly WrongCell[];
  const wanted = { folder: 'orders', probabilities: [0], policies: POLICIES, seed: 3, runs: 6, asks: true };

  beforeAll(async () => {
    const references = await Promise.all([known(LABELS), known({ a: ['label'], b: ['pack'], c: ['pay'] })]);
    cells = await wrongAnswers({ ...wanted, references }, async () => {});
  });

  test('are the same for every policy, by every distance, and for both kinds of agents', () => {
    expect(cells).toHaveLength(CURSORS.length * POLICIES.length);
    for (const { runs } of cells) {
      expect(runs.map(({ wrong, found }) => `${wrong}${found}`).sort()).toEqual(['ab', 'ab', 'ac', 'ac', 'bc', 'bc']);
      expect(new Set(runs.map(({ distance }) => distance))).toEqual(new Set([1, 2]));
    }
  });

  test('end without harm under Belay and the oracle, and with harm where a wrong answer is left', () => {
    const harmed = (policy: Policy) =>
      cells.filter((cell) => cell.policy === policy).flatMap(({ runs }) => runs.map(({ score }) => score.harm));
    expect(harmed('belay')).not.toContain(true);
    expect(harmed('oracle')).not.toContain(true);
    expect(harmed('give-up')).not.toContain(false);
  });

  test('are none where every task has one unit', async () => {
    const setting = { set, config: own as NonNullable<typeof own>, task: taskOf({ order: 'o1', acts: ['pay'] }) };
    const reference = await runTask({ ...setting, faults: NO_FAULTS }, 'oracle');
    expect(await wrongAnswers({ ...wanted, references: [{ setting, reference }] }, async () => {})).toEqual([]);
  });
});
