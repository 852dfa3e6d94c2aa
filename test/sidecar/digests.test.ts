/** Digests of arguments are made under a secret of the run: what is exported of one cannot be tried against guesses. */
import { expect, test } from 'vitest';
import { argsDigest } from '../../src/effects/digest.ts';
import { keyOf } from '../../src/effects/keys.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { readRun } from '../../src/sidecar/opening/read-run.ts';
import { until } from '../poll.ts';
import { Line } from './stations.ts';

test('the same arguments have another digest in another run, and the same one in the next process', async () => {
  const digests = async () => {
    const journal = memoryStore();
    let fails = true;
    const line = new Line([{ name: 'pay', reads: ['wanted'], tool: 'effect: idempotent' }], {
      pay: () => {
        if (fails) return new Promise(() => {});
        return 'paid';
      },
    });
    const first = await line.begin({ journal });
    first.send('go');
    while (line.called('pay') === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await first.close();
    fails = false;
    const second = await line.resume({ journal });
    await second.at('rest');
    await second.close();
    expect(line.verdicts).toEqual([]);
    const { runState: fold } = readRun(journal.read('r'));
    const digest = fold.ledger.get(line.calls[0]?.key as string)?.intent.digest;
    expect(digest).toBe(argsDigest({ wanted: 'x' }, fold.secret));
    return digest;
  };
  const [one, other] = [await digests(), await digests()];
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(one).not.toBe(other);
  expect([one, other]).not.toContain(argsDigest({ wanted: 'x' }, null));
});

const READABLE = JSON.stringify(['r', 'PAY', 'it', 0, 'pay', 0]);
const STATIONS = [{ name: 'pay', reads: ['wanted'], tool: 'effect: idempotent' }];

test('a key is the same for the same decision in the next process, and another one in another run', async () => {
  const keys = async () => {
    const journal = memoryStore();
    const line = new Line(STATIONS, { pay: ({ nth }) => (nth === 0 ? new Promise(() => {}) : 'paid') });
    const first = await line.begin({ journal });
    first.send('go');
    await until(() => line.called('pay') === 1);
    await first.close();
    const second = await line.resume({ journal });
    await second.at('rest');
    await second.close();
    const { runState: fold } = readRun(journal.read('r'));
    expect(line.calls.map(({ key }) => key)).toEqual([0, 1].map(() => keyOf(READABLE, fold.secret)));
    return line.calls[0]?.key;
  };
  const [one, other] = [await keys(), await keys()];
  expect(one).toMatch(/^belay-[\w-]{43}$/);
  expect(one).not.toBe(other);
  expect([one, other]).not.toContain(keyOf(READABLE, ''));
});
