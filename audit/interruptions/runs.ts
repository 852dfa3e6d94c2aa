/** The runs of the study: an agent by a plain runtime, and under Belay, in worlds of their own. */
import { type BoundaryConfig, instanceName, memoryStore } from 'belay-sidecar';
import { attach, type OpenAgent, type Sidecar } from 'belay-sidecar/xstate';
import { type AnyActor, type AnyStateMachine, createActor, type Snapshot } from 'xstate';
import { fieldOf } from '../../domains/there.ts';
import { inWorld, rowsOf } from '../run.ts';
import type { Rows } from '../worlds.ts';
import { type Approval, type Driven, drive, type Interruption, type Rested, type Said } from './drive.ts';
import { APPROVING, type Fixture, hearing, steeredConfig } from './fixtures.ts';
import { Gate, type GatedCall } from './gate.ts';

/** What is said to a run. */
export interface Script {
  readonly input: object;
  readonly said: readonly Said[];
  readonly approval: Approval;
}

/** The end of a run. */
export interface Ran extends Rested {
  readonly memory: unknown;
  readonly world: Rows;
  readonly calls: readonly GatedCall[];
}

/** A snapshot of a plain run, the number of answers by then, and the calls that were under way. */
export interface Kept {
  readonly moment: number;
  readonly pending: readonly GatedCall[];
  readonly snapshot: Snapshot<unknown>;
}

/** A plain run from its start to its end. */
export interface Plain extends Ran {
  readonly kept: readonly Kept[];
  readonly answers: readonly GatedCall[];
}

function callsOf(actor: AnyActor): number {
  const children = Object.values(Object(fieldOf(actor.getSnapshot(), 'children')));
  return children.filter((child) => fieldOf(Object(child).getSnapshot(), 'status') === 'active').length;
}

function isIn(actor: AnyActor, state: string): boolean {
  return JSON.stringify(fieldOf(actor.getSnapshot(), 'value'))?.includes(`"${state}"`) ?? false;
}

/** A plain actor, as it is driven. */
function plainly(actor: AnyActor): Driven {
  return {
    calls: () => callsOf(actor),
    isIn: (state) => isIn(actor, state),
    isOver: () => actor.getSnapshot().status !== 'active',
    say: async ({ event }) => actor.send(event),
  };
}

/** Starts a machine by a plain runtime, or goes on from a snapshot. */
function begin(machine: AnyStateMachine, from: Snapshot<unknown> | null, input: unknown): AnyActor {
  const actor = createActor(machine, from === null ? { input } : { snapshot: from });
  actor.subscribe({ error: () => {} });
  actor.start();
  return actor;
}

/** Runs an agent by a plain runtime, from its start to its end. @returns the run, and its snapshots at each moment. */
export function plain(fixture: Fixture, script: Script): Promise<Plain> {
  return inWorld(fixture.agent, script.input, async (opened) => {
    const gate = new Gate();
    const machine = hearing(gate.before(opened.machine), fixture);
    const actor = begin(machine, null, opened.input);
    const kept: Kept[] = [];
    const keeping: Driven = {
      ...plainly(actor),
      stands(moment) {
        kept.push({ moment, pending: gate.pending, snapshot: actor.getPersistedSnapshot() });
      },
    };
    const rested = await drive(keeping, gate, { ...script, approving: APPROVING }, null);
    const memory = actor.getSnapshot().context;
    return { ...rested, kept, memory, world: await rowsOf(opened), calls: gate.calls, answers: gate.answers };
  });
}

/** True for a run that an error of its machine has ended: nothing of it goes on. */
export function hasThrown({ kept }: Pick<Plain, 'kept'>): boolean {
  return kept.at(-1)?.snapshot.status === 'error';
}

/** What a runtime without a ledger does with new words. */
export interface WayOn {
  /** The snapshot that it goes on from; null for the start. */
  readonly from: Snapshot<unknown> | null;
  /** The answers by then. */
  readonly moment: number;
  /** The calls that it undoes before, the last one first; of the calls that have acted by then. */
  undone(gate: Gate): readonly GatedCall[];
  /** The calls that are under way and go on. */
  goesOn(gate: Gate): readonly GatedCall[];
  /** The script from there on. */
  readonly script: Script;
}

/** Runs an agent up to a moment, and goes on in the same world in another way. */
export function interrupted(
  fixture: Fixture,
  script: Script,
  { at, made }: Pick<Interruption, 'at' | 'made'>,
  way: WayOn,
): Promise<Ran & Pick<UnderBelay, 'done'>> {
  return inWorld(fixture.agent, script.input, async (opened) => {
    const gate = new Gate();
    const actor = begin(hearing(gate.before(opened.machine), fixture), null, opened.input);
    const act = async () => void actor.stop();
    await drive(plainly(actor), gate, { ...script, approving: APPROVING }, { at, made, act }, true);
    const undo = undoing(opened, steered(fixture));
    const { done } = gate;
    for (const call of way.undone(gate)) await undo(call);
    const kept = way.goesOn(gate);
    const again = new Gate('again', kept);
    const { said, approval } = way.script;
    const input = Object.assign({}, opened.input, way.script.input);
    const next = begin(hearing(again.before(opened.machine), fixture), way.from, input);
    const due = said.filter((word) => word.at >= way.moment).map((word) => ({ ...word, at: word.at - way.moment }));
    const rested = await drive(plainly(next), again, { said: due, approval, approving: APPROVING }, null);
    const memory = next.getSnapshot().context;
    const calls = [...gate.calls.filter((call) => !kept.includes(call)), ...again.calls];
    return { ...rested, memory, world: await rowsOf(opened), calls, done: done.filter((call) => !kept.includes(call)) };
  });
}

/** Undoes calls by the undos of an agent, as its config names them. */
function undoing({ undo = {} }: OpenAgent, config: BoundaryConfig): (call: GatedCall) => Promise<void> {
  return async ({ tool, input: args, key, output, made }) => {
    const name = config.tools.get(tool)?.undo;
    const known = typeof name === 'string' ? undo[name] : undefined;
    if (!made || known === undefined) return;
    const act = typeof known === 'function' ? known : known.undo;
    // What cannot be undone any more stands: the world shows it.
    await Promise.resolve()
      .then(() => act({ key, undoKey: `undo:${key}`, tool, args, output }))
      .catch(() => {});
  };
}

const configs = new Map<string, BoundaryConfig>();

/** The config of an agent, which hundreds of runs share: made once. */
export function steered(fixture: Fixture): BoundaryConfig {
  const known = configs.get(fixture.name) ?? steeredConfig(fixture);
  configs.set(fixture.name, known);
  return known;
}

/** The part of a sidecar that an interruption speaks to. */
export type Steered = Pick<Sidecar, 'send' | 'revise' | 'retract' | 'confirm' | 'events' | 'preview'>;

/** A run under Belay, and what its journal and its answers say. */
export interface UnderBelay extends Ran {
  /** The calls that had acted by the interruption. */
  readonly done: readonly GatedCall[];
  readonly confirmed: number;
  /** The unit of work that a call belongs to, by what the call was asked. */
  readonly units: ReadonlyMap<string, string>;
  /** True if the act has moved the machine or the world by its answer. */
  readonly moved: boolean;
  /** `parked` and the like, where it stands still with a question. */
  readonly status: string;
}

/** Runs an agent under Belay, with an interruption. */
export function underBelay(
  fixture: Fixture,
  script: Script,
  { at, made }: Pick<Interruption, 'at' | 'made'>,
  act: (sidecar: Steered, input: object) => Promise<void>,
  stop = false,
): Promise<UnderBelay> {
  return inWorld(fixture.agent, script.input, async (opened) => {
    const gate = new Gate();
    const { input, reconcilers = {}, undo = {}, buffers = {}, checks = {} } = opened;
    const machine = hearing(gate.before(opened.machine), fixture);
    const journal = memoryStore();
    const units = new Map<string, string>();
    const options = { run: 'audit', journal, config: steered(fixture), input, reconcilers, undo, buffers, checks };
    const sidecar = await attach(machine, {
      ...options,
      governor: async ({ tool, args, instance }) => {
        units.set(`${tool} ${JSON.stringify(args)}`, instanceName(instance));
        return null;
      },
    });
    let [isOver, confirmed] = [false, 0];
    let done: readonly GatedCall[] = [];
    void sidecar.finished().then(
      () => {
        isOver = true;
      },
      () => {
        isOver = true;
      },
    );
    sidecar.actor.start();
    const run: Driven = {
      calls: () => callsOf(sidecar.actor),
      isIn: (state) => isIn(sidecar.actor, state),
      isOver: () => isOver,
      // A commit is published, or a restore is carried out: no call of the machine shows it.
      isBusy: () => sidecar.status === 'ending' || sidecar.status === 'recovering',
      say: async ({ event, id, by }) => void (await sidecar.send(event, { id, by })),
      async confirm(id) {
        const waits = sidecar.events().find((event) => event.name === id && event.is === 'taken_back');
        if (waits === undefined) return false;
        confirmed += 1;
        await sidecar.confirm(id, waits.by === null ? {} : { by: waits.by });
        return true;
      },
    };
    let moved = false;
    const standing = async () => {
      const snapshot = sidecar.actor.getSnapshot();
      return JSON.stringify([fieldOf(snapshot, 'value'), fieldOf(snapshot, 'context'), await rowsOf(opened)]);
    };
    const interruption = {
      at,
      made,
      async act() {
        done = gate.done;
        const before = await standing();
        await act(sidecar, Object(input));
        moved = before !== (await standing());
      },
    };
    const rested = await drive(run, gate, { ...script, approving: APPROVING }, interruption, stop);
    const status = sidecar.status;
    const memory = fieldOf(sidecar.actor.getSnapshot(), 'context');
    const world = await rowsOf(opened);
    await sidecar.close();
    await journal.close();
    return { ...rested, status, memory, world, calls: gate.calls, done, confirmed, units, moved };
  });
}
