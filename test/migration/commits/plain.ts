/**
 * The oracle: a run without the sidecar. The machine before goes on up to a wait, and the machine of now from there, as xstate
 * restores it: the calls under way are made again. It knows no journal, no plan and no config.
 */
import { type AnyStateMachine, createActor } from 'xstate';
import { calm } from '../../poll.ts';
import { SUBJECTS, type World } from './agents.ts';
import { Holding, type Wait } from './held.ts';
import { type Commit, type Names, releasesOf } from './release.ts';

/** The end of a run: where it stands, its context, and what stands in the world. */
export interface End {
  readonly value: unknown;
  readonly context: unknown;
  readonly world: unknown;
}

type Plain = ReturnType<typeof createActor<AnyStateMachine>>;

/** Drives a run until it is over, stands at a wait, or does not go on. */
async function drive(actor: Plain, holding: Holding, events: Names, wait: Wait | null): Promise<Wait[]> {
  const waits: Wait[] = [];
  let before = '';
  for (let still = 0; still < 6; ) {
    const { status, value, context } = actor.getSnapshot();
    if (status !== 'active') break;
    const event = typeof value === 'string' ? events[value] : undefined;
    if (event !== undefined) {
      waits.push({ is: 'event', at: value as string, nth: 1 });
      if (wait?.is === 'event' && wait.at === value) break;
      actor.send({ type: event } as never);
    }
    await calm(2);
    const now = JSON.stringify([value, context, holding.met.length]);
    still = now === before && holding.underWay === 0 ? still + 1 : 0;
    before = now;
  }
  return waits;
}

async function endOf(actor: Plain, world: World): Promise<End> {
  const { value, context, error } = actor.getSnapshot() as { value: unknown; context: unknown; error?: unknown };
  if (error !== undefined) throw error;
  return { value, context, world: await world.standing() };
}

/** The waits of a run of the release before: each call, and each event that it waits for. */
export function waitsOf(agent: Commit['agent']): Promise<readonly Wait[]> {
  const found = known.get(agent) ?? metBy(agent);
  known.set(agent, found);
  return found;
}

const known = new Map<string, Promise<readonly Wait[]>>();

async function metBy(agent: Commit['agent']): Promise<readonly Wait[]> {
  const { before } = releasesOf({ agent, what: 'nothing' });
  const subject = SUBJECTS[agent];
  const world = await subject.open(before.config);
  try {
    const holding = new Holding(null, true);
    const machine = holding.around(world.connect(before.machine, before.config));
    const actor = createActor(machine, { input: world.input } as never) as Plain;
    actor.start();
    const events = await drive(actor, holding, subject.events, null);
    await endOf(actor, world);
    actor.stop();
    const gates = holding.met.filter(({ at }) => before.config.tools.get(at)?.gate != null);
    return [...holding.met, ...gates.map((wait) => ({ ...wait, is: 'gate' as const })), ...events];
  } finally {
    await world.close();
  }
}

/** The end of a run that is of the release before up to a wait, and of the release of now from there; an error where there is none. */
export async function switched(commit: Commit, wait: Wait, isMoved: boolean): Promise<End | Error> {
  const { before, now } = releasesOf(commit);
  const subject = SUBJECTS[commit.agent];
  const world = await subject.open(before.config);
  try {
    const holding = new Holding(wait, true);
    const first = createActor(holding.around(world.connect(before.machine, before.config)), {
      input: world.input,
    } as never) as Plain;
    first.start();
    await drive(first, holding, subject.events, wait);
    const left = renamedIn(first.getPersistedSnapshot() as unknown as Left, isMoved ? commit : {});
    first.stop();
    const { machine, config } = isMoved ? now : before;
    const rest = new Holding(null, true);
    const second = createActor(rest.around(world.connect(machine, config)), {
      input: world.input,
      snapshot: left,
    } as never) as Plain;
    second.start();
    await drive(second, rest, renamedEvents(subject.events, isMoved ? commit : {}), null);
    const end = await endOf(second, world);
    second.stop();
    return end;
  } catch (error) {
    return error as Error;
  } finally {
    await world.close();
  }
}

/** A snapshot, as xstate persists it. */
interface Left {
  readonly value: unknown;
  readonly context: Readonly<Record<string, unknown>>;
  readonly children: Readonly<Record<string, { readonly src: unknown }>>;
}

/** A snapshot in the names of now. */
function renamedIn(left: Left, { renamed = {} }: Pick<Commit, 'renamed'>): Left {
  const { states = {}, keys = {}, tools = {} } = renamed;
  const nameOf = (names: Names, name: string) => (Object.hasOwn(names, name) ? (names[name] as string) : name);
  const statesIn = (value: unknown): unknown =>
    typeof value === 'string'
      ? nameOf(states, value)
      : Object.fromEntries(
          Object.entries(value as object).map(([name, below]) => [nameOf(states, name), statesIn(below)]),
        );
  const context = Object.fromEntries(Object.entries(left.context).map(([key, value]) => [nameOf(keys, key), value]));
  const children = Object.entries(left.children).map(([id, child]) => {
    const [nth = '', machine = '', ...path] = id.split('.');
    const name = path.length === 0 ? id : [nth, machine, ...path.map((part) => nameOf(states, part))].join('.');
    return [name, { ...child, src: typeof child.src === 'string' ? nameOf(tools, child.src) : child.src }] as const;
  });
  return { ...left, value: statesIn(left.value), context, children: Object.fromEntries(children) };
}

/** The events that the states of now wait for. */
export function renamedEvents(events: Names, { renamed }: Pick<Commit, 'renamed'>): Names {
  const states = renamed?.states ?? {};
  return Object.fromEntries(Object.entries(events).map(([state, event]) => [states[state] ?? state, event]));
}
