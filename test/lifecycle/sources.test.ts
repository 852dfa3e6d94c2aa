/**
 * CH8: the chunks of a source, in every order of what they meet. Region A asks a tool, tells the source what it was answered, or does not, and is
 * found wrong; region B receives three chunks. Judged by what B has at the end, for an agent of its own, and with a process that ends anywhere.
 */

import { describe, expect, test } from 'vitest';
import { type AnyActorRef, type AnyStateMachine, assign, enqueueActions, fromCallback } from 'xstate';
import { type Report, vetoes } from '../../src/index.ts';
import { attach, resume, type Sidecar } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { configOf, machineOf, World } from '../semantics/little.ts';
import { MortalStore } from '../simulation/mortal-store.ts';

interface Said {
  readonly life: number;
  readonly i: number;
  readonly mode: number;
}

/** The source, one object for each of its lives: it says three chunks, each with the mode that it was told last. */
class Life {
  said = 0;
  mode = 0;
  isOver = false;
  readonly #say: (chunk: object) => void;
  readonly nth: number;

  constructor(nth: number, say: (chunk: object) => void) {
    this.nth = nth;
    this.#say = say;
  }

  next(): void {
    if (this.isOver || this.said === 3) return;
    this.said += 1;
    this.#say({ type: 'CHUNK', life: this.nth, i: this.said, mode: this.mode });
  }
}

interface Case {
  /** `T` the tool answers A; `W` A is found wrong and its undo begins; `R` the undo is over; `C` a chunk; `D` the process ends. */
  readonly order: string;
  /** The keys that a receipt reads: its own, or everything. */
  readonly reads: 'own' | 'all';
  readonly tells: boolean;
  /** The mode that A is answered once it was found wrong. */
  readonly later: 1 | 2;
}

const got = ({ context, event }: { context: { got: Said[] }; event: Said }): Said[] => [
  ...context.got,
  { life: event.life, i: event.i, mode: event.mode },
];

class Trial {
  readonly lives: Life[] = [];
  readonly found: string[] = [];
  /** The lives that were under way as a process ended. */
  readonly died = new Set<number>();
  readonly #case: Case;
  readonly #world = new World();
  readonly #asks: ((answer: object) => void)[] = [];
  readonly #undos: (() => void)[] = [];
  readonly #machine: AnyStateMachine;
  readonly #store = new MortalStore([]);
  #mode = 1;
  #sidecar!: Sidecar;

  constructor(one: Case) {
    this.#case = one;
    const append = { actions: assign({ got } as never) };
    const tell = enqueueActions(({ enqueue, event, self }) => {
      const { mode } = (event as unknown as { output: { mode: number } }).output;
      const { feed } = (self.getSnapshot() as { children: Record<string, AnyActorRef | undefined> }).children;
      if (feed !== undefined) enqueue.sendTo(feed, { type: 'MODE', mode });
    });
    const asking = {
      invoke: {
        src: 'ask',
        onDone: {
          target: 'told',
          actions: [
            assign({ asked: ({ event }: { event: { output: unknown } }) => event.output } as never),
            ...(one.tells ? [tell as never] : []),
          ],
        },
      },
    };
    const isLast = ({ event }: { event: Said }) => event.i === 3;
    const gathering = {
      invoke: { src: 'feed', id: 'feed' },
      on: { CHUNK: [{ guard: isLast, target: 'over', ...append }, append] },
    };
    const over = { type: 'final' };
    const regions = {
      a: { initial: 'asking', states: { asking, told: { on: { GO: 'over' } }, over } },
      b: { initial: 'gathering', states: { gathering, over } },
    };
    this.#machine = machineOf(
      { ask: this.#world.tool('ask', () => this.#answer()), feed: this.#feed() },
      {
        context: { got: [] },
        initial: 'work',
        states: { work: { type: 'parallel', states: regions, onDone: 'end' }, end: over },
      },
    );
  }

  #answer(): Promise<object> {
    return new Promise((resolve) => void this.#asks.push(resolve));
  }

  #feed() {
    return fromCallback(({ sendBack, receive }) => {
      const life = new Life(this.lives.length + 1, sendBack as never);
      this.lives.push(life);
      receive((event) => {
        life.mode = (event as unknown as { mode: number }).mode;
      });
      return () => {
        life.isOver = true;
      };
    });
  }

  get context() {
    return (this.#sidecar.actor.getSnapshot() as { context: { got: Said[]; asked?: { mode: number } } }).context;
  }

  #value(): { work?: { a: string; b: string } } {
    return (this.#sidecar.actor.getSnapshot() as { value: object }).value;
  }

  async #options() {
    const ask = { ask: 'writes: [asked], effect: reversible, undo: un, reconcile: find', feed: 'effect: none' };
    const text = {
      states: ['work.b.gathering'],
      at: 'work.b.gathering -> work.b.over',
      writes: ['got'],
      reads: ['got'],
    };
    const isOwn = this.#case.reads === 'own';
    return {
      run: 'r',
      config: configOf(ask, {
        Ask: {
          states: ['work.a.asking'],
          at: 'work.a.asking -> work.a.told',
          writes: ['asked'],
          ...(isOwn && { rollback: 'joint: [Text]' }),
        },
        ...(isOwn && { Text: text }),
      }),
      journal: await this.#store.next('r'),
      undo: { un: () => new Promise<void>((resolve) => void this.#undos.push(resolve)) },
      reconcilers: { find: () => ({ is: 'not_applied' }) },
      onDecision: ({ decision }: Report) => {
        for (const { code, ...rest } of vetoes(decision))
          this.found.push(`${code} ${JSON.stringify(rest).slice(0, 300)}`);
      },
      onFinding: ({ code }: { code: string }) => void this.found.push(code),
    } as never;
  }

  async #start(how: typeof attach | typeof resume): Promise<void> {
    this.#sidecar = (await how(this.#machine, await this.#options())) as unknown as Sidecar;
    this.#sidecar.actor.start();
  }

  async #step(letter: string): Promise<void> {
    if (letter === 'C') this.lives.at(-1)?.next();
    else if (letter === 'T') await this.#told();
    else if (letter === 'W') {
      void this.#sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Ask', entity: 'it' }, key: 'asked' });
      await this.#once(() => this.#undos.length > 0 || this.#sidecar.status === 'parked', 'its undo');
      this.#mode = this.#case.later;
    } else if (letter === 'R') {
      await this.#once(() => this.#undos.length > 0 || this.#asks.length > 0, 'its undo');
      this.#undos.pop()?.();
      await this.#once(() => this.#asks.length > 0, 'the next question');
    } else await this.#dies();
  }

  async #told(): Promise<void> {
    await this.#once(() => this.#asks.length > 0, 'a question');
    this.#asks.pop()?.({ mode: this.#mode, n: this.#world.count('ask') });
    await this.#once(() => this.#value().work?.a === 'told', 'the answer to be heard');
  }

  async #dies(): Promise<void> {
    for (const life of this.lives) if (!life.isOver) this.died.add(life.nth);
    this.#asks.splice(0);
    this.#undos.splice(0);
    this.#sidecar.actor.stop();
    // The next process finishes the plan before it hands the run out.
    let isUp = false;
    const up = this.#start(resume).then(() => {
      isUp = true;
    });
    await until(() => {
      this.#undos.pop()?.();
      return isUp;
    });
    await up;
  }

  #once(isSo: () => boolean, what: string): Promise<unknown> {
    return until(isSo, () => `${what}, after ${JSON.stringify(this.#value())}, ${this.#sidecar.status}`, 6000);
  }

  /** Runs the case to its end, where the source has said all and A was answered. @returns how it ended. */
  async run(): Promise<string> {
    await this.#start(attach);
    for (const letter of this.#case.order) await this.#step(letter);
    await this.#once(() => {
      this.#undos.pop()?.();
      this.#asks.pop()?.({ mode: this.#mode, n: this.#world.count('ask') });
      this.lives.at(-1)?.next();
      const { a, b } = this.#value().work ?? {};
      return this.#sidecar.status === 'parked' || (a === 'told' && b === 'over');
    }, 'both regions');
    this.#sidecar.actor.send({ type: 'GO' } as never);
    const { status } = await this.#sidecar.finished();
    return status;
  }
}

/** All that is wrong at the end of a case. */
async function wrongs(one: Case): Promise<string[]> {
  const trial = new Trial(one);
  const status = await trial.run().catch((error: Error) => error.message);
  const { got: chunks, asked } = trial.context;
  const told = one.tells ? (asked?.mode ?? 0) : 0;
  const last = chunks.at(-1)?.life;
  const wrong: string[] = status === 'done' ? [] : [`ended ${status}`];
  for (const life of new Set(chunks.map((chunk) => chunk.life))) {
    const own = chunks.filter((chunk) => chunk.life === life).map(({ i }) => i);
    const all = [1, 2, 3].slice(0, life === last ? 3 : own.length);
    if (own.join() !== all.join()) wrong.push(`life ${life} is received as ${own.join()}`);
    if (life !== last && !trial.died.has(life)) wrong.push(`life ${life} is over, and its chunks stand`);
  }
  const modes = chunks.filter((chunk) => chunk.life === last && chunk.mode !== 0 && chunk.mode !== told);
  if (modes.length > 0) wrong.push(`a chunk of mode ${modes[0]?.mode}, and ${told} was told`);
  const source = trial.lives.at(-1);
  const isTold = source?.mode === told || source?.mode === 0;
  if (!isTold) wrong.push(`the source is in mode ${source?.mode}, and ${told} was told`);
  return wrong.map(
    (what) =>
      `${one.order} reads ${one.reads}, ${one.tells ? `tells, then ${one.later}` : 'tells nothing'}: ${what}; ${JSON.stringify(chunks)} ${trial.found.join()}`,
  );
}

/** Every way to put the letters of a word between those of another one, in their order. */
function merged(word: string, other: string): string[] {
  if (word === '' || other === '') return [word + other];
  const [first, second] = [word[0] as string, other[0] as string];
  return [
    ...merged(word.slice(1), other).map((rest) => first + rest),
    ...merged(word, other.slice(1)).map((rest) => second + rest),
  ];
}

const VARIANTS = (['own', 'all'] as const).flatMap((reads) => [
  ...([1, 2] as const).map((later) => ({ reads, tells: true, later })),
  { reads, tells: false, later: 2 as const },
]);

describe('CH8: the chunks of a source', () => {
  const orders = [...new Set(merged('TWRT', 'CCC'))];

  test.each(VARIANTS)(
    'are those of one life, each once and in order: $reads, tells $tells, then $later',
    async (variant) => {
      expect(orders).toHaveLength(35);
      const wrong: string[] = [];
      for (const order of orders) wrong.push(...(await wrongs({ order, ...variant })));
      expect(wrong).toEqual([]);
    },
  );

  test.each(VARIANTS)(
    'nor does a process that ends leave any of its own: $reads, tells $tells, then $later',
    async (variant) => {
      const all = [...new Set(orders.flatMap((order) => merged(order, 'D')))];
      const nth = VARIANTS.indexOf(variant);
      const deaths = all.filter((_, index) => index % 4 === nth % 4);
      expect(deaths).toHaveLength(70);
      const wrong: string[] = [];
      for (const order of deaths) wrong.push(...(await wrongs({ order, ...variant })));
      expect(wrong).toEqual([]);
    },
  );
});
