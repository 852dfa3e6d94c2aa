/** One unit that calls in regions side by side: what one region repeats never takes the number of a call of the other (E3, C5). */
import { expect, test } from 'vitest';
import { type AnyStateMachine, assign, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import { attach } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { held } from './stations.ts';

const unit = (name: string, states: string, entry: string, outputs: string) =>
  `  ${name}: { entity: '"it"', states: [${states}], entry: [${entry}], inputs: [], outputs: [${outputs}], rollback: { anchors: [], resume: ${entry.split(',')[0]} } }`;

const calling = (src: string, input: unknown, key: string, target: string) => ({
  invoke: {
    src,
    input,
    onDone: { target, actions: assign({ [key]: ({ event }: { event: { output: unknown } }) => event.output }) },
  },
});
const paying = (to: string, key: string) => calling('pay', { to }, key, 'paid');

/** Ann and Bob are paid in two regions, both under way; what came before the payment of Bob is found wrong. */
async function paidTwice(pay: string) {
  const bank = new Map<string, string>();
  const answers = held<void>();
  let looks = 0;
  const machine = setup({
    actors: {
      look: tool<number, void>(async () => ++looks),
      pay: tool<string, { to: string }>(async ({ key, input }) => {
        if (!bank.has(key as string)) bank.set(key as string, input.to);
        await answers.promise;
        return `paid ${input.to}`;
      }),
    },
  } as never).createMachine({
    id: 'agent',
    context: {},
    type: 'parallel',
    states: {
      a: { initial: 'paying', states: { paying: paying('Ann', 'ann'), paid: { type: 'final' } } },
      b: {
        initial: 'looking',
        states: {
          looking: calling('look', null, 'look', 'paying'),
          paying: paying('Bob', 'bob'),
          paid: { type: 'final' },
        },
      },
    },
  } as never) as unknown as AnyStateMachine;
  const { config, findings } = loadConfig(
    `
belay: 1
agent: agent
tools: { look: { writes: [look], effect: none }, pay: { writes: [ann, bob], effect: irreversible, reconcile: find } }
skeletons:
  Look: { entity: '"it"', states: [b.looking], entry: [b.looking], inputs: [], outputs: [look], exit: [{ id: seen, at: b.looking -> b.paying, when: 'true' }], rollback: { anchors: [seen], resume: b.looking } }
${pay}
`,
    { file: 'page.yaml' },
  );
  if (config === null) throw new Error(JSON.stringify(findings));
  const find = ({ key }: { key: string }) =>
    bank.has(key) ? ({ is: 'applied', output: `paid ${bank.get(key)}` } as const) : ({ is: 'not_applied' } as const);
  const s = await attach(machine, { run: 'r', config, reconcilers: { find } });
  s.actor.start();
  await expect.poll(() => bank.size).toBe(2);
  await s.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Look', entity: 'it' }, key: 'look' });

  answers.resolve();
  const { status } = await s.finished();
  await s.close();
  return { status, paid: [...bank.values()].sort() };
}

test('a unit that is entered in both regions pays each of the two once', async () => {
  const { paid } = await paidTwice(unit('Pay', 'a.paying, b.paying', 'a.paying, b.paying', 'ann, bob'));
  expect(paid).toEqual(['Ann', 'Bob']);
});

test('a unit that is entered in one region and goes on in both pays each of the two once', async () => {
  const { paid } = await paidTwice(unit('Pay', 'a.paying, b.paying', 'a.paying', 'ann, bob'));
  expect(paid).toEqual(['Ann', 'Bob']);
});
