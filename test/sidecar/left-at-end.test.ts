/** A run that is done and has left something: held calls that were never made, and complaints without an answer (semantics.md C12, E4). */
import { describe, expect, test } from 'vitest';
import { gathered } from '../../src/journal/gathered.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { parseRunNote, runNoteOf } from '../../src/reports/run-note.ts';
import { wrapJournals } from '../../src/testing/wrap-journals.ts';
import { workClient } from '../../src/workers/client.ts';
import { until } from '../poll.ts';
import { everyStore } from './every-store.ts';
import { Book, staged } from './staging.ts';
import { Line, of } from './stations.ts';

const { stores } = await everyStore('left-at-end');

const WRONG = { signal: 'CONTRACT_VIOLATION', instance: of('a'), key: 'a', by: 'ann', why: 'too high' } as const;
/** The work of a run that is left for workers in a store, begun by hand. */
async function ordered(journal: JournalStore, line: Line) {
  const client = workClient(journal);
  await client.start({ run: 'r', agent: 'line' });
  return { client, run: await line.resume({ journal }) };
}

/** Such a run, at rest behind its unit, and durable so far. */
async function rested(journal: JournalStore, line: Line) {
  const made = await ordered(journal, line);
  made.run.send('go');
  await made.run.at('rest');
  await made.run.sidecar.durable();
  return made;
}

/** The message of a complaint that `client.fail` would leave now. */
async function messageNow(journal: JournalStore): Promise<string> {
  const caught: string[] = [];
  const over = { ...journal, ...bound(journal), post: async (_: string, body: string) => caught.push(body) };
  await workClient(over).fail('r', WRONG);
  return caught[0] as string;
}

/** The members of a store that a client asks. */
function bound(journal: JournalStore) {
  return { read: (run: string) => journal.read(run), run: (name: string) => journal.run(name) };
}

async function noteOf(journal: JournalStore) {
  const note = parseRunNote((await journal.run('r'))?.note);
  expect(note).toEqual(runNoteOf(await gathered(journal.read('r'))));
  return note?.standing;
}

describe.each(Object.entries(stores))('a run in %s', (_, store) => {
  test('that is at its end answers a complaint first that was left before', async () => {
    const journal = store();
    const line = new Line([{ name: 'a' }], {}, 'events: { go: { reads: [] }, end: { reads: [] } }');
    const { client, run } = await rested(journal, line);
    await client.fail('r', WRONG);
    run.send('end');
    // The work is done again, and the event that ended it is sent again behind it.
    expect(await run.finished()).toEqual({ status: 'done', output: undefined });
    expect([line.verdicts, line.called('a')]).toEqual([['restore 0'], 2]);
    await run.close();
    expect([await client.result('r'), await noteOf(journal)]).toEqual([{ is: 'done' }, { is: 'done' }]);
    await journal.close();
  });

  test('that was done before a complaint came names it, whoever asks', async () => {
    const journal = store();
    const line = new Line([{ name: 'a' }]);
    const { client, run } = await rested(journal, line);
    const message = await messageNow(journal);
    run.send('end');
    await run.finished();
    await run.close();
    expect(await client.result('r')).toEqual({ is: 'done' });
    // Left by a poster that saw the run before its end.
    await journal.post('r', message);
    const unread = { post: 1, by: 'ann', key: 'a', why: 'too high', refused: 'no process has read it' };
    expect(await client.result('r')).toMatchObject({ is: 'done', unanswered: [unread] });
    await expect(client.fail('r', WRONG)).rejects.toThrow('has ended: it is done');
    // The next process says so for good.
    const next = await line.resume({ journal });
    const ending = await next.finished();
    const read = { ...unread, refused: expect.stringContaining('the run has ended') };
    expect(ending).toMatchObject({ status: 'done', unanswered: [read] });
    await next.close();
    expect([await client.result('r'), await noteOf(journal)]).toMatchObject([
      { is: 'done', unanswered: [read] },
      { is: 'done', unanswered: 1 },
    ]);
    const again = await line.resume({ journal });
    expect(await again.finished()).toMatchObject({ unanswered: [read] });
    await again.close();
    await journal.close();
  });

  test('that never made a held call names it, whoever asks', async () => {
    const journal = store();
    const book = new Book();
    const line = new Line([{ name: 'a', tool: staged(), also: () => ({ a: undefined }) }], {
      a: ({ key }) => book.stage(key),
    });
    const more = { journal, buffers: { book: book.buffer }, undo: { un: () => {} } };
    const client = workClient(journal);
    await client.start({ run: 'r', agent: 'line' });
    const run = await line.resume(more);
    run.send('go');
    await run.at('rest');
    run.send('end');
    const unpublished = [line.calls[0]?.key];
    expect(await run.finished()).toMatchObject({ status: 'done', unpublished });
    await run.close();
    expect([await client.result('r'), await noteOf(journal)]).toEqual([
      { is: 'done', unpublished },
      { is: 'done', unpublished: 1 },
    ]);
    const next = await line.resume(more);
    expect(await next.finished()).toMatchObject({ status: 'done', unpublished });
    await next.close();
    await journal.close();
  });
});

/** A store whose journals hear of no message before they catch up, as those of a database do. */
function deaf(under: ReturnType<typeof memoryStore>) {
  const catching = { isDeaf: true };
  const store = wrapJournals(under, (journal) => ({
    posted: (after) => (catching.isDeaf ? [] : journal.posted(after)),
    catchUp: () => {
      catching.isDeaf = false;
      return journal.catchUp();
    },
  }));
  return { store, catching };
}

test('a complaint that the process hears of after the end is journaled as unanswered, in the ending', async () => {
  const { store } = deaf(memoryStore());
  const line = new Line([{ name: 'a' }]);
  const { client, run } = await ordered(store, line);
  run.send('go');
  await run.at('rest');
  await run.sidecar.durable();
  await client.fail('r', WRONG);
  run.send('end');
  const unanswered = [{ post: 1, refused: expect.stringContaining('the run has ended') }];
  expect(await run.finished()).toMatchObject({ status: 'done', unanswered });
  await run.close();
  expect(await client.result('r')).toMatchObject({ is: 'done', unanswered });
});

test('a poster that was overtaken by the end is told so', async () => {
  const journal = memoryStore();
  const line = new Line([{ name: 'a' }]);
  const { run } = await rested(journal, line);
  const rows = [...(await gathered(journal.read('r')))];
  run.send('end');
  await run.finished();
  await run.close();
  // The poster has read the rows before the end, and its message comes after it.
  let reads = 0;
  const late = {
    ...journal,
    ...bound(journal),
    post: (name: string, body: string) => journal.post(name, body),
    read: (name: string) => (reads++ === 0 ? rows : journal.read(name)),
  } as unknown as JournalStore;
  await expect(workClient(late).fail('r', WRONG)).rejects.toThrow('has ended: it is done');
});

test('a complaint about work that was parked elsewhere is answered by the process that takes the run up', async () => {
  const journal = memoryStore();
  const line = new Line([{ name: 'a' }, { name: 'b', reads: ['a'], tool: 'effect: irreversible' }], {
    b: ({ nth }) => {
      if (nth === 0) throw new Error('connection reset');
      return 'done again';
    },
  });
  const { client, run } = await ordered(journal, line);
  run.send('go');
  expect((await run.finished()).status).toBe('parked');
  await run.sidecar.durable();
  await run.close();
  await client.fail('r', WRONG);
  const next = await line.resume({ journal });
  await until(() => line.reports.length > 1);
  expect((await next.finished()).status).toBe('parked');
  // Undone by hand, the complaint and the call are both answered.
  await next.sidecar.settle(line.calls[1]?.key as string, 'failed');
  await next.at('rest');
  expect(line.called('a')).toBe(2);
  next.send('end');
  expect(await next.finished()).toEqual({ status: 'done', output: undefined });
  await next.close();
});

test('a complaint in the process itself is refused where the run is cancelled before its answer', async () => {
  const journal = memoryStore();
  const line = new Line([{ name: 'a' }]);
  const { client, run } = await rested(journal, line);
  const failing = run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
  await client.cancel('r', { by: 'ann' });
  run.sidecar.rest();
  await expect(failing).rejects.toMatchObject({ code: 'run_finished' });
  await run.close();
});
