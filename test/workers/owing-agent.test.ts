/**
 * OB1 to OB7 in an agent that is talked to: a refund that is promised in one turn and kept in another, two days and three processes on, also where a process
 * dies at each row; what the end of the thread, a pause and another release do to what is owed.
 */
import { expect, test } from 'vitest';
import { ledgersOf, memoryStore } from '../../src/index.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import type { Entry } from '../../src/model/entry.ts';
import { MortalStore } from '../../src/rehearsal/trial/mortal-store.ts';
import { runsWaiting } from '../../src/reports/runs-waiting.ts';
import { DrivenClock } from '../../src/testing/driven-clock.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { DAY, desk, deskConfig, World } from './owing-agent.ts';

const passes = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const BROKEN = 'it arrived broken';

/** One thread, in the processes that it comes to. */
class Thread {
  readonly world = new World();
  readonly rows = memoryStore();
  readonly store: MortalStore;
  readonly findings: string[] = [];
  isDead = false;
  processes = 0;
  #dies: () => void = () => {};
  #death = new Promise<void>(() => {});
  #run: Awaited<ReturnType<ReturnType<typeof desk>['attach']>> | null = null;
  readonly #agent = desk(this.world, () => this.isDead);

  constructor(dies: number | null) {
    const death = () => {
      this.isDead = true;
      this.#dies();
    };
    this.store = new MortalStore(this.rows, dies, { death, row: () => {} });
  }

  get run() {
    if (this.#run === null) throw new Error('no process has it');
    return this.#run;
  }

  /** The next process has it. */
  async open(config = deskConfig(), more: object = {}): Promise<void> {
    const { world } = this;
    this.isDead = false;
    this.processes += 1;
    this.#death = new Promise((resolve) => {
      this.#dies = resolve;
    });
    const options = {
      ...{ run: 'r', config, journal: await this.store.next(), now: () => Date.now(), ...more },
      reconcilers: { mails: world.findMail, refunds: world.findRefund },
      onFinding: ({ code }: { code: string }) => void this.findings.push(code),
    };
    const isOld = this.#run !== null && this.rows.run('r') !== null;
    this.#run = await (isOld ? this.#agent.resume(options) : this.#agent.attach(options));
  }

  async close(): Promise<void> {
    await this.run.close();
  }

  /** Hands a turn in, as often as its process dies. @returns what it says, or the code of its refusal. */
  async says(text: string, id: string): Promise<unknown> {
    for (let nth = 0; nth < 4; nth += 1) {
      const said = this.run.invoke(text, { id }).catch((error: { code?: string }) => error.code ?? String(error));
      const answer = await Promise.race([said, this.#death.then(() => 'dead')]);
      if (!this.isDead) return answer;
      void this.run.close().catch(() => {});
      await passes(100);
      await this.open();
    }
    return 'no answer';
  }

  read(): readonly StoredRow[] {
    return [...this.rows.read('r')];
  }
}

/** What the gauges of a store say that its runs owe. */
const owes = (thread: Thread) => runsWaiting(thread.rows.runs(), Date.now()).owed;

/** The names that are owed behind each row, by the entries alone: a sentence without a refund of its amount behind it, and no word of a person. */
function owedBehind(entries: readonly Entry[]): readonly string[] {
  const status = new Map<string, string>();
  const owed: { readonly name: string; readonly key: string; readonly at: number }[] = [];
  const refunds: { readonly key: string; readonly at: number }[] = [];
  const answered = new Set<string>();
  for (const [at, entry] of entries.entries()) {
    if (entry.do === 'intent' && !status.has(entry.key)) {
      status.set(entry.key, 'intended');
      if (entry.tool === 'refund') refunds.push({ key: entry.key, at });
    }
    if (entry.do === 'outcome') status.set(entry.key, entry.status);
    if (entry.do === 'obligation' && entry.is === 'owed')
      owed.push(...entry.due.map((_, nth) => ({ name: `${entry.key}#${nth + 1}`, key: entry.key, at })));
    if (entry.do === 'obligation' && entry.is === 'answered') answered.add(entry.name);
  }
  const paid = refunds.filter(({ key }) => status.get(key) === 'confirmed');
  return owed.flatMap(({ name, key, at }) => {
    const isSaid = status.get(key) !== 'failed' && !answered.has(name);
    return isSaid && !paid.some((refund) => refund.at > at) ? [name] : [];
  });
}

/** What is wrong at some row of the journal, by the ledger of a reader who stops there; null for nothing. */
function wrongAt(rows: readonly StoredRow[]): string | null {
  for (let many = 1; many <= rows.length; many += 1) {
    const some = rows.slice(0, many);
    const entries = entriesOf(some);
    const last = entries.at(-1);
    if (last?.do === 'end') continue;
    const told = ledgersOf(some, 0).obligations.flatMap((one) => (one.owes === 'act' ? [one.name] : []));
    const owed = owedBehind(entries);
    if (JSON.stringify(told) !== JSON.stringify(owed)) return `row ${many}: told ${told}, owed ${owed}`;
  }
  return null;
}

/** One thread of two turns, two days apart, in three processes at least. */
async function played(dies: number | null, second: string): Promise<Thread> {
  const thread = new Thread(dies);
  await thread.open();
  const said = await thread.says(BROKEN, 'm1');
  if (said !== '50 by Friday') throw new Error(`${dies}: ${JSON.stringify([said, await thread.run.finished()])}`);
  await thread.close();
  await passes(2 * DAY);
  await thread.open();
  await thread.says(second, 'm2');
  await thread.close();
  if (second !== 'where is it?') await passes(2 * DAY);
  await thread.open();
  await thread.says('bye', 'm3');
  await passes(1_000);
  return thread;
}

test('OB4: a refund is promised in one turn and kept in another, two days and two processes later', () =>
  new DrivenClock().during(async () => {
    const thread = await played(null, 'where is it?');
    await expect(thread.run.finished()).resolves.toMatchObject({ status: 'done' });
    expect([thread.processes, [...thread.world.refunds.values()], thread.findings]).toEqual([3, [5_000], []]);
    expect(wrongAt(thread.read())).toBe(null);
    await thread.close();
  }));

test('OB4: a refund that is not made is named as the thread ends: a person is asked, and says that it is broken', () =>
  new DrivenClock().during(async () => {
    const thread = await played(null, 'thank you');
    const ending = await thread.run.finished();
    const [owed = ''] = owedBehind(entriesOf(thread.read()));
    expect(ending).toMatchObject({
      status: 'parked',
      decision: { refusals: [{ code: 'obligation_owed', obligation: owed }] },
    });
    expect(thread.findings).toEqual(['obligation_overdue']);
    expect(owes(thread)).toEqual({ open: 1, overdue: 1, broken: 0 });
    await thread.run.settle(owed, 'broken', undefined, { by: 'ann', why: 'the card is closed' });
    await expect(thread.run.finished()).resolves.toMatchObject({ status: 'done', broken: [{ name: owed }] });
    expect(wrongAt(thread.read())).toBe(null);
    await thread.close();
  }));

test('a thread that a person ends names what it owes', () =>
  new DrivenClock().during(async () => {
    const thread = new Thread(null);
    await thread.open();
    await thread.says(BROKEN, 'm1');
    const [owed] = owedBehind(entriesOf(thread.read()));
    expect(owes(thread)).toEqual({ open: 1, overdue: 0, broken: 0 });
    await thread.run.cancel({ by: 'ann' });
    await expect(thread.run.finished()).resolves.toMatchObject({ status: 'cancelled', broken: [{ name: owed }] });
    expect(owes(thread)).toEqual({ open: 0, overdue: 0, broken: 1 });
    await thread.close();
  }));

/** What is wrong with a thread whose process died; null for nothing. */
async function wrongWith(thread: Thread, isKept: boolean): Promise<string | null> {
  const { world } = thread;
  const ending = await Promise.race([thread.run.finished(), passes(10_000).then(() => null)]);
  if (ending?.status !== (isKept ? 'done' : 'parked')) return JSON.stringify(ending);
  const said = [...world.mails.values()].filter((cents) => cents.length > 0);
  if (said.length !== 1) return `said ${said.length} times`;
  if (world.refunds.size !== (isKept ? 1 : 0)) return `paid ${world.refunds.size} times`;
  return wrongAt(thread.read());
}

test.each([
  ['where is it?', true],
  ['thank you', false],
])(
  'OB1 to OB7: behind "%s" no death loses an obligation, says a sentence twice or pays twice, at any row',
  (second, isKept) =>
    new DrivenClock().during(async () => {
      const wrong: string[] = [];
      let deaths = 0;
      for (let isOver = false; !isOver; ) {
        const thread = await played(deaths + 1, second);
        const why = await wrongWith(thread, isKept);
        if (why !== null) wrong.push(`${deaths + 1}: ${why}`);
        isOver = !thread.store.fired;
        deaths += isOver ? 0 : 1;
        await thread.close();
      }
      expect(wrong).toEqual([]);
      expect(deaths).toBeGreaterThan(12);
    }),
);

const lastUnkept = (rows: readonly StoredRow[]) =>
  entriesOf(rows).findLast((entry) => entry.do === 'obligation' && entry.is === 'unkept');

test('OB7: a person is asked in the commit of a pause, and of a release without the tool that keeps', () =>
  new DrivenClock().during(async () => {
    const thread = new Thread(null);
    await thread.open();
    await thread.says(BROKEN, 'm1');
    await thread.run.pause({ by: 'ann' });
    expect(thread.findings).toEqual(['no_keeper']);
    expect(lastUnkept(thread.read())).toMatchObject({ why: expect.stringContaining('paused by "ann"') });
    await thread.run.unpause({ by: 'ann' });
    expect(lastUnkept(thread.read())).toMatchObject({ why: null });
    await thread.close();
    await thread.open(deskConfig('refund'), { adopt: true });
    await passes(100);
    expect(thread.findings.filter((code) => code === 'no_keeper')).toHaveLength(2);
    expect(lastUnkept(thread.read())).toMatchObject({ why: expect.stringContaining('no tool refund') });
    await thread.close();
  }));
