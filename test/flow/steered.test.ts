/** Another input of a flow (semantics.md ST3, PA12), and work of a flow that was set aside (PA13): a step that acts and is given the same is not taken again. */
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { flow } from '../../src/flow/flow.ts';
import { memoryStore } from '../../src/index.ts';

const text = `
belay: 1
agent: order
tools:
  look: { reads: [input], writes: [], effect: none }
  reserve: { reads: [input], writes: [], effect: reversible, undo: release }
  pay: { reads: [input, steps/reserve], writes: [], effect: irreversible, reconcile: find }
  mail: { reads: [input, steps/pay], writes: [], effect: reversible, undo: recall }
skeletons:
${[
  ['look', 'reserve'],
  ['reserve', 'pay'],
  ['pay', 'mail'],
  ['mail', 'look'],
]
  .map(
    ([name, next]) => `  ${name}_:
    entity: args.of
    states: [${name}]
    entry: [${name}]
    outputs: [steps/${name}]
    exit: [{ id: ${name}_over, at: ${name} -> ${next}, when: 'memory.steps.?${name}.hasValue()' }]
    rollback: { anchors: [${name}_over], resume: ${name}, compensable: undo, joint: [look_, reserve_, pay_, mail_] }`,
  )
  .join('\n')}
`;

function shop(looksFirst: boolean) {
  const { config, findings } = loadConfig(text, { file: 'order.yaml' });
  if (config === null) throw new Error(findings.map(({ message }) => message).join('\n'));
  const [made, undone]: [string[], string[]] = [[], []];
  const order = flow<{ readonly sku: string; readonly note: string }>('order', async (step, { sku, note }) => {
    const act = (name: string, of: unknown) =>
      step(name, { of }, async ({ input }) => {
        made.push(`${name} ${input.of}`);
        return `${name} ${input.of}`;
      });
    if (looksFirst) await act('look', sku);
    await act('reserve', sku);
    await act('pay', sku);
    await act('mail', note);
    // The run is not over: what comes next never answers.
    await step('look@last', { of: 'last' }, () => new Promise<never>(() => {}));
  });
  const undo = ({ output }: { readonly output?: unknown }) => {
    undone.push(String(output));
  };
  const options = {
    run: 'r',
    config,
    journal: memoryStore(),
    undo: { release: undo, recall: undo },
    reconcilers: { find: () => ({ is: 'not_applied' as const }) },
  };
  return { order, options, made, undone };
}

const settled = async (made: readonly string[], many: number) => {
  for (let times = 0; times < 400 && made.length < many; times += 1)
    await new Promise((resolve) => setImmediate(resolve));
  for (let times = 0; times < 50; times += 1) await new Promise((resolve) => setImmediate(resolve));
};

test('a flow goes on with another input, and pays once', async () => {
  const { order, options, made, undone } = shop(false);
  const input = { sku: 'a', note: 'blue' };
  const run = await order.attach({ ...options, input });
  await settled(made, 3);
  expect(await run.preview({ revise: 'input', to: { sku: 'a', note: 'red' } })).toMatchObject({ is: 'done' });
  expect(await run.revise('input', { sku: 'a', note: 'red' })).toMatchObject({ is: 'done', why: null, version: 1 });
  await settled(made, 4);
  expect(made).toEqual(['reserve a', 'pay a', 'mail blue', 'mail red']);
  expect(undone).toEqual(['mail blue']);
  expect(run.events()).toMatchObject([{ name: 'input', version: 1, event: { note: 'red' } }]);
  // The payment would be another one.
  expect(await run.revise('input', { sku: 'b', note: 'red' })).toMatchObject({
    is: 'refused',
    why: expect.stringMatching(/^irreversible_effect_policy: pay/),
  });
  await run.close();
  const next = await order.resume({ ...options, input });
  await settled(made, 5);
  expect([made.length, undone.length]).toEqual([4, 1]);
  await next.close();
});

test('what a flow looks at is looked at again, so that nothing behind is known to be the same', async () => {
  const { order, options, made } = shop(true);
  const run = await order.attach({ ...options, input: { sku: 'a', note: 'blue' } });
  await settled(made, 4);
  expect(await run.revise('input', { sku: 'a', note: 'red' })).toMatchObject({ is: 'refused' });
  expect(made).toEqual(['look a', 'reserve a', 'pay a', 'mail blue']);
  await run.close();
});

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
