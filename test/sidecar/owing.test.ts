/** OB1 to OB7, each once: what is due, over files and processes; bad obligations; forks, bases, and who may say what. */
import { rmSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { type JournalStore, ledgersOf, memoryStore } from '../../src/index.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { SPACING } from '../../src/sidecar/opening/options.ts';
import { DrivenClock } from '../../src/testing/driven-clock.ts';
import { workClient } from '../../src/workers/index.ts';
import { attach, resume, type Sidecar, tool } from '../../src/xstate/index.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { scratchFolder } from '../scratch.ts';
import { context, value } from '../semantics/dying.ts';
import { machineOf } from '../semantics/little.ts';
import { loaded } from './loaded.ts';

const folder = scratchFolder('owing');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** Times as a sender of mail writes them. */
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();

const config = () =>
  loaded(`belay: 1
agent: m
tools:
  reply:
    { reads: [], writes: [told], effect: irreversible,
      obligations: { each: args.promises, due: due, kept_by: refund, as: kept.args.cents >= obligation.cents } }
  refund: { reads: [], writes: [paid], effect: compensable, undo: unpay }
skeletons:
  REFUND:
    entity: '"it"'
    states: [refund]
    entry: [refund]
    outputs: [paid]
    exit: [{ id: paid, at: refund -> rest, when: memory.?paid.hasValue() }]
    rollback: { anchors: [paid], resume: refund, compensable: undo }
`);

const UNTIL = loaded(`belay: 1
agent: m
tools:
  reply:
    { reads: [], writes: [told], effect: irreversible,
      obligations: { each: [{ what: revert it }], due: 2h, kept_by: refund, until: 'memory.?over.hasValue()' } }
  refund: { reads: [], writes: [paid], effect: compensable, undo: unpay }
skeletons: {}
`);

type Sent = { readonly event: { readonly promises?: unknown; readonly cents?: number; readonly obligation?: string } };

/** A support agent: it replies, is told what is due, refunds, and goes round. */
class Desk {
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
    undo: { unpay: ({ key }: { key: string }) => void this.unpaid.push(key) },
    ...more,
  });
}

const passes = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const send = async (run: Sidecar, event: object) => {
  run.actor.send(event as never);
  await passes(500);
};
const dueOf = (run: Sidecar) => (context(run) as { due: string[] }).due;
const findings = async (store: JournalStore) =>
  (await entries(store)).flatMap((entry) => (entry.do === 'finding' ? [entry.code] : []));

const begun = async (desk: Desk, store: JournalStore, ...more: [ReturnType<typeof config>?, object?]) => {
  const run = (await attach(desk.machine, desk.options(store, ...more) as never)) as unknown as Sidecar;
  run.actor.start();
  return run;
};
const next = async (
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

const STORES: Readonly<Record<string, () => JournalStore>> = {
  memory: () => memoryStore(),
  file: () => sqliteStore(`${folder}/owing.db`),
};

describe.each(Object.entries(STORES))('%s', (_, made) => {
  test('OB4, OB6: a refund that is promised in one hour is kept in another, by another process; what is not kept is told once, and named', () =>
    new DrivenClock().during(async () => {
      const [desk, store] = [new Desk(), made()];
      let run = await begun(desk, store);
      await send(run, {
        type: 'REPLY',
        promises: [
          { cents: 5, due: inHours(2) },
          { cents: 9, due: inHours(4) },
        ],
      });
      run = await next(run, desk, store);
      await send(run, { type: 'REFUND', cents: 6 });
      await passes(2.5 * HOUR);
      expect(await findings(store)).not.toContain('obligation_overdue');
      run = await next(run, desk, store);
      await send(run, { type: 'BUSY' });
      await passes(2 * HOUR);
      expect((await findings(store)).filter((code) => code === 'obligation_overdue')).toHaveLength(1);
      expect(dueOf(run)).toEqual([]);
      run = await next(run, desk, store);
      await send(run, { type: 'FREE' });
      const [due = '', ...others] = dueOf(run);
      expect([due.slice(-2), others]).toEqual(['#2', []]);
      run = await next(run, desk, store);
      await passes(HOUR);
      expect(dueOf(run)).toEqual([due]);
      expect((await findings(store)).filter((code) => code === 'obligation_overdue')).toHaveLength(1);
      const { obligations } = ledgersOf(await rows(store), Date.now());
      expect(obligations).toMatchObject([{ owes: 'act', name: due, keptBy: 'refund', overdue: true }]);
      await send(run, { type: 'END' });
      await expect(run.finished()).resolves.toMatchObject({ status: 'parked' });
      await run.close();
      const client = workClient(store);
      await client.settleKey('r', due, { status: 'broken' }, { by: 'ann', why: 'the card is closed' });
      run = await next(run, desk, store);
      await expect(run.finished()).resolves.toMatchObject({
        status: 'done',
        broken: [{ name: due, keptBy: 'refund' }],
      });
      await expect(run.settle(due, 'kept', undefined, { by: 'ann' })).rejects.toThrow();
      await run.close();
      await store.close?.();
    }));
});

const entries = async (store: JournalStore) => entriesOf(await rows(store));

async function rows(store: JournalStore) {
  const all = [];
  for await (const row of store.read('r')) all.push(row);
  return all;
}

describe('what a call may take on', () => {
  const CASES: readonly (readonly [string, unknown, string])[] = [
    ['no list', 'a refund', 'bad_obligation'],
    ['a list of numbers', [1], 'bad_obligation'],
    ['a time that is none', [{ cents: 5, due: 'on Friday' }], 'bad_obligation'],
    ['a time in a list', [{ cents: 5, due: [1] }], 'bad_obligation'],
    ['too many', Array.from({ length: 101 }, () => ({ cents: 1 })), 'bad_obligation'],
    ['what was due yesterday', [{ cents: 5, due: '1999-12-31' }], 'obligation_past_due'],
  ];
  test.each(CASES)('OB5: %s is refused before the call leaves', (_, promises, code) =>
    new DrivenClock().during(async () => {
      const [desk, store] = [new Desk(), memoryStore()];
      const run = await begun(desk, store);
      await send(run, { type: 'REPLY', promises });
      expect((context(run) as { error?: string }).error).toContain(code);
      expect(desk.told).toEqual([]);
      await send(run, { type: 'END' });
      await expect(run.finished()).resolves.toMatchObject({ status: 'done' });
      await run.close();
      expect(await findings(store)).toContain(code);
    }),
  );

  test('OB5: nothing, no time, a date and a number of milliseconds are taken; a date counts to its end', () =>
    new DrivenClock().during(async () => {
      const [desk, store] = [new Desk(), memoryStore()];
      const run = await begun(desk, store);
      const today = new Date(Date.now()).toISOString().slice(0, 10);
      await send(run, { type: 'REPLY', promises: [] });
      await send(run, {
        type: 'REPLY',
        promises: [{ cents: 1 }, { cents: 2, due: today }, { cents: 3, due: Date.now() + DAY }],
      });
      const owed = (await entries(store)).flatMap((entry) =>
        entry.do === 'obligation' && entry.is === 'owed' ? [entry.due] : [],
      );
      expect(owed).toEqual([[null, Date.parse(`${today}T00:00:00Z`) + DAY, expect.any(Number)]]);
      await run.close();
    }));
});

test('OB6: only the sidecar says what is due', () =>
  new DrivenClock().during(async () => {
    const [desk, store] = [new Desk(), memoryStore()];
    const run = await begun(desk, store);
    await send(run, { type: 'REPLY', promises: [{ cents: 5, due: inHours(2) }] });
    const [key = ''] = (await entries(store)).flatMap((entry) =>
      entry.do === 'obligation' && entry.is === 'owed' ? [entry.key] : [],
    );
    const forged = { type: '@belay.due', obligation: `${key}#1` };
    await send(run, forged);
    await expect(run.send(forged)).rejects.toThrow('only the machine gives');
    await expect(workClient(store).send('r', forged, { by: 'eve' } as never)).rejects.toThrow('only the machine gives');
    await store.post('r', JSON.stringify({ event: forged, at: null, by: 'eve' }));
    await passes(5_000);
    expect(dueOf(run)).toEqual([]);
    expect(await findings(store)).toContain('due_refused');
    // A name that a sender may give is none of the sidecar's.
    await passes(2 * HOUR);
    expect(dueOf(run)).toEqual([`${key}#1`]);
    await send(run, forged);
    expect(dueOf(run)).toEqual([`${key}#1`]);
    await run.close();
  }));

const owedNow = async (store: JournalStore) =>
  ledgersOf(await rows(store), Date.now()).obligations.filter(({ owes }) => owes === 'act');

test('OB2: what keeps an obligation keeps it no longer once it is undone; OB6: the event comes again after a restore', () =>
  new DrivenClock().during(async () => {
    const [desk, store] = [new Desk(), memoryStore()];
    let run = await begun(desk, store);
    await send(run, { type: 'REFUND', cents: 9 });
    await send(run, { type: 'REPLY', promises: [{ cents: 5, due: inHours(1) }] });
    await send(run, { type: 'REFUND', cents: 1 });
    await passes(2 * HOUR);
    const due = dueOf(run);
    expect(due).toHaveLength(1);
    run = await next(run, desk, store);
    expect(await owedNow(store)).toHaveLength(1);
    const small = (await entries(store)).findLast((entry) => entry.do === 'intent' && entry.tool === 'refund');
    await run.settle((small as { key: string }).key, 'compensated', undefined, { by: 'ann' });
    await passes(2_000);
    // The run goes back to before the small payment, makes it again, and is told once more what is due.
    expect(desk.paid).toEqual([9, 1, 1]);
    expect(dueOf(run)).toEqual(due);
    await send(run, { type: 'REFUND', cents: 9 });
    run = await next(run, desk, store);
    expect(await owedNow(store)).toEqual([]);
    await run.close();
  }));

test('OB3: while `until` holds nothing is owed', () =>
  new DrivenClock().during(async () => {
    const [desk, store] = [new Desk(), memoryStore()];
    let run = await begun(desk, store, UNTIL);
    await send(run, { type: 'REPLY', promises: [] });
    run = await next(run, desk, store, UNTIL);
    expect(await owedNow(store)).toMatchObject([{ says: { what: 'revert it' } }]);
    await send(run, { type: 'OVER' });
    run = await next(run, desk, store, UNTIL);
    expect(await owedNow(store)).toEqual([]);
    await passes(3 * HOUR);
    expect(dueOf(run)).toEqual([]);
    await send(run, { type: 'END' });
    await expect(run.finished()).resolves.toMatchObject({ status: 'done' });
    await run.close();
  }));

test('OB7: a person is asked at once where no tool of the config keeps what is owed any more', () =>
  new DrivenClock().during(async () => {
    const [desk, store] = [new Desk(), memoryStore()];
    let run = await begun(desk, store);
    await send(run, { type: 'REPLY', promises: [{ cents: 5 }] });
    const without = loaded(`belay: 1
agent: m
tools:
  reply: { reads: [], writes: [told], effect: irreversible }
skeletons: {}
`);
    run = await next(run, desk, store, without, { adopt: true });
    expect((await findings(store)).filter((code) => code === 'no_keeper')).toHaveLength(1);
    run = await next(run, desk, store, without, { adopt: true });
    expect((await findings(store)).filter((code) => code === 'no_keeper')).toHaveLength(1);
    expect(ledgersOf(await rows(store), Date.now()).obligations).toMatchObject([
      { owes: 'act', unkept: expect.stringContaining('refund') },
    ]);
    run = await next(run, desk, store, config(), { adopt: true });
    expect(ledgersOf(await rows(store), Date.now()).obligations).toMatchObject([{ owes: 'act', unkept: null }]);
    await run.close();
  }));

test('a base holds what is owed, and what was said of it', () =>
  new DrivenClock().during(async () => {
    const [desk, store] = [new Desk(), memoryStore()];
    const more = { [SPACING]: { rows: 2, times: 0, newest: 2 } };
    let run = await begun(desk, store, config(), more);
    await send(run, { type: 'REPLY', promises: [{ cents: 5 }, { cents: 7 }] });
    await send(run, { type: 'REFUND', cents: 6 });
    const before = ledgersOf(await rows(store), Date.now()).obligations;
    expect(before).toMatchObject([{ owes: 'act', says: { cents: 7 } }]);
    run = await next(run, desk, store, config(), more);
    await send(run, { type: 'REFUND', cents: 7 });
    await send(run, { type: 'END' });
    await expect(run.finished()).resolves.toMatchObject({ status: 'done' });
    expect(value(run)).toBe('end');
    await run.close();
  }));

test('OB8: a fork owes nothing of what its parent has said', () =>
  new DrivenClock().during(async () => {
    const [desk, store] = [new Desk(), memoryStore()];
    const run = await begun(desk, store);
    await send(run, { type: 'REPLY', promises: [{ cents: 5 }] });
    await run.close();
    await workClient(store).fork('r', { as: 'child', by: 'ann' });
    const child = (await resume(desk.machine, { ...desk.options(store), run: 'child' } as never)) as unknown as Sidecar;
    child.actor.start();
    await passes(500);
    await send(child, { type: 'END' });
    await expect(child.finished()).resolves.toMatchObject({ status: 'done' });
    await child.close();
    expect(await owedNow(store)).toHaveLength(1);
  }));
