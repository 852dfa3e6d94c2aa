import { loadConfig, type Report, type Suspect, vetoes } from 'belay-sidecar';
import { attach } from 'belay-sidecar/xstate';
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { tool } from '../../src/xstate/tool.ts';
import { until } from '../poll.ts';

const PAGE = `
belay: 1
agent: rounds
tools:
  work: { reads: [], writes: [made], effect: none }
skeletons:
  Round:
    entity: '"it"'
    states: [working]
    entry: [working]
    outputs: [made]
    exit: [{ id: done, at: working -> idle, when: memory.made > 0 }]
    rollback: { anchors: [done], resume: working }
`;

/** A machine that works as often as it is told to, each time as another occurrence of the same. */
async function rounds(times: number) {
  const { config, findings } = loadConfig(PAGE, { file: 'rounds.yaml' });
  if (config === null) throw new Error(JSON.stringify(findings));
  let made = 0;
  const machine = setup({
    types: { context: {} as { made: number } },
    actors: { work: tool(async () => ++made) },
  }).createMachine({
    id: 'rounds',
    context: { made: 0 },
    initial: 'idle',
    states: {
      idle: { on: { go: 'working' } },
      working: {
        invoke: { src: 'work', onDone: { target: 'idle', actions: assign({ made: ({ event }) => event.output }) } },
      },
    },
  });
  const reports: Report[] = [];
  const sidecar = await attach(machine, { run: 'r', config, onDecision: (report) => void reports.push(report) });
  sidecar.actor.start();
  for (let round = 1; round <= times; round += 1) {
    sidecar.actor.send({ type: 'go' });
    await until(() => sidecar.actor.getSnapshot().context.made === round);
  }
  const answer = async (instance: Suspect) => {
    await sidecar.fail('CONTRACT_VIOLATION', { instance, key: 'made' });
    await until(() => reports.length > 0);
    await sidecar.close();
    return reports[0]?.decision as Report['decision'];
  };
  return { answer, sidecar, reports };
}

describe('somebody finds work wrong and does not say which occurrence it was', () => {
  const unnamed = { skeleton: 'Round', entity: 'it' };

  test('the only one is meant', async () => {
    const { answer } = await rounds(1);
    expect(await answer(unnamed)).toMatchObject({ verdict: 'restore', failed: { ...unnamed, ordinal: 0 } });
  });

  test('of several nobody is meant, and nothing is restored', async () => {
    const { answer } = await rounds(2);
    const decision = await answer(unnamed);
    expect(decision).toMatchObject({ failed: null, line: null });
    expect([...vetoes(decision)]).toMatchObject([{ code: 'ambiguous_instance', why: 'fits_several' }]);
  });

  test('with its ordinal the one of several is meant', async () => {
    const { answer } = await rounds(2);
    expect(await answer({ ...unnamed, ordinal: 1 })).toMatchObject({ verdict: 'restore', failed: { ordinal: 1 } });
  });
});

test.each([
  ['a skeleton that the config does not have', { skeleton: 'Rnd', entity: 'it' }, 'made'],
  ['an entity that no work was ever about', { skeleton: 'Round', entity: 'other' }, 'made'],
  ['an occurrence that there never was', { skeleton: 'Round', entity: 'it', ordinal: 7 }, 'made'],
  ['a key that the work never wrote', { skeleton: 'Round', entity: 'it' }, 'unmade'],
])('a complaint about %s is refused, no decision is made, and the run goes on (C12)', async (_, instance, key) => {
  const { sidecar, reports } = await rounds(1);
  const complaint = sidecar.fail('CONTRACT_VIOLATION', { instance, key });
  await expect(complaint).rejects.toMatchObject({ name: 'SidecarError', code: 'bad_failure' });
  expect(reports).toEqual([]);
  sidecar.actor.send({ type: 'go' });
  await until(() => sidecar.actor.getSnapshot().context.made === 2);
  expect(sidecar.status).toBe('running');
  await sidecar.close();
});
