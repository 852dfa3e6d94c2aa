/**
 * A step that is made of a plan is the step that working it out comes to: random events of a machine, journaled by plans and, where memories
 * are verified, without them. And a planned step costs nothing of the config: counted in what it is asked for.
 */
import { loadConfig } from 'belay-sidecar';
import { attach } from 'belay-sidecar/xstate';
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { EntryDecoder } from '../../src/journal/entry-codec.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { Entry } from '../../src/model/entry.ts';

interface Context {
  readonly who: string;
  readonly n: number;
  readonly rows: Readonly<Record<string, { readonly value: number }>>;
  readonly log: readonly string[];
  readonly other: number;
  readonly seen: number;
}
type Event =
  | { readonly type: 'row'; readonly row: string; readonly value: number }
  | { readonly type: 'stay' | 'go' | 'note' | 'drop' | 'stray' | 'beside' | 'look' | 'away' | 'back' }
  | { readonly type: 'who'; readonly who: string };

const machine = setup({
  types: { context: {} as Context, events: {} as Event },
  actions: {
    row: assign(({ context, event }) =>
      event.type === 'row' ? { rows: { ...context.rows, [event.row]: { value: event.value } } } : {},
    ),
    note: assign(({ context }) => ({ log: [...context.log, `${context.log.length}`] })),
    drop: assign(({ context }) => ({ rows: Object.fromEntries(Object.entries(context.rows).slice(1)) })),
    stray: assign(({ context }) => ({ other: context.other + 1 })),
    who: assign(({ event }) => (event.type === 'who' ? { who: event.who } : {})),
    look: assign(({ context }) => ({ seen: context.seen + 1 })),
  },
}).createMachine({
  id: 'plans',
  context: { who: 'x', n: 0, rows: {}, log: [], other: 0, seen: 0 },
  type: 'parallel',
  states: {
    work: {
      initial: 'a',
      states: {
        a: { on: { row: { target: 'b', actions: 'row' }, go: 'b', away: 'rest' } },
        b: { on: { row: { target: 'a', actions: 'row' }, go: 'a', who: { target: 'a', actions: 'who' } } },
        rest: { on: { back: 'a' } },
      },
      on: {
        note: { actions: 'note' },
        drop: { actions: 'drop' },
        stray: { actions: 'stray' },
        stay: {},
      },
    },
    beside: {
      initial: 'p',
      states: { p: { on: { beside: 'q' } }, q: { on: { beside: 'p', look: { actions: 'look' } } } },
    },
  },
});

const TEXT = `
belay: 1
agent: plans
tools: {}
keys: { append: [log], blind: [n] }
skeletons:
  Work:
    entity: memory.who
    states: [work.a, work.b]
    entry: [work.a]
    inputs: ["rows/*", "log"]
    outputs: ["rows/*", log, n, who]
    commit:
      - { id: many, at: work.b, when: 'memory.rows[?"r1"].?value.orValue(0) > 6' }
      - { id: few, at: work.a, when: 'memory.rows[?"r2"].?value.orValue(0) > 7' }
    exit:
      - { id: out, at: work.a -> work.rest, when: 'memory.n > 0' }
    rollback: { anchors: [many, few, out] }
`;

function configOf(): BoundaryConfig {
  const { config, findings } = loadConfig(TEXT, { file: 'plans.yaml' });
  if (config === null) throw new Error(JSON.stringify(findings));
  return config;
}

/** The next of a sequence that looks random and is the same each time. */
function chance(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

const PLAIN = ['go', 'go', 'stay', 'note', 'drop', 'beside', 'beside', 'look', 'look', 'away', 'back'] as const;

function eventsOf(seed: number): Event[] {
  const next = chance(seed);
  return Array.from({ length: 150 }, (): Event => {
    const kind = next(24);
    if (kind < 10) return { type: 'row', row: `r${next(4)}`, value: next(9) };
    if (kind === 10) return { type: 'who', who: `${next(3)}` };
    if (kind === 11 && seed % 3 === 0) return { type: 'stray' };
    return { type: PLAIN[next(PLAIN.length)] as (typeof PLAIN)[number] };
  });
}

async function journaled(events: readonly Event[], verify: boolean, config = configOf()): Promise<Entry[]> {
  const journal = memoryStore();
  const sidecar = await attach(machine, { run: 'r', config, journal, verify });
  sidecar.actor.start();
  for (const event of events) sidecar.actor.send(event);
  await sidecar.close();
  const decoder = new EntryDecoder();
  const entries: Entry[] = [];
  for await (const row of journal.read('r')) {
    const entry = decoder.entry(row);
    if (entry !== null && entry.do !== 'begin') entries.push(entry);
  }
  return entries;
}

describe('a step that is made of a plan', () => {
  test.each(Array.from({ length: 16 }, (_, seed) => seed))(
    'is what working it out comes to (seed %i)',
    async (seed) => {
      const events = eventsOf(seed);
      expect(await journaled(events, false)).toEqual(await journaled(events, true));
    },
  );

  test('asks nothing of the config', async () => {
    const plain = configOf();
    let asked = 0;
    class Counting extends Map<string, never> {
      override get(name: string) {
        asked += 1;
        return super.get(name);
      }
    }
    const config = { ...plain, skeletons: new Counting(plain.skeletons as never) } as unknown as BoundaryConfig;
    const go = (count: number) => Array.from({ length: count }, (): Event => ({ type: 'go' }));
    await journaled(go(20), false, config);
    const begun = asked;
    asked = 0;
    await journaled(go(120), false, config);
    expect(asked).toBe(begun);
  });
});
