/** A flow of three steps that gets a fourth one behind a marker, run by processes that die, before and behind the change (CO8). */

import { loadConfig } from '../../src/boundaries/load.ts';
import { type AttachedFlow, type Flow, flow } from '../../src/flow/flow.ts';
import { gathered } from '../../src/journal/gathered.ts';
import { readRun } from '../../src/sidecar/opening/read-run.ts';
import { until } from '../poll.ts';
import { type Death, MortalStore } from '../simulation/mortal-store.ts';

export const OLD = ['quote', 'pay', 'ship'] as const;
export const NEW = 'check';

/** The place of the new step, as the number of steps in front of it. */
export type Place = 0 | 1 | 2 | 3;

export interface Marked {
  readonly place: Place;
  /** True where the function receives a turn in front of its second step. */
  readonly receives: boolean;
  readonly death: Death | null;
  /** The append, from the takeover on, at which the second process dies. */
  readonly again: Death | null;
  /** The step that is found wrong, once the function has returned from it to the end, or before. */
  readonly failure: string | null;
}

/** The end of a run, and what stands in the world. */
export interface Ended {
  readonly status: string;
  readonly why: string;
  readonly acts: Readonly<Record<string, number>>;
  /** The order of the steps as the function took them last. */
  readonly went: readonly string[];
  readonly isLeft: boolean;
  /** True where the function before the change had come past the place of the marker. */
  readonly hadPassed: boolean;
  readonly isKilled: boolean;
}

const TOOLS = [...OLD, NEW];
const text = `belay: 1
agent: desk
tools:
${TOOLS.map((name) => `  ${name}: { reads: [input, steps], writes: [steps/${name}], effect: idempotent }`).join('\n')}
skeletons:
${TOOLS.map(
  (name) => `  ${name.toUpperCase()}:
    entity: '"it"'
    states: [${name}]
    entry: [${name}]
    outputs: [steps/${name}]
    exit: [{ id: left, at: ${name}, when: 'memory.steps.?${name}.hasValue()' }]
    rollback: { anchors: [left], resume: ${name} }
`,
).join('')}`;
const { config } = loadConfig(text, { file: 'desk.yaml' });

/** What the function has come to, over all its entries. */
interface Way {
  /** The steps that its last entry was answered. */
  steps: string[];
  /** The receive in which it waits. */
  at: 'none' | 'first' | 'last';
  entries: number;
}

/** The function before the change, and behind it. */
function bodyOf(world: Map<string, Set<string>>, way: Way, place: Place | null, receives: boolean): Flow<string> {
  return flow<string>('desk', async (step, input, receive) => {
    Object.assign(way, { steps: [], at: 'none', entries: way.entries + 1 });
    const { steps } = way;
    const take = async (name: string) => {
      await step(name, { input }, async ({ key = '' }) => {
        world.set(name, (world.get(name) ?? new Set()).add(key));
        return `${name} done`;
      });
      steps.push(name);
    };
    for (const [index, name] of OLD.entries()) {
      if (place === index && step.since('check')) await take(NEW);
      if (receives && index === 1) {
        way.at = 'first';
        await receive('next');
        way.at = 'none';
      }
      await take(name);
    }
    if (place === 3 && step.since('check')) await take(NEW);
    way.at = 'last';
    await receive('over');
    return 'over';
  });
}

/** The processes of one run. */
class Processes {
  readonly world = new Map<string, Set<string>>();
  readonly way: Way = { steps: [], at: 'none', entries: 0 };
  readonly store: MortalStore;
  isDead = false;
  readonly #receives: boolean;

  constructor({ death, receives }: Marked) {
    this.store = new MortalStore(death === null ? [] : [death]);
    this.#receives = receives;
  }

  /** Opens the run by the next process; null where that dies of it. */
  async open(place: Place | null): Promise<AttachedFlow | null> {
    this.isDead = false;
    this.way.at = 'none';
    const died = new Promise<null>((resolve) => {
      this.store.onDeath = () => {
        this.isDead = true;
        resolve(null);
      };
    });
    const of = bodyOf(this.world, this.way, place, this.#receives);
    const options = { run: 'r', config: config as never, journal: await this.store.next('r'), input: 'lamp' };
    const opened = of.resume({ ...options, said: 'rewritten' });
    opened.catch(() => {});
    return Promise.race([opened, died]);
  }

  /** Hands the run the turn that it waits for, up to its last receive or to its end, unless it parks or its process dies. */
  async drive(run: AttachedFlow, to: 'last' | 'over', after = 0): Promise<void> {
    const handed = new Set<Way['at']>();
    const hand = (at: Way['at']) => {
      if (handed.has(at) || this.way.at !== at) return;
      handed.add(at);
      void run.invoke(at, { id: at }).catch(() => {});
    };
    await until(
      () => {
        hand('first');
        if (to === 'over') hand('last');
        const isThere = to === 'last' ? this.way.at === 'last' && this.way.entries > after : run.status === 'done';
        return isThere || this.isDead || ['parked', 'stuck', 'done'].includes(run.status);
      },
      () => `the run is ${run.status}, and went ${this.way.steps.join(', ')}, at ${this.way.at}`,
    );
  }
}

/** True where a run has come past the place of a marker: it was given an input behind it, has acted behind it, or its journal has the end of a turn there. */
async function isPast({ world, store }: Processes, { place, receives }: Marked): Promise<boolean> {
  const { runState } = readRun(await gathered((await store.next('r')).read('r')));
  // What a process that has died goes on with in memory is not in its journal.
  const [root] = runState.actors;
  const isEnded = root?.value === 'end' && (place <= 1 || world.has('ship'));
  const { turns = {} } = (root?.context ?? {}) as { readonly turns?: object };
  const isReceived = receives && place <= 1 && Object.keys(turns).length > 0;
  return isReceived || isEnded || OLD.some((name, index) => index >= place && world.has(name));
}

/** Plays one run: the function before the change, a death, the function behind it, another death, a complaint, and its end. */
export async function marked(one: Marked): Promise<Ended> {
  const run = new Processes(one);
  const first = one.death === null ? null : await run.open(null);
  if (first !== null) await run.drive(first, 'last');
  const isLeft = run.isDead;
  const hadPassed = first !== null && (await isPast(run, one));
  if (first !== null && !isLeft) await first.close();
  const { appends } = run.store;
  if (one.again !== null) run.store.kill({ ...one.again, append: appends + one.again.append });
  const next = async (): Promise<AttachedFlow> => (await run.open(one.place)) ?? next();
  let now = await next();
  const driven = async (to: 'last' | 'over', after = 0): Promise<void> => {
    await run.drive(now, to, after);
    if (!run.isDead) return;
    now = await next();
    await driven(to);
  };
  await driven('last');
  if (one.failure !== null && now.status !== 'parked') {
    const { entries } = run.way;
    const instance = { skeleton: one.failure.toUpperCase(), entity: 'it' };
    let answer: 'none' | 'taken' | 'refused' = 'none';
    void now.fail('CONTRACT_VIOLATION', { instance }).then(
      () => {
        answer = 'taken';
      },
      () => {
        answer = 'refused';
      },
    );
    await until(() => run.isDead || answer !== 'none');
    if ((answer as string) !== 'refused') await driven('last', entries);
  }
  await driven('over');
  const report = run.isDead ? null : await now.finished();
  const why = report !== null && 'over' in report ? report.over.join('; ') : '';
  const { status } = now;
  await now.close().catch(() => {});
  const acts = Object.fromEntries(TOOLS.map((name) => [name, run.world.get(name)?.size ?? 0]));
  const isKilled = one.again !== null && run.store.appends - appends >= one.again.append;
  return { status, why, acts, went: [...run.way.steps], isLeft, hadPassed, isKilled };
}

/** A flow that ships three items: it gets a check of each behind one marker, once its process has died, and that dies as well. */
export async function rounds(append: number, again: number) {
  const store = new MortalStore([{ append, when: 'after' }]);
  const ships = new Map<string, Set<string>>();
  let [isDead, isOver, came] = [false, false, [] as string[]];
  const body = (isNew: boolean) =>
    flow<string>('desk', async (step, input) => {
      came = [];
      const take = async (name: string) => {
        await step(
          name,
          { input },
          async ({ key = '' }) => void ships.set(name, (ships.get(name) ?? new Set()).add(key)),
        );
        came.push(name);
      };
      for (const item of ['a', 'b', 'c']) {
        if (isNew && step.since('checks')) await take(`check@${item}`);
        await take(`ship@${item}`);
      }
      isOver = true;
    });
  let why = '';
  const live = async (isNew: boolean): Promise<void> => {
    isDead = false;
    store.onDeath = () => {
      isDead = true;
    };
    const journal = await store.next('r');
    const options = { run: 'r', config: config as never, journal, input: 'lamp' };
    let run: AttachedFlow | null = null;
    let ending: unknown = null;
    void body(isNew)
      .resume({ ...options, onDecision: ({ error }) => (why = error) })
      .then(
        (opened) => {
          run = opened;
          void opened.finished().then(
            (end) => (ending = end),
            () => {},
          );
        },
        () => {},
      );
    await until(() => isDead || ending !== null);
    if (!isDead) await (run as AttachedFlow | null)?.close();
    else if (isNew) await live(true);
  };
  await live(false);
  if (isDead) {
    store.kill({ append: store.appends + again, when: 'after' });
    await live(true);
  }
  return { came, why, isOver, ships: ['a', 'b', 'c'].map((item) => ships.get(`ship@${item}`)?.size ?? 0) };
}
