/** What a decision asks of the history costs what it may set aside: counted in questions, never in time. */
import { afterEach, expect, test, vi } from 'vitest';
import { History } from '../../src/history/history.ts';
import { Places } from '../../src/history/places.ts';
import { Versions } from '../../src/history/versions.ts';
import { parseKey } from '../../src/model/key.ts';
import { setAside } from '../../src/recovery/aside.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('where nothing can be set aside, no question is asked about the readers of the writes that are undone', () => {
  const history = new History();
  const id = { skeleton: 'S', entity: 'e', ordinal: 0 };
  history.apply({ do: 'enter', in: id, by: null });
  for (let n = 0; n < 200; n += 1) history.apply({ do: 'write', in: id, key: parseKey(`rows/${n}`), mode: 'update' });
  const readsOf = vi.spyOn(Versions.prototype, 'readsOf');
  const { instances } = setAside(
    history,
    new Places(),
    new Map([[history.expect(id), { keep: null, cause: null }]]),
    new Set(),
  );
  expect(instances.size).toBe(0);
  expect(readsOf).not.toHaveBeenCalled();
});
