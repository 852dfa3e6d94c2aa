/** A support agent for the rules of obligations (semantics.md OB1 to OB8). */
import { assign } from 'xstate';
import { type JournalStore, ledgersOf } from '../../src/index.ts';
import { attach, resume, type Sidecar, tool } from '../../src/xstate/index.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { context } from '../semantics/dying.ts';
import { machineOf } from '../semantics/little.ts';
import { loaded } from './loaded.ts';

export const DAY = 86_400_000;
export const HOUR = 3_600_000;

/** Times as a sender of mail writes them. */
export const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();

export const config = () =>
  loaded(`belay: 1
agent: m
tools:
  reply:
    { reads: [], writes: [told], effect: irreversible,
      obligations: { each: args.promises, due: due, kept_by: refund, as: kept.args.cents >= obligation.cents } }
  refund: { reads: [], writes: [paid], effect: compensable, undo: payback }
skeletons:
  REFUND:
    entity: '"it"'
    states: [refund]
    entry: [refund]
    outputs: [paid]
    exit: [{ id: paid, at: refund -> rest, when: memory.?paid.hasValue() }]
    rollback: { anchors: [paid], resume: refund, compensable: undo }
`);

export const UNTIL = loaded(`belay: 1
agent: m
tools:
  reply:
    { reads: [], writes: [told], effect: irreversible,
      obligations: { each: [{ what: revert it }], due: 2h, kept_by: refund, until: 'memory.?over.hasValue()' } }
  refund: { reads: [], writes: [paid], effect: compensable, undo: payback }
skeletons: {}
`);

export type Sent = {
  readonly event: { readonly promises?: unknown; readonly cents?: number; readonly obligation?: string };
};

/** A support agent: it replies, is told what is due, refunds, and goes round. */
export class Desk {
  readonly told: unknown[] = [];
  readonly paid: number[] = [];
  readonly unpaid: string[] = [];
  readonly machine = machineOf(
    {
      reply: tool(({ input }: { input: { promises: unknown } }) =>
        Promise.resolve(void this.told.push(input.promises)),
      ),
      refund: tool(({ input }: { input: { cents: number } }) => Promise.resolve(this.paid.push(input.cents))),
    },
    {
      context: { due: [] as string[], promises: [], cents: 0 },
      initial: 'rest',
      states: {
        rest: {
          on: {
            REPLY: { target: 'reply', actions: assign({ promises: ({ event }: Sent) => event.promises } as never) },
            REFUND: { target: 'refund', actions: assign({ cents: ({ event }: Sent) => event.cents } as never) },
            BUSY: 'busy',
            OVER: { actions: assign({ over: true } as never) },
            '@belay.due': {
              actions: assign({
                due: ({ context: { due }, event }: Sent & { context: { due: string[] } }) => [...due, event.obligation],
              } as never),
            },
            END: 'end',
          },
        },
        busy: { on: { FREE: 'rest' } },
        reply: {
          invoke: {
            src: 'reply',
            input: ({ context: { promises } }: { context: { promises: unknown } }) => ({ promises }),
            onDone: 'rest',
            onError: {
              target: 'rest',
              actions: assign({ error: ({ event }: { event: { error: unknown } }) => String(event.error) } as never),
            },
          },
        },
        refund: {
          invoke: {
            src: 'refund',
            input: ({ context: { cents } }: { context: { cents: number } }) => ({ cents }),
            onDone: { target: 'rest', actions: assign({ paid: ({ context: { cents } }: never) => cents } as never) },
          },
        },
        end: { type: 'final' },
      },
    },
  );

  readonly options = (journal: JournalStore, of = config(), more: object = {}) => ({
    ...{ run: 'r', config: of, journal, now: () => Date.now() },
    undo: { payback: ({ key }: { key: string }) => void this.unpaid.push(key) },
    ...more,
  });
}

export const passes = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
export const send = async (run: Sidecar, event: object) => {
  run.actor.send(event as never);
  await passes(500);
};
export const dueOf = (run: Sidecar) => (context(run) as { due: string[] }).due;
export const findings = async (store: JournalStore) =>
  (await entries(store)).flatMap((entry) => (entry.do === 'finding' ? [entry.code] : []));

export const begun = async (desk: Desk, store: JournalStore, ...more: [ReturnType<typeof config>?, object?]) => {
  const run = (await attach(desk.machine, desk.options(store, ...more) as never)) as unknown as Sidecar;
  run.actor.start();
  return run;
};
export const next = async (
  before: Sidecar,
  desk: Desk,
  store: JournalStore,
  ...more: [ReturnType<typeof config>?, object?]
) => {
  await before.close();
  const run = (await resume(desk.machine, desk.options(store, ...more) as never)) as unknown as Sidecar;
  run.actor.start();
  await passes(500);
  return run;
};

export const entries = async (store: JournalStore) => entriesOf(await rows(store));

export async function rows(store: JournalStore) {
  const all = [];
  for await (const row of store.read('r')) all.push(row);
  return all;
}

export const owedNow = async (store: JournalStore) =>
  ledgersOf(await rows(store), Date.now()).obligations.filter(({ owes }) => owes === 'act');
