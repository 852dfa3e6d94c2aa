/** A bank that takes every refund and loses replies, and machines that ask it for refunds and go on after an error by themselves. */

import { expect } from 'vitest';
import { type AnyStateMachine, assign, setup } from 'xstate';
import {
  type BoundaryConfig,
  type GuardedRequest,
  type JournalStore,
  loadConfig,
  memoryStore,
  type ReconcileResult,
} from '../../../src/index.ts';
import { attach, tool } from '../../../src/xstate/index.ts';
import { calm, until } from '../../poll.ts';

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
export class Bank {
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

  find({ key }: { key: string }): ReconcileResult {
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
export function machineOf(
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
export async function begin(
  machine: AnyStateMachine,
  bank: Bank,
  journal: JournalStore = memoryStore(),
  open: typeof attach = attach,
) {
  const gates: GuardedRequest[] = [];
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

/** Two equal refunds: the reply to the first is lost, and the bank finds out too late for the machine. */
export async function twoEqual(journal?: JournalStore) {
  const bank = new Bank();
  bank.lost = [0];
  bank.knows = false;
  const run = await begin(machineOf(bank, [60, 60], true), bank, journal);
  await run.sidecar.finished();
  await run.sidecar.settle(bank.paid[0]?.key as string, 'confirmed', 'R1');
  await until(() => run.gates.some(({ asks }) => asks === 'approval'));
  await calm();
  expect(bank.calls).toBe(1);
  return { bank, ...run, gate: run.gates.find(({ asks }) => asks === 'approval') as GuardedRequest };
}
