/** A run that pays under version 1 of its tool, and goes on under version 2, which pays elsewhere: each counterparty knows its own calls alone (CO7). */
import { gathered } from '../../src/journal/gathered.ts';
import { versionsCalled } from '../../src/reports/calls-by-version.ts';
import { timelineOf } from '../../src/reports/timeline.ts';
import { resume, type Sidecar } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { value } from '../semantics/dying.ts';
import { MortalStore } from '../simulation/mortal-store.ts';
import { configOf, machineOf, type Release } from './little.ts';
import { World } from './world.ts';

/** Two agencies: a version of the tool that pays has its own. */
class Agencies extends World {
  override act(name: string, version: string, key: string | undefined, input: unknown): Promise<unknown> {
    return super.act(name, version, name === 'pay' ? `${version} ${key}` : key, input);
  }

  /** Takes back what an agency did under a key, and does nothing where that has no such act. */
  refund(version: string, key: string): void {
    this.acts.get('pay')?.delete(`${version} ${key}`);
  }

  find(version: string, key: string) {
    const isThere = this.acts.get('pay')?.has(`${version} ${key}`) === true;
    return isThere ? ({ is: 'applied', output: 'pay done' } as const) : ({ is: 'not_applied' } as const);
  }

  /** True where an act stands under a key at either agency. */
  has(key: string): boolean {
    return ['1', '2'].some((version) => this.acts.get('pay')?.has(`${version} ${key}`) === true);
  }

  /** The acts that stand at an agency. */
  at(version: string): number {
    return [...(this.acts.get('pay')?.keys() ?? [])].filter((key) => key.startsWith(`${version} `)).length;
  }
}

export interface Retiring {
  readonly before: Release;
  readonly now: Release;
  /** The append at which the first process dies; null where it is closed at its rest. */
  readonly death: number | null;
  /** True where the first process finds what it has looked at wrong while it pays, and dies before it pays again. */
  readonly isAside: boolean;
  readonly ending: 'end' | 'abort' | 'Look' | 'Pay';
}

/** The end of such a run. */
export interface Retired {
  readonly refused: string | null;
  readonly status: string;
  readonly at: unknown;
  readonly agencies: readonly [first: number, second: number];
  /** The calls of `pay` that the report of an abort names as standing: why each does. */
  readonly named: readonly string[];
  /** The versions that `belay drains --tools` lists of it. */
  readonly called: readonly string[];
}

const NEXT: Readonly<Record<string, string>> = { idle: 'go', asking: 'yes' };

/** The processes of one such run. */
class Retirement {
  readonly world = new Agencies();
  readonly store: MortalStore;
  isDead = false;
  #died: Promise<'dead'> = Promise.resolve('dead');

  constructor(death: number | null) {
    this.store = new MortalStore(death === null ? [] : [{ append: death, when: 'after' }]);
  }

  async open(release: Release): Promise<Sidecar | 'dead'> {
    this.isDead = false;
    this.#died = new Promise((resolve) => {
      this.store.onDeath = () => {
        this.isDead = true;
        resolve('dead');
      };
    });
    const { world } = this;
    const own = release.pay?.version ?? '1';
    const at = (version: string) => ({
      refund: async ({ key }: { readonly key: string }) => world.refund(version, key),
      find: async ({ key }: { readonly key: string }) => world.find(version, key),
    });
    const [here, older] = [at(own), at('1')];
    const options = {
      ...{ run: 'r', config: configOf(release), journal: await this.store.next('r'), adopt: true },
      undo: { refund: here.refund, ...(release.older?.canUndo === true && { refundOlder: older.refund }) },
      reconcilers: {
        ...(release.canAsk === true && { find: here.find }),
        ...(release.older?.canAsk === true && { findOlder: older.find }),
      },
    };
    return this.lived(resume(machineOf(release, world) as never, options as never) as unknown as Promise<Sidecar>);
  }

  async lived<T>(begun: Promise<T>): Promise<T | 'dead'> {
    return Promise.race([begun, this.#died]);
  }

  /** Drives a run to a state, to its rest, or to where a person is asked. */
  async drive(sidecar: Sidecar, rest: string): Promise<void> {
    let sent: unknown = null;
    await until(
      () => {
        const at = value(sidecar) as string;
        const event = at === 'waiting' ? 'word' : NEXT[at];
        if (at !== sent) sent = null;
        if (event !== undefined && at !== rest && sent === null && sidecar.status === 'running') {
          sent = at;
          sidecar.actor.send({ type: event } as never);
        }
        return this.isDead || ['parked', 'stuck'].includes(sidecar.status) || at === rest || at === 'over';
      },
      () => `at ${JSON.stringify(value(sidecar))}, ${sidecar.status}`,
    );
  }

  async close(sidecar: Sidecar): Promise<void> {
    if (!this.isDead) await this.lived(sidecar.close());
    if (this.isDead) sidecar.actor.stop();
  }

  /** Has the run pay, and finds what it has looked at wrong while the answer is out; it dies as it looks again. */
  async leaveAside(sidecar: Sidecar): Promise<void> {
    const { world } = this;
    world.hold = 'pay';
    sidecar.actor.start();
    sidecar.actor.send({ type: 'go' } as never);
    await until(
      () => world.at('1') === 1,
      () => String(value(sidecar)),
    );
    world.hold = 'look';
    const looked = world.asked.filter(({ tool }) => tool === 'look').length;
    void sidecar
      .fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Look', entity: 'it', ordinal: 0 } })
      .catch(() => {});
    const again = () => world.asked.filter(({ tool }) => tool === 'look').length > looked;
    await until(
      () => again() || sidecar.status === 'parked',
      () => `at ${String(value(sidecar))}, ${sidecar.status}`,
    );
    world.hold = null;
    // It dies with what it has written.
    this.store.kill({ append: this.store.appends + 1, when: 'before' });
    void sidecar.close().catch(() => {});
    await until(
      () => this.isDead,
      () => 'it lives',
    );
    sidecar.actor.stop();
  }
}

/** Plays one run; null where its first process does not come to the append at which it dies. */
export async function retire({ before, now, death, isAside, ending }: Retiring): Promise<Retired | null> {
  const run = new Retirement(death);
  const first = await run.open(before);
  if (first !== 'dead') {
    if (isAside) await run.leaveAside(first);
    else {
      first.actor.start();
      await run.drive(first, 'waiting');
      if (death !== null && !run.isDead) return null;
      await run.close(first);
    }
  }
  let refused: string | null = null;
  const moved = await run.open(now).catch((error: Error) => {
    refused = error.message;
    return null;
  });
  if (moved === 'dead') throw new Error('only the first process dies');
  const sidecar = moved ?? ((await run.open(before)) as Sidecar);
  sidecar.actor.start();
  const named = await ended(run, sidecar, ending);
  const end = { refused, status: sidecar.status, at: value(sidecar), named };
  await run.close(sidecar);
  const { runState } = timelineOf(await gathered((await run.store.next('r')).read('r')));
  return { ...end, called: versionsCalled(runState.ledger), agencies: [run.world.at('1'), run.world.at('2')] };
}

/** Ends a run. @returns why each call of `pay` stands that its report names. */
async function ended(run: Retirement, sidecar: Sidecar, ending: Retiring['ending']): Promise<readonly string[]> {
  if (ending === 'abort') {
    await sidecar.cancel({ by: 'ada', undo: true });
    const report = await sidecar.finished();
    const stands = report.status === 'compensated' ? report.stands : [];
    return stands.flatMap(({ key, why }) => (run.world.has(key) ? [why] : []));
  }
  await run.drive(sidecar, ending === 'end' ? 'over' : 'waiting');
  if (ending !== 'end' && sidecar.status === 'running') {
    const instance = { skeleton: ending, entity: 'it', ordinal: 0 };
    await sidecar.fail('CONTRACT_VIOLATION', { instance }).catch(() => {});
    await run.drive(sidecar, 'over');
  }
  return [];
}
