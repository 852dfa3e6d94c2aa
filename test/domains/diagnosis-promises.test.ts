import { describe, expect, test } from 'vitest';
import { agents } from '../../domains/agents.ts';
import { attach } from '../../src/xstate/attach.ts';
import { type Found, folder, runsOf } from './running.ts';

const agent = agents.diagnosis;
const run = runsOf(agent);

describe('a repair that times out is the business of the machine, which goes and looks', () => {
  const fault = { tool: 'apply_repair', nth: 2, when: 'before', signal: 'TIMEOUT' } as const;

  test('where it does not show, it is made once: what came after it was no place to go back to', async () => {
    const { status, verdicts, calls, world } = await run({}, fault);
    expect([status, verdicts]).toEqual(['done', ['restore']]);
    expect(calls.filter((tool) => tool === 'apply_repair')).toHaveLength(4);
    expect(world).toEqual((await run({})).world);
  });

  test('where nobody can be asked, it stands in the way of every checkpoint before it', async () => {
    const { status, verdicts, decision, world } = await run({}, fault, { reconcilers: {} });
    expect([status, verdicts]).toEqual(['parked', ['escalate']]);
    expect(
      decision?.refusals.flatMap((refusal) => ('adds' in refusal ? refusal.adds.map(({ code }) => code) : [])),
    ).toEqual(['effect_outcome_unknown']);
    expect(world.quota).toEqual([{ used: 120, size: 100 }]);
  });

  test.each(['before', 'after'] as const)(
    'where nothing of it shows, a later failure goes back to before it, and not past it: it had timed out %s it was made',
    async (when) => {
      const late = { tool: 'apply_repair', nth: 3, when, signal: 'TIMEOUT' } as const;
      const then = { tool: 'verify_service', nth: 3, when: 'before', signal: 'TIMEOUT' } as const;
      const { status, verdicts, decision, world } = await run({}, [late, then]);
      expect([status, verdicts]).toEqual(['done', ['restore']]);
      expect(world).toEqual((await run({})).world);
      // What was made after all was heard of, and is promised: it is kept.
      expect(decision?.undo).toEqual([]);
    },
  );

  test('where it was made after all, the machine hears the answer, and goes on as if no reply had been lost', async () => {
    const { status, verdicts, world, findings } = await run({}, { ...fault, when: 'after' });
    expect([status, verdicts, world, findings]).toEqual(['done', [], (await run({})).world, []]);
  });

  test('where the service cannot tell, nothing after it is promised, and the next repair waits for a person', async () => {
    const unknown = () => ({ is: 'unknown' }) as const;
    const reconcilers = { find_probe: unknown, find_repair: unknown };
    const { status, verdicts, findings, decision } = await run({}, { ...fault, when: 'after' }, { reconcilers });
    expect([status, verdicts]).toEqual(['parked', ['escalate']]);
    // The third repair has not left: the second may have been made.
    expect([findings, JSON.stringify(decision?.refusals)]).toEqual([
      [],
      expect.stringContaining('effect_outcome_unknown'),
    ]);
  });
});

describe('a check that is found wrong', () => {
  const found = (during: string, entity: string): Found => ({
    during,
    instance: { skeleton: 'ResolveCheck', entity, ordinal: 0 },
    key: `hypotheses/${entity}/verdict`,
  });

  test('before a repair takes what was planned on it back with it', async () => {
    const { status, verdicts, moved, world } = await run({}, found('plan_repair', 'queue'));
    expect([status, verdicts]).toEqual(['done', ['restore']]);
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
    await opened.close?.();
  });

  test('after the customers were told is past help: that stays told', async () => {
    const { status, verdicts, decision } = await run({}, found('close_incident', 'quota'));
    expect([status, verdicts]).toEqual(['parked', ['escalate']]);
    expect(JSON.stringify(decision?.refusals)).toContain('irreversible_effect_policy');
  });
});
