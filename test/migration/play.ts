/** A run that one release begins, whose process dies at an append, and that another release takes up: driven to its end, and judged (CO3, CO4). */
import { resume, type Sidecar } from '../../src/xstate/attach.ts';
import { until } from '../poll.ts';
import { context, value } from '../semantics/dying.ts';
import { type Death, MortalStore } from '../simulation/mortal-store.ts';
import { configOf, machineOf, type Release, World } from './little.ts';

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
}

const EVENTS: Readonly<Record<string, string>> = { idle: 'go', asking: 'yes', waiting: 'word' };

/** Drives a run until it rests, parks or its process dies. */
async function drive(sidecar: Sidecar, isDead: () => boolean, rest = 'over'): Promise<void> {
  let sent: unknown = null;
  await until(
    () => {
      const at = value(sidecar) as string;
      const event = EVENTS[at];
      if (at !== sent) sent = null;
      if (event !== undefined && at !== rest && sent === null && sidecar.status === 'running') {
        sent = at;
        sidecar.actor.send({ type: event } as never);
      }
      return isDead() || sidecar.status === 'parked' || at === rest || at === 'over';
    },
    () => `at ${JSON.stringify(value(sidecar))}, ${sidecar.status}`,
  );
}

/** Plays one scenario. */
export async function play({ before: then, now, death, again, failure }: Scenario): Promise<Played> {
  const world = new World();
  const store = new MortalStore(death === null ? [] : [death]);
  let isDead = false;
  let died: () => void = () => {};
  store.onDeath = () => {
    isDead = true;
    died();
  };
  const undo = { refund: ({ key }: { readonly key: string }) => world.undo('pay', key) };
  const open = async (release: Release, adopt: boolean) => {
    isDead = false;
    const options = { run: 'r', config: configOf(release), journal: await store.next('r'), undo, adopt };
    return (await resume(machineOf(release, world) as never, options as never)) as unknown as Sidecar;
  };
  const first = await open(then, false);
  first.actor.start();
  await drive(first, () => isDead);
  const { appends } = store;
  if (isDead) first.actor.stop();
  else await first.close();
  if (again !== null) store.kill({ ...again, append: store.appends + again.append });
  let refused: string | null = null;
  // A process that dies as it takes the run up never has it: the next one finds the run under the one release or under the other.
  const dies = new Promise<'dead'>((resolve) => {
    died = () => resolve('dead');
  });
  const refuse = (error: Error) => {
    refused = error.message;
    return null;
  };
  const opened = await Promise.race([open(now, true).catch(refuse), dies]);
  let sidecar = opened === 'dead' ? await open(now, true).catch(refuse) : opened;
  const isMoved = sidecar !== null;
  const release = isMoved ? now : then;
  sidecar ??= await open(then, false);
  const [skeleton = '', isEarly] = failure.split(', ');
  const rest = isEarly === undefined ? 'over' : 'waiting';
  sidecar.actor.start();
  await drive(sidecar, () => isDead, rest);
  if (isDead) {
    sidecar.actor.stop();
    sidecar = await open(release, isMoved);
    sidecar.actor.start();
    await drive(sidecar, () => isDead, rest);
  }
  if (failure !== 'none' && sidecar.status !== 'parked') {
    const instance = { skeleton, entity: 'it', ordinal: 0 };
    await sidecar.fail('CONTRACT_VIOLATION', { instance }).catch(() => {});
    await drive(sidecar, () => isDead);
  }
  const played = { status: sidecar.status, value: value(sidecar), context: context(sidecar) };
  await sidecar.close();
  return { isMoved, refused, ...played, world, appends };
}

/** What is wrong with the end of a run; null where nothing is. `fresh`: a run that its release has begun itself. */
export function wrongWith({ status, value: at, context: met, world }: Played, fresh: Played): string | null {
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
