/** ON5 in a machine with two regions that pay side by side: the second waits for the first, under way, at its gate or of unknown outcome. */
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { attach } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { calm, until } from '../poll.ts';
import { Bank, type Payment } from './once.ts';

type Side = 'left' | 'right';
const FIRST: Payment = { invoice: 'i1', cents: 100 };
const SECOND: readonly Payment[] = [FIRST, { invoice: 'i1', cents: 200 }, { invoice: 'i2', cents: 100 }];

function configOf(how: string) {
  const skeleton = (side: Side) => `  ${side}:
    entity: '"it"'
    states: [${side}.paying]
    entry: [${side}.paying]
    inputs: []
    outputs: [${side}]
    exit: [{ id: ${side}-over, at: "${side}.paying -> ${side}.over", when: "true" }]
    rollback: { anchors: [${side}-over] }`;
  const pay = `effect: irreversible, reconcile: asked, once: [args.invoice]${how}`;
  const { config, findings } = loadConfig(
    `belay: 1
agent: sides
tools:
  pay: { reads: [], writes: [], ${pay} }
skeletons:
${skeleton('left')}
${skeleton('right')}
`,
    { file: 'sides.yaml' },
  );
  if (config === null) throw new Error(JSON.stringify(findings));
  return config;
}

/** A machine of two regions, each of which pays once it is told to, and what has reached the bank. */
async function sides(bank: Bank, right: Payment, how = '') {
  const asks = { left: FIRST, right };
  const calls = { arrived: 0, release: () => {} };
  const open = new Promise<void>((resolve) => {
    calls.release = resolve;
  });
  const pay = async (call: ToolCall<Payment>) => {
    calls.arrived += 1;
    if (calls.arrived === 1) await open;
    return bank.pay(call);
  };
  const paying = setup({
    types: { context: {} as Record<string, unknown> },
    actors: { pay: tool(pay) },
  });
  const region = (side: Side) =>
    paying.createStateConfig({
      initial: 'idle',
      states: {
        idle: { on: { [side]: 'paying' } },
        paying: {
          invoke: {
            src: 'pay' as const,
            input: () => asks[side],
            onDone: { target: 'over', actions: assign(({ event }) => ({ [side]: event.output as unknown })) },
            onError: {
              target: 'over',
              actions: assign(({ event }) => ({ [side]: (event.error as { code?: string }).code ?? 'error' })),
            },
          },
        },
        over: {},
      },
    });
  const machine = paying.createMachine({
    id: 'sides',
    context: {},
    type: 'parallel',
    states: { left: region('left'), right: region('right') },
  });
  const options = { config: configOf(how), run: 'r', journal: memoryStore(), reconcilers: bank.reconcilers };
  const sidecar = await attach(machine, options);
  sidecar.actor.start();
  return { sidecar, calls };
}

type Sides = Awaited<ReturnType<typeof sides>>['sidecar'];

/** What both regions were told: the payment that a number stands for, or the code of an error. */
async function answers({ actor }: Sides, bank: Bank): Promise<unknown[]> {
  await until(() => JSON.stringify(actor.getSnapshot().value) === '{"left":"over","right":"over"}');
  const { left, right } = actor.getSnapshot().context;
  return [left, right].map((told) => {
    const act = typeof told === 'number' ? bank.acts[told - 1] : undefined;
    return act === undefined ? told : `${act.invoice} ${act.cents}`;
  });
}

/** What the second is told, by the rules, where the first stands or does not. */
function second({ invoice, cents }: Payment, stands: boolean): string {
  return stands && invoice === FIRST.invoice && cents !== FIRST.cents ? 'act_repeated' : `${invoice} ${cents}`;
}

/** No invoice was paid twice, and each that is due was paid. */
function isRight(bank: Bank, right: Payment, stands: boolean): void {
  expect(bank.standing('i1')).toBe(stands || right.invoice === 'i1' ? 1 : 0);
  expect(bank.standing('i2')).toBe(right.invoice === 'i2' ? 1 : 0);
}

describe('ON5: while the first call of one region is open, that of the other', () => {
  for (const right of SECOND)
    for (const fate of ['paid', 'lost', 'refused'] as const)
      test(`waits for it under way: ${fate}, then ${right.invoice} with ${right.cents}`, async () => {
        const bank = new Bank();
        const isOther = right.invoice !== FIRST.invoice;
        bank.next = isOther ? ['paid', fate] : [fate];
        const { sidecar, calls } = await sides(bank, right);
        sidecar.actor.send({ type: 'left' });
        await until(() => calls.arrived === 1);
        sidecar.actor.send({ type: 'right' });
        if (isOther) await until(() => bank.acts.length === 1);
        await calm();
        expect([calls.arrived, bank.acts.length]).toEqual(isOther ? [2, 1] : [1, 0]);
        calls.release();
        const stands = fate !== 'refused';
        expect(await answers(sidecar, bank)).toEqual([stands ? 'i1 100' : 'error', second(right, stands)]);
        isRight(bank, right, stands);
        await sidecar.close();
      });

  for (const right of SECOND)
    for (const verdict of ['approved', 'denied'] as const)
      test(`waits for it at its gate: ${verdict}, then ${right.invoice} with ${right.cents}`, async () => {
        const bank = new Bank();
        const { sidecar, calls } = await sides(bank, right, ', gate: true');
        calls.release();
        sidecar.actor.send({ type: 'left' });
        await until(() => sidecar.gates().length === 1);
        const gate = sidecar.gates()[0]?.gate as string;
        sidecar.actor.send({ type: 'right' });
        const isOther = right.invoice !== FIRST.invoice;
        if (isOther) await until(() => sidecar.gates().length === 2);
        await calm();
        expect(sidecar.gates()).toHaveLength(isOther ? 2 : 1);
        await sidecar.answer(gate, verdict, { by: 'Ada' });
        const stands = verdict === 'approved';
        if (isOther || !stands) {
          // It is an act of its own: nobody has approved it yet.
          await until(() => sidecar.gates().some((each) => each.gate !== gate));
          const own = sidecar.gates().find((each) => each.gate !== gate)?.gate as string;
          await sidecar.answer(own, 'approved', { by: 'Ada' });
        }
        expect(await answers(sidecar, bank)).toEqual([stands ? 'i1 100' : 'error', second(right, stands)]);
        expect(sidecar.gates()).toEqual([]);
        isRight(bank, right, stands);
        await sidecar.close();
      });

  for (const right of SECOND.filter(({ invoice }) => invoice === FIRST.invoice))
    for (const settled of ['confirmed', 'failed'] as const)
      test(`waits for a person who says what became of it: ${settled}, then ${right.invoice} with ${right.cents}`, async () => {
        const bank = new Bank();
        bank.silent = true;
        bank.next = settled === 'confirmed' ? ['lost'] : ['refused'];
        const { sidecar, calls } = await sides(bank, right);
        sidecar.actor.send({ type: 'left' });
        await until(() => calls.arrived === 1);
        sidecar.actor.send({ type: 'right' });
        await calm();
        expect(calls.arrived).toBe(1);
        calls.release();
        if (settled === 'confirmed') {
          await until(() => bank.acts.length === 1 && sidecar.status === 'parked');
          await calm();
          expect(calls.arrived).toBe(1);
          await sidecar.settle(bank.acts[0]?.key as string, 'confirmed', 1);
        }
        const stands = settled === 'confirmed';
        expect((await answers(sidecar, bank))[1]).toBe(second(right, stands));
        isRight(bank, right, stands);
        await sidecar.close();
      });
});
