/** K5 and R7: what is observed of writes, and what a call that is started again is given. */
import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { until } from '../poll.ts';
import { calls, configOf, machineOf, run, World } from './little.ts';

describe('K5: writes are observed', () => {
  const stray = assign({ beside: () => 'what no output names' } as never);

  async function findings(more: readonly unknown[]): Promise<readonly (readonly [string, string])[]> {
    const world = new World();
    const states = { n0: calls('n0', 'k0', 'rest', [], more), rest: {} };
    const machine = machineOf({ n0: world.tool('n0') }, { initial: 'n0', states });
    const config = configOf(
      { n0: 'writes: [k0], effect: none' },
      { N0: { states: ['n0'], at: 'n0 -> rest', writes: ['k0'] } },
    );
    const found: (readonly [string, string])[] = [];
    const onFinding = ({ code, text }: { code: string; text: string }) => {
      if (code !== 'config_unreviewed') found.push([code, text]);
    };
    const it = await run(machine, config, { onFinding });
    await it.at('rest');
    await it.sidecar.close();
    return found;
  }

  test('one outside the declared outputs is a finding, and the boundary of that step does not certify', async () => {
    const found = await findings([stray]);
    expect(found.map(([code]) => code)).toEqual(['write_outside_outputs', 'not_certified']);
    expect(found.map(([, text]) => text).join('\n')).toMatch(/beside/);
  });

  test('one of a declared output is none', async () => {
    expect(await findings([])).toEqual([]);
  });
});

describe('R7: a call that is started again', () => {
  test('takes its input from the restored context', async () => {
    const world = new World();
    const machine = machineOf(
      { n0: world.tool('n0'), n1: world.tool('n1') },
      { initial: 'n0', states: { n0: calls('n0', 'k0', 'n1'), n1: calls('n1', 'k1', 'rest', ['k0']), rest: {} } },
    );
    const config = configOf(
      { n0: 'writes: [k0], effect: none', n1: 'reads: [k0], writes: [k1], effect: none' },
      {
        N0: { states: ['n0'], at: 'n0 -> n1', writes: ['k0'], rollback: 'joint: [N1]' },
        N1: { states: ['n1'], at: 'n1 -> rest', writes: ['k1'], reads: ['k0'] },
      },
    );
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('N0', 'k0');
    await until(() => world.count('n1') === 2);
    await it.at('rest');
    const inputs = world.acts.flatMap(({ tool, input }) => (tool === 'n1' ? [input] : []));
    expect(inputs).toEqual([{ k0: 'n00' }, { k0: 'n01' }]);
    await it.sidecar.close();
  });
});
