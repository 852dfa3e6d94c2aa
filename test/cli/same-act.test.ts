/** A call that may be the same act as an earlier one, answered from another process (semantics.md E3). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerGate } from '../../src/cli/approvals/answering.ts';
import { gathered } from '../../src/journal/gathered.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { twoEqual } from '../scenarios/effects/refunds.ts';

test('a message says that it is the same act; that it has not happened is refused, since it has not left', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-same-'));
  const file = join(folder, 'journal.sqlite');
  const store = sqliteStore(file);
  const { bank, sidecar, gate, context } = await twoEqual(store);
  const said = { by: 'Ada', why: null, waits: true, now: Date.now() };
  const saying = { verdict: 'settled', status: 'failed', output: null } as const;
  expect(await answerGate({ file, gate: gate.gate, saying, ...said })).toMatchObject({ code: 1 });
  const same = { ...saying, status: 'confirmed' } as const;
  // Whether the run takes it while this waits for that is for the machine to say: it takes it.
  expect(await answerGate({ file, gate: gate.gate, saying: same, ...said, waits: false })).toMatchObject({
    taken: null,
    post: 1,
  });
  expect((await sidecar.finished()).status).toBe('done');
  const taken = entriesOf(await gathered(store.read('r'))).filter((entry) => entry.do === 'answer');
  expect(taken).toMatchObject([{ verdict: 'settled', by: 'Ada', post: 1 }]);
  expect([bank.calls, context().refunded]).toEqual([1, { 1: 'R1' }]);
  await sidecar.close();
  rmSync(folder, { recursive: true });
});
