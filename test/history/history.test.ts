import { describe, expect, test } from 'vitest';
import { History, HistoryError, type HistoryErrorCode } from '../../src/history/history.ts';
import { positionBefore } from '../../src/history/registry.ts';
import type { HistoryEvent } from '../../src/model/event.ts';
import { parseKey } from '../../src/model/key.ts';

const id = (entity: string, skeleton = 'S', ordinal = 0) => ({ skeleton, entity, ordinal });
const enter = (entity: string, by: string | null = null): HistoryEvent => ({
  do: 'enter',
  in: id(entity),
  by: by === null ? null : id(by),
});
const effect = (
  entity: string,
  status: 'intended' | 'unknown' | 'confirmed',
  effectId: string | null = null,
): HistoryEvent => {
  return { do: 'effect', in: id(entity), id: effectId, class: 'idempotent', status, undo: null };
};
const commit = (entity: string): HistoryEvent => ({ do: 'boundary', in: id(entity), kind: 'commit' });

function historyOf(...events: HistoryEvent[]): History {
  const history = new History();
  for (const event of events) history.apply(event);
  return history;
}

test('events are numbered from 1', () => {
  const history = new History();
  expect(history.head).toBe(0);
  expect([history.apply(enter('A')), history.apply(commit('A')), history.head]).toEqual([1, 2, 2]);
});

test('instances differ in skeleton, entity and ordinal', () => {
  const history = historyOf(enter('A'));
  history.apply({ do: 'enter', in: id('A', 'T'), by: null });
  history.apply({ do: 'enter', in: id('A', 'S', 1), by: null });
  expect([...history.registry.all()].map((record) => record.checkpoints.all)).toEqual(
    [1, 2, 3].map((at) => [{ kind: 'entry', at }]),
  );
});

test('the newest commit or exit is what an instance promised', () => {
  const history = historyOf(enter('A'));
  const record = history.expect(id('A'));
  expect(record.committed).toBeNull();
  history.apply(commit('A'));
  expect(record.committed).toEqual({ kind: 'commit', at: 2 });
  history.apply({ do: 'boundary', in: id('A'), kind: 'outcome' });
  expect(record.committed).toEqual({ kind: 'commit', at: 2 });
  history.apply({ do: 'boundary', in: id('A'), kind: 'exit' });
  expect(record.committed).toEqual({ kind: 'exit', at: 4 });
  expect([1, 2, 3, 4, 5].map((at) => positionBefore(record, at)?.kind)).toEqual([
    undefined,
    'entry',
    'commit',
    'outcome',
    'outcome',
  ]);
});

describe('what no run can have produced is refused, and changes nothing', () => {
  const key = parseKey('x');
  const cases: [string, HistoryErrorCode, HistoryEvent[], HistoryEvent, string][] = [
    ['a read before its entry', 'not_entered', [enter('A')], { do: 'read', in: id('B'), key }, 'S::B::0'],
    ['a write before its entry', 'not_entered', [], { do: 'write', in: id('B'), key, mode: 'blind' }, 'S::B::0'],
    ['a boundary before its entry', 'not_entered', [], commit('B'), 'S::B::0'],
    ['an effect before its entry', 'not_entered', [], effect('B', 'confirmed'), 'S::B::0'],
    ['a second entry', 'entered_twice', [enter('A')], enter('A'), 'next ordinal'],
    ['a start by one who was never entered', 'starter_not_entered', [enter('A')], enter('B', 'C'), 'S::C::0'],
    ['a start by itself', 'starter_not_entered', [], enter('A', 'A'), 'S::A::0'],
    [
      'a boundary over an intended effect',
      'outcome_open',
      [enter('A'), effect('A', 'intended')],
      commit('A'),
      'S::A::0',
    ],
    ['a boundary over an unknown effect', 'outcome_open', [enter('A'), effect('A', 'unknown')], commit('A'), 'S::A::0'],
    [
      'an effect id of another instance',
      'effect_id_taken',
      [enter('A'), enter('B'), effect('A', 'intended', 'e')],
      effect('B', 'confirmed', 'e'),
      '"e"',
    ],
    [
      'an effect id of another class',
      'effect_id_taken',
      [enter('A'), effect('A', 'intended', 'e')],
      { ...effect('A', 'confirmed', 'e'), class: 'none' } as HistoryEvent,
      '"e"',
    ],
  ];
  test.each(cases)('%s: %s', (_name, code, before, event, names) => {
    const history = historyOf(...before);
    const refused = () => history.apply(event);
    expect(refused).toThrow(HistoryError);
    expect(refused).toThrow(expect.objectContaining({ code, message: expect.stringContaining(names) }));
    expect(history.head).toBe(before.length);
    expect([...history.registry.all()]).toHaveLength(before.filter((each) => each.do === 'enter').length);
  });

  test('an instance that was never entered is not expected', () => {
    expect(() => new History().expect(id('A'))).toThrow(
      expect.objectContaining({ code: 'not_entered', name: 'HistoryError' }),
    );
  });
});

describe('an open outcome', () => {
  test('is closed by news of it', () => {
    const history = historyOf(
      enter('A'),
      effect('A', 'intended', 'e'),
      effect('A', 'unknown', 'e'),
      effect('A', 'confirmed', 'e'),
    );
    expect(history.apply(commit('A'))).toBe(5);
  });

  test('is not closed by the outcome of another', () => {
    const history = historyOf(
      enter('A'),
      effect('A', 'intended', 'e'),
      effect('A', 'intended', 'f'),
      effect('A', 'confirmed', 'e'),
    );
    expect(() => history.apply(commit('A'))).toThrow(HistoryError);
  });

  test('may be opened again, and does not concern another instance', () => {
    const history = historyOf(enter('A'), enter('B'), effect('A', 'confirmed', 'e'), effect('A', 'unknown', 'e'));
    expect(() => history.apply(commit('A'))).toThrow(HistoryError);
    expect(history.apply(commit('B'))).toBe(5);
  });

  test('without an id each effect is one of its own', () => {
    const history = historyOf(enter('A'), effect('A', 'intended'), effect('A', 'confirmed'));
    expect(() => history.apply(commit('A'))).toThrow(HistoryError);
    expect(history.effects.of(history.expect(id('A')), 0, 3).map(({ at, status }) => [at, status])).toEqual([
      [2, 'intended'],
      [3, 'confirmed'],
    ]);
  });
});

describe('news of an effect', () => {
  const said = (status: 'intended' | 'confirmed', undo: boolean | null): HistoryEvent => {
    return { do: 'effect', in: id('A'), id: 'e', class: 'reversible', status, undo };
  };

  test('keeps its place and, unless it says otherwise, whether it can be undone', () => {
    const history = historyOf(enter('A'), said('intended', true), said('confirmed', null));
    const record = history.expect(id('A'));
    const expected = { instance: id('A'), id: 'e', class: 'reversible', status: 'confirmed', undo: true, at: 2 };
    expect(history.effects.of(record, 0, 9)).toEqual([expected]);
    expect([history.effects.undoable(), history.effects.blocking()]).toEqual([[expected], []]);
    history.apply(said('confirmed', false));
    expect([history.effects.undoable(), history.effects.blocking()]).toEqual([[], [{ ...expected, undo: false }]]);
  });

  test('in the order of intents, whatever came later', () => {
    const named = (effectId: string): HistoryEvent => ({ ...said('confirmed', true), id: effectId }) as HistoryEvent;
    const history = historyOf(enter('A'), named('e'), named('f'), named('g'), named('f'), named('e'));
    expect(history.effects.undoable().map((each) => each.id)).toEqual(['e', 'f', 'g']);
    const unknown = (effectId: string): HistoryEvent => ({ ...named(effectId), status: 'unknown' }) as HistoryEvent;
    for (const each of ['g', 'f', 'e']) history.apply(unknown(each));
    expect(history.effects.blocking().map((each) => each.id)).toEqual(['e', 'f', 'g']);
    expect(history.effects.blockingCount).toBe(3);
  });
});
