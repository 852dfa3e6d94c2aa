/** Machines that call again by themselves, as most do: onError, a wait, and the same state (semantics.md E2, E3). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, assign, setup } from 'xstate';
import { answerGate } from '../../../src/cli/answering.ts';
import {
  attach,
  type BoundaryConfig,
  type GateRequest,
  type JournalStore,
  loadConfig,
  memoryStore,
  type Outcome,
  resume,
  tool,
} from '../../../src/index.ts';
import { sqliteStore } from '../../../src/journal/sqlite/store.ts';
import { calm, until } from '../../sidecar/stations.ts';

const { config } = loadConfig(
  `
belay: 1
agent: refunds
tools:
  refund: { reads: [at], writes: ['refunded/**'], effect: irreversible, reconcile: { ask: find, tries: 1 } }
skeletons:
  Refunds: { entity: '"all"', states: [refunding, failed], entry: [refunding], outputs: ['refunded/**'], exit: [{ id: refunded, at: refunding -> end, when: size(memory.refunded) > 0 }], rollback: { anchors: [refunded], resume: refunding } }
`,
  { file: 'refunds.yaml' },
) as { config: BoundaryConfig };

/** A bank that takes every refund, and loses some of its replies. */
class Bank {
  readonly paid: { key: string; input: unknown }[] = [];
  /** The numbers of the calls whose reply is lost, and of those that never arrive. */
  lost: readonly number[] = [];
  refused: readonly number[] = [];
  calls = 0;
  asked = 0;
  /** Whether the bank can say what it has done. */
  knows = true;

  async refund({ key, input }: { key?: string; input: unknown }): Promise<string> {
    const nth = this.calls++;
    if (this.refused.includes(nth)) throw new Error('503');
    if (!this.paid.some((one) => one.key === key)) this.paid.push({ key: key as string, input });
    if (this.lost.includes(nth)) throw new Error('connection reset');
    return `R${this.paid.length}`;
  }

  find({ key }: { key: string }): Outcome {
    this.asked += 1;
    if (!this.knows) return { is: 'unknown' };
    const index = this.paid.findIndex((one) => one.key === key);
    return index === -1 ? { is: 'not_applied' } : { is: 'applied', output: `R${index + 1}` };
  }
}

interface Memory {
  readonly at: number;
  readonly tries: number;
  readonly refunded: Readonly<Record<string, string>>;
}

/** Refunds each item; after an error it waits, and then calls again, or goes on with the next item where \`skips\` says so. */
function machineOf(
  bank: Bank,
  items: readonly number[],
  skips = false,
  input = (cents: number, _tries: number): unknown => ({ cents }),
): AnyStateMachine {
  const isLast = ({ context }: { context: Memory }) => context.at + 1 >= items.length;
  const keep = assign({
    refunded: ({ context, event }: { context: Memory; event: { output: string } }) => ({
      ...context.refunded,
      [context.at]: event.output,
    }),
    at: ({ context }: { context: Memory }) => context.at + 1,
  } as never);
  const again = assign({ tries: ({ context }: { context: Memory }) => context.tries + 1 } as never);
  const next = assign({ at: ({ context }: { context: Memory }) => context.at + 1 } as never);
  return setup({
    actors: { refund: tool((call) => bank.refund(call as never)) },
    delays: { backoff: 10 },
  }).createMachine({
    id: 'refunds',
    context: { at: 0, tries: 0, refunded: {} },
    initial: 'refunding',
    states: {
      refunding: {
        invoke: {
          src: 'refund',
          input: ({ context }: { context: Memory }) => input(items[context.at] as number, context.tries),
          onDone: [
            { guard: isLast, target: 'end', actions: keep },
            { target: 'refunding', reenter: true, actions: keep },
          ],
          onError: { target: 'failed', actions: [again, ...(skips ? [next] : [])] },
        },
      },
      failed: { after: { backoff: 'refunding' } },
      end: { type: 'final' },
    },
  } as never) as never;
}

/** A run of such a machine. */
async function begin(
  machine: AnyStateMachine,
  bank: Bank,
  journal: JournalStore = memoryStore(),
  open: typeof attach = attach,
) {
  const gates: GateRequest[] = [];
  const sidecar = await open(machine, {
    run: 'r',
    config,
    journal,
    reconcilers: { find: (call) => bank.find(call) },
    onGate: (gate) => void gates.push(gate),
  });
  sidecar.actor.start();
  const context = () => (sidecar.actor.getSnapshot() as { context: Memory }).context;
  return { sidecar, gates, context };
}

describe('a machine that calls again after an error', () => {
  test('hears the answer where the bank knows that the call has happened, and no error', async () => {
    const bank = new Bank();
    bank.lost = [0];
    const { sidecar, context } = await begin(machineOf(bank, [60]), bank);
    expect((await sidecar.finished()).status).toBe('done');
    expect([bank.paid.length, bank.calls, context()]).toEqual([1, 1, { at: 1, tries: 0, refunded: { 0: 'R1' } }]);
    await sidecar.close();
  });

  test('hears the error where the bank knows that it has not, and calls again under the same key', async () => {
    const bank = new Bank();
    bank.refused = [0, 1];
    const { sidecar, context } = await begin(machineOf(bank, [60]), bank);
    expect((await sidecar.finished()).status).toBe('done');
    expect([bank.paid.length, bank.calls, bank.asked, context().tries]).toEqual([1, 3, 2, 2]);
    await sidecar.close();
  });

  test('hears the error where it cannot be known, and its next call waits until a person says what became of the first', async () => {
    const bank = new Bank();
    bank.lost = [0];
    bank.knows = false;
    const { sidecar, context } = await begin(machineOf(bank, [60]), bank);
    expect((await sidecar.finished()).status).toBe('parked');
    expect([bank.calls, context().tries]).toEqual([1, 1]);
    await sidecar.settle(bank.paid[0]?.key as string, 'confirmed', 'R1');
    expect((await sidecar.finished()).status).toBe('done');
    expect([bank.paid.length, bank.calls, context().refunded]).toEqual([1, 1, { 0: 'R1' }]);
    await sidecar.close();
  });

  test('with other arguments it waits as well: the first may have been the same refund', async () => {
    const bank = new Bank();
    bank.refused = [0];
    bank.knows = false;
    const { sidecar } = await begin(
      machineOf(bank, [60], false, (cents, tries) => ({ cents, tries })),
      bank,
    );
    expect(await sidecar.finished()).toMatchObject({ status: 'parked' });
    expect(bank.calls).toBe(1);
    const [pending] = sidecar.gates();
    await sidecar.settle(pending?.key as string, 'failed');
    expect((await sidecar.finished()).status).toBe('done');
    expect(bank.paid.map(({ input }) => input)).toEqual([{ cents: 60, tries: 1 }]);
    await sidecar.close();
  });
});

describe('a machine that goes on after an error, with an equal refund for the next item', () => {
  /** Two equal refunds: the reply to the first is lost, and the bank finds out too late for the machine. */
  async function twoEqual(journal?: JournalStore) {
    const bank = new Bank();
    bank.lost = [0];
    bank.knows = false;
    const run = await begin(machineOf(bank, [60, 60], true), bank, journal);
    await run.sidecar.finished();
    await run.sidecar.settle(bank.paid[0]?.key as string, 'confirmed', 'R1');
    await until(() => run.gates.some(({ asks }) => asks === 'approval'));
    await calm();
    expect(bank.calls).toBe(1);
    return { bank, ...run, gate: run.gates.find(({ asks }) => asks === 'approval') as GateRequest };
  }

  test('is asked about: where it is another act, it is made', async () => {
    const { bank, sidecar, gate, context } = await twoEqual();
    expect(gate).toMatchObject({
      like: bank.paid[0]?.key,
      tool: 'refund',
      reason: expect.stringContaining('another act'),
    });
    await sidecar.answer(gate.gate, 'approved', { by: 'Ada' });
    expect((await sidecar.finished()).status).toBe('done');
    expect([bank.paid.map(({ input }) => input), context().refunded]).toEqual([
      [{ cents: 60 }, { cents: 60 }],
      { 1: 'R2' },
    ]);
    await sidecar.close();
  });

  test('where it is the same act, it is answered and not made', async () => {
    const { bank, sidecar, gate, context } = await twoEqual();
    await sidecar.settle(gate.key, 'confirmed');
    expect((await sidecar.finished()).status).toBe('done');
    expect([bank.calls, context().refunded]).toEqual([1, { 1: 'R1' }]);
    await sidecar.close();
  });

  test('the question is put again by the next process, and its answer holds there', async () => {
    const journal = memoryStore();
    const { bank, sidecar } = await twoEqual(journal);
    await sidecar.close();
    const next = await begin(machineOf(bank, [60, 60], true), bank, journal, resume as never);
    await until(() => next.gates.length > 0);
    expect(next.gates[0]).toMatchObject({ like: bank.paid[0]?.key, asks: 'approval' });
    await next.sidecar.answer(next.gates[0]?.gate as string, 'approved', { by: 'Ada' });
    expect((await next.sidecar.finished()).status).toBe('done');
    expect(bank.paid.length).toBe(2);
    await next.sidecar.close();
  });

  test('is answered from another process, by a message', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'belay-same-'));
    const file = join(folder, 'journal.sqlite');
    const { bank, sidecar, gate, context } = await twoEqual(sqliteStore(file));
    const said = { by: 'Ada', why: null, waits: true, now: Date.now() };
    const saying = { verdict: 'settled', status: 'failed', output: null } as const;
    expect(await answerGate({ file, gate: gate.gate, saying, ...said })).toMatchObject({ code: 1 });
    const same = { ...saying, status: 'confirmed' } as const;
    expect(await answerGate({ file, gate: gate.gate, saying: same, ...said })).toMatchObject({
      taken: { verdict: 'settled' },
    });
    expect((await sidecar.finished()).status).toBe('done');
    expect([bank.calls, context().refunded]).toEqual([1, { 1: 'R1' }]);
    await sidecar.close();
    rmSync(folder, { recursive: true });
  });
});
