/** What xstate has beside states and invokes in a row, under faults, complaints, and the end of a process: as without them, or parked. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { Report } from '../../src/sidecar/report.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { VirtualTime } from '../virtual-time.ts';
import { ALONE } from './zoo/alone.ts';
import { BESIDE } from './zoo/beside.ts';
import type { Exhibit } from './zoo/parts.ts';
import { alone, type Class, configOf, rests, until } from './zoo/trial.ts';
import { FAULTS, ZooWorld } from './zoo/world.ts';

const time = new VirtualTime();
/** A test whose timers fire when nothing else is left to do: a tool that is silent takes no time of the clock. */
const held =
  <Args extends unknown[]>(work: (...args: Args) => Promise<void>) =>
  (...args: Args) =>
    time.during(() => work(...args));

/** How a run goes: what its world does, and what is done to it. */
interface Trial {
  readonly world: ZooWorld;
  readonly effect: Class;
  /** Once it rests, it is told that what it looked at was wrong: by its key, or the whole unit. */
  readonly complains?: 'about the value' | 'about the unit';
  /** Closed and taken up again: behind so many transitions, or behind the complaint. */
  readonly closes?: number | 'complaining';
  readonly redeliver?: boolean;
}

/** What it comes to under Belay. */
async function run(exhibit: Exhibit, { world, effect, complains, closes, redeliver = false }: Trial) {
  const reports: Report[] = [];
  const options = {
    run: 'r',
    config: configOf(exhibit, effect),
    journal: memoryStore(),
    redeliver,
    reconcilers: { ask: world.ask },
    undo: { undo: world.undo },
    onDecision: (report: Report) => void reports.push(report),
  };
  let sidecar = await attach(exhibit.machine(world), options);
  let seen = 0;
  sidecar.actor.subscribe(() => {
    seen += 1;
  });
  sidecar.actor.start();
  const isOver = () => sidecar.status !== 'running' && sidecar.status !== 'recovering';
  const isStill = () => isOver() || (sidecar.status === 'running' && rests(sidecar.actor.getSnapshot().value));
  const takeUp = async () => {
    await sidecar.close();
    sidecar = await resume(exhibit.machine(world), options);
    sidecar.actor.start();
  };
  if (typeof closes === 'number') {
    await until(() => seen >= closes || isStill());
    await takeUp();
  }
  await until(isStill);
  if (complains !== undefined) {
    world.wrong = null;
    const instance = { skeleton: 'Look', entity: 'it', ordinal: 0 };
    const suspect = complains === 'about the value' ? { instance, key: 'a' } : { instance };
    const complaint = sidecar.fail('CONTRACT_VIOLATION', suspect);
    const isTaken = complaint.then(
      () => true,
      () => false,
    );
    if (closes === 'complaining') await takeUp();
    if (!(await isTaken)) await sidecar.fail('CONTRACT_VIOLATION', suspect);
    await until(isStill);
  }
  if (!isOver()) sidecar.actor.send({ type: 'over' } as never);
  const { status } = await sidecar.finished();
  const { context } = sidecar.actor.getSnapshot();
  await sidecar.close();
  return { status, context, acts: world.standing, decided: reports.map(({ decision }) => decision.verdict) };
}

const lies = () => Object.assign(new ZooWorld(), { wrong: 'a' });

describe.each([...ALONE, ...BESIDE].map((exhibit) => [exhibit.name, exhibit] as const))('%s', (_, exhibit) => {
  test(
    'ends as without Belay, also where its process ends anywhere',
    held(async () => {
      const wanted = await alone(exhibit, new ZooWorld());
      for (let closes = 0; closes < 8; closes += 1) {
        const trial: Trial = { world: new ZooWorld(), effect: 'irreversible', ...(closes > 0 && { closes }) };
        expect({ closes, ...(await run(exhibit, trial)) }).toEqual({ closes, ...wanted, decided: [] });
      }
    }),
  );

  if (exhibit.handles !== true)
    test(
      'ends so where any of its calls fails',
      held(async () => {
        const world = new ZooWorld();
        const wanted = await alone(exhibit, world);
        for (const fault of FAULTS) {
          for (let call = 1; call <= world.calls.length; call += 1) {
            const { decided, ...came } = await run(exhibit, {
              world: new ZooWorld().fails(fault, call),
              effect: 'irreversible',
            });
            expect({ fault, call, ...came }).toEqual({ fault, call, ...wanted });
            expect(decided).toHaveLength(1);
          }
        }
      }),
    );

  const complaints = (['about the value', 'about the unit'] as const).flatMap((complains) =>
    ([undefined, 'complaining', 2, 5] as const).map((closes, index) => ({
      complains,
      ...(closes !== undefined && { closes }),
      redeliver: index % 2 === 0,
    })),
  );

  test(
    'ends so where what it looked at is found wrong, and what it sent can be undone',
    held(async () => {
      const wanted = await alone(exhibit, new ZooWorld());
      for (const how of complaints) {
        const { decided, ...came } = await run(exhibit, { world: lies(), effect: 'compensable', ...how });
        expect({ how, ...came }).toEqual({ how, ...wanted });
        expect(decided).toContain('restore_joint');
      }
    }),
  );

  test(
    'is parked there with what it sent standing, where that cannot be undone',
    held(async () => {
      const wrong = await alone(exhibit, lies());
      for (const how of complaints) {
        const { status, acts } = await run(exhibit, { world: lies(), effect: 'irreversible', ...how });
        expect({ how, status, acts }).toEqual({ how, status: 'parked', acts: wrong.acts });
      }
    }),
  );
});
