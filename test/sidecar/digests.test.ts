/** Digests of arguments are made under a secret of the run: what is exported of one cannot be tried against guesses. */
import { expect, test } from 'vitest';
import { argsDigest } from '../../src/effects/digest.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { readRun } from '../../src/sidecar/attach.ts';
import { Layout } from '../../src/sidecar/layout.ts';
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
    const { fold } = readRun(journal.read('r'));
    const digest = fold.ledger.get(line.calls[0]?.key as string)?.intent.digest;
    expect(digest).toBe(argsDigest({ wanted: 'x' }, fold.secret));
    return digest;
  };
  const [one, other] = [await digests(), await digests()];
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(one).not.toBe(other);
  expect([one, other]).not.toContain(argsDigest({ wanted: 'x' }, null));
});

test('a journal of an earlier version keeps the plain digest', () => {
  const digests = { config: 'c', machine: 'm' };
  const rows = new Layout().rows({ do: 'begin', agent: 'line', digests, format: 2 }, () => {});
  const { fold } = readRun(rows.map((row, index) => ({ ...row, seq: index + 1, time: 0 })));
  expect(fold.secret).toBeNull();
});
