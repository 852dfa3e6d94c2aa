/** One skeleton in regions side by side and at the root: each occurrence is a unit of its own (C5, E3). */
import { expect, test } from 'vitest';
import { type AnyStateMachine, assign, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import { attach } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';

const calling = (src: string, key: string, target: string) => ({
  invoke: {
    src,
    onDone: { target, actions: assign({ [key]: ({ event }: { event: { output: unknown } }) => event.output }) },
  },
});
const skeleton = (name: string, edges: readonly (readonly [string, string])[], outputs: string) =>
  `  ${name}: { entity: '"it"', states: [${edges.map(([at]) => at)}], entry: [${edges.map(([at]) => at)}], inputs: [], outputs: [${outputs}], exit: [${edges.map(([at, to], index) => `{ id: e${index}, at: ${at} -> ${to}, when: 'true', outputs: [] }`)}], rollback: { anchors: [${edges.map((_, index) => `e${index}`)}], resume: ${edges[0]?.[0]} } }`;

test('the call of a unit behind a parallel state whose regions have units of its skeleton is of that unit', async () => {
  let quotes = 0;
  const quote = tool<number, void>(async () => {
    quotes += 1;
    if (quotes === 3) throw new Error('out of order');
    return quotes;
  });
  const machine = setup({
    actors: { quote },
  } as never).createMachine({
    id: 'agent',
    context: {},
    initial: 'work',
    states: {
      work: {
        type: 'parallel',
        onDone: 'quoting',
        states: {
          x: { initial: 'quoting', states: { quoting: calling('quote', 'x', 'over'), over: { type: 'final' } } },
          y: { initial: 'quoting', states: { quoting: calling('quote', 'y', 'over'), over: { type: 'final' } } },
        },
      },
      quoting: calling('quote', 'z', 'resting'),
      resting: { on: { GO: 'end' } },
      end: { type: 'final' },
    },
  } as never) as unknown as AnyStateMachine;
  const page = `
belay: 1
agent: agent
tools: { quote: { reads: [], writes: [x, y, z], effect: none } }
skeletons:
${skeleton(
  'Quote',
  [
    ['work.x.quoting', 'work.x.over'],
    ['work.y.quoting', 'work.y.over'],
    ['quoting', 'resting'],
  ],
  'x, y, z',
)}
`;
  const { config, findings } = loadConfig(page, { file: 'page.yaml' });
  if (config === null) throw new Error(JSON.stringify(findings));
  const s = await attach(machine, { run: 'r', config });
  s.actor.start();
  await expect.poll(() => s.actor.getSnapshot().value).toBe('resting');
  expect(s.actor.getSnapshot().context).toEqual({ x: 1, y: 2, z: 4 });
  await s.close();
});
