/** What a decision asks of the history costs what it may set aside: counted in questions, never in time. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { History } from '../../src/history/history.ts';
import { inOneGo } from '../../src/history/pieces.ts';
import { Places } from '../../src/history/places.ts';
import type { PlacedStep } from '../../src/history/step-lists.ts';
import { Versions } from '../../src/history/versions.ts';
import { instanceName } from '../../src/model/instance.ts';
import { parseKey } from '../../src/model/key.ts';
import { setAside } from '../../src/recovery/aside.ts';
import { decide } from '../../src/recovery/decide.ts';
import { ALL_REPORTED, Effort, type Reported } from '../../src/recovery/effort.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('where nothing can be set aside, no question is asked about the readers of the writes that are undone', () => {
  const history = new History();
  const id = { skeleton: 'S', entity: 'e', ordinal: 0 };
  history.apply({ do: 'enter', in: id, by: null });
  for (let n = 0; n < 200; n += 1) history.apply({ do: 'write', in: id, key: parseKey(`rows/${n}`), mode: 'update' });
  const readsOf = vi.spyOn(Versions.prototype, 'readsOf');
  const moves = new Map([[history.expect(id), { keep: null, cause: null }]]);
  const { instances } = inOneGo(setAside(history, new Places(), moves, new Set()));
  expect(instances.size).toBe(0);
  expect(readsOf).not.toHaveBeenCalled();
});

describe('a failure at the end of a long run', () => {
  const id = { skeleton: 'S', entity: 'e', ordinal: 0 };
  const failure = { in: id, key: null };
  const rules = { policy: 'line', joint: 'none' } as const;
  const NOTHING = { candidates: 0, records: 0 };

  /** A run of one instance, each step of which writes and commits; `last` happens after its last commit. */
  function run(steps: number, last: (history: History) => void = () => {}) {
    const history = new History();
    const places = new Places();
    history.apply({ do: 'enter', in: id, by: null });
    for (let nth = 0; nth <= steps; nth += 1) {
      const act = history.head;
      history.apply({ do: 'write', in: id, key: parseKey(`rows/${nth % 10}`), mode: 'update' });
      if (nth < steps) history.apply({ do: 'boundary', in: id, kind: 'commit' });
      else last(history);
      const parties = [{ name: instanceName(id), region: '0:' }];
      const step = { nth, act, to: history.head, actor: 0, parties, moves: ['0:'], looks: [], entered: [] };
      places.add({ ...step, leads: [], owes: 0, ties: [], spawns: false, gone: false } satisfies PlacedStep);
    }
    return { history, places };
  }

  function asked({ history, places }: ReturnType<typeof run>, reported: Reported) {
    const effort = new Effort(reported);
    let asked = 0;
    const decision = decide(history, failure, rules, {
      control: { places, suspects: new Set(), escapes: () => [] },
      unavailable: () => {
        asked += 1;
        return null;
      },
      effort,
    });
    return { decision, asked, visited: effort.visited };
  }

  test('is decided by the same records, however long the run is', () => {
    const [short, long] = [asked(run(50), NOTHING), asked(run(5_000), NOTHING)];
    expect([short.decision.verdict, long.decision.verdict]).toEqual(['restore', 'restore']);
    expect(long.visited).toBe(short.visited);
    expect(long.visited).toBeLessThanOrEqual(5);
    expect([short.asked, long.asked]).toEqual([1, 1]);
  });

  test('is answered as if every candidate had been judged', () => {
    for (const reported of [NOTHING, { candidates: 7, records: 20 }]) {
      const { refusals: judged, ...answer } = asked(run(100), reported).decision;
      const { refusals: all, ...whole } = asked(run(100), ALL_REPORTED).decision;
      expect(answer).toEqual(whole);
      expect(all.slice(0, judged.length)).toEqual(judged);
    }
  });

  test('has older candidates judged for the report as long as that is cheap', () => {
    const few = asked(run(1_000), { candidates: 16, records: 1_000 });
    expect(few.asked).toBe(17);
    expect(asked(run(1_000), { candidates: 1_000, records: 30 }).visited).toBeLessThanOrEqual(50);
    expect(asked(run(1_000), ALL_REPORTED).asked).toBe(1_001);
  });

  test('that every candidate crosses costs each record once', () => {
    const pays = (history: History) =>
      history.apply({ do: 'effect', in: id, id: 'k', class: 'irreversible', status: 'confirmed', undo: false });
    const [short, long] = [asked(run(50, pays), NOTHING), asked(run(500, pays), NOTHING)];
    expect(long.decision.verdict).toBe('escalate');
    expect(long.decision.refusals).toHaveLength(501);
    expect(long.visited / short.visited).toBeLessThanOrEqual(11);
  });
});
