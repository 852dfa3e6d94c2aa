/** Flows whose tools read less than their functions do: what was set aside is taken over where the function asks for the same (semantics.md PA13). */
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { flow } from '../../src/flow/flow.ts';
import { memoryStore } from '../../src/index.ts';

const NAMES = ['look', 'reserve', 'pay', 'mail'] as const;

/** @param pay the class of the payment. */
function textOf(pay: 'irreversible' | 'reversible'): string {
  const act = (undo: string) => `reads: [input], writes: [], effect: reversible, undo: ${undo}`;
  return `
belay: 1
agent: order
tools:
  look: { reads: [input], writes: [], effect: none }
  reserve: { ${act('release')} }
  pay: { ${pay === 'reversible' ? act('refund') : 'reads: [input], writes: [], effect: irreversible'}, reconcile: find }
  mail: { ${act('recall')} }
skeletons:
${NAMES.map(
  (name) => `  ${name}_:
    entity: args.of
    states: [${name}]
    entry: [${name}]
    outputs: [steps/${name}]
    exit: [${[...NAMES, 'end'].map((next) => `{ id: ${name}_${next}, at: ${name} -> ${next}, when: 'memory.steps.?${name}.hasValue()' }`).join(', ')}]
    rollback: { anchors: [${[...NAMES, 'end'].map((next) => `${name}_${next}`).join(', ')}], resume: ${name}, compensable: undo, joint: [${NAMES.map((each) => `${each}_`).join(', ')}] }`,
).join('\n')}
`;
}

/** Sells something at a price that was looked up wrong. @param next what the function does with the price. */
async function sold(pay: 'irreversible' | 'reversible', cents: (price: number) => number | null) {
  const { config, findings } = loadConfig(textOf(pay), { file: 'order.yaml' });
  if (config === null) throw new Error(findings.map(({ message }) => message).join('\n'));
  const [made, undone]: [string[], string[]] = [[], []];
  let [price, goOn] = [100, () => {}];
  const isTold = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const order = flow<string>('order', async (step, of) => {
    const act = (name: string, input: object) =>
      step(name, { of, ...input }, async ({ input: given }) => {
        made.push(name);
        return JSON.stringify(given);
      });
    const looked = await step('look', { of }, async () => price);
    await act('reserve', {});
    const due = cents(looked);
    if (due !== null) await act('pay', { cents: due });
    return step('mail', { of, due }, async () => {
      await isTold;
      return due;
    });
  });
  const undo = (name: string) => () => {
    undone.push(name);
  };
  const run = await order.attach({
    ...{ run: 'r', config, journal: memoryStore(), input: 'lamp' },
    undo: { release: undo('reserve'), refund: undo('pay'), recall: undo('mail') },
    reconcilers: { find: () => ({ is: 'not_applied' as const }) },
  });
  for (let times = 0; times < 400 && made.length < 2; times += 1) await new Promise((resolve) => setImmediate(resolve));
  price = 120;
  const told = run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'look_', entity: 'lamp' } });
  goOn();
  await told;
  const ending = await run.finished();
  await run.close();
  return { ending, made, undone };
}

test('a step that is asked with the same input is taken over, and nothing is parked', async () => {
  expect(await sold('irreversible', () => 90)).toEqual({
    ending: { status: 'done', output: 90 },
    made: ['reserve', 'pay'],
    undone: [],
  });
});

test('a step that is asked with another input is undone and taken anew', async () => {
  expect(await sold('reversible', (price) => price)).toEqual({
    ending: { status: 'done', output: 120 },
    made: ['reserve', 'pay', 'pay'],
    undone: ['pay'],
  });
});

test('a step that the function does not come to any more is undone', async () => {
  expect(await sold('reversible', (price) => (price > 100 ? null : price))).toEqual({
    ending: { status: 'done', output: null },
    made: ['reserve', 'pay'],
    undone: ['pay'],
  });
});

test('a payment that nothing undoes, asked with another price, is answered by no old one: a person has to act', async () => {
  const { ending, made } = await sold('irreversible', (price) => price);
  expect([ending.status, made]).toEqual(['parked', ['reserve', 'pay']]);
});
