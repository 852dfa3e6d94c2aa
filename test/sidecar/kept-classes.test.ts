/**
 * CO2: a call keeps the join of the class that it left under and of the class that its tool has now. Every pair of classes, and every nature that
 * the page of then or of now says the tool has, is run through `attach` and judged by the world: one act stands for each decision, or the run parks.
 */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { classKept, EFFECT_CLASSES, type EffectClass } from '../../src/model/effect.ts';
import { until } from '../poll.ts';
import { Line, of, type Station } from './stations.ts';

/** The classes of tools that change the world. */
const CLASSES = EFFECT_CLASSES.filter((each) => each !== 'none');

interface Case {
  readonly before: EffectClass;
  readonly now: EffectClass;
  /** The class that the tool has in truth: one of the two pages is wrong. */
  readonly nature: EffectClass;
  /** The station whose tool changes its class; the other one reads. */
  readonly varied: 'a' | 'b';
  /** The station that is found wrong after the change. */
  readonly blamed: 'a' | 'b';
  /** True where `a` answers something else when it is asked again. */
  readonly isAnew: boolean;
}

/** A world in which the acts of one tool stand, by their keys. */
class World {
  readonly #acts = new Map<string, number>();
  readonly #nature: EffectClass;

  constructor(nature: EffectClass) {
    this.#nature = nature;
  }

  act(key: string): void {
    const before = this.#acts.get(key) ?? 0;
    this.#acts.set(key, this.#nature === 'idempotent' ? 1 : before + 1);
  }

  undo(key: string): void {
    const isUndone = this.#nature === 'reversible' || this.#nature === 'compensable';
    if (isUndone) this.#acts.set(key, (this.#acts.get(key) ?? 0) - 1);
  }

  get standing(): number {
    return [...this.#acts.values()].reduce((sum, count) => sum + count, 0);
  }
}

function stations(varied: Case['varied'], effect: EffectClass): readonly Station[] {
  const undo = effect === 'reversible' || effect === 'compensable' ? ', undo: back' : '';
  const own = { tool: `effect: ${effect}${undo}`, rollback: 'compensable: undo, joint: [A, B]' };
  return [
    { name: 'a', reads: ['wanted'], ...(varied === 'a' ? own : { rollback: 'joint: [A, B]' }) },
    { name: 'b', reads: ['a'], ...(varied === 'b' ? own : { rollback: 'joint: [A, B]' }) },
  ];
}

/** Runs one case. @returns the acts that stand in the end, and whether the run came to rest. */
async function run({ before: then, now, nature, varied, blamed, isAnew }: Case) {
  const world = new World(nature);
  const undo = { back: ({ key }: { readonly key: string }) => world.undo(key) };
  const acts = ({
    tool,
    key,
    nth,
  }: {
    readonly tool: string;
    readonly key: string | undefined;
    readonly nth: number;
  }) => {
    if (tool === varied) world.act(key ?? '');
    return tool === 'a' && isAnew ? `a${turn}${nth}` : tool;
  };
  let turn = 'then';
  const journal = memoryStore();
  const does = { a: acts, b: acts };
  const first = new Line(stations(varied, then), does);
  const begun = await first.begin({ journal, undo } as never);
  begun.send('go');
  await begun.at('rest');
  await begun.close();
  turn = 'now';
  const second = new Line(stations(varied, now), does);
  const next = await second.resume({ journal, undo } as never);
  await next.fail('CONTRACT_VIOLATION', { instance: of(blamed), key: blamed });
  await until(
    () => next.status === 'parked' || next.value === 'rest',
    () => `neither parked nor at rest, but at ${JSON.stringify(next.value)}`,
  );
  if (next.status !== 'parked') next.send('end');
  const { status } = await next.finished();
  await next.close();
  return { standing: world.standing, status, verdicts: second.verdicts };
}

function cases(): Case[] {
  return CLASSES.flatMap((then) =>
    CLASSES.flatMap((now) =>
      [...new Set([then, now])].flatMap((nature) =>
        (['a', 'b'] as const).flatMap((varied) =>
          (['a', 'b'] as const).flatMap((blamed) =>
            [false, true].map((isAnew) => ({ before: then, now, nature, varied, blamed, isAnew })),
          ),
        ),
      ),
    ),
  );
}

describe('CO2: the class of a call from before a change', () => {
  test('the classes are no chain: what may be idempotent or reversible is neither', () => {
    expect(classKept('idempotent', 'reversible')).toBe('irreversible');
    expect(classKept('reversible', 'idempotent')).toBe('irreversible');
    expect(classKept('reversible', 'compensable')).toBe('compensable');
    expect(classKept('irreversible', 'idempotent')).toBe('irreversible');
    expect(classKept('idempotent', 'none')).toBe('irreversible');
    expect(classKept('reversible', 'none')).toBe('reversible');
  });

  test('every pair of classes and every nature that a page says: one act stands, or the run parks', async () => {
    const found: unknown[] = [];
    const counts = { done: 0, parked: 0 };
    for (const each of cases()) {
      const { standing, status, verdicts } = await run(each);
      counts[status as keyof typeof counts] += 1;
      if (standing > 1 || (status === 'done' && standing !== 1)) found.push({ ...each, standing, status, verdicts });
    }
    expect(found).toEqual([]);
    // Which of them go on is as much of the rule as that none does twice: a refusal for all would be sound, too.
    expect(counts).toEqual({ done: 94, parked: 130 });
  });
});
