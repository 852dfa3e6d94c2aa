/** A list of what waits for people reads the runs that their notes name (J6). */
import { expect, test, vi } from 'vitest';
import { gatesOfAll } from '../../src/cli/approvals/approvals.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { parseRunNote } from '../../src/reports/run-note.ts';
import { until } from '../poll.ts';
import { Line } from '../sidecar/stations.ts';

const KEY = JSON.stringify(['r', 'A', 'it', 0, 'a', 0]);
const loses = {
  a: ({ nth }: { nth: number }) => {
    if (nth === 0) throw new Error('connection reset');
    return 'done again';
  },
};

test('a list of what waits for people reads the runs that ask, and no other', async () => {
  const line = new Line(
    [
      { name: 'a', reads: ['wanted'], tool: 'effect: irreversible, reconcile: ask' },
      { name: 'b', reads: ['a'] },
    ],
    loses,
  );
  const journal = memoryStore();
  const run = await line.begin({ journal, reconcilers: { ask: () => ({ is: 'unknown' }) } });
  run.send('go');
  await until(() => run.sidecar.gates().length === 1);
  await run.sidecar.durable();
  expect(parseRunNote(journal.run('r')?.note)).toMatchObject({ asked: true, unanswered: 1 });
  const read = vi.spyOn(journal, 'read');
  expect((await gatesOfAll(journal, 0, undefined, false)).gates).toHaveLength(1);
  expect(read).toHaveBeenCalledTimes(1);
  await run.sidecar.settle(KEY, 'confirmed', 'it did');
  await run.at('rest');
  await run.sidecar.durable();
  expect(parseRunNote(journal.run('r')?.note)).toMatchObject({ asked: true, unanswered: 0 });
  read.mockClear();
  expect(await gatesOfAll(journal, 0, undefined, false)).toEqual({ gates: [], unread: [], answered: 1 });
  expect(read).not.toHaveBeenCalled();
  expect((await gatesOfAll(journal, 0)).gates).toHaveLength(1);
  await run.close();
});
