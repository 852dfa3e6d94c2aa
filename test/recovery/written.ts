/** Histories for tests: as lines of a trace, as the tests of the oracle want them, and random ones from fast-check. */
import fc from 'fast-check';
import { History } from '../../src/history/history.ts';
import { traceReader } from '../../src/history/trace.ts';
import type { Name, WrittenEvent } from './oracle.ts';

const read = traceReader();

/** Folds written events into a history, through the same reader that the command uses. */
export function historyOf(events: readonly WrittenEvent[]): History {
  const history = new History();
  for (const event of events) {
    const line = read(JSON.stringify(event));
    if (line.do === 'event') history.apply(line.event);
  }
  return history;
}

const SEGMENTS = ['x', 'y', '*'];
const MOST_EVENTS = 14;

/** Keys that overlap in every way there is: prefixes, stars in the middle, everything below, schemes, everything. */
export const keys = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(fc.constantFrom(...SEGMENTS), { minLength: 1, maxLength: 3 }).map((s) => s.join('/')),
  },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...SEGMENTS), { maxLength: 2 }).map((s) => [...s, '**'].join('/')) },
  { weight: 2, arbitrary: fc.constantFrom('s:x', 's:**', 's:x/y', 's:*/y') },
);

const NAMES: Name[] = [
  ['A', 'a', 0],
  ['A', 'a', 1],
  ['B', 'a', 0],
  ['C', 'c', 0],
];

const act = fc.record({
  who: fc.nat({ max: NAMES.length - 1 }),
  what: fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('read' as const), key: keys }) },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('write' as const),
        key: keys,
        mode: fc.constantFrom({}, {}, { blind: true }, { append: true }, { blind: true, append: true }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('boundary' as const),
        kind: fc.constantFrom('commit' as const, 'exit' as const, 'outcome' as const),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record(
        {
          do: fc.constant('effect' as const),
          class: fc.constantFrom('none', 'idempotent', 'reversible', 'compensable', 'irreversible'),
          status: fc.constantFrom('intended', 'unknown', 'confirmed', 'confirmed', 'failed', 'compensated', 'buffered'),
          undo: fc.boolean(),
          again: fc.nat({ max: 3 }),
        },
        { requiredKeys: ['do', 'class', 'status', 'again'] },
      ),
    },
  ),
  by: fc.option(fc.nat({ max: NAMES.length - 1 }), { nil: undefined }),
});

/**
 * Random well-formed histories of up to four instances, small enough for the oracle. An act by an instance that is not
 * there enters it first, started by another where the draw says so; a boundary that the format forbids is left out.
 */
export const histories: fc.Arbitrary<WrittenEvent[]> = fc
  .array(act, { minLength: 1, maxLength: MOST_EVENTS })
  .map((acts) => {
    const draft = new Draft();
    for (const { who, what, by } of acts) draft.add(who, what, by);
    return draft.events;
  });

type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

class Draft {
  readonly events: WrittenEvent[] = [];
  readonly #entered = new Set<number>();
  readonly #effects = new Map<string, { of: number; class: string; status: string }>();

  add(who: number, what: Act['what'], by: number | undefined): void {
    const where = { in: NAMES[who] as Name };
    if (!this.#entered.has(who)) {
      const started = by !== undefined && this.#entered.has(by);
      this.events.push({ do: 'enter', ...where, ...(started && { by: NAMES[by] as Name }) });
      this.#entered.add(who);
    }
    switch (what.do) {
      case 'read':
        this.events.push({ ...what, ...where });
        break;
      case 'write':
        this.events.push({ do: 'write', key: what.key, ...what.mode, ...where });
        break;
      case 'boundary':
        if (!this.#isOpen(who)) this.events.push({ ...what, ...where });
        break;
      case 'effect':
        this.#effect(who, what);
        break;
    }
  }

  #isOpen(who: number): boolean {
    return [...this.#effects.values()].some(({ of, status }) => of === who && /intended|unknown/.test(status));
  }

  #effect(who: number, { again, ...what }: Extract<Act['what'], { do: 'effect' }>): void {
    const known = again === 0 ? [...this.#effects].find(([, { of }]) => of === who) : undefined;
    const id = known?.[0] ?? `e${this.events.length}`;
    const event = { ...what, class: known?.[1].class ?? what.class };
    this.#effects.set(id, { of: who, class: event.class, status: event.status });
    this.events.push({ ...event, in: NAMES[who] as Name, id });
  }
}
