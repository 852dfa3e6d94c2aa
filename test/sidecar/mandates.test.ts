/** MD1 to MD7, each once: what a run may do under a mandate, what waits for another one, and who gives and withdraws it. */
import { describe, expect, test } from 'vitest';
import { type JournalStore, memoryStore } from '../../src/index.ts';
import { auditOf } from '../../src/reports/audit.ts';
import { parseRunNote } from '../../src/reports/run-note.ts';
import { workClient } from '../../src/workers/index.ts';
import { attach, type Sidecar } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { value } from '../semantics/dying.ts';
import { calls, World as Little, machineOf } from '../semantics/little.ts';
import { loaded } from './loaded.ts';
import { begun, Desk, entries, findings, inHours, passes, rows, send } from './owing-desk.ts';
import { page, Treasury } from './people-agent.ts';

class World extends Little {
  free: (value: unknown) => void = () => {};
}

const ADA = { by: 'ada' };
const CASH = { id: 'cash', by: 'cfo', cents: 1_000 };
const is = (sidecar: Sidecar, state: string) =>
  until(
    () => value(sidecar) === state,
    () => `${String(value(sidecar))}, ${sidecar.status}`,
  );
const asked = async (sidecar: Sidecar) => {
  await until(
    () => sidecar.gates().length === 1,
    () => sidecar.status,
  );
  return sidecar.requests()[0] as ReturnType<Sidecar['requests']>[number];
};
const parked = (sidecar: Sidecar) =>
  until(
    () => sidecar.status === 'parked',
    () => sidecar.status,
  );
const unders = async (store: JournalStore) =>
  (await entries(store)).flatMap((entry) => {
    if (entry.do === 'intent') return [`${entry.tool} ${entry.under ?? 'none'}`];
    return entry.do === 'leave' ? [`leaves ${entry.under ?? 'none'}`] : [];
  });
const words = async (store: JournalStore) =>
  (await entries(store)).flatMap((entry) => (entry.do === 'mandate' ? [entry.is] : []));

describe('a mandate', () => {
  test('MD1, MD2: is journaled before the first step, and each intent names it', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const run = await bank.begun(store, { mandate: CASH });
    await run.answer((await asked(run)).gate, 'approved', ADA);
    await is(run, 'rest');
    expect((await entries(store)).slice(0, 2).map((entry) => entry.do)).toEqual(['begin', 'mandate']);
    expect(await unders(store)).toEqual(['look cash', 'pay cash', 'leaves cash']);
    await run.close();
  });

  test('MD1: a run that needs none acts as ever, and its intents name none', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const run = await bank.begun(store);
    await run.answer((await asked(run)).gate, 'approved', ADA);
    await is(run, 'rest');
    expect(await unders(store)).toEqual(['look none', 'pay none', 'leaves none']);
    await run.close();
  });

  test('MD3, MD5: a run that needs one waits for it, says so, and goes on', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const run = await bank.begun(store, { mandate: 'required' });
    await parked(run);
    expect(run.waitsFor).toMatchObject([{ for: 'person', what: 'another mandate' }]);
    const ending = await run.finished();
    expect(ending).toMatchObject({
      status: 'parked',
      decision: { verdict: 'escalate', refusals: [{ code: 'mandate_over', why: 'missing', tool: 'look' }] },
    });
    const note = parseRunNote((await store.run('r'))?.note);
    expect(note).toMatchObject({ standing: { is: 'parked' }, waits: [{ code: 'mandate_over', act: 'mandate' }] });
    expect(bank.looks).toBe(0);
    await run.mandate(CASH);
    await run.answer((await asked(run)).gate, 'approved', ADA);
    await is(run, 'rest');
    expect(bank.bodies).toHaveLength(1);
    await run.close();
  });

  test('MD3, MD4: one that is withdrawn at a gate lets nothing leave, and the approval is used under the next one', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const run = await bank.begun(store, { mandate: CASH });
    const { gate } = await asked(run);
    await run.revoke({ ...ADA, why: 'the policy has changed' });
    await run.answer(gate, 'approved', ADA);
    await parked(run);
    expect(bank.bodies).toEqual([]);
    await run.mandate({ id: 'next', by: 'cfo' });
    await is(run, 'rest');
    expect(await unders(store)).toEqual(['look cash', 'pay cash', 'leaves next']);
    expect(bank.bodies).toHaveLength(1);
    await run.close();
  });

  test('MD3: one whose time is over lets nothing leave', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    let now = Date.now();
    const over = new Date(now + 60_000).toISOString();
    const run = await bank.begun(store, { mandate: { ...CASH, until: over }, now: () => now });
    const { gate } = await asked(run);
    now += 60_000;
    await run.answer(gate, 'approved', ADA);
    await parked(run);
    expect(await words(store)).toEqual(['given', 'over', 'wanted']);
    expect(bank.bodies).toEqual([]);
    await run.close();
  });

  test('MD2: a condition on the mandate holds for the mandate that the call leaves under', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    let [free, looks] = [() => {}, 0];
    const checks = {
      slow: () =>
        new Promise<null>((resolve) => {
          looks += 1;
          free = () => resolve(null);
        }),
    };
    const config = page({ more: ", when: 'args.cents <= mandate.cents', check: slow" });
    const run = await bank.begun(store, { config, checks, mandate: CASH });
    await until(() => looks === 1);
    free();
    const { gate } = await asked(run);
    await run.answer(gate, 'approved', ADA);
    await until(() => looks === 2);
    await run.mandate({ id: 'small', by: 'cfo', cents: 100 });
    free();
    await until(async () =>
      (await entries(store)).some((entry) => entry.do === 'outcome' && entry.status === 'failed'),
    );
    expect(bank.bodies).toEqual([]);
    await run.close();
  });

  test('MD2: what was held back under one mandate is not committed under another one that does not allow it', async () => {
    const [world, store] = [new World(), memoryStore()];
    const held = () =>
      new Promise((resolve) => {
        world.free = resolve;
      });
    const machine = machineOf(
      { pay: world.tool('pay'), look: world.tool('look', held) },
      {
        initial: 'pay',
        states: { pay: calls('pay', 'receipt', 'look'), look: calls('look', 'seen', 'rest'), rest: {} },
      },
    );
    const config = loaded(`belay: 1
agent: m
tools:
  pay: { reads: [], writes: [receipt], effect: irreversible, buffer: true, when: mandate.cents >= 500 }
  look: { reads: [], writes: [seen], effect: none }
skeletons:
  PAY:
    entity: '"it"'
    states: [pay, look]
    entry: [pay]
    outputs: [receipt, seen]
    exit: [{ id: paid, at: look -> rest, when: memory.?seen.hasValue() }]
    rollback: { anchors: [paid], resume: pay }
`);
    const options = { run: 'r', config, journal: store, mandate: CASH };
    const run = (await attach(machine, options as never)) as unknown as Sidecar;
    run.actor.start();
    void run.finished().catch(() => null);
    await until(() => world.count('look') === 1);
    await run.mandate({ id: 'small', by: 'cfo', cents: 100 });
    world.free(null);
    await until(() => run.status === 'parked');
    expect(world.count('pay')).toBe(0);
    await run.close();
  });

  test('MD4: what is under way comes back, undos leave, and the replay waits', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const run = await bank.begun(store, { mandate: CASH });
    bank.slow = true;
    await run.answer((await asked(run)).gate, 'approved', ADA);
    await until(() => bank.bodies.length === 1);
    await run.revoke(ADA);
    bank.slow = false;
    bank.comes();
    await is(run, 'rest');
    const instance = { skeleton: 'PAY', entity: 'it', ordinal: 0 };
    void run.fail('CONTRACT_VIOLATION', { instance, key: 'receipt' } as never);
    await parked(run);
    expect(bank.undone).toHaveLength(1);
    expect(bank.bodies).toHaveLength(1);
    await run.mandate({ by: 'cfo' });
    await run.answer((await asked(run)).gate, 'approved', ADA);
    await is(run, 'rest');
    expect(bank.bodies).toHaveLength(2);
    await run.close();
  });

  test('MD5: the next process waits on, and goes on once a message gives another one', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const first = await bank.begun(store, { mandate: 'required' });
    await parked(first);
    await first.close();
    await workClient(store).mandate('r', CASH);
    const run = await bank.resumed(store, { mandate: 'required' });
    await run.answer((await asked(run)).gate, 'approved', ADA);
    await is(run, 'rest');
    expect(await words(store)).toEqual(['over', 'wanted', 'given']);
    await run.close();
  });
});

describe('the word of a person about a mandate', () => {
  test('MD1: a mandate that was withdrawn never comes back, and one whose time is over is none', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const run = await bank.begun(store, { mandate: CASH });
    await asked(run);
    await run.revoke({ ...ADA, id: 'cash' });
    await expect(run.mandate(CASH)).rejects.toMatchObject({ code: 'mandate_refused' });
    await expect(run.mandate({ ...CASH, id: 'old', until: '2020-01-01' })).rejects.toMatchObject({
      code: 'mandate_refused',
    });
    await expect(run.revoke(ADA)).rejects.toMatchObject({ code: 'mandate_refused' });
    await run.mandate({ by: 'cfo' });
    await expect(run.revoke({ ...ADA, id: 'cash' })).rejects.toMatchObject({ code: 'mandate_refused' });
    await run.close();
  });

  test.each([
    {},
    { by: '' },
    { by: 'ada', until: 'soon' },
    { by: 'ada', until: '2026-13-45' },
    { by: 'ada', id: 'a b' },
    { by: 'ada', when: () => 1 },
    { by: 'ada', cents: 1n },
    { by: 'ada', at: new Date(0) },
    { by: 'ada', text: 'x'.repeat(20_000) },
    [],
    'ada',
    null,
  ])('MD1: %o is no mandate', async (terms) => {
    const store = memoryStore();
    const bank = new Treasury();
    const run = await bank.begun(store);
    await expect(run.mandate(terms as never)).rejects.toBeInstanceOf(TypeError);
    await expect(bank.begun(memoryStore(), { mandate: terms })).rejects.toMatchObject({ code: 'bad_argument' });
    await expect(workClient(store).mandate('r', terms as never)).rejects.toBeInstanceOf(TypeError);
    await run.close();
  });

  test('MD6: a withdrawal by its name reaches every run that is under the mandate, and no other', async () => {
    const store = memoryStore();
    const banks = ['a', 'b', 'c'].map(() => new Treasury());
    const runs = await Promise.all(
      ['a', 'b', 'c'].map((run, nth) =>
        (banks[nth] as Treasury).begun(store, { run, mandate: nth === 2 ? { by: 'cfo' } : CASH }),
      ),
    );
    for (const run of runs) await asked(run);
    const left = await workClient(store).revokeAll('cash', ADA);
    expect(left.map(({ run }) => run).sort()).toEqual(['a', 'b']);
    const revoked = async (run: string, post: number) => (await workClient(store).outcome(run, post))?.is === 'taken';
    for (const { run, post } of left) await until(() => revoked(run, post));
    for (const run of runs) await run.close();
  });

  test('MD1, MD6: a run that is left for workers with a mandate takes it as its first, once', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const client = workClient(store);
    const request = { run: 'r', agent: 'm', mandate: CASH };
    expect(await client.start(request)).toBe(true);
    expect(await client.start(request)).toBe(false);
    const run = await bank.resumed(store, { mandate: 'required' });
    await asked(run);
    await run.durable();
    expect((await words(store)).slice(0, 2)).toEqual(['over', 'given']);
    expect(await unders(store)).toEqual(['look cash', 'pay cash']);
    await run.close();
  });

  test('MD6: a fork of an earlier row does not bring back a mandate that was withdrawn behind it', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const config = page({ more: '' });
    const run = await bank.begun(store, { config, mandate: CASH });
    await run.answer((await asked(run)).gate, 'approved', ADA);
    await is(run, 'rest');
    await passes(5);
    const at = (await rows(store)).length;
    await run.revoke(ADA);
    await run.close();
    await workClient(store).fork('r', { as: 'f', at, by: 'ada' });
    const fork = await bank.resumed(store, { run: 'f', config });
    await expect(fork.revoke(ADA)).rejects.toMatchObject({ message: expect.stringMatching('withdrawn by "ada"') });
    await fork.mandate({ by: 'cfo' });
    await fork.close();
  });
});

describe('what a run owes', () => {
  test('MD4, OB7: as its mandate is withdrawn, a person is asked at once about what is owed', async () => {
    const [desk, store] = [new Desk(), memoryStore()];
    const run = await begun(desk, store, undefined, { mandate: CASH });
    await send(run, { type: 'REPLY', promises: [{ cents: 50, due: inHours(2) }] });
    expect(desk.told).toHaveLength(1);
    expect(await findings(store)).toEqual([]);
    await run.revoke(ADA);
    await until(async () => (await findings(store)).includes('no_keeper'));
    await run.mandate({ by: 'cfo' });
    const last = async () => (await entries(store)).findLast((entry) => entry.do === 'obligation');
    await until(async () => {
      const entry = await last();
      return entry?.is === 'unkept' && entry.why === null;
    });
    await passes(1);
    await run.close();
  });
});

describe('the spine of an audit', () => {
  test('MD7: names mandates, decisions, approvals, acts and outcomes in the order of the rows', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const run = await bank.begun(store, { mandate: CASH });
    await run.answer((await asked(run)).gate, 'approved', ADA);
    await is(run, 'rest');
    await run.revoke(ADA);
    const lines = auditOf(await rows(store));
    expect(lines.map(({ is, what, under }) => [is, what, under].filter(Boolean).join(' '))).toEqual([
      'mandate given cash',
      'act leaves cash',
      'outcome confirmed',
      'act is held cash',
      'approval approved',
      'act leaves cash',
      'outcome confirmed',
      'mandate withdrawn cash',
    ]);
    expect(lines[0]).toMatchObject({ by: 'cfo', terms: CASH });
    await run.close();
  });
});
