/**
 * A machine that looks up a price, pays it once a person approves, and rests: the person approves, changes what is paid, or pays by hand. For PE1
 * to PE7. The judge knows the bank, the hands of the person, and what the machine has at the end.
 */
import { assign } from 'xstate';
import { NotApplied } from '../../src/index.ts';
import { EntryDecoder } from '../../src/journal/entry-codec.ts';
import type { Entry } from '../../src/model/entry.ts';
import { type Sidecar, tool } from '../../src/xstate/index.ts';
import { loaded } from '../sidecar/loaded.ts';
import { VirtualTime } from '../virtual-time.ts';
import { context, Dying, value } from './dying.ts';
import { type Given, machineOf } from './little.ts';

/** What the bank does with a payment: it pays, its reply is lost, it is lost before, or it refuses. */
export type Fate = 'pays' | 'lost after' | 'lost before' | 'refuses';

/** What the person says to a request. `twice`: two answers, one after the other; `late`: an answer to the request before. */
export type Word = 'approve' | 'edit' | 'bad edit' | 'supply' | 'bad supply' | 'twice' | 'late';

export interface Case {
  readonly class: 'compensable' | 'reversible' | 'irreversible' | 'idempotent';
  /** What becomes of each payment, in turn; the last one holds for all others. */
  readonly fates: readonly Fate[];
  /** What the person says to each request, in turn; after that `approve`. */
  readonly says: readonly Word[];
  /** True where the bank can be asked. */
  readonly tells: boolean;
  /** What is found wrong: the price while the payment waits at its gate, right behind the answer; the receipt at the rest. */
  readonly complains: 'price before' | 'price behind' | 'receipt' | null;
  /** True where each look finds the same price. */
  readonly same: boolean;
  readonly ends: 'machine' | 'abort';
  /** The append behind which the process dies; null where it lives. */
  readonly append: number | null;
}

/** A payment that left the tool, or that a person made. */
interface Body {
  readonly key: string;
  readonly cents: unknown;
  /** The number of looks at the price by then. */
  readonly look: number;
}

/** The bank, and the hands of the person. */
class World {
  readonly bodies: Body[] = [];
  /** What stands at the bank, by its key. */
  readonly paid = new Map<string, unknown>();
  /** What stands by the hands of a person. */
  readonly byHand = new Map<string, string>();
  /** Faults that need no end to be seen. */
  readonly faults: string[] = [];
  /** What a person has let leave: the price that was shown, and what may be sent for it. */
  readonly allowed: Body[] = [];
  looks = 0;
  nth = 0;
  isDead = () => false;
  readonly #one: Case;

  constructor(one: Case) {
    this.#one = one;
  }

  async look(): Promise<unknown> {
    if (this.isDead()) return new Promise(() => {});
    this.looks += 1;
    return this.#one.same ? 500 : 400 + 100 * this.looks;
  }

  async pay(key: string, input: { cents: unknown }): Promise<unknown> {
    if (this.isDead()) return new Promise(() => {});
    const { fates } = this.#one;
    const fate = fates[Math.min(this.nth, fates.length - 1)] ?? 'pays';
    this.nth += 1;
    this.bodies.push({ key, cents: input.cents, look: this.looks });
    if (fate === 'refuses') throw new NotApplied('the bank is closed');
    if (fate !== 'lost before') this.paid.set(key, input.cents);
    if (fate !== 'pays') throw new Error('the line is cut');
    return `${key} ${String(input.cents)}`;
  }

  /** The undo of the program. */
  payback({ key, args }: { key: string; args: unknown }): void {
    if (this.byHand.has(key)) this.faults.push('the program undoes what a person made by hand');
    const { cents } = args as { cents: unknown };
    if (this.paid.has(key) && this.paid.get(key) !== cents) this.faults.push('an undo is given what was not sent');
    this.paid.delete(key);
  }

  find({ key }: { key: string }) {
    if (!this.#one.tells) return { is: 'unknown' };
    return this.paid.has(key)
      ? { is: 'applied', output: `${key} ${String(this.paid.get(key))}` }
      : { is: 'not_applied' };
  }
}

function keeps(key: string) {
  return assign({ [key]: ({ event }: { event: { output: unknown } }) => event.output } as never);
}

function machine(world: World) {
  return machineOf(
    {
      look: tool(() => world.look()),
      pay: tool(({ input, key = '' }: { input: { cents: unknown }; key: string | undefined }) => world.pay(key, input)),
    },
    {
      context: {},
      initial: 'look',
      states: {
        look: { invoke: { src: 'look', onDone: { target: 'pay', actions: keeps('price') } } },
        pay: {
          invoke: {
            src: 'pay',
            input: ({ context }: Given<unknown>) => ({ cents: context['price'], to: 'ada' }),
            onDone: { target: 'rest', actions: keeps('receipt') },
          },
        },
        rest: { on: { END: 'end' } },
        end: { type: 'final' },
      },
    },
  );
}

function config(kind: Case['class']) {
  const undo = kind === 'compensable' || kind === 'reversible' ? ', undo: payback' : '';
  return loaded(`belay: 1
agent: m
tools:
  look: { reads: [], writes: [price], effect: idempotent }
  pay:
    { reads: [price], writes: [receipt], effect: ${kind}${undo}, reconcile: find, gate: { edits: [args.cents] },
      input: { type: object, properties: { cents: { type: integer, maximum: 1000 }, to: { type: string } } },
      output: { type: string } }
skeletons:
  LOOK:
    entity: '"it"'
    states: [look]
    entry: [look]
    outputs: [price]
    exit: [{ id: looked, at: look -> pay, when: memory.?price.hasValue() }]
    rollback: { anchors: [looked], resume: look }
  PAY:
    entity: '"it"'
    states: [pay]
    entry: [pay]
    inputs: [price]
    outputs: [receipt]
    exit: [{ id: paid, at: pay -> rest, when: memory.?receipt.hasValue() }]
    rollback: { anchors: [paid], resume: pay, compensable: undo }
`);
}

const turns = async (many: number, until: () => boolean = () => false) => {
  for (let nth = 0; nth < many && !until(); nth += 1) await new Promise((resolve) => setTimeout(resolve, 50));
};

const OVER = ['done', 'cancelled', 'compensated'];

/** What became of a run. */
export interface Course {
  readonly status: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly entries: readonly Entry[];
  readonly world: World;
  readonly processes: number;
  readonly appends: number;
}

/** One run, in the processes that it comes to, and the person who answers it. */
class Lives {
  readonly entries: Entry[] = [];
  processes = 0;
  readonly dying: Dying;
  readonly #one: Case;
  readonly #world: World;
  readonly #says: Word[];
  /** The requests that were seen, each with the look that its price is of. */
  readonly #seen = new Map<string, number>();
  #last: Sidecar | null = null;
  #complained = false;
  #edits = 0;

  constructor(one: Case, world: World) {
    this.#one = one;
    this.#world = world;
    this.#says = [...one.says];
    const deaths = one.append === null ? [] : [{ append: one.append, when: 'after' as const }];
    this.dying = new Dying(machine(world), config(one.class), deaths, {
      now: () => Date.now(),
      undo: { payback: (call: { key: string; args: unknown }) => world.payback(call) },
      reconcilers: { find: (call: { key: string }) => world.find(call) },
    });
    const decoder = new EntryDecoder();
    let seq = 0;
    this.dying.store.onRows = (rows) => {
      for (const row of rows) {
        seq += 1;
        const entry = decoder.entry({ ...row, seq, time: 0 } as never);
        if (entry !== null) this.entries.push(entry);
      }
    };
    world.isDead = () => this.dying.isDead;
  }

  get last(): Sidecar {
    return this.#last as Sidecar;
  }

  async run(): Promise<void> {
    this.#last = await this.dying.attached();
    this.last.actor.start();
    void this.last.finished().catch(() => null);
    for (let nth = 0; nth < 40 && (this.dying.isDead || !OVER.includes(this.last.status)); nth += 1) {
      await turns(40, () => this.dying.isDead || this.#waits());
      if (this.dying.isDead) await this.#goesOn();
      else await this.#moves();
    }
  }

  #waits(): boolean {
    const { status } = this.last;
    if (OVER.includes(status) || ['parked', 'stuck'].includes(status)) return true;
    return status !== 'cancelling' && (this.last.gates().length > 0 || value(this.last) === 'rest');
  }

  async #goesOn(): Promise<void> {
    await turns(10);
    this.dying.isDead = false;
    this.processes += 1;
    let isBack = false;
    const back = this.dying.resumed(this.last).finally(() => {
      isBack = true;
    });
    const next = await Promise.race([back, turns(100, () => this.dying.isDead || isBack).then(() => null)]);
    if (next === null) return;
    this.#last = next;
    void next.finished().catch(() => null);
  }

  /** Says something, unless the process dies meanwhile. */
  async #said<T>(word: Promise<T>): Promise<T | null> {
    const said = word.catch(() => null);
    return Promise.race([said, turns(20, () => this.dying.isDead).then(() => null)]);
  }

  async #moves(): Promise<void> {
    const [gate] = this.last.requests();
    const { status } = this.last;
    if (gate?.asks === 'approval') await this.#answers(gate);
    else if (status === 'stuck' || status === 'parked' || gate !== undefined) await this.#helps();
    else if (value(this.last) === 'rest') await this.#rests();
  }

  async #rests(): Promise<void> {
    if (this.#one.complains === 'receipt' && !this.#complained) return this.#complains('PAY', 'receipt');
    if (this.#one.ends === 'machine') this.last.actor.send({ type: 'END' } as never);
    else void this.last.cancel({ by: 'ann', undo: true }).catch(() => null);
    await turns(20, () => this.dying.isDead || this.#waits());
  }

  async #complains(skeleton: string, key: string): Promise<void> {
    this.#complained = true;
    const instance = { skeleton, entity: 'it', ordinal: 0 };
    void this.last.fail('CONTRACT_VIOLATION', { instance, key } as never).catch(() => null);
    await turns(10, () => this.dying.isDead);
  }

  async #answers(gate: ReturnType<Sidecar['requests']>[number]): Promise<void> {
    const isNew = !this.#seen.has(gate.gate);
    const before = [...this.#seen.keys()].at(-1);
    if (isNew) this.#seen.set(gate.gate, this.#world.looks);
    if (this.#one.complains === 'price before' && !this.#complained) {
      await this.#complains('LOOK', 'price');
      await this.#says1('approve', gate, before);
      return;
    }
    await this.#says1(this.#says.shift() ?? 'approve', gate, before);
    if (this.#one.complains === 'price behind' && !this.#complained) await this.#complains('LOOK', 'price');
  }

  async #says1(word: Word, gate: ReturnType<Sidecar['requests']>[number], before: string | undefined): Promise<void> {
    const look = this.#seen.get(gate.gate) ?? 0;
    const { cents } = gate.args as { cents: unknown };
    const approve = (id: string, change?: unknown) =>
      this.#said(this.last.answer(id, 'approved', { by: 'ann', ...(change !== undefined && { with: change }) }));
    const allow = (as: unknown) => this.#world.allowed.push({ key: gate.key, cents: as, look });
    switch (word) {
      case 'approve':
        allow(cents);
        await approve(gate.gate);
        return;
      case 'edit':
        this.#edits += 1;
        allow(this.#edits);
        await approve(gate.gate, { cents: this.#edits });
        return;
      case 'bad edit':
        for (const change of [{ cents: 5_000 }, { to: 'eve' }, { cents: 7, to: 'eve' }, [], 'all']) {
          const refused = await approve(gate.gate, change);
          if (refused === null && !this.dying.isDead && this.last.gates().length === 0)
            this.#world.faults.push('a change that the config does not allow is taken');
        }
        return;
      case 'twice':
        this.#edits += 1;
        allow(this.#edits);
        await Promise.all([approve(gate.gate, { cents: this.#edits }), approve(gate.gate, { cents: 999 })]);
        return;
      case 'late':
        if (before !== undefined) await approve(before, { cents: 998 });
        return;
      case 'bad supply':
        await this.#said(this.last.supply(gate.key, 7, { by: 'ann' }));
        return;
      case 'supply':
        await this.#supplies(gate.key);
    }
  }

  /** A person pays by hand and says so: where the run does not take it, the money is taken back. */
  async #supplies(key: string): Promise<void> {
    const receipt = `cheque ${this.#world.byHand.size + 1} for ${key}`;
    this.#world.byHand.set(key, receipt);
    await this.#said(this.last.supply(key, receipt, { by: 'ann' }));
    await turns(5, () => this.dying.isDead);
    if (!this.#isTaken(key)) this.#world.byHand.delete(key);
  }

  #isTaken(key: string): boolean {
    return this.entries.some(
      (entry) => entry.do === 'settled' && entry.key === key && entry.status === 'supplied' && entry.refused === null,
    );
  }

  /** The person looks at the bank and at the ledger, and does what no machine can. */
  async #helps(): Promise<void> {
    const { world, status } = { world: this.#world, status: this.last.status };
    const open = new Map<string, string>();
    for (const entry of this.entries) if (entry.do === 'outcome') open.set(entry.key, entry.status);
    const unknown = [...open].filter(([, is]) => is === 'unknown').map(([key]) => key);
    const asked = this.last
      .gates()
      .filter(({ asks }) => asks === 'outcome')
      .map(({ key }) => key);
    for (const key of new Set([...unknown, ...asked])) {
      if (world.paid.has(key)) {
        await this.#said(this.last.settle(key, 'confirmed', `${key} ${String(world.paid.get(key))}`, { by: 'ann' }));
        return;
      }
      if (this.#one.says.includes('supply')) await this.#supplies(key);
      if (!this.#isTaken(key)) await this.#said(this.last.settle(key, 'failed', undefined, { by: 'ann' }));
      return;
    }
    if (status === 'parked') {
      const failed = [...open]
        .filter(([, is]) => is === 'failed')
        .map(([key]) => key)
        .at(-1);
      if (failed !== undefined && open.size > 0 && ![...open.values()].includes('confirmed')) {
        await this.#supplies(failed);
        if (this.#isTaken(failed)) return;
      }
    }
    // A restore or an abort waits for an undo that no program makes.
    for (const key of [...world.byHand.keys(), ...world.paid.keys()]) {
      const said = this.last.settle(key, 'compensated', undefined, { by: 'ann' });
      world.byHand.delete(key);
      world.paid.delete(key);
      await this.#said(said);
      await turns(10, () => this.dying.isDead);
      return;
    }
    void this.last.cancel({ by: 'ann' }).catch(() => null);
    await turns(20, () => this.dying.isDead);
  }
}

/** Plays one case. */
export async function play(one: Case): Promise<Course> {
  const world = new World(one);
  return new VirtualTime().during(async () => {
    const lives = new Lives(one, world);
    await lives.run();
    const { entries, processes, last, dying } = lives;
    const found = context(last) as Course['context'];
    const course = { status: last.status, context: found, entries, world, processes, appends: dying.store.appends };
    await last.close();
    return course;
  });
}

/** What is wrong with the end of a run, by the world. */
export function faults({ status, context: at, world }: Course, one: Case): string[] {
  const found = [...world.faults];
  const byKey = new Map<string, unknown>();
  for (const { key, cents, look } of world.bodies) {
    if (byKey.has(key) && byKey.get(key) !== cents)
      found.push(`one key has two bodies: ${String(byKey.get(key))} and ${String(cents)}`);
    byKey.set(key, cents);
    const mayLeave = world.allowed.some((each) => each.cents === cents && each.look === look);
    if (!mayLeave) found.push(`${String(cents)} is sent at look ${look}, and nobody approved that`);
  }
  if (!OVER.includes(status)) found.push(`it never ends: ${status}`);
  const stands = [...[...world.paid].map(([key, cents]) => `${key} ${String(cents)}`), ...world.byHand.values()];
  if (status === 'done') {
    if (stands.length !== 1) found.push(`${stands.length} payments stand at the end: ${stands.join(', ')}`);
    if (!stands.includes(String(at['receipt'])))
      found.push(`the machine has ${String(at['receipt'])}, and the world ${stands.join(', ')}`);
  }
  if (status === 'compensated' && (one.class === 'compensable' || one.class === 'reversible') && stands.length > 0)
    found.push(`an abort leaves ${stands.join(', ')}`);
  return found;
}
