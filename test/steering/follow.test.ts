/** A run that is followed from another process: each durable row once, over deaths, and a restore with what it takes back. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { type FollowedRow, workClient } from '../../src/workers/client.ts';
import { resume } from '../../src/xstate/index.ts';
import { belay } from '../cli/belay.ts';
import { until } from '../poll.ts';
import { run } from '../semantics/little.ts';
import { writer } from './writers.ts';

const root = mkdtempSync(join(tmpdir(), 'belay-follow-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Collects what who follows is told. */
function collecting(rows: AsyncIterable<FollowedRow>) {
  const got: FollowedRow[] = [];
  const over = (async () => {
    for await (const row of rows) got.push(row);
  })();
  return { got, over };
}

test('each row comes once and in order, also of the next process, and a restore names the rows that it takes back', async () => {
  const { world, machine, config } = writer('none');
  const journal = memoryStore();
  const client = workClient(journal);
  const options = { journal, undo: world.undo } as never;
  const first = await run(machine, config, options);
  const following = collecting(client.follow('r'));
  await first.sidecar.send({ type: 'BRIEF', words: 6000 } as never, { id: 'brief', by: 'ada' });
  await first.at('ready');
  await first.sidecar.durable();
  await until(() => following.got.some(({ says }) => says.endsWith('-> ready')));
  await first.sidecar.revise('brief', { words: 8000 }, { by: 'ada' });
  await first.at('ready');
  await first.sidecar.close();
  const second = await resume(machine, { run: 'r', config, journal, undo: world.undo } as never);
  second.actor.start();
  second.actor.send({ type: 'OK' } as never);
  expect(await second.finished()).toMatchObject({ status: 'done' });
  await second.close();
  await following.over;
  const { got } = following;
  const seqs = got.map(({ seq }) => seq);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  const again = collecting(client.follow('r'));
  await again.over;
  // Who was there from the beginning was told what who comes later is.
  expect(got).toEqual(again.got);
  const restored = got.find(({ is }) => is === 'restored');
  const taken = got.filter(({ is, says }) => is === 'step' && /^(BRIEF|xstate\.done)/.test(says)).map(({ seq }) => seq);
  expect(restored?.undone).toEqual(taken.filter((seq) => seq < (restored?.seq ?? 0)));
  expect(got.find(({ is }) => is === 'steered')?.says).toBe('revise brief');
  expect(got.at(-1)).toMatchObject({ is: 'end', says: 'done' });
  const middle = seqs[Math.floor(seqs.length / 2)] as number;
  const later = collecting(client.follow('r', { after: middle }));
  await later.over;
  expect(later.got).toEqual(got.filter(({ seq }) => seq > middle));
});

test('a signal ends it, and so does the deletion of the run; an unknown run is refused', async () => {
  const { machine, config } = writer('none');
  const journal = memoryStore();
  const client = workClient(journal);
  const it = await run(machine, config, { journal } as never);
  await it.sidecar.durable();
  const leave = new AbortController();
  const following = collecting(client.follow('r', { signal: leave.signal }));
  await until(() => following.got.length > 0);
  leave.abort();
  await following.over;
  await expect(collecting(client.follow('nothing')).over).rejects.toMatchObject({ code: 'run_unknown' });
  const other = collecting(client.follow('r'));
  await until(() => other.got.length > 0);
  await it.sidecar.cancel({ by: 'ops' });
  await other.over;
  expect(other.got.at(-1)).toMatchObject({ is: 'end', says: 'cancelled' });
  await it.sidecar.close();
});

test('the command prints the rows of a file until the run has ended', async () => {
  const { machine, config } = writer('none');
  const store = sqliteStore(join(root, 'belay.sqlite'));
  const it = await run(machine, config, { journal: store, run: 'report-1' } as never);
  const ran = belay(['follow', 'report-1', '--json'], '', {}, root);
  await it.sidecar.send({ type: 'BRIEF', words: 6000 } as never, { id: 'brief', by: 'ada' });
  await it.at('ready');
  it.send('OK');
  expect(await it.ending()).toMatchObject({ status: 'done' });
  await it.sidecar.close();
  await store.close();
  const { code, out } = await ran;
  const rows = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as FollowedRow);
  expect([code, rows[0]?.is, rows.at(-1)?.is]).toEqual([0, 'begin', 'end']);
  const text = await belay(['follow', 'report-1', '--after', String(rows.at(-2)?.seq)], '', {}, root);
  expect([text.code, text.out]).toEqual([0, expect.stringMatching(/^ +\d+ {2}\d{4}-.*Z {2}end +done\n$/)]);
  for (const bad of [['nothing'], ['report-1', '--after', 'x'], ['report-1', '--after', '-1']])
    expect((await belay(['follow', ...bad], '', {}, root)).code).toBe(2);
});
