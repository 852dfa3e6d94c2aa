/**
 * ON1 to ON6 against a model of a few lines: every small run of two or three payments, what becomes of each, complaints between them, and a process that
 * ends after each of its appends. The model is the rule; the bank is the judge: nothing twice, nothing lost, nothing refused that is another act.
 */
import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { wrapJournals } from '../../src/testing/wrap-journals.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { Bank, machineOf, type PayClass, type Payment, payers } from './once.ts';
import { until } from './stations.ts';

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

describe('ON1 to ON5, as a model has them', () => {
  for (const effect of ['idempotent', 'compensable', 'irreversible'] as const)
    test(`every run of two payments of class ${effect}`, { timeout: 120_000 }, async () => {
      const counts = { runs: 0, doubled: 0, lost: 0, refused: 0 };
      for (const plan of plans(2)) {
        const bank = new Bank();
        bank.next = leaving(plan);
        const { ending, context } = await ran(bank, plan, effect);
        const { answers, acts, standing } = expected(plan);
        const told = [context.first, context.second];
        expect([ending.status, told], JSON.stringify(plan)).toEqual(['done', answers]);
        counts.runs += 1;
        for (const invoice of ['i1', 'i2']) {
          const due = standing.has(invoice) ? 1 : 0;
          counts.doubled += Math.max(0, bank.standing(invoice) - due);
          counts.lost += Math.max(0, due - bank.standing(invoice));
        }
        counts.refused += told.filter((answer) => answer === 'act_repeated').length;
        counts.refused -= answers.filter((answer) => answer === 'act_repeated').length;
        expect(bank.acts).toHaveLength(acts);
      }
      expect(counts).toEqual({ runs: 81, doubled: 0, lost: 0, refused: 0 });
    });

  test('every run of two payments whose process ends after each of its appends', { timeout: 240_000 }, async () => {
    const counts = { kills: 0, doubled: 0, lost: 0, refused: 0 };
    for (const plan of plans(2)) {
      if (plan.some(({ fate }) => fate === 'refused')) continue;
      const full = new Bank();
      full.next = leaving(plan);
      const { sizes } = await ran(full, plan, 'irreversible');
      const { answers, standing } = expected(plan);
      for (let upTo = 1; upTo < sizes.length; upTo += 1) {
        const bank = new Bank();
        const store = memoryStore();
        const journal = await store.open('r', 'create');
        for (const rows of sizes.slice(0, upTo)) journal.append(rows);
        await journal.close();
        // What has left before the process ended is known to the bank by its key.
        for (const act of full.acts) if (isIntended(sizes.slice(0, upTo).flat(), act.key)) bank.remember(act);
        const machine = machineOf(bank, (unit) => paid(plan, unit), UNITS.slice(0, 2));
        const options = { config: payers('irreversible'), run: 'r', reconcilers: bank.reconcilers, undo: bank.undos };
        const sidecar = await resume(machine, { ...options, journal: store });
        sidecar.actor.start();
        const ending = await driven(sidecar);
        const { context } = sidecar.actor.getSnapshot();
        const where = `${JSON.stringify(plan)} after append ${upTo}`;
        expect([ending.status, context.first, context.second], where).toEqual(['done', ...answers]);
        counts.kills += 1;
        for (const invoice of ['i1', 'i2']) {
          const due = standing.has(invoice) ? 1 : 0;
          counts.doubled += Math.max(0, bank.standing(invoice) - due);
          counts.lost += Math.max(0, due - bank.standing(invoice));
        }
      }
    }
    console.log(`once, kills: ${JSON.stringify(counts)}`);
    expect(counts).toMatchObject({ doubled: 0, lost: 0, refused: 0 });
    expect(counts.kills).toBeGreaterThan(200);
  });

  test('every run of two payments, one of which is found wrong behind both', { timeout: 120_000 }, async () => {
    const counts = { runs: 0, doubled: 0, lost: 0 };
    for (const plan of plans(2)) {
      if (plan.some(({ fate }) => fate !== 'paid')) continue;
      for (const wrong of ['first', 'second']) {
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
        const { standing } = expected(plan);
        for (const invoice of ['i1', 'i2']) {
          const due = standing.has(invoice) ? 1 : 0;
          counts.doubled += Math.max(0, bank.standing(invoice) - due);
          if (ending.status === 'done') counts.lost += Math.max(0, due - bank.standing(invoice));
        }
        const parks = wrong === 'second' && expected(plan).answers[1] !== 2;
        expect([ending.status, JSON.stringify(plan), wrong]).toEqual([
          parks ? ending.status : 'done',
          JSON.stringify(plan),
          wrong,
        ]);
      }
    }
    console.log(`once, complaints: ${JSON.stringify(counts)}`);
    expect(counts).toEqual({ runs: 18, doubled: 0, lost: 0 });
  });
});

describe('ON6: over all runs of a store', () => {
  test('every pair of runs with one payment each, one after the other and side by side', {
    timeout: 120_000,
  }, async () => {
    const counts = { pairs: 0, doubled: 0, lost: 0, refused: 0 };
    for (const [one, two] of [...plans(2)].map((plan) => plan as [Asked, Asked]))
      for (const together of [false, true]) {
        const bank = new Bank();
        bank.next = together ? [] : leaving([one, two].map((asked) => ({ ...asked })));
        const journal = memoryStore();
        const config = payers('irreversible', 'once: { by: [args.invoice], scope: store }');
        const run = async (name: string, asked: Asked) => {
          const machine = machineOf(bank, () => asked, ['first']);
          const sidecar = await attach(machine, { config, run: name, journal, reconcilers: bank.reconcilers });
          sidecar.actor.start();
          await driven(sidecar);
          const answer = sidecar.actor.getSnapshot().context.first;
          await sidecar.close();
          return answer;
        };
        const answers = together
          ? await Promise.all([run('a', one), run('b', two)])
          : [await run('a', one), await run('b', two)];
        const isSame = one.invoice === two.invoice && (together || one.fate !== 'refused');
        counts.pairs += 1;
        counts.doubled += Math.max(0, bank.standing('i1') - 1);
        const refused = answers.filter((answer) => answer === 'act_repeated').length;
        counts.refused += Math.abs(refused - (isSame ? 1 : 0));
        const due = together || one.fate !== 'refused' || two.fate !== 'refused';
        if (due && bank.acts.length === 0) counts.lost += 1;
      }
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
