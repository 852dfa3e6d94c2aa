/** CH9: who holds a run reads its messages until it ends. */
import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { memoryStore } from '../../src/index.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { workClient } from '../../src/workers/index.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { freshPath } from '../journal/files.ts';
import { until } from '../poll.ts';
import { calls, configOf, held, machineOf, run, World } from '../semantics/little.ts';

function writer() {
  const world = new World();
  const writing = held();
  const machine = machineOf(
    { write: world.tool('write', () => writing.promise) },
    {
      context: { target: 6000 },
      on: {
        REVISE: { actions: assign({ target: ({ event }: { event: { target: number } }) => event.target } as never) },
      },
      initial: 'writing',
      states: { writing: calls('write', 'text', 'end'), end: { type: 'final' } },
    },
  );
  const config = configOf(
    { write: 'writes: [text], effect: none' },
    { Text: { states: ['writing'], at: 'writing -> end', writes: ['text'] } },
  );
  return { world, machine, config, writing };
}

describe.each([
  ['memory', () => memoryStore()],
  ['a file', () => sqliteStore(freshPath())],
])('a run in %s', (_, store) => {
  test('hears an event that another program leaves, without being asked to look', async () => {
    const { machine, config, writing } = writer();
    const journal = store();
    const it = await run(machine, config, { journal });
    await workClient(journal).send('r', { type: 'REVISE', target: 8000 }, { by: 'ann' });
    await until(() => it.context().target === 8000);
    writing.resolve('text' as never);
    expect(await it.ending()).toMatchObject({ status: 'done' });
    const rows = entriesOf(journal.read('r') as never);
    expect(rows.filter((entry) => entry.do === 'message')).toMatchObject([{ post: 1, by: 'ann', refused: null }]);
    expect(rows.find((entry) => entry.do === 'end')).toMatchObject({ heard: 1 });
    await it.sidecar.close();
    await journal.close();
  });
});
