/** The inputs that moved, found by the writes since; the answer is that of a comparison of every read with every write. */
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { History } from '../../src/history/history.ts';
import { Versions } from '../../src/history/versions.ts';
import { type InstanceId, instanceName, ROOT } from '../../src/model/instance.ts';
import { overlaps, parseKey } from '../../src/model/key.ts';
import type { Kept } from '../../src/projection/rollback.ts';
import type { RunState } from '../../src/projection/run-state.ts';
import { movedInputs } from '../../src/sidecar/queries/moved-inputs.ts';

const id = (n: number): InstanceId => ({ skeleton: n === 0 ? ROOT : 'S', entity: `${n}`, ordinal: 0 });
const run = (history: History) => ({ history }) as unknown as RunState;

/** Every read that is taken back against every write that is kept. */
function compared(history: History, kept: readonly Kept[]) {
  const limits = new Map(kept.map(([who, at]) => [instanceName(who), at]));
  const moved = new Map<string, unknown>();
  for (const [who, at] of kept) {
    const own = history.registry.get(who);
    if (own === undefined || who.skeleton === ROOT) continue;
    for (const read of history.versions.readsBy(own).filter((each) => each.at > at))
      for (const by of history.registry.all()) {
        const limit = limits.get(instanceName(by.id)) ?? Number.POSITIVE_INFINITY;
        const isOver = history.versions
          .writesOf(by)
          .some((write) => write.at > read.at && write.at <= limit && overlaps(write.key, read.key));
        if (by !== own && isOver)
          moved.set(`${instanceName(who)} ${read.key.text}`, { instance: who, key: read.key.text, by: by.id });
      }
  }
  return [...moved.values()];
}

const COUNT = 5;
const key = fc.constantFrom('a', 'a/b', 'a/*', '**', 'b', 'b/*/c', 'b/x/c', 'c').map(parseKey);
const access = fc.record({ who: fc.nat(COUNT - 1), key, writes: fc.boolean() });

describe('the inputs that moved', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('are those of a comparison of every read with every write', () => {
    fc.assert(
      fc.property(
        fc.array(access, { maxLength: 40 }),
        fc.array(fc.tuple(fc.nat(COUNT), fc.nat(40)), { maxLength: COUNT }),
        (accesses, cut) => {
          const history = new History();
          for (let n = 0; n < COUNT; n += 1) history.apply({ do: 'enter', in: id(n), by: null });
          for (const { who, key, writes } of accesses)
            history.apply(
              writes ? { do: 'write', in: id(who), key, mode: 'append' } : { do: 'read', in: id(who), key },
            );
          const kept = [...new Map(cut.map(([who, at]) => [who, [id(who), at] as const])).values()];
          expect(movedInputs(run(history), kept)).toEqual(compared(history, kept));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('cost the instances and what they did, not their square', () => {
    const asked = (size: number) => {
      const history = new History();
      for (let n = 1; n <= size; n += 1) {
        history.apply({ do: 'enter', in: id(n), by: null });
        history.apply({ do: 'read', in: id(n), key: parseKey('n') });
        history.apply({ do: 'write', in: id(n), key: parseKey(`b/${n}`), mode: 'update' });
      }
      const spies = (['writesOf', 'writesBetween', 'readsBy', 'readsBetween', 'readsAt'] as const).map((name) =>
        vi.spyOn(Versions.prototype, name),
      );
      movedInputs(
        run(history),
        Array.from({ length: size }, (_, n) => [id(n + 1), 0] as const),
      );
      const calls = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
      vi.restoreAllMocks();
      return calls;
    };
    expect(asked(400)).toBeLessThanOrEqual(4.1 * asked(100));
  });
});
