/** `belay why`, as a person types it beside a journal: a call, a value, nothing that is there, and texts that would deceive a terminal. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { assign } from 'xstate';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { calls, configOf, machineOf, run, World } from '../semantics/little.ts';
import { belay } from './belay.ts';

const root = mkdtempSync(join(tmpdir(), 'belay-why-'));
const ask = (...args: string[]) => belay(['why', ...args], '', {}, root);
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** wait BRIEF; choose (a decision) reads words; book reads the choice. */
async function booked(name: string, words: unknown) {
  const store = sqliteStore(join(root, 'belay.sqlite'));
  const world = new World();
  const keeps = assign({ words: ({ event }: { event: { words?: unknown } }) => event.words } as never);
  const machine = machineOf(
    { choose: world.tool('choose', () => 'SQ1'), book: world.tool('book') },
    {
      initial: 'wait',
      states: {
        wait: { on: { BRIEF: { target: 'choosing', actions: keeps } } },
        choosing: calls('choose', 'choice', 'booking', ['words']),
        booking: calls('book', 'booking', 'resting', ['choice']),
        resting: {},
      },
    },
  );
  const config = configOf(
    {
      choose: 'reads: [words], writes: [choice], effect: none, decides: true',
      book: 'reads: [choice], writes: [booking], effect: idempotent',
    },
    {
      Trip: {
        states: ['choosing', 'booking'],
        at: 'booking -> resting',
        writes: ['booking', 'choice'],
        reads: ['words'],
      },
    },
  );
  const it = await run(machine, config, { journal: store, run: name } as never);
  await it.sidecar.send({ type: 'BRIEF', words } as never, { id: 'brief', by: 'ada' });
  await it.at('resting');
  await it.sidecar.close();
  return { ...it, store };
}

test('a call is traced through the decision to the event of a person, by the name of its tool', async () => {
  const { store } = await booked('trip-1', 'cheap');
  const { code, out } = await ask('trip-1', 'book');
  expect([
    code,
    out
      .replace(/row \d+/g, 'row N')
      .replace(/\s+/g, ' ')
      .trim(),
  ]).toEqual([
    0,
    expect.stringMatching(
      /book.* in row N, with \{"choice":"SQ1"\} .*choice.* from the decision .*choose.* in row N, which answered "SQ1" .*asked \{"words":"cheap"\} .*words.* from the event .*BRIEF.* .*brief.* of .*ada.* in row N, which said/,
    ),
  ]);
  const json = await ask('trip-1', 'book', '--json');
  const { run: named, what, why } = JSON.parse(json.out);
  expect([json.code, named, what, why.length]).toEqual([0, 'trip-1', 'book', 1]);
  expect(why[0]).toMatchObject({
    call: { tool: 'book', args: '{"choice":"SQ1"}' },
    on: [
      { key: 'choice', source: { is: 'decision', tool: 'choose', on: [{ key: 'words', source: { is: 'event' } }] } },
    ],
  });
  const byKey = await ask('trip-1', why[0].call.key, '--json');
  expect(JSON.parse(byKey.out).why).toEqual(why);
  await store.close();
});

test('a value of the context has the versions that it has now', async () => {
  const { store } = await booked('trip-2', 'cheap');
  const { code, out } = await ask('trip-2', 'booking');
  expect([code, out.split('\n')[0]]).toEqual([0, expect.stringMatching(/^booking:? +one version/)]);
  await store.close();
});

test('a run, a call and a file that are not there are named, with what is near', async () => {
  const { store } = await booked('trip-3', 'cheap');
  await store.close();
  const call = await ask('trip-3', 'bok');
  expect([call.code, call.out, call.err]).toEqual([2, '', expect.stringMatching(/no call and no value "bok".*book/s)]);
  const none = await ask('trip-4', 'book');
  expect([none.code, none.out, none.err]).toEqual([2, '', expect.stringContaining('trip-4')]);
  const missing = await ask('trip-3', 'book', '--journal', join(root, 'no.sqlite'));
  expect([missing.code, missing.out, missing.err]).toEqual([2, '', expect.stringContaining('no.sqlite')]);
  const bare = await ask('trip-3');
  expect([bare.code, bare.err]).toEqual([2, expect.stringContaining('missing')]);
});

test('texts that a person or a model said are shown as text, and cut', async () => {
  const { store } = await booked('trip-5', `\u001b[2J\u202Eevil<script>${'x'.repeat(1_000_000)}`);
  const { code, out } = await ask('trip-5', 'book');
  expect(code).toBe(0);
  expect(out.length).toBeLessThan(5_000);
  for (const hostile of ['\u001b', '\u202E']) expect(out).not.toContain(hostile);
  await store.close();
});
