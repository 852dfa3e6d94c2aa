/** A machine that goes round three times: each round says a sentence that may promise a refund, and may keep it. For OB1 to OB6. */
import { assign } from 'xstate';
import { NotApplied } from '../../src/index.ts';
import { EntryDecoder } from '../../src/journal/entry-codec.ts';
import type { Entry } from '../../src/model/entry.ts';
import { type Sidecar, tool } from '../../src/xstate/index.ts';
import { loaded } from '../sidecar/loaded.ts';
import { VirtualTime } from '../virtual-time.ts';
import { Dying, settledIn, value } from './dying.ts';
import { type Given, machineOf } from './little.ts';

/** What the world does with one act: it comes back, its reply is lost, it is lost before, it is refused, or it is refused the second time. */
export type Fate = 'comes' | 'lost after' | 'lost before' | 'refused' | 'once';

/** One round: what the sentence promises, and the amounts of the calls that may keep it. */
export interface Round {
  readonly promises: readonly number[];
  readonly keeps: readonly number[];
  readonly says: Fate;
  readonly pays: Fate;
}

export interface Case {
  readonly rounds: readonly Round[];
  /** The class of the sentence. */
  readonly class: 'irreversible' | 'idempotent' | 'compensable';
  /** The append behind which the process dies; null where it lives. */
  readonly append: number | null;
  /** The round whose payment is found wrong at the rest; null where none is. */
  readonly complains: number | null;
  /** What happens at the rest: the machine ends, or a person ends the run. */
  readonly ends: 'machine' | 'cancel' | 'abort';
  /** What a person says of what the run is parked on; null where no person is there. */
  readonly person: 'kept' | 'released' | 'broken' | null;
}

const goesRound = assign({ round: ({ context: { round } }: Given) => (round ?? 0) + 1, nth: 0 } as never);

/** The counterparties: who was told what, and who was paid, by the keys. */
class World {
  readonly told = new Map<string, readonly number[]>();
  readonly paid = new Map<string, { readonly cents: number; readonly round: number }>();
  /** What was told and paid, in the order in which the counterparties saw it. */
  readonly order: string[] = [];
  readonly unsaid = new Set<string>();
  readonly unpaid = new Set<string>();
  isDead = () => false;
  readonly #seen = new Set<string>();
  readonly #done = new Set<string>();

  async act(key: string, of: string, fate: Fate, does: () => void): Promise<unknown> {
    if (this.isDead()) return new Promise(() => {});
    const isFirst = !this.#seen.has(key);
    this.#seen.add(key);
    if (fate === 'refused' || (fate === 'once' && isFirst && this.#done.has(of))) throw new NotApplied('no');
    if (fate === 'lost before' && isFirst) throw new Error('lost');
    this.#done.add(of);
    if (!this.order.includes(key)) {
      this.order.push(key);
      does();
    }
    if (fate === 'lost after' && isFirst) throw new Error('lost');
    return key;
  }
}

function machine(world: World, { rounds }: Case) {
  const of = ({ context: { round } }: Given) => rounds[round ?? 0] as Round;
  return machineOf(
    {
      say: tool(
        ({ input, key }: { input: { round: number; promises: { cents: number }[] }; key: string | undefined }) =>
          world.act(
            key ?? '',
            `say ${input.round}`,
            (rounds[input.round] as Round).says,
            () =>
              void world.told.set(
                key ?? '',
                input.promises.map(({ cents }) => cents),
              ),
          ),
      ),
      pay: tool(({ input, key }: { input: { round: number; cents: number }; key: string | undefined }) =>
        world.act(key ?? '', `pay ${input.round} ${input.cents}`, (rounds[input.round] as Round).pays, () => {
          world.paid.set(key ?? '', input);
        }),
      ),
    },
    {
      context: { round: 0, nth: 0 },
      initial: 'say',
      states: {
        say: {
          invoke: {
            src: 'say',
            input: (given: Given) => ({
              round: given.context['round'],
              promises: of(given).promises.map((cents) => ({ cents })),
            }),
            onDone: 'choose',
            onError: 'choose',
          },
        },
        choose: {
          always: [
            { guard: (given: Given) => (given.context['nth'] ?? 0) < of(given).keeps.length, target: 'pay' },
            {
              guard: ({ context: { round } }: Given) => (round ?? 0) >= rounds.length - 1,
              target: 'rest',
              actions: goesRound,
            },
            { target: 'say', actions: goesRound },
          ],
        },
        pay: {
          invoke: {
            src: 'pay',
            input: (given: Given) => ({
              round: given.context['round'],
              cents: of(given).keeps[given.context['nth'] ?? 0],
            }),
            onDone: {
              target: 'choose',
              actions: assign({
                nth: ({ context: { nth } }: Given) => (nth ?? 0) + 1,
                paid: ({ context: { round } }: Given) => `p${round}`,
              } as never),
            },
            onError: {
              target: 'choose',
              actions: assign({ nth: ({ context: { nth } }: Given) => (nth ?? 0) + 1 } as never),
            },
          },
        },
        rest: { on: { END: 'end' } },
        end: { type: 'final' },
      },
    },
  );
}

function config(kind: Case['class']) {
  const undo = kind === 'compensable' ? ', undo: unsay' : '';
  return loaded(`belay: 1
agent: m
tools:
  say:
    { reads: [round], writes: [told], effect: ${kind}${undo}, reconcile: said,
      obligations: { each: args.promises, kept_by: pay, as: kept.args.cents >= obligation.cents } }
  pay: { reads: [round], writes: [paid], effect: compensable, undo: payback, reconcile: paid }
skeletons:
  PAY:
    entity: string(memory.round)
    states: [pay]
    entry: [pay]
    inputs: [round]
    outputs: [paid, nth]
    exit: [{ id: paid, at: pay -> choose, when: memory.?paid.hasValue() }]
    rollback: { anchors: [paid], resume: pay, compensable: undo }
`);
}

const turns = async (many: number, until: () => boolean) => {
  for (let nth = 0; nth < many && !until(); nth += 1) await new Promise((resolve) => setTimeout(resolve, 50));
};

/** What became of a run. */
export interface Course {
  readonly status: string;
  readonly ending: unknown;
  readonly entries: readonly Entry[];
  readonly world: World;
  readonly processes: number;
  /** The names that were owed while a person was asked. */
  readonly asked: readonly string[];
}

/** One run, in the processes that it comes to. */
class Lives {
  readonly entries: Entry[] = [];
  readonly asked: string[] = [];
  processes = 0;
  readonly #one: Case;
  readonly #dying: Dying;
  #last: Sidecar | null = null;

  constructor(one: Case, world: World) {
    this.#one = one;
    const deaths = one.append === null ? [] : [{ append: one.append, when: 'after' as const }];
    const find =
      (acts: ReadonlyMap<string, unknown>) =>
      ({ key }: { key: string }) =>
        acts.has(key) ? { is: 'applied', output: key } : { is: 'not_applied' };
    const more = {
      now: () => Date.now(),
      undo: {
        payback: ({ key }: { key: string }) => void world.unpaid.add(key),
        unsay: ({ key }: { key: string }) => void world.unsaid.add(key),
      },
      reconcilers: { said: find(world.told), paid: find(world.paid) },
    };
    this.#dying = new Dying(machine(world, one), config(one.class), deaths, more);
    const decoder = new EntryDecoder();
    let seq = 0;
    this.#dying.store.onRows = (rows) => {
      for (const row of rows) {
        seq += 1;
        const entry = decoder.entry({ ...row, seq, time: 0 } as never);
        if (entry !== null) this.entries.push(entry);
      }
    };
    world.isDead = () => this.#dying.isDead;
  }

  get last(): Sidecar {
    return this.#last as Sidecar;
  }

  get #isOver(): boolean {
    return ['done', 'parked', 'stuck', 'cancelled', 'compensated'].includes(this.last.status);
  }

  readonly #isStill = () => this.#isOver || value(this.last) === 'rest';

  async begin(): Promise<void> {
    this.#last = await this.#dying.attached();
    this.last.actor.start();
    void this.last.finished().catch(() => null);
    await this.#rests();
  }

  /** Takes the run up as often as its process has died. */
  async #goesOn(): Promise<void> {
    for (let nth = 0; nth < 3 && this.#dying.isDead; nth += 1) {
      await turns(10, () => false);
      this.#dying.isDead = false;
      this.processes += 1;
      let isBack = false;
      const back = this.#dying.resumed(this.last).finally(() => {
        isBack = true;
      });
      const next = await Promise.race([back, turns(100, () => this.#dying.isDead || isBack).then(() => null)]);
      if (next === null) continue;
      this.#last = next;
      void next.finished().catch(() => null);
      await turns(20, () => this.#dying.isDead);
    }
  }

  async #rests(): Promise<void> {
    await turns(200, () => this.#dying.isDead || this.#isStill());
    await turns(10, () => this.#dying.isDead);
    await this.#goesOn();
    await turns(200, this.#isStill);
  }

  async complains(): Promise<void> {
    if (this.#one.complains === null || value(this.last) !== 'rest') return;
    const instance = { skeleton: 'PAY', entity: String(this.#one.complains), ordinal: 0 };
    void this.last.fail('CONTRACT_VIOLATION', { instance, key: 'paid' } as never).catch(() => null);
    await turns(10, () => false);
    await this.#rests();
    await this.#rests();
  }

  async ends(): Promise<void> {
    const { ends } = this.#one;
    for (let nth = 0; nth < 2 && (nth === 0 || (value(this.last) === 'rest' && !this.#isOver)); nth += 1) {
      const undo = ends === 'abort' ? { undo: true as const } : {};
      if (ends === 'machine') this.last.actor.send({ type: 'END' } as never);
      else void this.last.cancel({ by: 'ann', ...undo }).catch(() => null);
      await turns(60, () => this.#dying.isDead || this.#isOver);
      await this.#goesOn();
    }
    await turns(60, () => this.#isOver);
  }

  /** Has a person answer for all that the run is parked on. */
  async answers(): Promise<void> {
    const { person } = this.#one;
    if (this.last.status !== 'parked' || person === null) return;
    const owed = await this.last.finished();
    const acts = owed.status === 'parked' && 'unblock' in owed.decision ? owed.decision.unblock.acts : [];
    for (const act of acts) if (act.act === 'settle_obligation') await this.#answer(act.obligation, person);
    await turns(60, () => this.last.status !== 'parked');
  }

  /** The process may die as the word is said: it is said once more, and may be there already. */
  async #answer(name: string, person: NonNullable<Case['person']>): Promise<void> {
    this.asked.push(name);
    for (let nth = 0; nth < 2; nth += 1) {
      const said = this.last.settle(name, person, undefined, { by: 'ann' }).catch(() => null);
      await Promise.race([said, turns(10, () => this.#dying.isDead)]);
      await turns(10, () => this.#dying.isDead);
      await this.#goesOn();
    }
  }

  async ending(): Promise<unknown> {
    return (await settledIn(this.last)) ?? (this.#isOver ? this.last.finished() : null);
  }
}

/** Plays one case. */
export async function play(one: Case): Promise<Course> {
  const world = new World();
  return new VirtualTime().during(async () => {
    const lives = new Lives(one, world);
    await lives.begin();
    await lives.complains();
    await lives.ends();
    await lives.answers();
    const ending = await lives.ending();
    const { entries, processes, asked, last } = lives;
    const course = { status: last.status, ending, entries, world, processes, asked };
    await last.close();
    return course;
  });
}
