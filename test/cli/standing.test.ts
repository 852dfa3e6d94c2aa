/** What a person at the terminal is told of a run that stands still: every question that it is parked on, and the commands that answer it. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { Desk } from './agents.ts';

const desk = new Desk(fileURLToPath(new URL('fixtures/refund/agents.mjs', import.meta.url)));
afterAll(() => desk.clear());

const worldOf = (run: string) => join(desk.folder, 'belay.sqlite.world', encodeURIComponent(run));
const acts = (run: string) =>
  readdirSync(worldOf(run))
    .filter((name) => name.startsWith('act-'))
    .map((name) => readFileSync(join(worldOf(run), name), 'utf8'))
    .sort();

/** Undoes an act as a person does who has another way to its world. */
function undoByHand(run: string, tool: string): void {
  for (const name of readdirSync(worldOf(run)))
    if (name.startsWith('act-') && readFileSync(join(worldOf(run), name), 'utf8') === tool)
      rmSync(join(worldOf(run), name));
}

const complain = (run: string) =>
  desk.ask('fail', run, '--skeleton', 'Order', '--entity', 'it', '--key', 'hold', '--by', 'ann');

describe('a complaint and a word about a call, taken in one breath', () => {
  test('leave the run parked on what is still asked: it is told so, and the act that is named sets it going', async () => {
    await desk.ask('run', 'refund', '--run', 'both', '--fail-at', 'mail', '--when', 'before');
    await complain('both');
    const taken = await desk.ask('resume', 'both', '--settle', 'mail', '--as', 'failed', '--by', 'ann');
    expect(taken.code).toBe(1);
    expect(taken.out).toContain(
      'belay resume both --settle pay --as compensated --by NAME\n    once it has been undone by hand',
    );
    expect(await desk.json('runs')).toMatchObject([{ run: 'both', standing: 'parked', verdict: 'escalate' }]);
    const told = await desk.ask('explain', 'both');
    expect(told.out).toMatch(
      /^both: parked \(escalate\), 3 decisions\n(?: {2}waits for: .*\n)+\n2 older decisions: belay explain both --all\n/,
    );
    // The outcome of the mail is told: nobody is asked about it any more.
    expect(told.out.match(/^decision /gm)).toHaveLength(1);
    expect((await desk.ask('explain', 'both', '--all')).out.match(/^decision /gm)).toHaveLength(3);
    expect(told.out).toContain('belay resume both --settle pay --as compensated --by NAME');
    const [ledgers] = await desk.json('ledger', 'both', '--obligations');
    expect(ledgers).toMatchObject({ obligations: [{ owes: 'recovery', is: 'parked' }] });
    undoByHand('both', 'pay');
    const last = await desk.ask('resume', 'both', '--settle', 'pay', '--as', 'compensated', '--by', 'ann');
    expect([last.code, acts('both')]).toEqual([0, ['hold', 'mail', 'pay']]);
  });
});

describe('an undo that fails for good', () => {
  test('is told with the command that says it was made by hand, by its tool, and the run goes on', async () => {
    await desk.ask('run', 'refund', '--run', 'closed', '--fail-at', 'pay', '--when', 'before', '--no-reconcilers');
    await complain('closed');
    writeFileSync(join(worldOf('closed'), 'closed'), '');
    await desk.ask('resume', 'closed', '--settle', 'pay', '--as', 'failed', '--by', 'ann');
    const stuck = await desk.ask('resume', 'closed');
    expect([stuck.code, stuck.out]).toEqual([1, expect.stringMatching(/the warehouse\s+is closed/)]);
    const head = (await desk.ask('explain', 'closed')).out.split('\n').slice(0, 3).join('\n');
    expect(head).toMatch(/^closed: stuck, .*\n {2}the undo of hold failed: ".*the warehouse\s+is closed/);
    const told = await desk.ask('explain', 'closed');
    expect(told.out).toContain('belay resume closed --settle hold --as compensated --by NAME\n');
    expect(told.out).toContain('    once hold has been undone by hand');
    undoByHand('closed', 'hold');
    const last = await desk.ask('resume', 'closed', '--settle', 'hold', '--as', 'compensated', '--by', 'ann');
    expect([last.code, acts('closed')]).toEqual([0, ['hold', 'mail', 'pay']]);
  });
});

describe('a person who says what became of a call', () => {
  test('is refused at once where the output is none of its tool, or is missing', async () => {
    await desk.ask('run', 'refund', '--run', 'mailed', '--fail-at', 'mail', '--when', 'before');
    const gates = await desk.json('approvals', 'mailed');
    const { gate, key } = gates[0] as { gate: string; key: string };
    const said = ['--as', 'confirmed', '--by', 'ann'];
    const settle = (...more: string[]) => desk.ask('settle', gate, ...said, ...more);
    const missing = { code: 1, err: expect.stringContaining('needs --output JSON: "mail"') };
    const wrong = { code: 1, err: expect.stringContaining('is not what "mail" answers by its output schema') };
    expect(await settle()).toMatchObject(missing);
    expect(await settle('--output', '"m"')).toMatchObject(wrong);
    const byKey = (...more: string[]) => desk.ask('settle', key, '--run', 'mailed', ...said, ...more);
    expect(await byKey()).toMatchObject(missing);
    expect(await byKey('--output', '"m"')).toMatchObject(wrong);
    const [left] = await desk.json('approvals', 'mailed');
    expect(left).toMatchObject({ gate, status: 'pending', left: [] });
    expect(await settle('--output', '"sent by hand"')).toMatchObject({ code: 0 });
    expect(await desk.ask('resume', 'mailed')).toMatchObject({ code: 0 });
    expect(acts('mailed')).toEqual(['hold', 'pay']);
  });
});

describe('a run with the name of an option', () => {
  test('is named behind -- in every command that is printed, and each does what it says', async () => {
    await desk.ask('run', 'refund', '--run=--help', '--fail-at', 'mail', '--when', 'before');
    const { out } = await desk.ask('explain', '--', '--help');
    const printed = out.split('\n').flatMap((line) => /^ {2}belay (.*)/.exec(line)?.[1] ?? []);
    expect(printed).toEqual([
      'resume --settle mail --as confirmed --output JSON --by NAME -- --help',
      'resume --settle mail --as failed --by NAME -- --help',
    ]);
    const done = await desk.ask(...(printed[1] as string).split(' '));
    expect([done.code, done.out]).toEqual([0, expect.stringContaining('--help: done')]);
    expect(done.out).toContain('belay show -- --help\nbelay explain -- --help\n');
  });
});

describe('a question whose outcome a person has told beside the run', () => {
  const receipts = new Desk(fileURLToPath(new URL('fixtures/receipt/agents.mjs', import.meta.url)));
  afterAll(() => receipts.clear());

  test('is asked no more where the answer then makes the code throw: the fix alone is named', async () => {
    await receipts.ask('run', 'receipt', '--fail-at', 'pay');
    const [shown] = await receipts.json('show', 'receipt-1');
    const { key } = shown.effects[0];
    const told = ['settle', key, '--run', 'receipt-1', '--as', 'confirmed', '--output', '7', '--by', 'ann'];
    expect((await receipts.ask(...told)).code).toBe(0);
    expect((await receipts.ask('resume', 'receipt-1')).code).toBe(1);
    const waits = [{ text: 'a fix of the code' }, { text: 'a process to take it up' }];
    expect(await receipts.json('runs')).toMatchObject([{ standing: 'parked', waits }]);
    const { out } = await receipts.ask('explain', 'receipt-1');
    expect(out.match(/^decision /gm)).toHaveLength(1);
    expect(out).toContain('belay retry receipt-1 --by NAME');
    expect(out).not.toContain('--as confirmed');
  });
});
