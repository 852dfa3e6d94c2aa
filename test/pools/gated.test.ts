/** Pools where they meet approvals, regions, messages and the death of a process (semantics.md ER10 to ER12). */
import { afterEach, describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { workClient } from '../../src/workers/client.ts';
import type { AnyStateMachine } from '../../src/xstate/actor.ts';
import { resume, type Sidecar, tool } from '../../src/xstate/index.ts';
import { calm, until } from '../poll.ts';

const { config } = loadConfig(
  `belay: 1
agent: payer
budgets: { cents: { pool: team, limit: 100 } }
tools:
  pay:
    effect: irreversible
    reads: []
    writes: ['bank:{args.to}']
    gate: { when: args.gated }
    spends: { cents: { at_most: args.most, charge: output.took } }
    reconcile: asked
skeletons: {}
`,
  { file: 'payer.yaml' },
);

/** A bank that answers a payment once the test lets it. */
class Bank {
  readonly paid = new Map<string, number>();
  readonly #open: (() => void)[] = [];
  isHeld = true;

  async pay({ input, key }: ToolCall<{ took: number }>): Promise<{ took: number }> {
    const { took } = input;
    if (this.paid.has(key as string)) return { took };
    this.paid.set(key as string, took);
    if (this.isHeld) await new Promise<void>((resolve) => this.#open.push(resolve));
    return { took };
  }

  answer(): void {
    this.isHeld = false;
    for (const open of this.#open.splice(0)) open();
  }

  get sum(): number {
    return [...this.paid.values()].reduce((all, one) => all + one, 0);
  }
}

/** Two regions: the first pays at once, the second at a message. */
function machineOf(bank: Bank, gated: boolean, took: number) {
  const paying = (to: string) => ({
    invoke: {
      src: 'pay',
      input: { to, gated, most: 60, took },
      onDone: 'paid',
      onError: {
        target: 'refused',
        actions: assign({ why: ({ event }: { event: { error: { code?: string } } }) => event.error.code } as never),
      },
    },
  });
  return setup({ actors: { pay: tool((call: ToolCall<{ took: number }>) => bank.pay(call)) } }).createMachine({
    id: 'payer',
    context: { why: null },
    type: 'parallel',
    states: {
      first: {
        initial: 'paying',
        states: { paying: paying('a'), paid: { type: 'final' }, refused: { type: 'final' } },
      },
      second: {
        initial: 'waiting',
        states: {
          waiting: { on: { PAY: 'paying', LEAVE: 'paid' } },
          paying: paying('b'),
          paid: { type: 'final' },
          refused: { type: 'final' },
        },
      },
    },
  } as never) as unknown as AnyStateMachine;
}

const open: Sidecar<AnyStateMachine>[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close().catch(() => {});
});

async function up(journal: JournalStore, run: string, bank: Bank, { gated = false, took = 60 } = {}) {
  const findings: string[] = [];
  const asked = ({ key }: { key: string }) => {
    const paid = bank.paid.get(key);
    return paid === undefined ? ({ is: 'not_applied' } as const) : ({ is: 'applied', output: { took: paid } } as const);
  };
  const sidecar = await resume(machineOf(bank, gated, took), {
    run,
    journal,
    config: config as never,
    reconcilers: { asked },
    onFinding: ({ code }) => void findings.push(code),
  });
  open.push(sidecar);
  sidecar.actor.start();
  const now = () => sidecar.actor.getSnapshot() as { value: Record<string, string>; context: { why: unknown } };
  return { sidecar, findings, now, send: (type: string) => sidecar.actor.send({ type }) };
}

type Life = Awaited<ReturnType<typeof up>>;

async function approve(journal: JournalStore, run: string, { sidecar }: Life) {
  await until(() => sidecar.requests().length === 1);
  await sidecar.durable();
  await workClient(journal).approve(run, sidecar.requests()[0]?.gate as string, { by: 'ada' });
}

const inPool = async (journal: JournalStore) => {
  const pool = await journal.pools?.pool('team');
  return [pool?.spent, pool?.reserved.reduce((sum, { amount }) => sum + amount, 0)];
};

describe('two approved payments of 60 out of 100', () => {
  test.each([
    { took: 40, second: 'paid', why: null, sum: 80 },
    { took: 60, second: 'refused', why: 'pool_spent', sum: 60 },
  ])('where the first takes $took, the second waits for it and is $second', async ({ took, second, why, sum }) => {
    const [journal, bank] = [memoryStore(), new Bank()];
    const [one, two] = [
      await up(journal, 'one', bank, { gated: true, took }),
      await up(journal, 'two', bank, { gated: true, took }),
    ];
    await approve(journal, 'one', one);
    await until(() => bank.paid.size === 1);
    await approve(journal, 'two', two);
    await until(() => two.findings.includes('waits_for_pool'));
    await calm(40);
    expect([bank.paid.size, two.now().value.first]).toEqual([1, 'paying']);
    bank.answer();
    await until(() => two.now().value.first === second);
    expect([one.now().value.first, two.now().context.why, bank.sum]).toEqual(['paid', why, sum]);
    for (const { sidecar, send } of [one, two]) {
      send('LEAVE');
      expect((await sidecar.finished()).status).toBe('done');
    }
    expect(await inPool(journal)).toEqual([sum, 0]);
  });

  test('where the process that waits dies, the next one goes on under the approval, once there is room', async () => {
    const [journal, bank] = [memoryStore(), new Bank()];
    const [one, two] = [
      await up(journal, 'one', bank, { gated: true, took: 40 }),
      await up(journal, 'two', bank, { gated: true, took: 40 }),
    ];
    await approve(journal, 'one', one);
    await until(() => bank.paid.size === 1);
    await approve(journal, 'two', two);
    await until(() => two.findings.includes('waits_for_pool'));
    await two.sidecar.close();
    const again = await up(journal, 'two', bank, { gated: true, took: 40 });
    await calm(40);
    expect(bank.paid.size).toBe(1);
    bank.answer();
    await until(() => again.now().value.first === 'paid');
    await again.sidecar.durable();
    expect([again.sidecar.requests(), bank.sum, await inPool(journal)]).toEqual([[], 80, [80, 0]]);
  });
});

test('a region whose payment comes by a message waits for the payment of the region beside it', async () => {
  const [journal, bank] = [memoryStore(), new Bank()];
  const { sidecar, findings, now, send } = await up(journal, 'one', bank, { took: 40 });
  await until(() => bank.paid.size === 1);
  send('PAY');
  await until(() => findings.includes('waits_for_pool'));
  expect(bank.paid.size).toBe(1);
  bank.answer();
  expect((await sidecar.finished()).status).toBe('done');
  expect([now().value, bank.sum, await inPool(journal)]).toEqual([{ first: 'paid', second: 'paid' }, 80, [80, 0]]);
});

test('a paused run that has room by then pays once it goes on, and not before', async () => {
  const [journal, bank] = [memoryStore(), new Bank()];
  const [one, two] = [await up(journal, 'one', bank, { took: 40 }), await up(journal, 'two', bank, { took: 40 })];
  await until(() => bank.paid.size === 1 && (one.findings.length > 0 || two.findings.length > 0));
  const waiting = one.findings.length > 0 ? one : two;
  await waiting.sidecar.pause({ by: 'ada', why: 'look first' });
  bank.answer();
  await calm(60);
  expect(bank.paid.size).toBe(1);
  await waiting.sidecar.unpause({ by: 'ada' });
  await until(() => waiting.now().value.first === 'paid');
  for (const { sidecar } of [one, two]) await sidecar.durable();
  expect(await inPool(journal)).toEqual([80, 0]);
});
