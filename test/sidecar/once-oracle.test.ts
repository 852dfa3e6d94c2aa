/**
 * ON1 to ON6 against a model of a few lines: every small run of two or three payments, what becomes of each, complaints between them, and a process that
 * ends after each of its appends. The model is the rule; the bank is the judge: nothing twice, nothing lost, nothing refused that is another act.
 */
import { describe, expect, test } from 'vitest';
import type { JournalStore, Row } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { wrapJournals } from '../../src/testing/wrap-journals.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { until } from '../poll.ts';
import { Bank, machineOf, type PayClass, type Payment, payers } from './once.ts';

type Fate = 'paid' | 'lost' | 'refused';
type Asked = Payment & { readonly fate: Fate };

/** What the rules say: an act is made where none of its identity stands, answered where an equal one does, and refused otherwise. */
function expected(plan: readonly Asked[]) {
  const standing = new Map<string, { cents: number; number: number }>();
  let number = 0;
  const answers = plan.map(({ invoice, cents, fate }) => {
    const first = standing.get(invoice);
    if (first !== undefined) return first.cents === cents ? first.number : 'act_repeated';
    if (fate === 'refused') return 'error';
    number += 1;
    standing.set(invoice, { cents, number });
    return number;
  });
  return { answers, acts: number, standing };
}

const UNITS = ['first', 'second', 'third'];
const PAYMENTS: readonly Payment[] = [
  { invoice: 'i1', cents: 100 },
  { invoice: 'i1', cents: 200 },
  { invoice: 'i2', cents: 100 },
];
const FATES: readonly Fate[] = ['paid', 'lost', 'refused'];

function* plans(length: number): Generator<readonly Asked[]> {
  if (length === 0) return yield [];
  for (const before of plans(length - 1))
    for (const payment of PAYMENTS) for (const fate of FATES) yield [...before, { ...payment, fate }];
}

/** Drives a run to its end: it goes on wherever it waits for that. */
async function driven(sidecar: Awaited<ReturnType<typeof attach>>) {
  let ended = false;
  void sidecar.finished().then(() => {
    ended = true;
  });
  const { actor } = sidecar;
  await until(() => {
    const at = JSON.stringify(actor.getSnapshot().value);
    if (at === '"idle"' || at.endsWith('Over"')) actor.send({ type: 'go' });
    return ended;
  });
  return sidecar.finished();
}

async function ran(bank: Bank, plan: readonly Asked[], effect: PayClass) {
  const sizes: Row[][] = [];
  const journal = wrapJournals(memoryStore(), (own) => ({
    append: (rows: readonly Row[], note?: string) => {
      sizes.push([...rows]);
      return own.append(rows, note);
    },
  }));
  const machine = machineOf(bank, (unit) => paid(plan, unit), UNITS.slice(0, plan.length));
  const options = { config: payers(effect), run: 'r', reconcilers: bank.reconcilers, undo: bank.undos };
  const sidecar = await attach(machine, { ...options, journal });
  sidecar.actor.start();
  const ending = await driven(sidecar);
  return { ending, sizes, machine, options, context: sidecar.actor.getSnapshot().context };
}

/** The fates of the calls that leave, by the model. */
function leaving(plan: readonly Asked[]): Fate[] {
  const made = new Set<string>();
  return plan.flatMap(({ invoice, fate }) => {
    if (made.has(invoice)) return [];
    if (fate !== 'refused') made.add(invoice);
    return [fate];
  });
}

/** What went wrong in the runs of a family. */
interface Harm {
  doubled: number;
  lost: number;
  /** Calls that were refused as repetitions, and are acts of their own by the model. */
  refused: number;
}

/** Counts what the bank has for each invoice against what the model says is due. */
function countActs(harm: Harm, bank: Bank, due: (invoice: string) => number): void {
  for (const invoice of ['i1', 'i2']) {
    harm.doubled += Math.max(0, bank.standing(invoice) - due(invoice));
    harm.lost += Math.max(0, due(invoice) - bank.standing(invoice));
  }
}

/** Counts the calls that were refused and should not have been. */
function countRefused(harm: Harm, told: readonly unknown[], answers: readonly unknown[]): void {
  harm.refused += told.filter((answer, index) => answer === 'act_repeated' && answers[index] !== answer).length;
}

/** Begins a run again on the first appends of one that has ended: its process ended behind them. */
async function resumed(full: { bank: Bank; sizes: readonly Row[][] }, plan: readonly Asked[], upTo: number) {
  const bank = new Bank();
  const store = memoryStore();
  const journal = await store.open('r', 'create');
  for (const rows of full.sizes.slice(0, upTo)) journal.append(rows);
  await journal.close();
  // What has left before the process ended is known to the bank by its key.
  const written = full.sizes.slice(0, upTo).flat();
  for (const act of full.bank.acts) if (isIntended(written, act.key)) bank.remember(act);
  const machine = machineOf(bank, (unit) => paid(plan, unit), UNITS.slice(0, 2));
  const options = { config: payers('irreversible'), run: 'r', reconcilers: bank.reconcilers, undo: bank.undos };
  const sidecar = await resume(machine, { ...options, journal: store });
  sidecar.actor.start();
  const ending = await driven(sidecar);
  return { bank, ending, context: sidecar.actor.getSnapshot().context };
}

/** Ends the process of a run after each of its appends. */
async function killed(counts: Harm & { kills: number }, plan: readonly Asked[]): Promise<void> {
  const bank = new Bank();
  bank.next = leaving(plan);
  const { sizes } = await ran(bank, plan, 'irreversible');
  const { answers, standing } = expected(plan);
  for (let upTo = 1; upTo < sizes.length; upTo += 1) {
    const again = await resumed({ bank, sizes }, plan, upTo);
    const told = [again.context.first, again.context.second];
    expect([again.ending.status, ...told], `${JSON.stringify(plan)} after append ${upTo}`).toEqual([
      'done',
      ...answers,
    ]);
    counts.kills += 1;
    countActs(counts, again.bank, (invoice) => (standing.has(invoice) ? 1 : 0));
    countRefused(counts, told, answers);
  }
}

/** Complains about one unit of a run behind both of them, and drives the run to its end. */
async function complainedOf(counts: Harm & { runs: number }, plan: readonly Asked[], wrong: string): Promise<void> {
  const bank = new Bank();
  const machine = machineOf(bank, (unit) => paid(plan, unit), UNITS.slice(0, 2));
  const options = { config: payers('compensable'), reconcilers: bank.reconcilers, undo: bank.undos };
  const sidecar = await attach(machine, { ...options, run: 'r', journal: memoryStore() });
  const { actor } = sidecar;
  actor.start();
  actor.send({ type: 'go' });
  await until(() => actor.getSnapshot().matches('firstOver'));
  actor.send({ type: 'go' });
  await until(() => actor.getSnapshot().matches('secondOver'));
  await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: wrong, entity: 'it' } });
  const ending = await driven(sidecar);
  counts.runs += 1;
  const { answers, standing } = expected(plan);
  // A run that is parked may have taken back what it has not made again yet.
  const due = (invoice: string) => (standing.has(invoice) ? 1 : 0);
  countActs(counts, bank, (invoice) =>
    ending.status === 'done' ? due(invoice) : Math.min(due(invoice), bank.standing(invoice)),
  );
  const { context } = actor.getSnapshot();
  countRefused(counts, [context.first, context.second], answers);
  const parks = wrong === 'second' && answers[1] !== 2;
  expect([ending.status, JSON.stringify(plan), wrong]).toEqual([
    parks ? ending.status : 'done',
    JSON.stringify(plan),
    wrong,
  ]);
}

/** The answer of a run with one payment, over a store that it shares. */
async function answered(bank: Bank, journal: JournalStore, name: string, asked: Asked): Promise<unknown> {
  const config = payers('irreversible', 'once: { by: [args.invoice], scope: store }');
  const machine = machineOf(bank, () => asked, ['first']);
  const sidecar = await attach(machine, { config, run: name, journal, reconcilers: bank.reconcilers });
  sidecar.actor.start();
  await driven(sidecar);
  const answer = sidecar.actor.getSnapshot().context.first;
  await sidecar.close();
  return answer;
}

/** Two runs of one store with a payment each, one after the other or side by side. */
async function paired(counts: Harm & { pairs: number }, [one, two]: [Asked, Asked], together: boolean): Promise<void> {
  const bank = new Bank();
  bank.next = together ? [] : leaving([one, two]);
  const journal = memoryStore();
  const run = (name: string, asked: Asked) => answered(bank, journal, name, asked);
  const answers = together
    ? await Promise.all([run('a', one), run('b', two)])
    : [await run('a', one), await run('b', two)];
  const isSame = one.invoice === two.invoice && (together || one.fate !== 'refused');
  counts.pairs += 1;
  const asking = [one, two].filter(({ fate }) => together || fate !== 'refused');
  countActs(counts, bank, (invoice) => (asking.some((asked) => asked.invoice === invoice) ? 1 : 0));
  const refused = answers.filter((answer) => answer === 'act_repeated').length;
  counts.refused += Math.max(0, refused - (isSame ? 1 : 0));
  expect(refused, JSON.stringify([one, two, together])).toBe(isSame ? 1 : 0);
}

describe('ON1 to ON5, as a model has them', () => {
  for (const effect of ['idempotent', 'compensable', 'irreversible'] as const)
    test(`every run of two payments of class ${effect}`, async () => {
      const counts = { runs: 0, doubled: 0, lost: 0, refused: 0 };
      for (const plan of plans(2)) {
        const bank = new Bank();
        bank.next = leaving(plan);
        const { ending, context } = await ran(bank, plan, effect);
        const { answers, acts, standing } = expected(plan);
        const told = [context.first, context.second];
        expect([ending.status, told], JSON.stringify(plan)).toEqual(['done', answers]);
        counts.runs += 1;
        countActs(counts, bank, (invoice) => (standing.has(invoice) ? 1 : 0));
        countRefused(counts, told, answers);
        expect(bank.acts).toHaveLength(acts);
      }
      console.log(`once, two payments, ${effect}: ${JSON.stringify(counts)}`);
      expect(counts).toEqual({ runs: 81, doubled: 0, lost: 0, refused: 0 });
    });

  test('every run of two payments whose process ends after each of its appends', async () => {
    const counts = { kills: 0, doubled: 0, lost: 0, refused: 0 };
    for (const plan of plans(2)) if (plan.every(({ fate }) => fate !== 'refused')) await killed(counts, plan);
    console.log(`once, kills: ${JSON.stringify(counts)}`);
    expect(counts).toMatchObject({ doubled: 0, lost: 0, refused: 0 });
    expect(counts.kills).toBeGreaterThan(200);
  });

  test('every run of two payments, one of which is found wrong behind both', async () => {
    const counts = { runs: 0, doubled: 0, lost: 0, refused: 0 };
    for (const plan of plans(2))
      if (plan.every(({ fate }) => fate === 'paid'))
        for (const wrong of ['first', 'second']) await complainedOf(counts, plan, wrong);
    console.log(`once, complaints: ${JSON.stringify(counts)}`);
    expect(counts).toEqual({ runs: 18, doubled: 0, lost: 0, refused: 0 });
  });
});

describe('ON6: over all runs of a store', () => {
  test('every pair of runs with one payment each, one after the other and side by side', {
    timeout: 120_000,
  }, async () => {
    const counts = { pairs: 0, doubled: 0, lost: 0, refused: 0 };
    for (const plan of plans(2))
      for (const together of [false, true]) await paired(counts, plan as [Asked, Asked], together);
    console.log(`once, pairs of runs: ${JSON.stringify(counts)}`);
    expect(counts).toEqual({ pairs: 162, doubled: 0, lost: 0, refused: 0 });
  });
});

/** The payment that a unit asks for: its fate is no part of it. */
function paid(plan: readonly Asked[], unit: string): Payment {
  const { invoice, cents } = plan[UNITS.indexOf(unit)] as Asked;
  return { invoice, cents };
}

/** True where rows hold the intent of a key. */
function isIntended(rows: readonly Row[], key: string): boolean {
  return rows.some(({ kind, body }) => kind === 4 && body.includes(key));
}
