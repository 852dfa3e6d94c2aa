/** Runs a scenario under the sidecar to its end: process after process, with an honest sender, finder and person beside it. */
import {
  type BoundaryConfig,
  type Decision,
  type Ending,
  type GuardedRequest,
  type InstanceId,
  SidecarError,
} from 'belay-sidecar';
import { workClient } from 'belay-sidecar/workers';
import { attach, resume, type Sidecar } from 'belay-sidecar/xstate';
import { SPACING } from '../../src/sidecar/opening/options.ts';
import { Counters } from '../control-counters.ts';
import { undoByHand } from './by-hand.ts';
import { decisionText, type End, type Journals, loaded, type Saved } from './ending.ts';
import { Finder } from './finder.ts';
import { type Built, build } from './machine.ts';
import { type Death, MortalStore } from './mortal-store.ts';
import { Pauser } from './pausing.ts';
import { approve, help, restless, tellAllUndone } from './person.ts';
import type { Scenario, Site } from './scenario.ts';
import { Sender } from './sender.ts';
import { type Life, sleep, World } from './world.ts';

/** How often the run is looked at, in milliseconds. */
const TICK = 2;
/**
 * A run in which nothing has moved for so many looks hangs, which is longer than the second that a run waits for a call that was left under way
 * (E2); one that has moved for so many does not end.
 */
const HANGS = 600;
const ENDLESS = 4000;
/** How often a person helps. */
const ROUNDS = 5;

/** One run. */
export class Course {
  readonly world: World;
  readonly told: string[] = [];
  readonly counters = new Counters();
  readonly instances = new Map<Site, InstanceId>();
  sidecar: Sidecar | null = null;
  readonly #scenario: Scenario;
  readonly #config: BoundaryConfig;
  readonly #store: Journals;
  readonly #sender: Sender;
  readonly #finder: Finder;
  readonly #pauser: Pauser;
  /** The number of messages that say unpause and that the next process finds. */
  #left = 0;
  #built: Built;
  #life: Life = { alive: false };
  #ending: Ending | null = null;
  #watching = 0;
  #wants: 'nothing' | 'close' | 'revive' = 'nothing';
  #rounds = 0;
  #isOver = false;
  readonly #isNew: boolean;

  constructor(
    scenario: Scenario,
    store: Journals = new MortalStore(deathsOf(scenario), scenario.paged),
    saved: Saved | null = null,
  ) {
    this.#scenario = scenario;
    this.world = new World(scenario.faults);
    this.#store = store;
    this.#store.onDeath = () => this.#die();
    this.#store.onRows = (rows) => this.counters.appended(rows);
    this.#built = this.#build(this.#life);
    this.#config = loaded(this.#built.page);
    this.#sender = new Sender(this.#built.awaiting);
    this.#finder = new Finder(scenario, this);
    this.#pauser = new Pauser(scenario.faults, {
      world: this.world,
      sidecar: () => (this.isUp ? this.sidecar : null),
      leave: () => {
        this.#left += 1;
      },
      tell: (text) => this.tell(text),
    });
    this.world.onCall = (_, { buffer }) => {
      this.#pauser.onCall(buffer);
      this.#finder.onCall();
      this.#restarts();
      const tell = (ms: number) => void setTimeout(() => this.#tellUndone(), ms);
      undoByHand(scenario.faults, this.world, () => this.#isOver, tell);
    };
    this.#isNew = saved === null;
    if (saved === null) return;
    this.world.restore(saved.world, scenario.tools);
    for (const [site, instance] of saved.instances) this.instances.set(site, instance);
    for (const [occasion, times] of saved.sent) this.#sender.sent.set(occasion, times);
    this.#finder.restore(saved.refused, saved.unheard);
    this.#rounds = saved.rounds;
    this.told.push(...saved.told);
  }

  /** What the next process has to know. */
  saved(): Saved {
    return {
      world: this.world.saved(),
      instances: [...this.instances],
      sent: [...this.#sender.sent],
      refused: [...this.#finder.refused],
      unheard: [...this.#finder.unheard],
      rounds: this.#rounds,
      told: this.told,
    };
  }

  /** True while the process lives and its run can be told something. */
  get isUp(): boolean {
    return this.#life.alive && this.sidecar !== null && this.#wants === 'nothing';
  }

  tell(text: string): void {
    if (this.told.length < 200) this.told.push(`${this.world.calls.length} ${text}`);
  }

  /** Runs to the end. */
  async run(): Promise<End> {
    await this.#begin(this.#isNew);
    let [quiet, activity] = [0, -1];
    for (let looks = 0; looks < ENDLESS && quiet <= HANGS; looks++) {
      await sleep(TICK);
      if (this.#wants !== 'nothing') await this.#again();
      const now = this.world.activity + this.#store.appends;
      quiet = now === activity && this.world.inFlight === 0 ? quiet + 1 : 0;
      activity = now;
      const ending = this.#ending;
      if (ending !== null && (await this.#ended(ending)))
        return this.#close(ending.status === 'done' ? 'done' : 'parked');
      if (await this.#others(quiet)) quiet = 0;
    }
    return this.#close('hang');
  }

  /** Has the sender, the finder and the person look at the run. @returns true where something was asked of the person. */
  async #others(quiet: number): Promise<boolean> {
    const { sidecar } = this;
    if (sidecar === null || !this.isUp) return false;
    this.#sender.look(sidecar, quiet);
    this.#finder.look(quiet);
    return quiet % 40 === 11 && (await this.#unlessGone(restless(sidecar, this.world)));
  }

  /** The answer of somebody who may wait for a process for ever; false once that is gone, or does not answer. */
  async #unlessGone(answer: Promise<boolean>): Promise<boolean> {
    const life = this.#life;
    let isOver = false;
    const gone = async (): Promise<boolean> => {
      for (let i = 0; i < 1000 && life.alive && !isOver; i++) await sleep(TICK);
      return false;
    };
    const told = await Promise.race([answer, gone()]);
    isOver = true;
    return told;
  }

  /** True where the run is over as far as anybody can help. */
  async #ended(ending: Ending): Promise<boolean> {
    const { sidecar } = this;
    if (sidecar === null) return true;
    if (ending.status === 'cancelled' || ending.status === 'compensated') throw new Error(`it was ${ending.status}`);
    if (ending.status === 'paused') {
      // What it ends with is told once it goes on.
      if (sidecar.status !== 'paused') this.#watch();
      return false;
    }
    if (ending.status === 'done') {
      this.#isOver = true;
      await tellAllUndone(sidecar, this.world);
      return true;
    }
    this.#rounds += 1;
    if (this.#rounds > ROUNDS) return true;
    if (ending.status === 'stuck') {
      this.#wants = 'close';
    } else {
      const helping = help(sidecar, ending.decision, this.world, this.#rounds, (text) => this.tell(text));
      const moves = (await this.#unlessGone(helping)) || (await this.#toldMore(sidecar)) || sidecar.status !== 'parked';
      if (!moves) return this.isUp;
    }
    if (this.sidecar === sidecar && this.#wants === 'nothing') this.#watch();
    return false;
  }

  /** Tells a run that stands still of what was undone by hand meanwhile. @returns false where there was nothing to tell. */
  async #toldMore(sidecar: Sidecar): Promise<boolean> {
    if (!this.isUp || this.world.byHand.size === 0) return false;
    return this.#unlessGone(tellAllUndone(sidecar, this.world).then(() => true));
  }

  async #begin(isFirst: boolean): Promise<void> {
    const life: Life = { alive: true };
    this.#life = life;
    this.#built = this.#build(life);
    const { world } = this;
    const hears = <T>(answer: () => T): T | Promise<never> => (life.alive ? answer() : new Promise<never>(() => {}));
    const journal = await this.#store.next('r');
    for (; this.#left > 0; this.#left -= 1) await workClient(journal).unpause('r', { by: 'bob' });
    const options = {
      run: 'r',
      config: this.#config,
      journal,
      redeliver: this.#scenario.redeliver,
      ...(this.#scenario.paged && { [SPACING]: { rows: 1, times: 0, newest: 1 } }),
      reconcilers: {
        find: (call: { key: string; tool: string }) => hears(() => world.ask(call, this.#scenario.tools)),
      },
      undo: { undo: ({ key, undoKey }: { key: string; undoKey: string }) => world.undo(life, key, undoKey) },
      governor: ({ args, instance }: { args: unknown; instance: InstanceId }) =>
        hears(() => this.#governs(args, instance)),
      onGate: ({ gate, args }: GuardedRequest) => {
        world.asked.set(gate, args);
        setTimeout(() => life.alive && this.sidecar !== null && approve(this.sidecar, world), 1);
      },
      onDecision: ({ signal, decision, takenBack }: { signal: string; decision: Decision; takenBack: unknown[] }) => {
        this.tell(`${signal}: ${decisionText(decision)}`);
        this.counters.decided(decision, takenBack);
      },
      inspect: (event: { type: string; snapshot?: unknown }) => {
        if (event.type === '@xstate.snapshot') this.#finder.sees((event.snapshot as { context?: unknown }).context);
      },
    };
    const { machine } = this.#built;
    try {
      const opened = isFirst ? attach(machine, options as never) : resume(machine, options as never);
      opened.catch(() => {});
      const sidecar = await Promise.race([opened, this.#died(life)]);
      if (sidecar === null) return;
      this.sidecar = sidecar;
      this.#watch();
      void tellAllUndone(sidecar, world);
      sidecar.actor.start();
      approve(sidecar, world);
    } catch (error) {
      if (!life.alive) return;
      if (!(error instanceof SidecarError && error.code === 'paused')) throw error;
      // A person has it go on, and it is taken up once more.
      await this.#pauser.goOn(true);
      this.#wants = 'revive';
    }
  }

  /** Resolves with null once a process that is beginning has died. */
  async #died(life: Life): Promise<null> {
    while (life.alive && this.sidecar === null) await sleep(TICK);
    return life.alive ? new Promise(() => {}) : null;
  }

  #watch(): void {
    this.#watching += 1;
    const mine = this.#watching;
    this.#ending = null;
    this.sidecar?.finished().then(
      (ending) => {
        if (this.#watching === mine && this.#life.alive) this.#ending = ending;
      },
      (error) => this.tell(`finished() rejects: ${String(error)}`),
    );
  }

  /** Begins the next process. */
  async #again(): Promise<void> {
    const { sidecar } = this;
    if (this.#wants === 'close' && sidecar !== null) await Promise.race([sidecar.close().catch(() => {}), sleep(500)]);
    this.#life.alive = false;
    this.#watching += 1;
    this.#ending = null;
    this.sidecar = null;
    try {
      sidecar?.actor.stop();
    } catch {
      // A process that is gone stops nothing.
    }
    this.#wants = 'nothing';
    this.tell('another process takes the run up');
    await this.#begin(false);
  }

  #die(): void {
    this.tell(`killed at append ${this.#store.appends}`);
    this.#life.alive = false;
    this.#wants = 'revive';
  }

  #restarts(): void {
    for (const fault of this.#scenario.faults) {
      if (fault.fault !== 'restart' || this.world.fired.has(fault) || this.world.calls.length < fault.calls) continue;
      this.world.fired.add(fault);
      setTimeout(() => {
        if (this.#wants === 'nothing' && this.#ending === null) this.#wants = 'close';
      }, fault.ms);
    }
  }

  /** Has the process that lives, if one does, told of what was undone by hand. */
  #tellUndone(): void {
    if (this.isUp && this.sidecar !== null) void tellAllUndone(this.sidecar, this.world);
  }

  #governs(args: unknown, instance: InstanceId): null {
    const { at, entity, round } = args as { at?: string; entity: string; round: number };
    if (at !== undefined) this.instances.set(`${at} ${entity} ${round}`, instance);
    return null;
  }

  #build(life: Life): Built {
    return build(this.#scenario, (spec, call) => this.world.call(life, spec, call));
  }

  async #close(status: End['status']): Promise<End> {
    const { sidecar, world } = this;
    const ending = this.#ending;
    this.#isOver = true;
    for (let i = 0; i < 320 && (world.inFlight > 0 || i < 2); i++) await sleep(TICK);
    const snapshot = sidecar?.actor.getSnapshot() as { context: unknown; value: unknown } | undefined;
    await Promise.race([sidecar?.close().catch(() => {}), sleep(200)]);
    this.#life.alive = false;
    return {
      status,
      context: snapshot?.context,
      value: snapshot?.value,
      decision: ending !== null && 'decision' in ending ? ending.decision : null,
      unpublished: ending?.status === 'done' ? (ending.unpublished?.length ?? 0) : 0,
      // A complaint that nobody has taken by now was told to nobody.
      refused: new Set([...this.#finder.refused, ...this.#finder.unheard]),
      told: this.told,
      rounds: this.#rounds,
    };
  }
}

function deathsOf(scenario: Scenario): readonly Death[] {
  return scenario.faults.filter((fault) => fault.fault === 'killed');
}
