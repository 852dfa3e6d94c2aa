/**
 * What a commit would overwrite is never lost (semantics.md E4): whoever changes a row or a file after an agent has read it, and
 * whenever, the commit over it is refused, and the unit that read it is done again.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Course, Till, type Where, wait } from './till.ts';

let till: Till;
beforeEach(() => {
  till = new Till();
});
afterEach(() => till.close());

/** Does something the first time that it is asked. */
function once(act: () => void): () => Promise<void> {
  let done = false;
  return async () => {
    if (!done) act();
    done = true;
  };
}

describe.each<Where>(['file', 'row'])('an amount in a %s', (where) => {
  test('that three agents add to loses none of their additions', async () => {
    till.set(where, 100);
    const course: Course = { where, rest: () => wait(30) };
    const ends = await Promise.all(['a', 'b', 'c'].map((run) => till.add(run, course)));
    expect([ends, till.get(where)]).toEqual([['done', 'done', 'done'], 130]);
  });

  test('that three agents add to loses none either where they think between reading and staging', async () => {
    till.set(where, 100);
    const ends = await Promise.all([10, 30, 50].map((ms, i) => till.add(`r${i}`, { where, think: () => wait(ms) })));
    expect([ends, till.get(where)]).toEqual([['done', 'done', 'done'], 130]);
  });

  test.each(['think', 'rest'] as const)(
    'that somebody else changes while an agent has to %s is added to as it is then',
    async (when) => {
      till.set(where, 100);
      expect(await till.add('r', { where, [when]: once(() => till.set(where, 500)) })).toBe('done');
      expect(till.get(where)).toBe(510);
      expect(till.told).toEqual([
        expect.stringMatching(/^r restore: the commit done of Add::a::0 was refused: .* was changed since/),
      ]);
    },
  );

  test('that another unit has read is read again by that unit', async () => {
    till.set(where, 100);
    expect(await till.add('r', { where, apart: true, think: once(() => till.set(where, 500)) })).toBe('done');
    expect(till.get(where)).toBe(510);
  });

  test('that never stands still parks the run, which says what moved, and nothing is lost', async () => {
    till.set(where, 0);
    let turns = 0;
    const think = async () => {
      turns += 1;
      till.set(where, turns * 1_000);
    };
    expect(await till.add('r', { where, think, tries: 2 })).toBe('parked');
    expect([till.get(where), turns]).toEqual([3_000, 3]);
    expect(till.told.at(-1)).toContain('was changed since it was read');
  });

  test('is taken up where a person makes it stand still: the same commit is tried once more', async () => {
    till.set(where, 100);
    const sidecar = await till.agent('r', { where, rest: once(() => till.set(where, 7)), tries: 0 });
    sidecar.actor.start();
    expect((await sidecar.finished()).status).toBe('parked');
    await sidecar.reconcile();
    expect([sidecar.status, till.get(where)]).toEqual(['parked', 7]);
    if (where === 'file') {
      till.set(where, 100);
      await sidecar.reconcile();
      expect([(await sidecar.finished()).status, till.get(where)]).toEqual(['done', 110]);
    }
    await sidecar.close();
  });
});
