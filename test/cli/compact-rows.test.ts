/** `belay compact` on a run that goes on: its oldest rows go out of the file, and every verb and every decision says what it said. */
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Decision } from '../../src/index.ts';
import { SEGMENT } from '../../src/journal/sqlite/log/segments.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { opened, standing } from '../sidecar/bases/agent.ts';
import { Desk } from './agents.ts';

/** More commits than four segments of the index have, and more rows than a run has between two bases. */
const STEPS = 5 * SEGMENT;
const WORK = { skeleton: 'Work', entity: 'it', ordinal: 0 };

const desk = new Desk();
const file = join(desk.folder, 'belay.sqlite');
const folder = `${file}-rows`;
afterAll(() => desk.clear());

beforeAll(async () => {
  const store = sqliteStore(file);
  const sidecar = await opened(store, 'attach', 2_000);
  for (let n = 0; n < STEPS; n += 1) {
    sidecar.actor.send(n % 10 === 9 ? { type: 'note', text: `note ${n}` } : { type: 'set', n });
    await sidecar.durable();
  }
  await sidecar.close();
  await store.close();
  expect((await desk.ask('run', 'order', '--run', 'short')).code).toBe(0);
  expect((await desk.ask('start', 'left', '--agent', 'order')).code).toBe(0);
});

const said = async () => {
  const verbs = [['show'], ['explain'], ['ledger'], ['export', '--whole'], ['export', '--trace']];
  const answers = await Promise.all(verbs.map(([verb, ...rest]) => desk.ask(verb as string, 'r', ...rest)));
  expect(answers.map(({ code }) => code)).toEqual(verbs.map(() => 0));
  return answers.map(({ out }) => out);
};

/** Takes a copy of the run up, finds one thing after the other wrong, and says what was decided and where the run stands then. */
async function foundWrong(name: string): Promise<unknown> {
  const copy = join(desk.folder, name, 'belay.sqlite');
  mkdirSync(join(desk.folder, name));
  for (const suffix of ['', '-anchor']) cpSync(file + suffix, copy + suffix);
  const store = sqliteStore(copy);
  const decisions: Decision[] = [];
  const onDecision = ({ decision }: { readonly decision: Decision }) => void decisions.push(decision);
  const sidecar = await opened(store, 'resume', 2_000, { onDecision });
  const stood = [standing(sidecar)];
  for (const key of [null, 'notes', 'rows/row3']) {
    await sidecar.fail('CONTRACT_VIOLATION', { instance: WORK, ...(key !== null && { key }) });
    await sidecar.durable();
    stood.push(standing(sidecar));
  }
  await sidecar.close();
  await store.close();
  return { decisions, stood };
}

test('archives what its base stands for, says why the rest stays, and changes no answer', async () => {
  const [before, decided] = [await said(), await foundWrong('before')];
  const size = statSync(file).size;
  const dry = await desk.ask('compact', 'r', '--dry-run');
  expect(dry.out).toMatch(
    /^r \([\d,]+ rows\) stays: it has not ended: cancel it first; its first [\d,]+ rows would be archived, the others stay: they came after its base/,
  );
  expect([dry.code, existsSync(folder)]).toEqual([0, false]);
  const [r, short, left, sums] = await desk.json('compact', '--archive', 'kept', '--by', 'ada');
  expect([r, short, left]).toMatchObject([
    { run: 'r', why: 'it has not ended: cancel it first', of: { rest: expect.stringContaining('after its base') } },
    { run: 'short', why: null, of: null },
    { run: 'left', of: { archived: 0, moved: 0, rest: 'it has no base yet, which a long run makes by itself' } },
  ]);
  const { rows, of } = r as unknown as { rows: number; of: { archived: number; moved: number } };
  expect(of.archived).toBe(of.moved);
  expect(of.archived).toBeGreaterThan(0.5 * rows);
  expect(sums).toMatchObject({ gone: 1, stayed: 2, movedRows: of.moved, folder });
  expect(sums?.bytes).toBeGreaterThan(0.2 * size);
  expect(await said()).toEqual(before);
  const again = await desk.ask('compact', 'r', '--archive', 'kept', '--by', 'ada');
  expect(again.out).toMatch(/its first [\d,]+ rows are archived, the others stay/);
  expect(again.out).not.toMatch(/went to/);
  // Without the folder, since it was not copied.
  expect(await foundWrong('after')).toEqual(decided);
});

test('names the file that is missing where all of a run is to be read, and lists the runs', async () => {
  const [first] = readdirSync(folder).sort();
  renameSync(folder, `${folder}-elsewhere`);
  for (const verb of ['show', 'explain', 'ledger']) {
    const shown = await desk.ask(verb, 'r');
    expect([verb, shown.code, shown.err]).toEqual([verb, 2, expect.stringContaining('rows_archived')]);
    expect(shown.err).toContain(first);
  }
  expect((await desk.json('runs')).map(({ run }) => run)).toContain('r');
  const stays = await desk.ask('compact', 'r', '--archive', 'kept', '--by', 'ada');
  expect([stays.code, stays.out]).toEqual([0, expect.stringContaining('stays: rows_archived')]);
  renameSync(`${folder}-elsewhere`, folder);
  expect((await desk.ask('show', 'r')).code).toBe(0);
});
