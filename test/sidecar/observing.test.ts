/** A run that is observed: the observer sees what the journal has taken, and nothing that it does changes the run. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { Entry, TraceContext } from '../../src/model/entry.ts';
import { OBSERVER, type ObservedCall, type Observer } from '../../src/sidecar/observing.ts';
import { wrapJournals } from '../../src/testing/wrap-journals.ts';
import { calm } from '../poll.ts';
import { Line, type Station } from './stations.ts';

const TRACE: TraceContext = { parent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
const SHOP: readonly Station[] = [
  { name: 'quote', reads: ['wanted'] },
  { name: 'pay', reads: ['quote'], tool: 'effect: idempotent' },
];

/** An observer that writes down what it sees; a test changes what it does. */
class Seen implements Observer {
  readonly told: Entry[] = [];
  readonly calls: Observer['calls'];
  readonly made: ObservedCall[] = [];
  readonly back: unknown[] = [];

  constructor(calls: (act: () => void) => void = (act) => act()) {
    this.calls = (call, act) => {
      this.made.push(call);
      calls(act);
    };
  }

  opens(): TraceContext | null {
    return TRACE;
  }

  appended(entry: Entry): () => void {
    return () => void this.told.push(entry);
  }

  came(actor: number, settled: unknown): void {
    this.back.push([actor, settled]);
  }

  closes(): void {}
}

async function ran(observer: Observer, journal = memoryStore()) {
  const line = new Line(SHOP, { pay: () => 'paid' });
  const run = await line.begin({ journal, [OBSERVER]: observer } as never);
  run.send('go');
  await run.at('rest');
  await run.sidecar.durable();
  run.send('end');
  expect((await run.finished()).status).toBe('done');
  await run.close();
  return { line, rows: [...journal.read('r')], context: run.context };
}

const kinds = (entries: readonly Entry[]) => entries.map((entry) => entry.do);

test('it is told of every entry, in the order of the journal, and of every call and what came back of it', async () => {
  const seen = new Seen();
  const { rows, line } = await ran(seen);
  expect(kinds(seen.told).slice(0, 2)).toEqual(['begin', 'step']);
  expect(kinds(seen.told).filter((kind) => kind !== 'step' && kind !== 'finding')).toEqual([
    'begin',
    'intent',
    'outcome',
    'end',
  ]);
  expect(seen.told.length).toBe(rows.filter(({ kind }) => kind !== 0).length);
  expect(seen.made.map(({ tool, class: kind, key }) => [tool, kind, key])).toEqual([
    ['quote', 'none', undefined],
    ['pay', 'idempotent', line.calls[1]?.key],
  ]);
  expect(seen.back).toEqual([
    [1, { output: 'quote x' }],
    [2, { output: 'paid' }],
  ]);
});

test('the place in a trace that it names is stored with a run that begins', async () => {
  const seen = new Seen();
  const { rows } = await ran(seen);
  expect(JSON.parse(rows[0]?.body ?? '')).toMatchObject({ agent: 'line', trace: TRACE });
  expect(seen.told[0]).toMatchObject({ do: 'begin', trace: TRACE });
});

test('it is not told of what the journal has refused', async () => {
  const seen = new Seen();
  const line = new Line(SHOP);
  const journal = wrapJournals(memoryStore(), () => ({
    append: () => {
      throw new Error('the disk is full');
    },
  }));
  const run = await line.begin({ journal, [OBSERVER]: seen } as never);
  run.send('go');
  await calm();
  expect(seen.told).toEqual([]);
  await run.close().catch(() => {});
});

describe('a run ends as it would without an observer', () => {
  const fails = () => {
    throw new Error('the collector is gone');
  };
  test.each<[string, Observer]>([
    [
      'one that throws wherever it is asked',
      { opens: fails, appended: fails, calls: fails, came: fails, closes: fails },
    ],
    ['one that throws where it tells', Object.assign(new Seen(), { appended: () => fails })],
    ['one that never makes a call', new Seen(() => {})],
    ['one that makes a call three times', new Seen((act) => [act, act, act].forEach((each) => void each()))],
    [
      'one that makes a call and throws',
      new Seen((act) => {
        act();
        fails();
      }),
    ],
  ])('%s', async (_, observer) => {
    const plain = await ran(new Seen());
    const { line, rows, context } = await ran(observer);
    expect(line.calls.map(({ tool }) => tool)).toEqual(['quote', 'pay']);
    expect(context).toEqual(plain.context);
    expect(rows.map(({ kind }) => kind)).toEqual(plain.rows.map(({ kind }) => kind));
  });
});
