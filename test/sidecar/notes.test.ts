/** The note of a run says what its rows come to, whatever becomes of the run, and lists believe it (J6). */
import { expect, test } from 'vitest';
import type { LocalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { parseRunNote, runNoteOf } from '../../src/reports/run-note.ts';
import { Line, of, type Station } from './stations.ts';

const KEY = JSON.stringify(['r', 'A', 'it', 0, 'a', 0]);
const LOSES: readonly Station[] = [
  { name: 'a', reads: ['wanted'], tool: 'effect: irreversible' },
  { name: 'b', reads: ['a'] },
];
const loses = {
  a: ({ nth }: { nth: number }) => {
    if (nth === 0) throw new Error('connection reset');
    return 'done again';
  },
};

/** A note without wall clocks: a row has the time of its group, which the writer does not know yet. */
function timeless(note: ReturnType<typeof parseRunNote>) {
  return note && { ...note, waits: note.waits.map((wait) => ({ ...wait, since: wait.since !== null })) };
}

/** The note of the run, once it was found to be what the rows come to. */
function noteOf(journal: LocalStore) {
  const note = parseRunNote(journal.run('r')?.note);
  expect(timeless(note)).toEqual(timeless(runNoteOf(journal.read('r'))));
  return note;
}

test('parked, taken up by another process, answered, and done', async () => {
  const line = new Line(LOSES, loses);
  const journal = memoryStore();
  const run = await line.begin({ journal });
  run.send('go');
  await run.finished();
  await run.sidecar.durable();
  expect(noteOf(journal)).toMatchObject({
    agent: 'line',
    standing: { is: 'parked', verdict: 'escalate' },
    waits: [{ kind: 'person', text: 'what became of a', code: 'effect_outcome_unknown', act: 'settle' }],
  });
  await run.close();
  const next = await line.resume({ journal });
  await next.sidecar.settle(KEY, 'confirmed', 'it did');
  await next.at('rest');
  await next.sidecar.durable();
  expect(noteOf(journal)?.standing).toEqual({ is: 'open' });
  next.send('end');
  await next.finished();
  await next.close();
  expect(noteOf(journal)?.standing).toEqual({ is: 'done' });
});

test('stuck in an undo, with what it said', async () => {
  const undo = {
    unA: () => {
      throw new Error('no refunds');
    },
  };
  const line = new Line([
    { name: 'a', tool: 'effect: compensable, undo: unA', rollback: 'compensable: undo' },
    { name: 'b' },
  ]);
  const journal = memoryStore();
  const run = await line.begin({ journal, undo });
  run.send('go');
  await run.at('rest');
  await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
  await run.finished();
  await run.close();
  expect(noteOf(journal)).toMatchObject({
    standing: { is: 'stuck', error: 'no refunds' },
    waits: [{ kind: 'person', text: 'an undo of a', code: 'undo_failed', act: 'settle' }],
  });
});

test.each([
  '',
  'null',
  '{}',
  '{"note":3}',
  '{"note":2,"agent":"a","config":null,"standing":{"is":"done"},"asked":false,"unanswered":0,"waits":[]}',
  '{"note":3,"agent":"a","config":null,"standing":{"is":"open"},"asked":false,"unanswered":0}',
  '{"note":3,"agent":"a","config":null,"standing":{"is":"open"},"asked":false,"unanswered":0,"waits":[{"kind":"x"}]}',
  '{"note":1,"agent":"a","config":null,"standing":{"is":"done"},"asked":false,"unanswered":0}',
  '{"note":2,"agent":"a","config":null,"standing":{"is":"done","unpublished":"x"},"asked":false,"unanswered":0}',
  '{"note":1,"agent":"a","config":null,"standing":{"is":"parked"},"asked":true,"unanswered":0}',
])('a text that is no note of this version is none: %j', (text) => {
  expect(parseRunNote(text)).toBeNull();
});
