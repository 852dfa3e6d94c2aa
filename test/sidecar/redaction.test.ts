/** What a config redacts reaches tools, and nothing that people read: neither reports nor errors, nor the bytes of the journal's file. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { claimsInMemory } from '../../src/effects/claims/kept.ts';
import type { GuardedRequest } from '../../src/effects/gates.ts';
import type { JournalStore, LocalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { accountOf } from '../../src/reports/account.ts';
import { ledgersOf } from '../../src/reports/ledgers.ts';
import { timelineOf } from '../../src/reports/timeline.ts';
import { traceOf } from '../../src/reports/trace.ts';
import { bytesOf, freshPath } from '../journal/files.ts';
import { until } from '../poll.ts';
import { Line, of, type Station } from './stations.ts';

const CARD = '4111 1111/1111 1111';
const TOKEN = 'tok_9f8e7d';
const KEY = randomBytes(32);

/** Looks a card up, pays with it, and ships. */
const PAYS: readonly Station[] = [
  { name: 'card', reads: ['wanted'] },
  {
    name: 'pay',
    reads: ['card'],
    tool: 'effect: irreversible, redact: [output.token], gate: true, reconcile: { ask: ask, tries: 1, wait: 1h }',
  },
  { name: 'ship', reads: ['wanted'], tool: 'effect: idempotent' },
];
const REDACTS = 'redact: [card]';
const does = { card: () => CARD, pay: () => ({ token: TOKEN, ok: true }) };

/** Everything that is told of a run without its config, as one text. */
function everything(store: LocalStore): string {
  const rows = [...store.read('r')];
  const { standing, decisions, findings } = timelineOf(rows);
  const told = [accountOf(rows), ledgersOf(rows, 0), standing, decisions, findings, [...traceOf('r', rows)]];
  return JSON.stringify(told);
}

/** Whether a value stands in a text, in any of its spellings. */
function shows(text: string, value: string): boolean {
  return [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)].some((form) => text.includes(form));
}

/** Answers the first gate that asks. */
async function approve(run: Awaited<ReturnType<Line['begin']>>) {
  await until(() => run.sidecar.gates().length === 1);
  await run.sidecar.answer(run.sidecar.gates()[0]?.gate as string, 'approved', { by: 'Ada', why: `${CARD} is hers` });
}

describe('a journal that keeps redacted values readable is refused', () => {
  test.each(['begin', 'resume'] as const)('by %s, before anything is written to it', async (verb) => {
    const journal = sqliteStore(freshPath());
    const line = new Line(PAYS, does, REDACTS);
    await expect(line[verb]({ journal })).rejects.toMatchObject({
      name: 'SidecarError',
      code: 'redaction_needs_encryption',
    });
    expect(journal.runs()).toEqual([]);
    await journal.close();
  });

  test('a store that does not say what it is counts as one', async () => {
    const { open, read, runs } = memoryStore();
    const journal = { open, read, runs } as unknown as JournalStore;
    await expect(new Line(PAYS, does, REDACTS).begin({ journal })).rejects.toMatchObject({
      code: 'redaction_needs_encryption',
    });
  });

  test('one in memory is taken, and so is any without a redaction', async () => {
    const taken = await new Line(PAYS, does, REDACTS).begin();
    const plain = sqliteStore(freshPath());
    const other = await new Line([{ name: 'card' }]).begin({ journal: plain });
    expect([taken.value, other.value]).toEqual(['idle', 'idle']);
    for (const run of [taken, other]) await run.close();
    await plain.close();
  });
});

test('a redacted value reaches its tool, in the next process too, and no file, report, question or error', async () => {
  const path = freshPath();
  const told: unknown[] = [];
  const gates: GuardedRequest[] = [];
  const more = {
    claims: claimsInMemory(),
    onGate: (gate: GuardedRequest) => void gates.push(gate),
    onDecision: (report: unknown) => void told.push(report),
    onFinding: (finding: unknown) => void told.push(finding),
  };
  let journal = sqliteStore(path, { key: KEY });
  const line = new Line(
    PAYS,
    {
      ...does,
      pay: ({ input }) => {
        throw new Error(`the bank refuses ${input.card} at /cards/${encodeURIComponent(String(input.card))}`);
      },
      ship: ({ input }) => `shipped ${input.wanted}`,
    },
    REDACTS,
  );
  const first = await line.begin({ journal, ...more });
  first.send('go');
  await approve(first);
  await first.finished();
  expect(line.calls.at(-1)?.input).toEqual({ card: CARD });
  expect(gates.map(({ asks, args }) => [asks, args])).toEqual([
    ['approval', { card: '[redacted]' }],
    ['outcome', { card: '[redacted]' }],
  ]);
  expect(JSON.stringify(told)).toContain('the bank refuses [redacted] at /cards/[redacted]');
  expect(JSON.stringify(gates)).toContain('the bank refuses [redacted]');
  const files = () =>
    ['', '-wal', '-shm', '-anchor'].map((suffix) => bytesOf(path + suffix)?.toString('latin1')).join();
  expect(shows(files(), CARD)).toBe(false);
  const before = everything(journal);
  expect(before).toContain('[redacted] is hers');
  await first.close();
  await journal.close();

  journal = sqliteStore(path, { key: KEY });
  const second = await line.resume({
    journal,
    ...more,
    reconcilers: { ask: () => ({ is: 'applied', output: { token: TOKEN } }) },
  });
  await second.at('rest');
  expect(second.context).toMatchObject({ card: CARD, pay: { token: TOKEN } });
  await second.sidecar.durable();
  expect(ledgersOf(journal.read('r'), 0).effects[0]).toMatchObject({
    tool: 'pay',
    status: 'confirmed',
    args: { card: '[redacted]' },
    output: { token: '[redacted]' },
  });
  const after = everything(journal);
  await second.close();
  await journal.close();
  for (const text of [before, after, files(), JSON.stringify(told), JSON.stringify(gates)])
    expect([shows(text, CARD), shows(text, TOKEN)]).toEqual([false, false]);
});

test('a redaction that comes with a later config covers what the run knows already, and stays', async () => {
  const journal = memoryStore();
  const stations: readonly Station[] = [
    { name: 'card', reads: ['wanted'] },
    { name: 'pay', reads: ['card'], tool: 'effect: irreversible' },
  ];
  const first = await new Line(stations, { ...does, pay: () => 'paid' }).begin({ journal });
  first.send('go');
  await first.at('rest');
  await first.close();
  expect(shows(everything(journal), CARD)).toBe(true);
  for (const config of [REDACTS, '']) {
    const next = await new Line(stations, does, config).resume({ journal });
    await next.close();
    expect(shows(everything(journal), CARD)).toBe(false);
  }
});

test('a replay that asks for something else shows neither card', async () => {
  const journal = memoryStore();
  const stations: readonly Station[] = [
    { name: 'card', reads: ['wanted'], rollback: 'joint: [PAY]' },
    { name: 'pay', reads: ['card'], tool: 'effect: idempotent' },
  ];
  const cards = [CARD, '5500 0000 0000 0004'];
  const line = new Line(stations, { card: ({ nth }) => cards[nth], pay: () => 'paid' }, REDACTS);
  const run = await line.begin({ journal });
  run.send('go');
  await run.at('rest');
  await run.fail('CONTRACT_VIOLATION', { instance: of('card'), key: 'card' });
  await run.finished();
  await run.sidecar.durable();
  const text = everything(journal) + JSON.stringify(line.reports);
  expect(text).toContain('{\\"card\\":\\"[redacted]\\"}');
  for (const card of cards) expect(shows(text, card)).toBe(false);
  await run.close();
});

test('parts of arguments and outputs are hidden by their place, whatever they hold, and the rest is shown', async () => {
  const journal = memoryStore();
  const stations: readonly Station[] = [
    { name: 'turn', tool: 'effect: irreversible, redact: [args.turn, output.list.*.pin]', reads: ['turn', 'wanted'] },
  ];
  const run = await new Line(stations, {
    turn: () => ({
      list: [
        { pin: 7, id: 'a' },
        { pin: true, id: 'b' },
      ],
    }),
  }).begin({
    journal,
  });
  run.send('go');
  await run.at('rest');
  await run.sidecar.durable();
  expect(ledgersOf(journal.read('r'), 0).effects).toMatchObject([
    {
      args: { turn: '[redacted]', wanted: 'x' },
      output: {
        list: [
          { pin: '[redacted]', id: 'a' },
          { pin: '[redacted]', id: 'b' },
        ],
      },
    },
  ]);
  await run.close();
});

test('what an undo says of a redacted value is not shown where the run is stuck', async () => {
  const stations: readonly Station[] = [
    { name: 'card', reads: ['wanted'] },
    { name: 'pay', reads: ['card'], tool: 'effect: compensable, undo: refund', rollback: 'compensable: undo' },
  ];
  const run = await new Line(stations, { ...does, pay: () => 'paid' }, REDACTS).begin({
    undo: {
      refund: ({ args }) => {
        throw new Error(`no refund to ${(args as { card: string }).card}`);
      },
    },
  });
  run.send('go');
  await run.at('rest');
  await run.fail('CONTRACT_VIOLATION', { instance: of('pay'), key: 'pay' });
  expect(await run.finished()).toMatchObject({ status: 'stuck', error: 'no refund to [redacted]' });
  await run.close();
});
