/** The parts of the comparison, each by itself: faults, intervals, the wire, and the reading of directories. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { faultsOf, weatherOf } from '../../audit/workloads/faults.ts';
import { readDirectory } from '../../audit/workloads/read.ts';
import { DataError } from '../../audit/workloads/set.ts';
import { exact, paired } from '../../audit/workloads/statistics.ts';
import { Lost, Wire } from '../../audit/workloads/wire.ts';
import { folderOf, type Order, shop, taskOf } from './shop.ts';

describe('faults', () => {
  const drawn = (seed: string, p: number) => {
    const faults = faultsOf(seed, p);
    return Array.from({ length: 4_000 }, (_, index) => faults(`change ${index % 100}`, Math.floor(index / 100)));
  };

  test('come as often as they are to, half before the effect and half after it', () => {
    const all = drawn('7', 0.3);
    const [before, after] = ['before', 'after'].map((what) => all.filter((fault) => fault === what).length / 4_000);
    expect(before).toBeCloseTo(0.15, 1);
    expect(after).toBeCloseTo(0.15, 1);
  });

  test('are the same for a seed, others for another, and hang on nobody else', () => {
    expect(drawn('7', 0.3)).toEqual(drawn('7', 0.3));
    expect(drawn('7', 0.3)).not.toEqual(drawn('8', 0.3));
    expect(faultsOf('7', 0.3)('change 5', 0)).toBe(drawn('7', 0.3)[5]);
  });

  test('never strike where they are not to', () => {
    expect(new Set(drawn('7', 0))).toEqual(new Set([null]));
  });
});

describe('the weather of a run', () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `call ${index}`);
  const share = (of: readonly unknown[], is: unknown) => of.filter((each) => each === is).length / of.length;

  test('has reads and status queries fail as often as changes do, and sources lag as often as queries fail', () => {
    const weather = weatherOf('unreliable-answers', '7', 0.3);
    const queries = names.map((name) => weather.query(name, 0));
    expect(
      share(
        names.map((name) => weather.read(name, 0)),
        true,
      ),
    ).toBeCloseTo(0.3, 1);
    expect(share(queries, 'fails')).toBeCloseTo(0.15, 1);
    expect(share(queries, 'lags')).toBeCloseTo(0.15, 1);
    expect(queries).toEqual(names.map((name) => weatherOf('unreliable-answers', '7', 0.3).query(name, 0)));
    expect(new Set(names.map((name) => weather.late(name, 0)))).toEqual(new Set([0]));
  });

  test('has every second lost effect land late, by at most four operations', () => {
    const late = names.map((name) => weatherOf('late-effects', '7', 0.3).late(name, 0));
    expect(share(late, 0)).toBeCloseTo(0.5, 1);
    expect(new Set(late)).toEqual(new Set([0, 1, 2, 3, 4]));
  });

  test('is calm where only replies are lost', () => {
    const weather = weatherOf('lost-replies', '7', 0.9);
    expect(names.some((name) => weather.read(name, 0) || weather.query(name, 0) !== null)).toBe(false);
  });
});

describe('intervals', () => {
  test('of shares are those of Clopper and Pearson, and say something of zeros', () => {
    expect(exact(0, 100).map((each) => each.toFixed(4))).toEqual(['0.0000', '0.0362']);
    expect(exact(5, 100).map((each) => each.toFixed(4))).toEqual(['0.0164', '0.1128']);
    expect(exact(100, 100).map((each) => each.toFixed(4))).toEqual(['0.9638', '1.0000']);
    expect(exact(0, 0)).toEqual([0, 1]);
  });

  test('of differences hold the mean, draw whole tasks, and are the same for a seed', () => {
    const one = paired(
      [
        [1, 1, 1],
        [0, 0, 0],
        [1, 0, 1],
      ],
      3,
    );
    expect(one).toEqual(
      paired(
        [
          [1, 1, 1],
          [0, 0, 0],
          [1, 0, 1],
        ],
        3,
      ),
    );
    expect(one.mean).toBeCloseTo(5 / 9);
    expect(one.interval).toEqual([0, 1]);
    expect(paired([[2], [2]], 1)).toEqual({ mean: 2, interval: [2, 2] });
  });
});

describe('the wire', () => {
  const args = { order: 'o1', unit: 'o1', step: 0 };
  const wire = (...faults: readonly ('before' | 'after' | null)[]) => {
    return new Wire(taskOf({ order: 'o1', acts: [] }).open(), (_, attempt) => faults[attempt] ?? null);
  };

  test('breaks in the same words before an effect and after it', () => {
    const [before, after] = [wire('before'), wire('after')].map((each) => {
      try {
        each.call('pay', args);
      } catch (error) {
        return [error instanceof Lost, String(error), each.applied.length];
      }
      return null;
    });
    expect(before?.slice(0, 2)).toEqual(after?.slice(0, 2));
    expect([before?.[2], after?.[2]]).toEqual([0, 1]);
  });

  test('counts what was changed, row by row, and what was taken back', () => {
    const own = wire();
    own.call('label', args);
    own.call('label', args);
    expect(own.applied.map(({ rows }) => rows)).toEqual([['o1/label/0/1'], ['o1/label/0/2']]);
    own.undo('label', args, 2);
    expect(own.applied.map(({ undone }) => undone)).toEqual([false, true]);
    expect(() => own.undo('pay', args, 1)).toThrow('nobody takes pay back');
  });

  test('never fails a call that changes nothing', () => {
    const own = wire('before', 'before');
    expect(own.call('look', args)).toBe(0);
  });
});

describe('a directory', () => {
  const orders: readonly Order[] = [{ order: 'o1', acts: ['pay'] }];

  test('is searched for sets by the form of their files, whatever they are called, in its folders too', () => {
    const directory = folderOf({ 'whatever.json': orders, 'other.json': { a: 1 }, 'notes.txt': 'no' });
    mkdirSync(join(directory, 'more'));
    writeFileSync(join(directory, 'more', 'x.json'), JSON.stringify([{ order: 'o2', acts: [] }]));
    const { found, strange } = readDirectory(directory, [shop()]);
    expect(found.map(({ folder, tasks }) => [folder === 'more', tasks.map(({ id }) => id)])).toEqual([
      [false, ['o1']],
      [true, ['o2']],
    ]);
    expect(strange).toEqual([{ file: join(directory, 'other.json'), why: 'for the orders of shop, it must be array' }]);
  });

  test('that is not there is refused', () => {
    expect(() => readDirectory('/nowhere/at/all', [shop()])).toThrow(DataError);
    expect(() => readDirectory('/nowhere/at/all', [shop()])).toThrow(/there is no such directory/);
  });

  test.each<[string, Record<string, unknown>, string, RegExp]>([
    ['a file that is no JSON', { 'a.json': '{' }, 'a.json', /it is not JSON/],
    ['a set without tasks that fit together', { 'a.json': [{ order: 'o1', acts: null }] }, '', /^\/0\/acts: .*null/],
  ])('with %s leaves that out, and says why', (_, files, place, says) => {
    const directory = folderOf(files);
    const { found, unusable } = readDirectory(directory, [shop()]);
    expect([found, unusable.map(({ file }) => file)]).toEqual([[], [join(directory, place)]]);
    expect(unusable[0]?.why).toMatch(says);
  });

  test('that lacks one of the files of a set leaves the set out, and says which', () => {
    const set = { ...shop(), files: { ...shop().files, prices: { type: 'object', required: ['prices'] } } };
    const { unusable } = readDirectory(folderOf({ 'a.json': orders }), [set]);
    expect(unusable.map(({ why }) => why)).toEqual(['a set of the form of shop lacks its prices']);
  });

  test('takes a task that is there twice, as in a whole list and a part of it, for one', () => {
    const { found } = readDirectory(folderOf({ 'all.json': orders, 'part.json': orders }), [shop()]);
    expect(found.map(({ tasks }) => tasks.map(({ id }) => id))).toEqual([['o1']]);
  });

  test('with several sets in one folder tells them apart by their names', () => {
    const other = { ...shop(), name: 'stall' };
    const { found } = readDirectory(folderOf({ 'a.json': orders }), [shop(), other]);
    expect(found.map(({ folder }) => folder.replace(/^.*, /, ''))).toEqual(['shop', 'stall']);
  });
});
