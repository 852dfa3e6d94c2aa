/** What `belay check --explain` says of a tool is what a run does: each sentence beside a run of the product. */

import { expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { PROFILES } from '../../src/boundaries/lint/profile.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { toolPanels } from '../../src/boundaries/tool-panel.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { attach } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';

const page = (act: string, policy = 'undo') => `belay: 1
agent: agent
tools:
  look: { writes: [price], effect: none }
  act: { reads: [price], writes: [done], ${act} }
  take_back: { effect: idempotent }
skeletons:
  Look: { entity: '"it"', states: [looking], entry: [looking], outputs: [price], exit: [{ id: seen, at: looking -> acting, when: 'true' }], rollback: { anchors: [seen], compensable: ${policy} } }
  Act: { entity: '"it"', states: [acting], entry: [acting], inputs: [price], outputs: [done], exit: [{ id: acted, at: acting -> resting, when: 'true' }], rollback: { anchors: [acted], compensable: ${policy} } }
`;

/** A run in which the price is found wrong behind the act. @param second the price that is seen then. */
async function run(act: string, { second = 1, lost = false, policy = 'undo', abort = false } = {}) {
  const config = loadConfig(page(act, policy), { file: 'a.yaml' }).config;
  if (config === null) throw new Error(JSON.stringify(loadConfig(page(act, policy), { file: 'a.yaml' }).findings));
  const panel = toolPanels(config).find((each) => each.tool === 'act');
  const world = { acts: [] as number[], undone: 0, looks: 0, asked: 0 };
  const actors = {
    look: tool(async () => {
      world.looks += 1;
      return world.looks === 1 ? 1 : second;
    }),
    act: tool(async ({ input }: ToolCall<{ price: number }>) => {
      world.acts.push(input.price);
      if (lost && world.acts.length === 1) throw new Error('no reply');
      return input.price;
    }),
  };
  const machine = setup({ actors }).createMachine({
    id: 'agent',
    context: {},
    initial: 'looking',
    states: {
      looking: {
        invoke: {
          src: 'look',
          onDone: { target: 'acting', actions: assign(({ event }) => ({ price: event.output })) },
        },
      },
      acting: {
        invoke: {
          src: 'act',
          input: ({ context }: { context: unknown }) => context as never,
          onDone: { target: 'resting', actions: assign(({ event }) => ({ done: event.output })) },
        },
      },
      resting: { on: { GO: 'over' } },
      over: { type: 'final' },
    },
  } as never);
  const sidecar = await attach(
    machine as never,
    {
      run: 'r',
      journal: memoryStore(),
      config,
      undo: {
        take_back: async () => {
          world.undone += 1;
        },
      },
      reconcilers: {
        find: async () => {
          world.asked += 1;
          return { is: 'applied', output: 1 };
        },
      },
    } as never,
  );
  sidecar.actor.start();
  const parked = () => sidecar.status === 'parked';
  const until = async (is: () => boolean) => {
    for (let turn = 0; turn < 400 && !is(); turn += 1) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const value = () => (sidecar.actor.getSnapshot() as { value: unknown }).value;
  await until(() => value() === 'resting' || parked());
  if (abort) {
    await sidecar.cancel({ by: 'ada', undo: true });
    await sidecar.finished();
  } else if (!lost) {
    await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Look', entity: 'it', ordinal: 0 } } as never);
    await until(() => parked() || (world.looks > 1 && value() === 'resting'));
    await sidecar.rest();
  }
  const seen = { ...world, acts: world.acts.length, parked: parked() };
  await sidecar.close();
  return { panel, seen };
}

test.each([
  ['effect: none', 'passes', { acts: 2, undone: 0, parked: false }],
  ['effect: none, decides: true', 'passes', { acts: 2, undone: 0, parked: false }],
  ['effect: idempotent', 'passes, and stays', { acts: 1, undone: 0, parked: true }],
  ['effect: reversible, undo: take_back', '"take_back" takes it back', { acts: 2, undone: 1, parked: false }],
  ['effect: compensable, undo: take_back', '"take_back" makes it good', { acts: 2, undone: 1, parked: false }],
  ['effect: irreversible', 'stops the rollback', { acts: 1, undone: 0, parked: true }],
])('found wrong behind it, with another question: %s', async (act, says, does) => {
  const { panel, seen } = await run(act, { second: 2 });
  expect([panel?.wrong, seen]).toMatchObject([says, does]);
});

test('found wrong behind it, with an equal question: what stays answers', async () => {
  for (const [act, acts] of [
    ['effect: none', 2],
    ['effect: none, decides: true', 1],
    ['effect: idempotent', 1],
    ['effect: reversible, undo: take_back', 2],
    ['effect: compensable, undo: take_back', 2],
  ] as const) {
    const { panel, seen } = await run(act);
    const says = panel?.replay.startsWith('is answered as before') ?? false;
    expect([act, says, seen.parked]).toEqual([act, acts === 1, false]);
    expect([act, seen.acts]).toEqual([act, acts]);
  }
});

test('stops where the policy or the undo lacks', async () => {
  const blocked = await run('effect: compensable, undo: take_back', { second: 2, policy: 'block' });
  expect(blocked.panel?.wrong).toBe('"take_back" makes it good; stops a rollback of "Look", "Act"');
  expect(blocked.seen).toMatchObject({ acts: 1, undone: 0, parked: true });
  const without = await run('effect: reversible', { second: 2 });
  expect([without.panel?.wrong, without.seen.parked]).toEqual(['stops the rollback: it has no undo', true]);
});

test.each([
  ['effect: none', { acts: 2, asked: 0, parked: false }],
  ['effect: idempotent', { acts: 2, asked: 0, parked: false }],
  ['effect: irreversible', { acts: 1, asked: 0, parked: true }],
  ['effect: irreversible, reconcile: find', { acts: 1, asked: 1, parked: false }],
])('a reply that is lost: %s', async (act, does) => {
  const { panel, seen } = await run(act, { lost: true });
  const says = panel?.lost ?? '';
  expect(seen).toMatchObject(does);
  expect([says === 'is made again', says.includes('"find" is asked'), says.startsWith('a person')]).toEqual([
    does.acts === 2,
    does.asked === 1,
    does.parked,
  ]);
});

test.each([
  ['effect: none', 'nothing is left of it', 0],
  ['effect: idempotent', 'stands, and is named', 0],
  ['effect: reversible, undo: take_back', '"take_back" undoes it; where that fails, it is owed', 1],
  ['effect: compensable', 'stands, and is named: it has no undo', 0],
  ['effect: irreversible', 'stands, and is named', 0],
])('aborted: %s', async (act, says, undone) => {
  const { panel, seen } = await run(act, { abort: true });
  expect([panel?.abort, seen.undone]).toEqual([says, undone]);
});

test('a profile warns of what its class of agent lacks, at the place, and of nothing else once it is there', () => {
  const poor = `belay: 1
agent: agent
tools:
  see: { reads: ['page:x'], effect: none }
  pay: { effect: irreversible }
  move: { effect: reversible }
skeletons:
  Pay: { entity: '"it"', states: [paying], entry: [paying], outputs: [] }
`;
  const rich = `belay: 1
agent: agent
budgets: { calls: 9 }
tools:
  see: { reads: ['page:x'], effect: none, decides: true }
  pay: { effect: irreversible, gate: true, reconcile: find, key_valid: 24h }
  move: { effect: reversible, undo: back, reconcile: find, key_valid: 24h }
skeletons:
  Pay: { entity: '"it"', states: [paying], entry: [paying], outputs: [], exit: [{ id: over, at: paying -> paid, when: 'true' }] }
`;
  const found = (text: string, profile: (typeof PROFILES)[number]) => {
    const { config, document } = loadConfig(text, { file: 'a.yaml' });
    if (config === null) throw new Error('no config');
    const before = new Set(lintConfig(config, document, null).map((each) => JSON.stringify(each)));
    return lintConfig(config, document, null, profile)
      .filter((each) => !before.has(JSON.stringify(each)))
      .map(({ code, line, severity }) => `${severity} ${code} ${line}`);
  };
  expect(Object.fromEntries(PROFILES.map((profile) => [profile, found(poor, profile)]))).toEqual({
    payments: [
      'warning unknown_stays 5',
      'warning key_window_unsaid 5',
      'warning act_unnamed 5',
      'warning unknown_stays 6',
      'warning key_window_unsaid 6',
    ],
    browser: ['warning not_looked_at 4', 'warning no_observation 5', 'warning no_observation 6'],
    coding: ['warning leaves_unasked 5', 'warning not_taken_back 6'],
    research: ['warning budget_unsaid 1', 'warning not_set_aside 1', 'warning search_made_again 4'],
    support: ['warning search_made_again 4', 'warning leaves_unasked 5'],
  });
  for (const profile of ['payments', 'coding', 'research', 'support'] as const)
    expect(found(rich, profile)).toEqual([]);
});
