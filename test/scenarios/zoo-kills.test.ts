/** The machines of the zoo, killed at each append since their start, and of the recovery in it: the next process ends them as without Belay. */
import { expect, test } from 'vitest';
import { attach, resume } from '../../src/xstate/attach.ts';
import { MortalStore } from '../simulation/mortal-store.ts';
import { VirtualTime } from '../virtual-time.ts';
import { ALONE } from './zoo/alone.ts';
import { BESIDE } from './zoo/beside.ts';
import type { Exhibit } from './zoo/parts.ts';
import { alone, configOf, rests, until } from './zoo/trial.ts';
import { ZooWorld } from './zoo/world.ts';

const time = new VirtualTime();
/** A test whose timers fire when nothing else is left to do: a tool that is silent takes no time of the clock. */
const held =
  <Args extends unknown[]>(work: (...args: Args) => Promise<void>) =>
  (...args: Args) =>
    time.during(() => work(...args));

const SUSPECT = { instance: { skeleton: 'Look', entity: 'it', ordinal: 0 }, key: 'a' };

/** A run that looks wrongly, and rests before that is found; its process dies at an append. */
class KilledRun {
  isDead = false;
  /** True until another process takes it up. */
  #isDown = false;
  readonly world = Object.assign(new ZooWorld(), { wrong: 'a' as string | null });
  readonly #store: MortalStore;
  readonly #exhibit: Exhibit;
  #run: Awaited<ReturnType<typeof attach>> | null = null;

  constructor(exhibit: Exhibit, append: number) {
    this.#exhibit = exhibit;
    this.#store = new MortalStore([{ append, when: 'after' }]);
    this.#store.onDeath = () => {
      this.isDead = true;
      this.#isDown = true;
    };
  }

  get #sidecar() {
    if (this.#run === null) throw new Error('not begun');
    return this.#run;
  }

  async begin(): Promise<void> {
    this.#run?.actor.stop();
    const isNext = this.isDead;
    this.#isDown = false;
    const options = {
      run: 'r',
      config: configOf(this.#exhibit, 'compensable'),
      journal: await this.#store.next('r'),
      reconcilers: { ask: this.world.ask },
      undo: { undo: this.world.undo },
    };
    const machine = this.#exhibit.machine(this.world);
    this.#run = isNext ? await resume(machine, options as never) : await attach(machine, options as never);
    this.#run.actor.start();
  }

  #isStill = () => this.#sidecar.status === 'running' && rests(this.#sidecar.actor.getSnapshot().value);

  /** Waits until it rests, where its process dies in another one. */
  async rest(): Promise<void> {
    await until(() => this.#isStill() || this.#isDown);
    if (!this.#isDown) return;
    await this.begin();
    await until(this.#isStill);
  }

  /** Has the look found wrong; where its process dies before it says so, the next one is told again. */
  async complain(): Promise<void> {
    this.world.wrong = null;
    let isTold = false;
    const tell = () =>
      void this.#sidecar.fail('CONTRACT_VIOLATION', SUSPECT).then(
        () => {
          isTold = true;
        },
        () => {},
      );
    tell();
    await until(() => isTold || this.#isDown);
    if (!isTold) {
      await this.rest();
      tell();
      await until(() => isTold);
    }
    await this.rest();
  }

  async end(): Promise<unknown> {
    this.#sidecar.actor.send({ type: 'over' } as never);
    let isOver = false;
    void this.#sidecar.finished().then(() => {
      isOver = true;
    });
    await until(() => isOver || this.#isDown);
    if (this.#isDown) await this.begin();
    const { status } = await this.#sidecar.finished();
    const { context } = this.#sidecar.actor.getSnapshot();
    await this.#sidecar.close();
    return { status, context, acts: this.world.standing };
  }
}

test.each([...ALONE, ...BESIDE].map((exhibit) => [exhibit.name, exhibit] as const))(
  '%s',
  held(async (_, exhibit) => {
    const wanted = await alone(exhibit, new ZooWorld());
    // The first append comes before the machine is started.
    let append = 1;
    for (let isDead = true; isDead; ) {
      append += 1;
      const run = new KilledRun(exhibit, append);
      await run.begin();
      await run.rest();
      await run.complain();
      expect({ append, ...((await run.end()) as object) }).toEqual({ append, ...wanted });
      isDead = run.isDead;
    }
    expect(append).toBeGreaterThan(10);
  }),
);
