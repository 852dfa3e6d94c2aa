import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { agents } from '../../domains/agents.ts';
import { readConfig } from '../../src/boundaries/directory.ts';
import { lintConfig } from '../../src/boundaries/lint.ts';
import { instanceName } from '../../src/model/instance.ts';
import { attach, type SidecarOptions } from '../../src/sidecar/attach.ts';
import type { Report } from '../../src/sidecar/report.ts';
import { type Fault, withFault } from '../../src/xstate/faults.ts';
import { machineShape } from '../../src/xstate/shape.ts';

const agent = agents.diagnosis;
const shape = machineShape(agent.machine);
const { config, document, findings } = readConfig(agent.config);
if (config === null) throw new Error(JSON.stringify(findings));

const folders: string[] = [];
const folder = () => {
  const made = mkdtempSync(join(tmpdir(), 'belay-diagnosis-'));
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const each of folders.splice(0)) rmSync(each, { recursive: true, force: true });
});

/** Somebody finds earlier work wrong when a tool is called: the first call, or the nth. */
interface Found {
  readonly during: string;
  readonly instance: readonly [skeleton: string, entity: string, ordinal: number];
  readonly key: string;
}

interface Given extends Partial<SidecarOptions> {
  readonly fault?: Fault;
  readonly found?: Found;
}

/** Runs the agent in a world of its own until it ends or stands still. */
async function run(input: object, { fault, found, ...options }: Given = {}) {
  const opened = await agent.open({ run: 'r', folder: folder(), input });
  const faulty = fault === undefined ? null : withFault(opened.machine, fault);
  const reports: Report[] = [];
  const calls: string[] = [];
  const told: string[] = [];
  const sidecar = await attach(faulty?.machine ?? opened.machine, {
    run: 'r',
    config: agent.config,
    input: opened.input,
    undo: opened.undo ?? {},
    reconcilers: opened.reconcilers ?? {},
    reviewed: true,
    onDecision: (report) => void reports.push(report),
    onFinding: ({ code, text }) => void told.push(`${code} ${text.split(' does not')[0]}`),
    governor: async ({ tool, instance }) => {
      calls.push(`${tool} ${instanceName(instance)}`);
      const nth = calls.filter((call) => call.startsWith(`${tool} `)).length;
      if (found?.during === `${tool}#${nth}`) {
        const [skeleton, entity, ordinal] = found.instance;
        await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton, entity, ordinal }, key: found.key });
      }
      return faulty?.governor({ tool }) ?? null;
    },
    ...options,
  });
  sidecar.actor.start();
  const ending = await sidecar.finished();
  const world = (await opened.world?.()) ?? {};
  const { value, context } = sidecar.actor.getSnapshot() as { value: unknown; context: Record<string, unknown> };
  await sidecar.close();
  await opened.close();
  const verdicts = reports.map(({ decision }) => decision.verdict);
  const moved = reports.flatMap(
    ({ decision }) => decision.line?.moves.map((move) => instanceName(move.instance)) ?? [],
  );
  return { ending, world, value, context, reports, verdicts, moved, calls, findings: told };
}

describe('the machine and its boundaries', () => {
  test('have the size of the paper: 13 states, 19 legal edges, 3 skeletons, 4 commits, 6 exits', () => {
    const edges = new Set(shape.edges.map(({ from, to }) => `${from} -> ${to}`));
    const skeletons = [...config.skeletons.values()];
    const count = (kind: 'commit' | 'exit') =>
      skeletons.flatMap((each) => each.boundaries).filter((each) => each.kind === kind).length;
    expect([
      shape.states.filter(({ path }) => path !== '').length,
      edges.size,
      skeletons.length,
      count('commit'),
      count('exit'),
    ]).toEqual([13, 19, 3, 4, 6]);
  });

  test('have one edge that leaves a skeleton and is no boundary: giving up', () => {
    const lint = lintConfig(config, document, shape);
    expect(lint.filter(({ severity }) => severity !== 'note')).toEqual([]);
    const left = lint.filter(({ code }) => code === 'not_recoverable').map(({ message }) => message.split(' (')[0]);
    expect(left).toEqual(['PLANNING_REPAIR -> ESCALATED']);
  });
});

describe('a run that never fails', () => {
  test('takes 19 actions with three faults, and certifies every boundary that it comes past', async () => {
    const { ending, calls, world, findings: none } = await run({});
    expect([ending.status, calls.length, none]).toEqual(['done', 19, []]);
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
    const { calls, world, findings: none } = await run({ faults: ['quota'], used: 190 });
    expect(calls.filter((call) => call.startsWith('judge'))).toEqual([
      'judge_hypothesis ResolveCheck::quota::0',
      'judge_hypothesis ResolveCheck::quota::1',
      'judge_hypothesis ResolveCheck::quota::2',
    ]);
    expect(world).toMatchObject({ quota: [{ size: 220 }], work: [{ now: '140' }, { now: '180' }, { now: '220' }] });
    expect(none).toEqual([]);
  });

  test('finds what a port that refused has hidden', async () => {
    const { value, world } = await run({ faults: ['config', 'lock', 'certificate'] });
    expect([value, world.config]).toEqual(['CLOSED', [{ content: '{"workers":4}' }]]);
    expect(world.work?.map((row) => (row as { cause: string }).cause)).toEqual(['config', 'lock', 'certificate']);
  });

  test('gives up where a check stays inconclusive, and tells nobody', async () => {
    const { ending, value, world, findings: none } = await run({ faults: ['keystore'] });
    expect([ending.status, value, world.work, world.notice, none]).toEqual(['done', 'ESCALATED', [], [], []]);
  });

  test('is over at once where nothing is wrong', async () => {
    const { value, calls } = await run({ faults: [] });
    expect([value, calls]).toEqual(['CLOSED', ['collect_symptoms Triage::incident::0']]);
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
    const { ending, world, verdicts: seen } = await run({}, { fault });
    expect([ending.status, seen, world]).toEqual(['done', verdicts, whole]);
  });

  test('a notice whose reply is lost: nobody can be asked, so a person has to say', async () => {
    const fault = { tool: 'notify_customers', when: 'after', signal: 'TIMEOUT' } as const;
    const { ending, verdicts, world } = await run({}, { fault });
    expect([ending.status, verdicts, world.notice?.length, world.incident]).toEqual(['parked', ['escalate'], 2, []]);
  });
});

describe('a repair that times out is the business of the machine, which goes and looks', () => {
  const fault = { tool: 'apply_repair', nth: 2, when: 'before', signal: 'TIMEOUT' } as const;

  test('where it does not show, it is made once: what came after it was no place to go back to', async () => {
    const { ending, verdicts, calls, world, findings: told } = await run({}, { fault });
    expect([ending.status, verdicts]).toEqual(['done', ['restore']]);
    expect(told).toEqual(['not_certified commit repaired of RepairService::incident::0']);
    expect(calls.filter((call) => call.startsWith('apply_repair'))).toHaveLength(4);
    expect(world).toEqual((await run({})).world);
  });

  test('where nobody can be asked, it stands in the way of every checkpoint before it', async () => {
    const { ending, verdicts, reports, world } = await run({}, { fault, reconcilers: {} });
    expect([ending.status, verdicts]).toEqual(['parked', ['escalate']]);
    const { refusals } = (reports[0] as Report).decision;
    expect(refusals.flatMap((refusal) => ('adds' in refusal ? refusal.adds.map(({ code }) => code) : []))).toEqual([
      'effect_outcome_unknown',
    ]);
    expect(world.quota).toEqual([{ used: 120, size: 100 }]);
  });

  test('where it does show, the run goes on, and promises nothing any more until somebody knows', async () => {
    const { ending, verdicts, world, findings: told } = await run({}, { fault: { ...fault, when: 'after' } });
    expect([ending.status, verdicts, world]).toEqual(['done', [], (await run({})).world]);
    expect(told.map((text) => text.split(' of ')[0])).toEqual([
      'not_certified commit repaired',
      'not_certified commit repaired',
      'not_certified commit notified',
      'not_certified exit closed',
    ]);
  });
});

describe('a check that is found wrong', () => {
  const found = (during: string, entity: string, ordinal = 0): Found => ({
    during,
    instance: ['ResolveCheck', entity, ordinal],
    key: `hypotheses/${entity}/verdict`,
  });

  test('before a repair takes what was planned on it back with it', async () => {
    const { ending, verdicts, moved, world } = await run({}, { found: found('plan_repair#1', 'queue') });
    expect([ending.status, verdicts]).toEqual(['done', ['restore']]);
    expect(moved.sort()).toEqual(['RepairService::incident::0', 'ResolveCheck::queue::0']);
    expect(world).toEqual((await run({})).world);
  });

  test('after a repair can only be started over, and then everything is undone and done once', async () => {
    const opened = await agent.open({ run: 'r', folder: folder(), input: {} });
    const sidecar = await attach(opened.machine, {
      run: 'r',
      config: agent.config,
      input: opened.input,
      undo: opened.undo ?? {},
      reconcilers: opened.reconcilers ?? {},
      governor: async ({ tool }) => {
        if (tool !== 'notify_customers' || sidecar.status !== 'running' || asked) return null;
        asked = true;
        const instance = { skeleton: 'ResolveCheck', entity: 'quota', ordinal: 0 };
        await sidecar.fail('CONTRACT_VIOLATION', { instance, key: 'hypotheses/quota/verdict' });
        return null;
      },
    });
    let asked = false;
    sidecar.actor.start();
    expect(await sidecar.finished()).toMatchObject({ status: 'parked', decision: { verdict: 'rerun' } });
    await sidecar.rerun();
    expect((await sidecar.finished()).status).toBe('done');
    expect(await opened.world?.()).toEqual((await run({})).world);
    await sidecar.close();
    await opened.close();
  });

  test('after the customers were told is past help: that stays told', async () => {
    const { ending, verdicts, reports } = await run({}, { found: found('close_incident#1', 'quota') });
    expect([ending.status, verdicts]).toEqual(['parked', ['escalate']]);
    expect(JSON.stringify(reports[0]?.decision.refusals)).toContain('irreversible_effect_policy');
  });
});
