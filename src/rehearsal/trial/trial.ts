import { memoryStore } from '../../journal/memory/store.ts';
import { stateText } from '../../reports/timeline.ts';
import type { Ending } from '../../sidecar/report.ts';
import { DrivenClock, StalledError } from '../../testing/driven-clock.ts';
import type { Snapshot } from '../../xstate/actor.ts';
import { attach, resume, type Sidecar } from '../../xstate/attach.ts';
import type { WrongFault } from '../faults/fault.ts';
import { Complaint } from './complaint.ts';
import { type Course, endOf, type RestStatus } from './course.ts';
import { Delayed } from './delayed.ts';
import { MortalStore } from './mortal-store.ts';
import { Observation, plain } from './observation.ts';
import type { Life } from './passing.ts';
import { People } from './people.ts';
import { sidecarOptions, type Told } from './sidecar-options.ts';
import type { OpenSubject, WorldOfRun } from './subject.ts';
import { Transport } from './transport.ts';
import type { TrialOptions } from './trial-options.ts';

/** The most timers that a run fires: one that goes on after so many does not end. */
const MOST = 60_000;
/** The most waits for a call of which nothing shows that it works: ten seconds of real time. */
const MOST_WAITS = 40;
/** The longest time that a run is followed, in milliseconds. */
const LONGEST = 400 * 86_400_000;

/** Runs an agent once. The world is made anew before, and removed after. */
export function runTrial(options: TrialOptions): Promise<Course> {
  const clock = new DrivenClock(options.life?.time);
  return clock.within(async () => {
    const world = await options.subject.fresh(options.path.input);
    return await new Trial(options, world, clock).run().finally(() => world.clear());
  });
}

class Trial {
  readonly #options: TrialOptions;
  readonly #world: WorldOfRun;
  readonly #clock: DrivenClock;
  readonly #seen: Observation;
  readonly #store: MortalStore;
  readonly #transport: Transport;
  readonly #people: People;
  readonly #delayed: Delayed;
  #open: OpenSubject | null = null;
  #life: Life = { isAlive: false };
  #sidecar: Sidecar | null = null;
  #ending: Ending | null = null;
  #broken: unknown = null;
  #wants: 'nothing' | 'close' | 'revive' = 'nothing';
  readonly #complaint: Complaint;
  #before: unknown = null;
  readonly #told: Pick<Told, 'seen' | 'transport' | 'people' | 'delayed' | 'edges' | 'findings'>;

  constructor(options: TrialOptions, world: WorldOfRun, clock: DrivenClock) {
    this.#clock = clock;
    const { fault, passing, path, life } = options;
    this.#seen = life?.seen ?? new Observation();
    this.#options = options;
    this.#world = world;
    const dies = fault?.kind === 'kill' ? fault.append : (life?.dies ?? null);
    this.#store = new MortalStore(life?.store ?? memoryStore(), dies, {
      death: () => (life === undefined ? this.#die() : life.die()),
      row: (row, isOld) => this.#seen.row(row, isOld),
    });
    this.#delayed = new Delayed(fault, this.#seen, () => this.#store.kill());
    this.#transport = new Transport(
      {
        ...passing,
        fault,
        restart: () => {
          this.#wants = 'close';
        },
        complain: (wrong) => void this.#complain(wrong),
        steer: (steer) => void this.#people.steering?.say(steer, this.#sidecar),
        meets: () => this.#delayed.meets(),
      },
      this.#seen,
    );
    this.#people = new People(fault, path, this.#seen, this.#transport);
    const [seen, transport, people, delayed] = [this.#seen, this.#transport, this.#people, this.#delayed];
    this.#told = { seen, transport, people, delayed, edges: new Set(), findings: new Set() };
    this.#complaint = new Complaint(fault, this.#seen);
  }

  async run(): Promise<Course> {
    const uncaught = (error: unknown) => {
      this.#broken ??= error;
    };
    process.on('uncaughtException', uncaught).on('unhandledRejection', uncaught);
    try {
      await this.#begin(this.#options.life?.isFirst ?? true);
      return await this.#close(await this.#drive());
    } finally {
      this.#clock.release();
      process.off('uncaughtException', uncaught).off('unhandledRejection', uncaught);
      await this.#leave();
    }
  }

  /** Lets the run go on until it rests. */
  async #drive(): Promise<RestStatus> {
    const began = this.#clock.now();
    const calls = () => this.#transport.inFlight;
    let [fires, waits] = [0, 0];
    while (fires < MOST && this.#clock.now() - began < LONGEST) {
      await this.#clock.quiet(calls);
      if (this.#transport.arriving > 0 && waits++ < MOST_WAITS) continue;
      const rest = await this.#look();
      if (rest === 'goes on') continue;
      if (rest !== 'idle') return rest;
      if (this.#clock.fireNext(calls() > 0)) fires += 1;
      else if (calls() > 0 && waits < MOST_WAITS) waits += 1;
      else if (!this.#transport.find() && !this.#people.sendAgain(this.#sidecar))
        return this.#transport.hanging.some(({ tool }) => this.#waitsFor(tool)) ? 'hangs' : 'waiting';
    }
    return 'endless';
  }

  /** Does what is to be done now. */
  async #look(): Promise<RestStatus | 'goes on' | 'idle'> {
    if (this.#transport.isEndless || this.#store.isEndless) return 'endless';
    if (this.#broken !== null) return 'broken';
    if (this.#wants !== 'nothing') {
      await this.#again();
      return 'goes on';
    }
    if (this.#ending !== null) {
      // A run that stands still can still be told what is wrong with it.
      if (this.#ending.status === 'done' || !this.#transport.find()) return this.#ending.status;
      this.#ending = null;
      return 'goes on';
    }
    return this.#sidecar !== null && this.#people.look(this.#sidecar) ? 'goes on' : 'idle';
  }

  /** True where a call that never answers may be what the run waits for: its tool has no timeout. */
  #waitsFor(tool: string): boolean {
    return (this.#options.config.tools.get(tool)?.timeout ?? null) === null;
  }

  async #begin(isFirst: boolean): Promise<void> {
    const life: Life = { isAlive: true };
    this.#life = life;
    this.#clock.release();
    const open = await this.#world.open();
    this.#open = open;
    if (isFirst) this.#before = plain(await open.snapshot());
    const journal = await this.#store.next();
    this.#clock.hold();
    const start = isFirst ? attach : resume;
    const machine = this.#options.change?.(open.machine) ?? open.machine;
    const opening = start(this.#transport.machine(life, machine), {
      ...sidecarOptions(this.#options, { ...this.#told, life, open }),
      journal,
    });
    opening.then(
      (sidecar) => {
        if (this.#life !== life) return;
        this.#sidecar = sidecar;
        if (!life.isAlive) return;
        this.#follow(sidecar, life);
        sidecar.actor.subscribe({ error: () => {} });
        sidecar.actor.start();
      },
      (error: unknown) => {
        if (life.isAlive) this.#broken ??= error;
      },
    );
  }

  #follow(sidecar: Sidecar, life: Life): void {
    sidecar.finished().then(
      (ending) => {
        if (life.isAlive && this.#sidecar === sidecar) this.#ending = ending;
      },
      (error: unknown) => {
        if (life.isAlive) this.#broken ??= error;
      },
    );
  }

  #die(): void {
    if (!this.#life.isAlive) return;
    this.#seen.tell('the process is killed');
    this.#life.isAlive = false;
    this.#wants = 'revive';
  }

  /** Another process takes the run up, once the calls that left are carried out in the world. */
  async #again(): Promise<void> {
    const sidecar = this.#sidecar;
    if (this.#wants === 'close') {
      this.#seen.tell('the process is closed');
      await this.#carried('close()', () => sidecar?.close());
    }
    this.#life.isAlive = false;
    this.#wants = 'nothing';
    this.#sidecar = null;
    this.#ending = null;
    try {
      sidecar?.actor.stop();
    } catch {
      // A process that was killed stops nothing.
    }
    while (this.#transport.inFlight > 0) {
      await this.#clock.quiet(() => this.#transport.inFlight);
      if (this.#transport.inFlight > 0 && !this.#clock.fireNext(true)) break;
    }
    await this.#leave();
    await this.#begin(false);
  }

  /** Has the clock bring on some work beside the run, such as a tool that waits on a timer once the run is over. */
  async #carried(what: string, work: () => Promise<void> | undefined): Promise<void> {
    const calls = () => this.#transport.inFlight;
    const failed = await this.#clock
      .carry(async () => work(), calls)
      .then(
        () => null,
        (error: unknown) => error,
      );
    if (failed instanceof StalledError) this.#seen.tell(`${what} never ends`);
  }

  async #leave(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await open?.close();
  }

  async #complain(fault: WrongFault): Promise<void> {
    const sidecar = this.#sidecar;
    const isTaken = await this.#complaint.make(fault, sidecar);
    if (isTaken && sidecar !== null && this.#life.isAlive) this.#follow(sidecar, this.#life);
  }

  async #close(status: RestStatus): Promise<Course> {
    const ending = this.#ending;
    const snapshot = this.#sidecar?.actor.getSnapshot() as Snapshot | undefined;
    const [state, context] = [stateText(snapshot?.value), plain(snapshot?.context)];
    await this.#carried('a late call', () => this.#transport.arrive());
    await this.#clock.quiet(() => this.#transport.inFlight);
    this.#life.isAlive = false;
    await this.#carried('close()', () => this.#sidecar?.close());
    this.#clock.release();
    const reconcilers = Object.keys(this.#open?.reconcilers ?? {});
    const world = plain(await this.#open?.snapshot());
    this.#seen.tell(`${status} in ${state}`);
    return {
      ...{ status, state, context, input: this.#open?.input, world, before: this.#before, seen: this.#seen },
      ...endOf(ending, this.#broken),
      appends: this.#store.appends,
      fired: [this.#transport, this.#people, this.#delayed, this.#store].some(({ fired }) => fired),
      complaint: this.#complaint.status,
      steered: this.#people.steering?.answered ?? null,
      approvals: this.#people.approvals,
      unsent: this.#people.unsent(),
      hanging: this.#transport.hanging.flatMap(({ tool }) => (this.#waitsFor(tool) ? [tool] : [])),
      edges: this.#told.edges,
      reconcilers,
      findings: [...this.#told.findings],
    };
  }
}
