/** E8, exhaustively over a small machine: whatever a person undoes by hand, and whenever, memory and world agree at the end. */
import { describe, expect, test } from 'vitest';
import { attach, resume, type Sidecar } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { MortalStore } from '../simulation/mortal-store.ts';
import { value } from './dying.ts';
import { calls, configOf, machineOf, World } from './little.ts';

const CLASSES = ['idempotent', 'reversible', 'irreversible'] as const;
type EffectClass = (typeof CLASSES)[number];

/** The words and acts of a person, in their order. `LOOK` and `TELL` are complaints; `instead` takes what waits back. */
type Act = 'undo one' | 'undo two' | 'LOOK' | 'TELL' | 'TELL instead' | 'kill';

/** Every order of some acts, all or some of them. */
function* orders(acts: readonly Act[], upTo: number): Generator<Act[]> {
  yield [];
  if (upTo === 0) return;
  for (const act of acts) {
    for (const rest of orders(
      acts.filter((other) => other !== act),
      upTo - 1,
    ))
      yield [act, ...rest];
  }
}

/** look; one; two; tell; rest. Both acts read what was looked up. */
function machine(world: World, kinds: readonly [EffectClass, EffectClass]) {
  const tools = Object.fromEntries(['look', 'one', 'two', 'tell'].map((name) => [name, world.tool(name)]));
  const made = machineOf(tools, {
    initial: 'look',
    states: {
      look: calls('look', 'looked', 'one'),
      one: calls('one', 'first', 'two', ['looked']),
      two: calls('two', 'second', 'tell', ['looked']),
      tell: calls('tell', 'told', 'rest'),
      rest: { on: { close: 'end' } },
      end: { type: 'final' },
    },
  });
  const act = (kind: EffectClass, key: string) =>
    `reads: [looked], writes: [${key}], effect: ${kind}${kind === 'reversible' ? ', undo: un' : ''}`;
  const config = configOf(
    {
      look: 'writes: [looked], effect: none',
      one: act(kinds[0], 'first'),
      two: act(kinds[1], 'second'),
      tell: 'writes: [told], effect: none',
    },
    {
      LOOK: {
        states: ['look'],
        at: 'look -> one',
        writes: ['looked'],
        rollback: 'joint: [LOOK, ONE, TWO, TELL], tries: 9',
      },
      ONE: {
        states: ['one'],
        at: 'one -> two',
        reads: ['looked'],
        writes: ['first'],
        rollback: 'joint: [LOOK, ONE, TWO, TELL], tries: 9',
      },
      TWO: {
        states: ['two'],
        at: 'two -> tell',
        reads: ['looked'],
        writes: ['second'],
        rollback: 'joint: [LOOK, ONE, TWO, TELL], tries: 9',
      },
      TELL: {
        states: ['tell'],
        at: 'tell -> rest',
        writes: ['told'],
        rollback: 'joint: [LOOK, ONE, TWO, TELL], tries: 9',
      },
    },
    'tries: 40',
  );
  return { made, config };
}

/** One run, and the person beside it. */
class Trial {
  readonly world = new World();
  readonly #store = new MortalStore([]);
  readonly #of: ReturnType<typeof machine>;
  #sidecar: Sidecar | null = null;
  readonly #untold: string[] = [];

  constructor(kinds: readonly [EffectClass, EffectClass]) {
    this.#of = machine(this.world, kinds);
  }

  /** The keys of a tool's acts that stand. */
  standing(tool: string): Set<string> {
    const keys = this.world.keys(tool) as string[];
    return new Set(keys.filter((key) => !this.world.undone.includes(key)));
  }

  async #begin(isFirst: boolean): Promise<Sidecar> {
    const journal = await this.#store.next('r');
    const options = { run: 'r', config: this.#of.config, journal, undo: this.world.undo } as never;
    const sidecar = (await (isFirst ? attach : resume)(this.#of.made, options)) as unknown as Sidecar;
    this.#sidecar = sidecar;
    sidecar.actor.start();
    await this.#calm();
    return sidecar;
  }

  /** Waits until the run rests, or is parked. */
  #calm(): Promise<void> {
    const { sidecar } = { sidecar: this.#sidecar as Sidecar };
    return until(
      () => sidecar.status === 'parked' || (sidecar.status === 'running' && value(sidecar) === 'rest'),
      () => `it is ${sidecar.status} at ${JSON.stringify(value(sidecar))}`,
    );
  }

  async #does(act: Act, isLate: boolean): Promise<void> {
    const sidecar = this.#sidecar as Sidecar;
    if (act === 'kill') {
      await sidecar.close();
      await this.#begin(false);
    } else if (act === 'undo one' || act === 'undo two') {
      const [key] = this.standing(act.slice(5));
      if (key === undefined) return;
      this.world.undone.push(key);
      this.#untold.push(key);
      if (!isLate) await this.#tells();
    } else {
      const [skeleton, instead] = act.split(' ');
      const instance = { skeleton: skeleton as string, entity: 'it' };
      // Where nothing waits that it could take the place of, it is refused.
      await sidecar.fail('CONTRACT_VIOLATION', { instance, ...(instead && { instead: true }) }).catch(() => {});
    }
    await this.#calm();
  }

  async #tells(): Promise<void> {
    for (const key of this.#untold.splice(0)) await this.#sidecar?.settle(key, 'compensated');
    await this.#calm();
  }

  /** @returns how it ended, and the differences between memory and world. */
  async run(acts: readonly Act[], isLate: boolean): Promise<{ status: string; wrong: string[] }> {
    const first = await this.#begin(true);
    expect(value(first)).toBe('rest');
    for (const act of acts) await this.#does(act, isLate);
    await this.#tells();
    const sidecar = this.#sidecar as Sidecar;
    sidecar.actor.send({ type: 'close' } as never);
    const { status } = await sidecar.finished();
    const context = sidecar.actor.getSnapshot().context as Record<string, unknown>;
    await sidecar.close();
    if (status !== 'done') return { status, wrong: [] };
    const wrong = (['one', 'two'] as const).filter((tool) => {
      const [key, ...others] = this.standing(tool);
      const nth = this.world.keys(tool).lastIndexOf(key);
      return (
        key === undefined || others.length > 0 || context[{ one: 'first', two: 'second' }[tool]] !== `${tool}${nth}`
      );
    });
    return { status, wrong };
  }
}

const ACTS = ['undo one', 'undo two', 'LOOK', 'TELL instead', 'kill'] as const;
/** The longest list of acts. */
const DEPTH = 2;

describe('E8: whatever a person undoes by hand, and whenever, memory and world agree where a run ends', () => {
  test.each(CLASSES.flatMap((one) => CLASSES.map((two) => [one, two] as const)))(
    'one is %s, two is %s',
    async (one, two) => {
      const seen: Record<string, number> = {};
      for (const acts of orders(ACTS, DEPTH)) {
        for (const isLate of [false, true]) {
          const { status, wrong } = await new Trial([one, two]).run(acts, isLate);
          expect(wrong, `${acts.join(', ')}${isLate ? ', told late' : ''}`).toEqual([]);
          seen[status] = (seen[status] ?? 0) + 1;
        }
      }
      expect((seen.done ?? 0) + (seen.parked ?? 0)).toBe(2 * [...orders(ACTS, DEPTH)].length);
      expect(seen.done).toBeGreaterThan(20);
    },
  );
});
