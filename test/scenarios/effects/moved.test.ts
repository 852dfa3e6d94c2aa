/**
 * What a commit would overwrite is never lost (semantics.md E4): whoever changes a row or a file after an agent has read it, and
 * whenever, the commit over it is refused, and the unit that read it is done again.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Reliance, StagedCall } from '../../../src/effects/counterparty.ts';
import { callOf } from '../../adapters/calls.ts';
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

  test('is added to as it is then also where a call that may change anything came in between', async () => {
    till.set(where, 100);
    expect(await till.add('r', { where, notes: true, think: once(() => till.set(where, 500)) })).toBe('done');
    expect(till.get(where)).toBe(510);
  });

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

  describe('of which a run goes on from its own commit', () => {
    const area = () => (where === 'file' ? till.files : till.rows);
    const about = (id: string) => ({ id, run: 'r', instance: 'i', boundary: 'b' });
    const staged = async (cents: number, relies: readonly Reliance[], of = 'a'): Promise<StagedCall> => {
      const input =
        where === 'file' ? { path: of, content: String(cents) } : { table: 'acc', key: { id: of }, set: { cents } };
      const call = callOf(input);
      const answer = await area().stage(call as never);
      return { key: call.key as string, tool: 't', args: input, staged: answer, relies };
    };
    const publish = async (call: StagedCall) => {
      await area().buffer.prepare?.([call], about(call.key));
      await area().buffer.publish([call], about(call.key));
    };
    const position = async () => ({ position: (await area().buffer.position?.(['x:y'])) ?? '' });

    test('is changed again, unless somebody else was there', async () => {
      till.set(where, 1);
      const read = await position();
      const first = await staged(2, [read]);
      await publish(first);
      const second = await staged(3, [read, { call: first.key }]);
      await publish(second);
      till.set(where, 50);
      const late = await staged(5, [read, { call: first.key }, { call: second.key }]);
      await expect(publish(late)).rejects.toThrow('was changed since this run last wrote it');
      expect(till.get(where)).toBe(50);
    });

    test('is not taken for read again where the commit was about something else', async () => {
      till.set(where, 1);
      till.set(where, 1, 'b');
      const read = await position();
      const other = await staged(2, [read], 'b');
      await publish(other);
      till.set(where, 50);
      const late = await staged(5, [read, { call: other.key }]);
      await expect(publish(late)).rejects.toThrow('was changed since it was read');
      await publish(await staged(60, [read, { call: other.key }, await position()], 'b'));
      expect([till.get(where), till.get(where, 'b')]).toEqual([50, 60]);
    });
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
