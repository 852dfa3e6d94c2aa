/** A run of the release before, parked at a wait by the death of its process; then planned, moved and finished with real journals. */
import { type JournalStore, type LocalStore, memoryStore } from 'belay-sidecar';
import { wrapJournals } from 'belay-sidecar/testing';
import { type PlannedRun, planIn } from '../../../src/rehearsal/replay/plan-migration.ts';
import type { Naming } from '../../../src/sidecar/migration/names.ts';
import { attach, migrate, resume, type Sidecar } from '../../../src/xstate/attach.ts';
import { calm } from '../../poll.ts';
import { SUBJECTS, type World } from './agents.ts';
import { Holding, type Wait } from './held.ts';
import { type End, renamedEvents } from './plain.ts';
import { type Commit, mapOf, type Names, type Release, releasesOf } from './release.ts';

/** A store whose process can be left where it stands: nothing that it does later is heard. */
class LeftStore {
  readonly #rows: LocalStore = memoryStore();
  #leave: () => Promise<void> = async () => {};

  /** The store of the next process. */
  async next(): Promise<JournalStore> {
    await this.#leave();
    return wrapJournals(this.#rows, (journal) => {
      let isDead = false;
      this.#leave = async () => {
        isDead = true;
        await journal.close().catch(() => {});
      };
      return {
        append: (rows) => (isDead ? journal.head : journal.append(rows)),
        flush: () => (isDead ? new Promise<number>(() => {}) : Promise.resolve(journal.flush())),
        close: () => (isDead ? Promise.resolve() : journal.close()),
      };
    });
  }
}

/** What became of a parked run. */
export interface Course {
  readonly wait: Wait;
  /** The plan of the run, and what the move came to. */
  readonly plan: PlannedRun;
  readonly moved: 'goes' | 'same' | 'stays';
  /** The status at the end; `held`: the run did not go on. */
  readonly status: string;
  readonly end: End;
  /** The outcomes that a person had to say, as after the death of any process. */
  readonly settled: number;
}

interface Driving {
  readonly holding: Holding;
  readonly events: Names;
  readonly wait: Wait | null;
}

/** Answers what a person is asked, but for the question that a run is to wait at. @returns the number of outcomes that were said. */
async function answered(sidecar: Sidecar, said: Set<string>, wait: Wait | null): Promise<number> {
  let settled = 0;
  for (const { gate, asks, key, tool } of sidecar.requests()) {
    if (said.has(gate) || (wait?.is === 'gate' && tool === wait.at)) continue;
    said.add(gate);
    if (asks === 'outcome') {
      settled += 1;
      await sidecar.settle(key, 'failed', undefined, { by: 'ops' });
    } else await sidecar.answer(gate, 'approved', { by: 'ops' });
  }
  return settled;
}

/** Drives a run until it is over, is parked, or stands at its wait. @returns the number of outcomes that a person has said. */
async function drive(sidecar: Sidecar, { holding, events, wait }: Driving): Promise<number> {
  const said = new Set<string>();
  // A counterparty is asked again after a second.
  const patience = wait === null ? 0.02 : 1;
  let [before, settled] = ['', 0];
  for (let still = 0; still < 10 && !['done', 'stuck'].includes(sidecar.status); ) {
    const { value, context } = sidecar.actor.getSnapshot() as { value: unknown; context: unknown };
    const isAt = wait?.is === 'event' && wait.at === value;
    const event = typeof value === 'string' ? events[value] : undefined;
    if (event !== undefined && !isAt && sidecar.status === 'running') sidecar.actor.send({ type: event } as never);
    settled += await answered(sidecar, said, wait);
    await calm(3);
    const now = JSON.stringify([sidecar.status, value, context, holding.met.length, said.size]);
    still = now === before && holding.underWay === 0 ? still + patience : 0;
    before = now;
  }
  return settled;
}

interface Process {
  readonly commit: Commit;
  readonly world: World;
  readonly release: Release;
  readonly journal: JournalStore;
}

function optionsOf({ commit, world, release: { config }, journal }: Process) {
  const undo = { ...world.undo };
  for (const [name, of] of Object.entries(commit.undos ?? {})) undo[name] = world.undo[of] as (typeof undo)[string];
  return { run: 'r', config, journal, undo, reconcilers: world.reconcilers, input: world.input };
}

/** Parks a run of the release before at a wait, plans it, has it moved, and drives it to its end. */
export async function courseOf(commit: Commit, wait: Wait, isMapped: boolean): Promise<Course> {
  const { before, now } = releasesOf(commit);
  const { events, open } = SUBJECTS[commit.agent];
  const world = await open(before.config);
  const store = new LeftStore();
  try {
    const holding = new Holding(wait.is === 'call' ? wait : null, false);
    const first = { commit, world, release: before, journal: await store.next() };
    const machine = holding.around(world.connect(before.machine, before.config));
    const parked = (await attach(machine, optionsOf(first) as never)) as unknown as Sidecar;
    parked.actor.start();
    await drive(parked, { holding, events, wait });
    const journal = await store.next();
    parked.actor.stop();
    const rest = new Holding(null, false);
    const connected = (release: Release) => rest.around(world.connect(release.machine, release.config));
    const mapped = isMapped ? mapOf(commit) : { map: null };
    const subject = { machine: connected(now), config: now.config };
    const plan = (await planIn(journal, 'r', [], () => subject, { ...mapped, back: false })) as PlannedRun;
    const moved = await move({ commit, world, release: now, journal: await store.next() }, subject.machine, mapped);
    const release = moved === 'stays' ? before : now;
    const last = { commit, world, release, journal: await store.next() };
    const sidecar = (await resume(connected(release), optionsOf(last) as never)) as unknown as Sidecar;
    sidecar.actor.start();
    const settled = await drive(sidecar, {
      holding: rest,
      events: moved === 'stays' ? events : renamedEvents(events, commit),
      wait: null,
    });
    const { value, context } = sidecar.actor.getSnapshot() as { value: unknown; context: unknown };
    const { status } = sidecar;
    await sidecar.close();
    return { wait, plan, moved, status, settled, end: { value, context, world: await world.standing() } };
  } finally {
    await world.close();
  }
}

/** Moves a run as `belay migrate apply` does. */
async function move(
  process: Process,
  machine: Release['machine'],
  mapped: Pick<Naming, 'map' | 'machineBefore'>,
): Promise<Course['moved']> {
  try {
    return (await migrate(machine, optionsOf(process) as never, { by: 'ada', back: false, map: null, ...mapped })).is;
  } catch (error) {
    if ((error as { readonly code?: string }).code === 'machine_changed') return 'stays';
    throw error;
  }
}
