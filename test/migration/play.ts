/** A run that one release begins, whose process dies at an append, and that another release takes up: driven to its end, and judged (CO3, CO4). */
import type { MigrationMap } from '../../src/boundaries/migration-map.ts';
import { gathered } from '../../src/journal/gathered.ts';
import type { MachineShape } from '../../src/model/machine.ts';
import type { Renames } from '../../src/model/renames.ts';
import { migrate, resume, type Sidecar } from '../../src/xstate/attach.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { until } from '../poll.ts';
import { context, value } from '../semantics/dying.ts';
import { type Death, MortalStore } from '../simulation/mortal-store.ts';
import { configOf, machineOf, type Release } from './little.ts';
import { World } from './world.ts';

/** The unit that is found wrong, where the run waits for a word or once it is at its rest. */
export type Failure = 'none' | 'Look' | 'Pay' | 'Look, waiting' | 'Pay, waiting';

export interface Scenario {
  readonly before: Release;
  readonly now: Release;
  /** The append at which the first process dies; null where it is closed at its rest. */
  readonly death: Death | null;
  /** The append, from the takeover on, at which the second process dies. */
  readonly again: Death | null;
  readonly failure: Failure;
  /** The way in which the run is taken over: by the process that takes it up, or by `belay migrate apply` before. */
  readonly by?: 'adopt' | 'apply';
  /** The names that the other release has given anew; the run is moved by `apply`. */
  readonly renames?: Renames;
  /** True where the map is given with the machine that it leads from: the run may go on from where it stands (CO6). */
  readonly isFromHere?: boolean;
  /** True where a person moves the run back to the release before as soon as the second process has died. */
  readonly goesBack?: boolean;
  /** The append of a restore at which the first process dies: a unit is found wrong once the run is at its rest. */
  readonly restoring?: { readonly skeleton: string; readonly append: number };
}

export interface Played {
  /** True where the other release took the run. */
  readonly isMoved: boolean;
  /** The refusal of the takeover; null where there was none. */
  readonly refused: string | null;
  readonly status: string;
  readonly value: unknown;
  readonly context: unknown;
  readonly world: World;
  /** The number of appends up to the takeover. */
  readonly appends: number;
  /** True where the first process has died. */
  readonly isLeft: boolean;
  /** The number of moves in the journal. */
  readonly moves: number;
  /** True where the run was moved back; null where nobody asked for it. */
  readonly isBack: boolean | null;
  /** True where the second process, or one after it, has died. */
  readonly isKilled: boolean;
}

const EVENTS: Readonly<Record<string, string>> = { idle: 'go', asking: 'yes' };

/** Drives a run until it rests, parks or its process dies. */
async function drive(sidecar: Sidecar, isDead: () => boolean, rest = 'over', waiting = 'waiting'): Promise<void> {
  let sent: unknown = null;
  await until(
    () => {
      const at = value(sidecar) as string;
      const event = at === waiting ? 'word' : EVENTS[at];
      // What waits behind the event of a move is refused where that leads: the word comes again behind it.
      const place = `${at} ${String((context(sidecar) as { readonly told?: number }).told)}`;
      if (place !== sent) sent = null;
      if (event !== undefined && at !== rest && sent === null && sidecar.status === 'running') {
        sent = place;
        sidecar.actor.send({ type: event } as never);
      }
      return isDead() || sidecar.status === 'parked' || at === rest || at === 'over';
    },
    () => `at ${JSON.stringify(value(sidecar))}, ${sidecar.status}`,
  );
}

/** The kind of the row of a move. */
const MIGRATED = 42;

/** The processes of a run, one after the other: what a process that dies has begun never comes back. */
class Processes {
  readonly world = new World();
  readonly store: MortalStore;
  isDead = false;
  #died: Promise<'dead'> = Promise.resolve('dead');

  constructor(deaths: readonly Death[]) {
    this.store = new MortalStore(deaths);
  }

  /** Moves the run as `belay migrate apply` does, by as many processes as that takes. */
  async apply(
    release: Release,
    back = false,
    map: MigrationMap | null = null,
    machineBefore: MachineShape | null = null,
  ): Promise<void> {
    const options = await this.#options(release);
    const moved = migrate(machineOf(release, this.world) as never, options as never, {
      by: 'ada',
      back,
      map,
      machineBefore,
    });
    if ((await this.lived(moved)) === 'dead') await this.apply(release, false, map, machineBefore);
  }

  /** The number of moves in the journal. */
  async moves(): Promise<number> {
    const rows = await gathered((await this.store.next('r')).read('r'));
    return [...rows].filter(({ kind }) => kind === MIGRATED).length;
  }

  async #options(release: Release, adopt = false): Promise<object> {
    this.isDead = false;
    this.#died = new Promise((resolve) => {
      this.store.onDeath = () => {
        this.isDead = true;
        resolve('dead');
      };
    });
    const undo = { refund: ({ key }: { readonly key: string }) => this.world.undo(key) };
    return { run: 'r', config: configOf(release), journal: await this.store.next('r'), undo, adopt };
  }

  /** Opens the run by the next process. @returns 'dead' where that dies of it. */
  async open(release: Release, adopt: boolean): Promise<Sidecar | 'dead'> {
    const options = await this.#options(release, adopt);
    return this.lived(resume(machineOf(release, this.world) as never, options as never) as unknown as Promise<Sidecar>);
  }

  /** What a process has begun, or its death. */
  async lived<T>(begun: Promise<T>): Promise<T | 'dead'> {
    return Promise.race([begun, this.#died]);
  }

  /** Closes the run, or leaves it as the process that died has. */
  async close(sidecar: Sidecar): Promise<void> {
    if (!this.isDead) await this.lived(sidecar.close());
    if (this.isDead) sidecar.actor.stop();
  }
}

/** A map between two releases, as a reviewer vouches for it. */
function mapOf(then: Release, now: Release, renames: Renames): MigrationMap {
  const digestsOf = (release: Release) => {
    const { digest } = machineShape(machineOf(release, new World()) as never);
    return { machine: digest, config: configOf(release).digest };
  };
  return { agent: 'shop', from: digestsOf(then), to: digestsOf(now), renames, digest: '' };
}

/** Plays one scenario. */
export async function play({
  before: then,
  now,
  death,
  again,
  failure,
  by = 'adopt',
  restoring,
  goesBack = false,
  renames,
  isFromHere = false,
}: Scenario): Promise<Played> {
  const processes = new Processes(death === null ? [] : [death]);
  const { store, world } = processes;
  const map = renames === undefined ? null : mapOf(then, now, renames);
  const shape = isFromHere ? machineShape(machineOf(then, new World()) as never) : null;
  let isLeft = false;
  const first = await processes.open(then, false);
  if (first !== 'dead') {
    first.actor.start();
    await drive(first, () => processes.isDead, 'over', then.waiting);
    if (restoring !== undefined && !processes.isDead) {
      const { skeleton, append } = restoring;
      store.kill({ append: store.appends + append, when: 'after' });
      await processes.lived(first.fail('CONTRACT_VIOLATION', { instance: { skeleton, entity: 'it', ordinal: 0 } }));
      await drive(first, () => processes.isDead);
    }
    isLeft = processes.isDead;
    await processes.close(first);
  }
  const { appends } = store;
  if (again !== null) store.kill({ ...again, append: appends + again.append });
  let refused: string | null = null;
  // A process that dies as it takes the run up never has it: the next one finds the run under the one release or under the other.
  const taken = async (): Promise<Sidecar | null> => {
    const moving = by === 'apply' ? processes.apply(now, false, map, shape) : Promise.resolve();
    const opened = await moving
      .then(() => processes.open(now, by === 'adopt'))
      .catch((error: Error) => {
        refused = error.message;
        return null;
      });
    return opened === 'dead' ? taken() : opened;
  };
  const reopened = async (release: Release): Promise<Sidecar> => {
    const opened = await processes.open(release, release === now && by === 'adopt');
    return opened === 'dead' ? reopened(release) : opened;
  };
  let sidecar = await taken();
  const isMoved = sidecar !== null;
  let release = isMoved ? now : then;
  sidecar ??= await reopened(then);
  let isBack: boolean | null = null;
  const nextRelease = async (): Promise<Release> => {
    if (!goesBack || isBack !== null || !isMoved) return release;
    isBack = await processes.apply(then, true).then(
      () => true,
      (error: { readonly code?: string }) => {
        if (error.code !== 'machine_changed') throw error;
        return false;
      },
    );
    if (isBack) release = then;
    return release;
  };
  const [skeleton = '', isEarly] = failure.split(', ');
  /** Drives the run to a rest, by as many processes as that takes. */
  const driven = async (of: Sidecar, rest: string): Promise<Sidecar> => {
    of.actor.start();
    await drive(of, () => processes.isDead, rest, release.waiting);
    if (!processes.isDead) return of;
    of.actor.stop();
    return driven(await reopened(await nextRelease()), rest);
  };
  sidecar = await driven(sidecar, isEarly === undefined ? 'over' : (release.waiting ?? 'waiting'));
  if (failure !== 'none' && sidecar.status !== 'parked') {
    const named = (skeleton === 'Pay' ? release.unit : release.look) ?? skeleton;
    const instance = { skeleton: named, entity: 'it', ordinal: 0 };
    await processes.lived(sidecar.fail('CONTRACT_VIOLATION', { instance }).catch(() => {}));
    await drive(sidecar, () => processes.isDead, 'over', release.waiting);
    if (processes.isDead) {
      sidecar.actor.stop();
      sidecar = await driven(await reopened(await nextRelease()), 'over');
    }
  }
  const played = { status: sidecar.status, value: value(sidecar), context: context(sidecar) };
  const { appends: all } = store;
  await processes.close(sidecar);
  const moves = await processes.moves();
  return {
    isMoved,
    refused,
    ...played,
    world,
    appends,
    moves,
    isBack,
    isLeft,
    isKilled: again !== null && all - appends >= again.append,
  };
}

/** What is wrong with the end of a run; null where nothing is. `fresh`: a run that its release has begun itself. */
export function wrongWith(played: Played, fresh: Played): string | null {
  const { status, value: at, context: met, world, moves, isBack } = played;
  if (moves > (isBack === true ? 2 : 1)) return `it was moved ${moves} times`;
  for (const tool of ['pay', 'post'])
    if (world.standing(tool) > 1) return `${tool} stands ${world.standing(tool)} times`;
  if (status === 'parked') return null;
  if (at !== fresh.value) return `it is at ${String(at)}, and a fresh run is at ${String(fresh.value)}`;
  if (world.standing('pay') !== 1 || world.standing('post') !== 1) return 'an act is missing';
  const [own, other] = [JSON.stringify(sorted(met)), JSON.stringify(sorted(fresh.context))];
  return own === other ? null : `its context is ${own}, and that of a fresh run is ${other}`;
}

function sorted(of: unknown): unknown {
  return Object.entries(of as object).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
