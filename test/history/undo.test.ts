/** Undoing what was done is as if it had never happened: for decisions, and for the memory that changes are folded into. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Change, diff, fold } from '../../src/history/context.ts';
import { History, HistoryError } from '../../src/history/history.ts';
import { traceReader } from '../../src/history/trace.ts';
import type { Decision, Rules } from '../../src/model/decision.ts';
import type { HistoryEvent } from '../../src/model/event.ts';
import { type InstanceId, instanceName } from '../../src/model/instance.ts';
import type { Dependence } from '../../src/model/veto.ts';
import { decide } from '../../src/recovery/decide.ts';
import type { WrittenEvent } from '../recovery/oracle.ts';
import { histories } from '../recovery/written.ts';

const RUNS = { numRuns: Number(process.env.BELAY_RUNS ?? 1_500) };
const RULES: readonly Rules[] = [
  { policy: 'line', joint: 'none' },
  { policy: 'line', joint: 'all' },
  { policy: 'static', joint: 'none' },
  { policy: 'dart', joint: 'none' },
];

const read = traceReader();

function eventsOf(written: readonly WrittenEvent[]): HistoryEvent[] {
  return written.flatMap((each) => {
    const line = read(JSON.stringify(each));
    return line.do === 'event' ? [line.event] : [];
  });
}

interface Numbered {
  readonly event: HistoryEvent;
  readonly at: number;
  /** Where it counts: at its intent, for news of an effect. */
  readonly place: number;
}

/** Events in their places, in a history. */
class Written {
  readonly history = new History();
  readonly events: Numbered[] = [];
  readonly #effects = new Map<string, number>();

  apply(event: HistoryEvent): void {
    const at = this.history.apply(event);
    const id = event.do === 'effect' ? event.id : null;
    const place = (id === null ? undefined : this.#effects.get(id)) ?? at;
    if (id !== null) this.#effects.set(id, place);
    this.events.push({ event, at, place });
  }

  ids(): InstanceId[] {
    return [...this.history.registry.all()].map(({ id }) => id);
  }

  /** What is kept when a line is carried out. */
  undo(limits: ReadonlyMap<string, number>): void {
    for (const id of this.ids()) {
      const limit = limits.get(instanceName(id));
      if (limit !== undefined) this.history.undo(id, limit);
    }
    const stays = ({ event, place }: Numbered) =>
      place <= (limits.get(instanceName(event.in)) ?? Number.POSITIVE_INFINITY);
    for (const { event, place } of this.events) {
      if (event.do === 'effect' && event.id !== null && !stays({ event, place, at: place }))
        this.#effects.delete(event.id);
    }
    this.events.splice(0, this.events.length, ...this.events.filter(stays));
  }

  /** A history in which only what is kept ever happened, and how its numbers are called in this one. */
  afresh(): { history: History; numbers: Map<number, number> } {
    const history = new History();
    const numbers = new Map<number, number>();
    for (const { event, at } of this.events) numbers.set(history.apply(event), at);
    return { history, numbers };
  }
}

const NUMBERS = new Set(['at', 'step', 'write']);

/**
 * A decision with its numbers called otherwise. How many events there were is left out, and so is which of several dependences
 * bears witness that somebody moves: any of them does. In which order others are moved says nothing; in which order effects are undone does.
 */
function renumbered(decision: Decision, numbers: ReadonlyMap<number, number> | null): unknown {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk).sort(byText);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        if (name === 'cause') return [name, inner === null];
        if (name === 'dependence') return [name, (inner as Dependence).consumer];
        const isNumber = NUMBERS.has(name) && typeof inner === 'number';
        return [name, isNumber && numbers !== null ? numbers.get(inner) : walk(inner)];
      }),
    );
  };
  const { at: _, undo, ...rest } = decision;
  return [walk(rest), undo.map(walk)];
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

function expectTheSame(written: Written): void {
  const { history, numbers } = written.afresh();
  for (const id of written.ids()) {
    const keys = [
      null,
      ...new Set(written.history.versions.writesOf(written.history.expect(id)).map(({ key }) => key)),
    ];
    for (const key of keys) {
      for (const rules of RULES) {
        const failure = { in: id, key };
        expect(renumbered(decide(written.history, failure, rules), null)).toEqual(
          renumbered(decide(history, failure, rules), numbers),
        );
      }
    }
  }
}

describe('History.undo', () => {
  test('after a line was carried out, every failure is decided as if the undone had never happened', () => {
    let undone = 0;
    fc.assert(
      fc.property(histories, histories, fc.nat(), (events, more, who) => {
        const written = new Written();
        for (const event of eventsOf(events)) written.apply(event);
        const ids = written.ids();
        const failed = ids[who % ids.length] as InstanceId;
        const { line } = decide(written.history, { in: failed, key: null }, { policy: 'line', joint: 'all' });
        if (line === null) return;
        undone += 1;
        written.undo(
          new Map(line.moves.map(({ instance, keep }) => [instanceName(instance), keep === 'none' ? 0 : keep.at])),
        );
        expectTheSame(written);
        // And whatever follows finds nothing of it: the names and the effects may come again.
        for (const event of eventsOf(more)) {
          try {
            written.apply(event);
          } catch (error) {
            if (!(error instanceof HistoryError)) throw error;
          }
        }
        expectTheSame(written);
      }),
      RUNS,
    );
    expect(undone).toBeGreaterThan(RUNS.numRuns / 2);
  });

  test('numbers are not given out again', () => {
    const written = new Written();
    const id = { skeleton: 'A', entity: 'a', ordinal: 0 };
    written.apply({ do: 'enter', in: id, by: null });
    written.history.undo(id, 0);
    expect(written.history.head).toBe(1);
    expect(written.history.apply({ do: 'enter', in: id, by: null })).toBe(2);
  });

  test('an instance that was never entered cannot be undone', () => {
    expect(() => new History().undo({ skeleton: 'A', entity: 'a', ordinal: 0 }, 0)).toThrow(HistoryError);
  });
});

const names = fc.oneof(
  fc.constantFrom('a', 'b', '0', '1', '__proto__', 'constructor', 'x/y'),
  fc.string({ maxLength: 3 }),
);

const { value: values } = fc.letrec<{ value: unknown; record: object; list: unknown[] }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(0, -0, 1, Number.NaN, '', 'x', true, null, undefined),
    tie('record'),
    tie('list'),
  ),
  record: fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map((members) => {
    const record = {};
    for (const [name, value] of members) {
      Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true });
    }
    return record;
  }),
  list: fc.array(tie('value'), { maxLength: 4 }),
}));

type Walk = (value: unknown, path: readonly string[]) => void;

function containers(value: unknown, visit: Walk, path: readonly string[] = []): void {
  if (typeof value !== 'object' || value === null) return;
  visit(value, path);
  for (const [name, inner] of Object.entries(value)) containers(inner, visit, [...path, name]);
}

/** Changes one place of a memory the way that an assign does: the containers on its path are copied, the rest is shared. */
function changed(memory: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const copy = (Array.isArray(memory) ? [...memory] : { ...(memory as object) }) as Record<string, unknown>;
  const inner = Object.hasOwn(copy, name) ? copy[name] : undefined;
  Object.defineProperty(copy, name, {
    value: changed(inner, rest, value),
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return copy;
}

describe('memory', () => {
  test('folding the changes between two memories into the first gives the second', () => {
    fc.assert(
      fc.property(values, values, fc.boolean(), (before, after, appends) => {
        const changes = diff(before, after, () => appends);
        const folded = fold(before, changes);
        expect(isDeepStrictEqual(folded, after)).toBe(true);
        if (Object.is(before, after)) expect(changes).toEqual([]);
      }),
      { numRuns: RUNS.numRuns * 2 },
    );
  });

  test('an array that was only added to is an append, and folds onto whatever is there', () => {
    fc.assert(
      fc.property(fc.array(values), fc.array(values, { minLength: 1 }), fc.array(values), (old, added, other) => {
        const changes = diff({ log: old }, { log: [...old, ...added] }, () => true);
        expect(isDeepStrictEqual(changes, [{ op: 'append', path: ['log'], values: added }])).toBe(true);
        expect(isDeepStrictEqual(fold({ log: other }, changes), { log: [...other, ...added] })).toBe(true);
      }),
    );
  });

  test('a change costs its path only: what it does not touch is shared by reference', () => {
    let deep = 0;
    fc.assert(
      fc.property(values, fc.nat(), names, values, (before, where, name, value) => {
        const places: (readonly string[])[] = [];
        containers(before, (at, path) => {
          if (!Array.isArray(at)) places.push([...path, name]);
        });
        const path = places[where % Math.max(1, places.length)];
        if (path === undefined) return;
        if (path.length > 2) deep += 1;
        const after = changed(before, path, value);
        const changes: Change[] = diff(before, after, () => false);
        for (const change of changes) expect(change.path.slice(0, path.length)).toEqual(path);
        const folded = fold(before, changes);
        expect(isDeepStrictEqual(folded, after)).toBe(true);
        const kept = new Set<unknown>();
        containers(folded, (at) => kept.add(at));
        containers(before, (at, own) => {
          const isOnPath =
            own.every((segment, index) => path[index] === segment) ||
            path.every((segment, index) => own[index] === segment);
          if (!isOnPath) expect(kept.has(at)).toBe(true);
        });
      }),
      RUNS,
    );
    expect(deep).toBeGreaterThan(RUNS.numRuns / 50);
  });

  test('a member called __proto__ is a member like any other', () => {
    const after = JSON.parse('{"a":1,"__proto__":{"polluted":true}}');
    const folded = fold(
      { a: 1 },
      diff({ a: 1 }, after, () => false),
    ) as Record<string, unknown>;
    expect(Object.hasOwn(folded, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(folded)).toBe(Object.prototype);
    expect(folded.polluted).toBeUndefined();
    expect(diff(after, { a: 1 }, () => false)).toEqual([{ op: 'delete', path: ['__proto__'] }]);
  });
});
