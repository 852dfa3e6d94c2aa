/**
 * A machine that looks up a price, pays it, tells of it and rests, under mandates that a person gives and withdraws at every moment. For MD1 to
 * MD7. The judge knows the bank, the hearer, and what the person has said, and no more.
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

/** What the bank does with a payment. */
type Fate = 'pays' | 'lost after' | 'lost before' | 'refuses';

export interface Case {
  /** How the payment leaves: by its class, held back for the commit of its unit, or at a gate. */
  readonly pays: 'compensable' | 'irreversible' | 'idempotent' | 'staged' | 'gated';
  /** What the run has at its beginning. `short`: a mandate whose time is over while the run goes on. */
  readonly begins: 'given' | 'required' | 'short' | 'none';
  /** The append behind which the mandate is withdrawn; null where it is not. */
  readonly revokes: number | null;
  /** True where a person gives another mandate once the run waits for one. */
  readonly again: boolean;
  /** What becomes of the first payment; each later one is made. */
  readonly fate: Fate;
  /** True where the receipt is found wrong at the rest. */
  readonly complains: boolean;
  /** True where the run is paused as its mandate is withdrawn, and goes on later. */
  readonly pauses: boolean;
  readonly ends: 'machine' | 'abort';
  /** The append behind which the process dies; null where it lives. */
  readonly append: number | null;
}

/** An act that left the run, and the mandate that the person had given by then. */
interface Act {
  readonly key: string;
  readonly under: string | null;
}

/** The bank, the hearer, and the person who gives mandates. */
class World {
  readonly acts: Act[] = [];
  readonly faults: string[] = [];
  /** The receipts of what stands at the bank, by the keys. */
  readonly paid = new Map<string, string>();
  readonly told = new Map<string, unknown>();
  undone = 0;
  looks = 0;
  /** The mandate that stands by the person's word; null where none does. */
  mandate: { readonly id: string; readonly until: number } | null = null;
  /** True once the run was given a mandate, or is begun so that it needs one. */
  needs = false;
  isDead = () => false;
  readonly #one: Case;

  constructor(one: Case) {
    this.#one = one;
  }

  async look(): Promise<unknown> {
    if (this.isDead()) return new Promise(() => {});
    this.looks += 1;
    return 100 * this.looks;
  }

  async pay(key: string): Promise<unknown> {
    if (this.isDead()) return new Promise(() => {});
    this.#acts(key);
    const fate = this.pays.size > 0 ? 'pays' : this.#one.fate;
    this.pays.add(key);
    this.#nth += 1;
    const receipt = `${key} ${this.#nth}`;
    if (fate === 'refuses') throw new NotApplied('the bank is closed');
    if (fate !== 'lost before') this.paid.set(key, receipt);
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (fate !== 'pays') throw new Error('the line is cut');
    return receipt;
  }

  /** The keys of all payments that came to the bank. */
  readonly pays = new Set<string>();
  #nth = 0;

  async tell(key: string, input: unknown): Promise<unknown> {
    if (this.isDead()) return new Promise(() => {});
    this.#acts(key);
    this.told.set(key, input);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return key;
  }

  payback({ key }: { key: string }): void {
    this.undone += 1;
    this.paid.delete(key);
  }

  find({ key }: { key: string }) {
    const output = this.paid.get(key) ?? (this.told.has(key) ? key : null);
    return output === null ? { is: 'not_applied' } : { is: 'applied', output };
  }

  #acts(key: string): void {
    const stands = this.mandate !== null && this.mandate.until > Date.now();
    // A commit that was decided goes on.
    if (this.needs && !stands && this.#one.pays !== 'staged') this.faults.push(`${key} leaves without a mandate`);
    this.acts.push({ key, under: stands ? (this.mandate?.id ?? null) : null });
  }
}

const keeps = (key: string) => assign({ [key]: ({ event }: { event: { output: unknown } }) => event.output } as never);

function machine(world: World) {
  type Called = { input: unknown; key: string | undefined };
  const calls = (src: string, reads: string, writes: string, target: string) => ({
    invoke: {
      src,
      input: ({ context }: Given<unknown>) => ({ of: context[reads] }),
      onDone: { target, actions: keeps(writes) },
    },
  });
  return machineOf(
    {
      look: tool(() => world.look()),
      pay: tool(({ key = '' }: Called) => world.pay(key)),
      tell: tool(({ input, key = '' }: Called) => world.tell(key, input)),
    },
    {
      context: {},
      initial: 'look',
      states: {
        look: calls('look', 'none', 'price', 'pay'),
        pay: calls('pay', 'price', 'receipt', 'paid'),
        paid: { always: 'tell' },
        tell: calls('tell', 'receipt', 'told', 'again'),
        again: calls('look', 'none', 'last', 'rest'),
        rest: { on: { END: 'end' } },
        end: { type: 'final' },
      },
    },
  );
}

const PAYS: Readonly<Record<Case['pays'], string>> = {
  compensable: 'effect: compensable, undo: payback',
  irreversible: 'effect: irreversible',
  idempotent: 'effect: idempotent',
  staged: 'effect: compensable, undo: payback, buffer: true',
  gated: 'effect: compensable, undo: payback, gate: true',
};

function config(pays: Case['pays']) {
  const output = pays === 'staged' ? ', when: "true"' : ', when: memory.?receipt.hasValue()';
  return loaded(`belay: 1
agent: m
tools:
  look: { reads: [], writes: [price, last], effect: none }
  pay: { reads: [price], writes: [receipt], ${PAYS[pays]}, reconcile: find }
  tell: { reads: [receipt], writes: [told], effect: idempotent, reconcile: find }
skeletons:
  PAY:
    entity: '"it"'
    states: [pay]
    entry: [pay]
    inputs: [price]
    outputs: [receipt]
    exit: [{ id: paid, at: pay -> paid${output} }]
    rollback: { anchors: [paid], resume: pay, compensable: undo }
`);
}

const turns = async (many: number, until: () => boolean = () => false) => {
  for (let nth = 0; nth < many && !until(); nth += 1) await new Promise((resolve) => setTimeout(resolve, 50));
};

const OVER = ['done', 'cancelled', 'compensated'];
const BY = { by: 'cfo' };

/** What became of a run. */
export interface Course {
  readonly status: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly entries: readonly Entry[];
  readonly world: World;
  readonly processes: number;
  readonly appends: number;
}

/** One run, in the processes that it comes to. */
class Lives {
  readonly entries: Entry[] = [];
  processes = 0;
  readonly dying: Dying;
  readonly #one: Case;
  readonly #world: World;
  #last: Sidecar | null = null;
  #isRevoked = false;
  /** False while the next process takes the run up. */
  #isUp = true;
  #isPaused = false;
  #complained = false;
  #given = 0;

  constructor(one: Case, world: World) {
    this.#one = one;
    this.#world = world;
    const deaths = one.append === null ? [] : [{ append: one.append, when: 'after' as const }];
    this.dying = new Dying(machine(world), config(one.pays), deaths, {
      now: () => Date.now(),
      undo: { payback: (call: { key: string }) => world.payback(call) },
      reconcilers: { find: (call: { key: string }) => world.find(call) },
      ...this.#begins(),
    });
    const decoder = new EntryDecoder();
    let seq = 0;
    this.dying.store.onRows = (rows) => {
      for (const row of rows) {
        seq += 1;
        const entry = decoder.entry({ ...row, seq, time: 0 } as never);
        if (entry !== null) this.entries.push(entry);
      }
      if (one.revokes !== null && this.dying.store.appends >= one.revokes) queueMicrotask(() => this.#revokes());
    };
    world.isDead = () => this.dying.isDead;
  }

  #begins(): object {
    const { begins } = this.#one;
    this.#world.needs = begins !== 'none';
    if (begins === 'none') return {};
    if (begins === 'required') return { mandate: 'required' };
    const until = begins === 'short' ? Date.now() + 75 : null;
    this.#world.mandate = { id: 'm0', until: until ?? Number.POSITIVE_INFINITY };
    return { mandate: { id: 'm0', ...BY, ...(until !== null && { until: new Date(until).toISOString() }) } };
  }

  get last(): Sidecar {
    return this.#last as Sidecar;
  }

  /** The person withdraws the mandate: from this very moment nothing leaves. */
  #revokes(): void {
    if (this.#isRevoked || !this.#isUp || this.dying.isDead || this.#last === null || OVER.includes(this.last.status))
      return;
    this.#isRevoked = true;
    if (this.#one.pauses) {
      this.#isPaused = true;
      void this.last.pause(BY).catch(() => null);
    }
    const said = this.last.revoke(BY);
    if (this.#one.begins !== 'none') this.#world.mandate = null;
    void said.catch(() => null);
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
    if (OVER.includes(status) || ['parked', 'stuck', 'paused'].includes(status)) return true;
    return status !== 'cancelling' && (this.last.gates().length > 0 || value(this.last) === 'rest');
  }

  /** The word of the person holds once it is in the journal: one that died with its process is said again. */
  #saidAgain(): void {
    const words = this.entries.filter((entry) => entry.do === 'mandate');
    const last = words.filter((entry) => entry.is === 'given' || entry.is === 'revoked').at(-1);
    if (this.#isRevoked && last?.is === 'given' && this.#one.begins !== 'none' && this.#world.mandate === null) {
      this.#isRevoked = false;
      this.#world.mandate = { id: last.id, until: Date.parse(last.terms.until ?? '9999-01-01') };
    }
  }

  async #goesOn(): Promise<void> {
    await turns(10);
    this.#isUp = false;
    this.#saidAgain();
    this.dying.isDead = false;
    this.processes += 1;
    let isBack = false;
    const back = this.dying.resumed(this.last).finally(() => {
      isBack = true;
    });
    const next = await Promise.race([
      back.catch(() => null),
      turns(100, () => this.dying.isDead || isBack).then(() => null),
    ]);
    if (next === null && this.#isPaused) {
      await this.#unpausesLeft();
      return;
    }
    if (next === null) return;
    this.#last = next;
    this.#isUp = true;
    void next.finished().catch(() => null);
  }

  /** A paused run is given back at once: the word that has it go on is a message. */
  async #unpausesLeft(): Promise<void> {
    this.#isPaused = false;
    const store = await this.dying.store.next('r');
    await store.post('r', JSON.stringify({ pause: false, by: 'cfo', why: null }));
    this.dying.isDead = true;
    this.processes -= 1;
  }

  async #said<T>(word: Promise<T>): Promise<T | null> {
    return Promise.race([word.catch(() => null), turns(20, () => this.dying.isDead).then(() => null)]);
  }

  async #moves(): Promise<void> {
    const { status } = this.last;
    const [gate] = this.last.requests();
    if (status === 'paused') {
      await turns(10);
      this.#isPaused = false;
      await this.#said(this.last.unpause(BY));
    } else if (status === 'parked' && this.last.waitsFor.some(({ what }) => what === 'another mandate'))
      await this.#gives();
    else if (gate?.asks === 'outcome') await this.#settles(gate.key);
    else if (gate?.asks === 'approval') await this.#said(this.last.answer(gate.gate, 'approved', BY));
    else if (status === 'parked' || status === 'stuck' || value(this.last) === 'rest') await this.#rests();
    await turns(4, () => this.dying.isDead);
  }

  /** The person looks at the bank and at the hearer, and says what became of a call. */
  async #settles(key: string): Promise<void> {
    const found = this.#world.find({ key });
    const status = found.is === 'applied' ? 'confirmed' : 'failed';
    const output = 'output' in found ? [found.output] : [undefined];
    await this.#said(this.last.settle(key, status, output[0], BY));
  }

  async #gives(): Promise<void> {
    const stands = this.#world.mandate !== null && this.#world.mandate.until > Date.now();
    if (stands || !this.#world.needs) this.#world.faults.push('the run waits for a mandate, and has one');
    if (!this.#one.again) {
      this.#aborts();
      return;
    }
    this.#given += 1;
    const id = `m${this.#given}`;
    const said = this.last.mandate({ id, ...BY });
    this.#world.mandate = { id, until: Number.POSITIVE_INFINITY };
    await this.#said(said);
  }

  #aborts(): void {
    void this.last.cancel({ ...BY, undo: true }).catch(() => null);
  }

  async #rests(): Promise<void> {
    if (this.#one.complains && !this.#complained) {
      this.#complained = true;
      const instance = { skeleton: 'PAY', entity: 'it', ordinal: 0 };
      void this.last.fail('CONTRACT_VIOLATION', { instance, key: 'receipt' } as never).catch(() => null);
      await turns(10, () => this.dying.isDead);
    } else if (this.#one.ends === 'abort' || this.last.status !== 'running') this.#aborts();
    else this.last.actor.send({ type: 'END' } as never);
    await turns(20, () => this.dying.isDead || this.#waits());
  }
}

/** Plays one case. */
export async function play(one: Case): Promise<Course> {
  return new VirtualTime().during(async () => {
    const world = new World(one);
    const lives = new Lives(one, world);
    await lives.run();
    const { entries, processes, last, dying } = lives;
    const found = context(last) as Course['context'];
    const course = { status: last.status, context: found, entries, world, processes, appends: dying.store.appends };
    await last.close();
    return course;
  });
}

/** The mandate under which each call left, as the journal names it: by its intent, by its approval, or by its commit. */
function namedIn(entries: readonly Entry[]): ReadonlyMap<string, string | null> {
  const named = new Map<string, string | null>();
  for (const entry of entries) {
    if (entry.do === 'intent' && entry.held === undefined) named.set(entry.key, entry.under ?? null);
    if (entry.do === 'leave') named.set(entry.key, entry.under ?? null);
    if (entry.do === 'publish') for (const key of entry.keys) named.set(key, entry.under ?? null);
  }
  return named;
}

/** The mandate that stood at each commit, by the journal alone. */
function commitsWithout(entries: readonly Entry[], needs: boolean): string[] {
  let stands = !needs;
  const found: string[] = [];
  for (const entry of entries) {
    if (entry.do === 'mandate' && entry.is === 'given' && entry.refused === null) stands = true;
    if (entry.do === 'mandate' && (entry.is === 'over' || (entry.is === 'revoked' && entry.refused === null)))
      stands = false;
    if (entry.do === 'publish' && !stands) found.push(`the commit ${entry.id} is decided without a mandate`);
  }
  return found;
}

/** The calls that left under another mandate than the journal names. */
function misnamed({ world, entries }: Course, one: Case): string[] {
  const named = namedIn(entries);
  const last = new Map(world.acts.map(({ key, under }) => [key, under]));
  return [...last].flatMap(([key, under]) => {
    const isStaged = one.pays === 'staged' && world.pays.has(key);
    if (!world.needs || isStaged || named.get(key) === under) return [];
    return [`${key} left under ${under}, and the journal names ${String(named.get(key))}`];
  });
}

/** What is wrong with the world, and with what the machine has of it, where the run is done. */
function wrongWhereDone({ context: at, world }: Course, one: Case): string[] {
  const { receipt, told } = at as { receipt?: string; told?: string };
  const stands = [...world.paid.values()];
  const found: string[] = [];
  if (one.pays !== 'idempotent' && stands.length !== 1) found.push(`${stands.length} payments stand at the end`);
  if (one.pays !== 'staged' && !stands.includes(String(receipt)))
    found.push('the machine has another receipt than the bank');
  if (!world.told.has(String(told))) found.push('the machine has told nobody');
  return found;
}

/** What is wrong with the end of a run, by the world. */
export function faults(course: Course, one: Case): string[] {
  const { status, world, entries } = course;
  const found = [...world.faults, ...commitsWithout(entries, world.needs), ...misnamed(course, one)];
  if (!OVER.includes(status)) found.push(`it never ends: ${status}`);
  if (status === 'done') found.push(...wrongWhereDone(course, one));
  const undoable = one.pays !== 'irreversible' && one.pays !== 'idempotent';
  if (status === 'compensated' && undoable && world.paid.size > 0) found.push(`an abort leaves ${world.paid.size}`);
  const mayWait = one.begins === 'required' || one.begins === 'short' || one.revokes !== null;
  const isAborted = one.ends === 'abort' || (mayWait && !one.again) || one.complains;
  if (status !== 'done' && !isAborted) found.push(`it is ${status}, and nothing was in its way`);
  return found;
}
