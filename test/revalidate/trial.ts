/** Plays one scenario for real: the sidecar over a machine, process after process, in a time that is driven. The world writes down what it was asked. */
import { type AnyStateMachine, assign, setup } from 'xstate';
import { type BoundaryConfig, loadConfig, vetoes } from '../../src/index.ts';
import { kindNumbered } from '../../src/journal/entry-table.ts';
import { attach, resume, type Sidecar, tool } from '../../src/xstate/index.ts';
import { MortalStore } from '../simulation/mortal-store.ts';
import { VirtualTime } from '../virtual-time.ts';
import type { Scenario } from './scenario.ts';

const SECOND = 1_000;

/** A look at the price, from when it was asked to when it was answered; `at` in milliseconds. */
interface Looked {
  readonly asked: number;
  readonly answered: number;
  readonly price: number;
}

/** A call of the act as the counterparty has it. */
interface Acted {
  readonly key: string;
  readonly price: number;
  readonly at: number;
  /** The price of the world at that time. */
  readonly truth: number;
  undone: boolean;
}

/** What a scenario came to. */
export interface Course {
  readonly looks: readonly Looked[];
  /** Each time that the act was sent. */
  readonly sent: readonly Acted[];
  /** What stands at the counterparty: one key is one act. */
  readonly acts: readonly Acted[];
  readonly status: string;
  /** The codes of the last decision of a run that is parked. */
  readonly codes: readonly string[];
  readonly paid: unknown;
  /** When commits were decided. */
  readonly decided: readonly number[];
  readonly appends: number;
  readonly errors: readonly string[];
}

const configs = new Map<string, BoundaryConfig>();

function configOf({ shape, class: kind, good }: Scenario): BoundaryConfig {
  const name = `${shape} ${kind} ${good}`;
  const known = configs.get(name);
  if (known !== undefined) return known;
  const from = shape === 'chosen' ? 'choice' : 'offer';
  const undo = kind === 'compensable' || kind === 'reversible' ? ', undo: un' : '';
  const held = shape === 'gated' ? ', gate: true' : shape === 'held' ? ', buffer: true' : '';
  const second = shape === 'asked' ? 'asking' : 'waiting';
  const text = `
belay: 1
agent: m
tools:
  look: { writes: [offer], effect: none, timeout: 20s${good === null ? '' : `, revalidate: ${good * SECOND}`} }
  choose: { reads: [offer], writes: [choice], effect: none, decides: true }
  pay: { reads: [${from}], writes: [paid], effect: ${kind}${undo}${held}, reconcile: find, timeout: 20s }
events: { GO: { reads: [offer] } }
skeletons:
  LOOK:
    entity: '"one"'
    states: [look]
    entry: [look]
    outputs: [offer]
    exit: [{ id: looked, at: look -> ${shape === 'chosen' ? 'choose' : second}, when: memory.?offer.hasValue() }]
    rollback: { anchors: [looked], resume: look, tries: 2, joint: [CHOOSE, PAY] }
  CHOOSE:
    entity: '"one"'
    states: [choose]
    entry: [choose]
    inputs: [offer]
    outputs: [choice]
    exit: [{ id: chosen, at: choose -> waiting, when: memory.?choice.hasValue() }]
    rollback: { anchors: [chosen], resume: choose, tries: 2 }
  PAY:
    entity: '"one"'
    states: [pay, closing]
    entry: [pay]
    inputs: [${from}]
    outputs: [paid]
    ${shape === 'held' ? 'commit' : 'exit'}: [{ id: paid, at: closing -> end, when: 'true' }]
    rollback: { anchors: [paid], resume: pay, tries: 2, compensable: undo }
`;
  const { config, findings } = loadConfig(text, { file: 'm.yaml' });
  if (config === null) throw new Error(findings.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  configs.set(name, config);
  return config;
}

type Context = { readonly context: Record<string, unknown> };

function calling(name: string, key: string, target: string, reads: string | null) {
  return {
    invoke: {
      src: name,
      ...(reads !== null && { input: ({ context }: Context) => ({ offer: context[reads] }) }),
      onDone: {
        target,
        actions: [assign({ [key]: ({ event }: { event: { output: unknown } }) => event.output ?? 'held' } as never)],
      },
    },
  };
}

/** The world: a price by the clock, and a counterparty that knows its keys. */
class World {
  readonly looks: Looked[] = [];
  readonly sent: Acted[] = [];
  readonly acts = new Map<string, Acted>();
  readonly #scenario: Scenario;
  readonly #time: VirtualTime;
  readonly #begun: number;
  #isLost: boolean;
  #isBlind: boolean;

  constructor(scenario: Scenario, time: VirtualTime) {
    this.#scenario = scenario;
    this.#time = time;
    this.#begun = time.now();
    this.#isLost = scenario.happens.is === 'lost';
    this.#isBlind = scenario.happens.is === 'blind';
  }

  get #price(): number {
    const passed = (this.#time.now() - this.#begun) / SECOND;
    return 100 + this.#scenario.moves.filter((at) => at <= passed).length;
  }

  async look(): Promise<{ cents: number }> {
    const asked = this.#time.now();
    await wait(2 * SECOND);
    const price = this.#price;
    await wait(SECOND);
    if (this.#isBlind && this.looks.length > 0) {
      this.#isBlind = false;
      throw new Error('the world is not to be seen');
    }
    this.looks.push({ asked, answered: this.#time.now(), price });
    return { cents: price };
  }

  async pay(key: string, { offer }: { offer?: { cents?: number } }, isDead: () => boolean): Promise<string> {
    if (isDead()) return await new Promise(() => {});
    const act = { key, price: offer?.cents ?? -1, at: this.#time.now(), truth: this.#price, undone: false };
    this.sent.push(act);
    await wait(SECOND);
    if (!this.acts.has(key)) this.acts.set(key, act);
    await wait(SECOND);
    if (!this.#isLost) return `paid ${this.acts.get(key)?.price}`;
    this.#isLost = false;
    throw new Error('socket hang up');
  }

  readonly find = ({ key }: { key: string }) => {
    const act = this.acts.get(key);
    if (act === undefined) return { is: 'not_applied' } as const;
    return { is: 'applied', output: `paid ${act.price}` } as const;
  };

  readonly undo = ({ key }: { key: string }): void => {
    const act = this.acts.get(key);
    if (act !== undefined) act.undone = true;
  };
}

const wait = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

function machineOf({ shape }: Scenario, world: World, isDead: () => boolean): AnyStateMachine {
  const actors = {
    look: tool(() => world.look()),
    choose: tool(async ({ input }: { input: { offer: unknown } }) => input.offer),
    pay: tool(({ input, key }: { input: object; key: string | undefined }) => world.pay(key as string, input, isDead)),
  };
  const from = shape === 'chosen' ? 'choice' : 'offer';
  const states = {
    look: calling('look', 'offer', shape === 'chosen' ? 'choose' : shape === 'asked' ? 'asking' : 'waiting', null),
    choose: calling('choose', 'choice', 'waiting', 'offer'),
    waiting: { after: { [60 * SECOND]: 'pay' } },
    asking: { on: { GO: 'pay' } },
    pay: calling('pay', 'paid', 'closing', from),
    closing: { after: { [5 * SECOND]: 'end' } },
    end: { type: 'final' },
  };
  return setup({ actors: actors as never }).createMachine({
    id: 'm',
    context: {},
    initial: 'look',
    states,
  } as never) as never;
}

/** Plays a scenario to its end, or to where it waits for what never comes. */
export async function play(scenario: Scenario): Promise<Course> {
  const time = new VirtualTime();
  time.hold();
  const errors: string[] = [];
  const note = (error: unknown) => void errors.push(String(error));
  process.on('unhandledRejection', note);
  try {
    return await new Trial(scenario, time, errors).run();
  } finally {
    process.off('unhandledRejection', note);
    time.release();
  }
}

/** The rounds in which nothing was due after which nothing comes any more, and the most timers of a scenario. */
const IDLE = 20;
const MOST = 4_000;
const ANN = { by: 'ann' };

class Trial {
  readonly #scenario: Scenario;
  readonly #time: VirtualTime;
  readonly #errors: string[];
  readonly #world: World;
  readonly #store: MortalStore;
  readonly #begun: number;
  readonly #decided: number[] = [];
  #life = { isDead: false };
  #status = 'hang';
  #codes: readonly string[] = [];
  #paid: unknown;

  constructor(scenario: Scenario, time: VirtualTime, errors: string[]) {
    this.#scenario = scenario;
    this.#time = time;
    this.#errors = errors;
    this.#world = new World(scenario, time);
    this.#begun = time.now();
    this.#store = new MortalStore(scenario.crash === null ? [] : [scenario.crash]);
    this.#store.onRows = (rows) => {
      if (rows.some(({ kind }) => kindNumbered(kind) === 'publish')) this.#decided.push(time.now());
    };
    this.#store.onDeath = () => {
      this.#life.isDead = true;
    };
  }

  async run(): Promise<Course> {
    await this.#process(true);
    if (this.#life.isDead) {
      const up = this.#time.now() + (this.#scenario.crash?.idle ?? 0) * SECOND;
      setTimeout(() => {}, up - this.#time.now());
      while (this.#time.now() < up && this.#time.fireNext()) await turn();
      await this.#process(false);
    }
    const { looks, sent, acts } = this.#world;
    const of = { looks, sent, acts: [...acts.values()], status: this.#status, codes: this.#codes, paid: this.#paid };
    return { ...of, appends: this.#store.appends, decided: this.#decided, errors: this.#errors };
  }

  async #process(isFirst: boolean): Promise<void> {
    const life = { isDead: false };
    this.#life = life;
    const journal = await this.#store.next('r');
    const options = {
      run: 'r',
      config: configOf(this.#scenario),
      journal,
      undo: { un: this.#world.undo },
      reconcilers: { find: this.#world.find },
      now: this.#time.now,
      onGate: ({ gate }: { gate: string }) => {
        setTimeout(() => void (life.isDead || sidecar?.answer(gate, 'approved', ANN).catch(() => {})), 60 * SECOND);
      },
    };
    const machine = machineOf(this.#scenario, this.#world, () => life.isDead);
    let sidecar: Sidecar | null = null;
    const opening = isFirst ? attach(machine, options as never) : resume(machine, options as never);
    const opened = await this.#until(opening as unknown as Promise<Sidecar>);
    if (opened === null || life.isDead) return;
    sidecar = opened;
    sidecar.actor.start();
    this.#arrange(sidecar, life, isFirst);
    await this.#end(sidecar, life);
    if (!life.isDead) await this.#until(sidecar.close());
  }

  /** Waits for the end, also past a pause and a standstill that something may still end. */
  async #end(sidecar: Sidecar, life: { isDead: boolean }): Promise<void> {
    for (let round = 0; round < 6 && !life.isDead; round += 1) {
      const ending = await this.#until(sidecar.finished());
      if (ending === null) {
        if (!life.isDead && this.#status !== 'parked') this.#status = 'hang';
        return;
      }
      this.#status = ending.status;
      this.#codes = 'decision' in ending ? [...new Set([...vetoes(ending.decision)].map(({ code }) => code))] : [];
      this.#paid = (sidecar.actor.getSnapshot() as unknown as { context: Record<string, unknown> }).context['paid'];
      if (ending.status === 'done') return;
      // Whatever is due may go on: the end of the pause, a question that is asked again.
      await this.#until(new Promise(() => {}), 300);
    }
  }

  /** Has happen what is to happen, at its time. */
  #arrange(sidecar: Sidecar, life: { isDead: boolean }, isFirst: boolean): void {
    const { happens, shape } = this.#scenario;
    const at = (seconds: number, does: () => Promise<unknown>) => {
      const rest = this.#begun + seconds * SECOND - this.#time.now();
      if (rest < 0 && !isFirst) return;
      setTimeout(() => void (life.isDead || does().catch(() => {})), Math.max(0, rest));
    };
    // A sender says it again until it is taken: an event that a restore took back is another decision of the sender.
    const go = () => {
      const { actor } = sidecar;
      if (!life.isDead && actor.getSnapshot().status === 'active') actor.send({ type: 'GO', qty: 1 } as never);
    };
    if (shape === 'asked') for (let nth = 0; nth < 12; nth += 1) setTimeout(go, (60 + nth * 60) * SECOND);
    if (happens.is === 'pause') {
      at(happens.at, () => sidecar.pause(ANN));
      // A process that takes a paused run up gives it back: the pause ends before that.
      at(happens.at + 100, () => sidecar.unpause(ANN));
    }
    if (happens.is === 'complain')
      at(happens.at, () =>
        sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'LOOK', entity: 'one' }, key: 'offer' } as never),
      );
    if (happens.is === 'revise')
      at(happens.at, async () => {
        const [go] = sidecar.events();
        if (go !== undefined) await sidecar.revise(go.name, { qty: 2 }, ANN);
      });
  }

  /** What some work comes to; null where the process dies before, or nothing is due any more. */
  async #until<T>(work: Promise<T>, seconds = 100_000): Promise<T | null> {
    const life = this.#life;
    const end = this.#time.now() + seconds * SECOND;
    const done: { is: T | null; isOver: boolean } = { is: null, isOver: false };
    work.then(
      (is) => Object.assign(done, { is, isOver: true }),
      (error) => {
        // No process takes a paused run up: it stands still as it should.
        if ((error as { code?: string }).code === 'paused') this.#status = 'paused';
        else if (!life.isDead) this.#errors.push(String(error));
        done.isOver = true;
      },
    );
    for (let idle = 0, fired = 0; idle < IDLE && fired < MOST && this.#time.now() < end; ) {
      await turn();
      if (done.isOver || life.isDead) return done.is;
      if (this.#time.fireNext()) [idle, fired] = [0, fired + 1];
      else idle += 1;
    }
    return done.is;
  }
}

/** All that needs no timer is done: promises, and what they have flushed. */
async function turn(): Promise<void> {
  for (let rounds = 0; rounds < 2; rounds += 1) await new Promise((resolve) => setImmediate(resolve));
}
