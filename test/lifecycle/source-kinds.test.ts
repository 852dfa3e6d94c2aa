/** CH8: the kinds of sources, where they are started, and the losses that are told. */
import { describe, expect, test } from 'vitest';
import {
  type AnyActorLogic,
  assign,
  forwardTo,
  fromCallback,
  fromEventObservable,
  fromObservable,
  sendTo,
  stopChild,
} from 'xstate';
import { resume, type Sidecar } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { Dying } from '../semantics/dying.ts';
import { calls, configOf, held, machineOf, run, World } from '../semantics/little.ts';

type Say = (i: number) => void;
type Context = { readonly got: readonly number[] };

/** A source of some kind, one way to have it say a number for each of its lives. */
class Feed {
  readonly lives: Say[] = [];
  readonly heard: string[] = [];

  get say(): Say {
    return (i) => this.lives.at(-1)?.(i);
  }

  readonly callback = fromCallback(({ sendBack, receive }) => {
    this.lives.push((i) => sendBack({ type: 'CHUNK', i } as never));
    receive(({ type }) => void this.heard.push(`${this.lives.length}: ${type}`));
  });

  readonly events = fromEventObservable(() => this.#observable((i) => ({ type: 'CHUNK', i })) as never);
  readonly values = fromObservable(() => this.#observable((i) => i) as never);

  #observable(of: (i: number) => unknown) {
    return {
      subscribe: ({ next }: { next(value: unknown): void }) => {
        this.lives.push((i) => next(of(i)));
        return { unsubscribe: () => {} };
      },
    };
  }
}

const take = {
  actions: assign({
    got: ({ context, event }: { context: Context; event: { i: number } }) => [...context.got, event.i],
  } as never),
};
/** The same, of what was booked as it came: it goes back with the booking. */
const takeOf = {
  actions: assign({
    got: ({ context, event }: { context: Context; event: { i: number } }) => [...context.got, event.i],
    of: ({ context }: { context: Context & { booking?: unknown } }) => context.booking,
  } as never),
};
const shown = {
  actions: assign({
    got: ({ context, event }: { context: Context; event: { snapshot: { context?: number } } }) => [
      ...context.got,
      // It begins with a snapshot that has no value.
      ...[event.snapshot.context ?? []].flat(),
    ],
  } as never),
};
const over = { type: 'final' };
const BOOK = 'writes: [booking], effect: none';

/** Book, then wait for GO, beside a region of its own. */
function beside(feed: AnyActorLogic, region: object) {
  const world = new World();
  const trip = {
    initial: 'booking',
    states: { booking: calls('book', 'booking', 'wait'), wait: { on: { GO: 'over' } }, over },
  };
  const work = { type: 'parallel', states: { trip, text: region }, onDone: 'end' };
  const machine = machineOf(
    { book: world.tool('book'), feed },
    { context: { got: [] }, initial: 'work', states: { work, end: over } },
  );
  const unit = { states: ['work.trip.booking'], at: 'work.trip.booking -> work.trip.wait', writes: ['booking'] };
  return { world, machine, config: configOf({ book: BOOK, feed: 'effect: none' }, { Trip: unit }) };
}

async function started({ machine, config }: Pick<ReturnType<typeof beside>, 'machine' | 'config'>) {
  const found: string[] = [];
  const it = await run(machine, config, {
    onFinding: ({ code }) => void (code.startsWith('source_') && found.push(code)),
  });
  return { ...it, found, got: () => (it.context() as unknown as Context).got };
}

describe('CH8: chunks of each kind are handed on again', () => {
  const kinds = [
    ['a callback', 'callback', {}, { CHUNK: take }],
    ['an observable of events', 'events', {}, { CHUNK: take }],
    ['an observable of values', 'values', { onSnapshot: shown }, {}],
  ] as const;

  test.each(kinds)('%s', async (_, kind, invoked, on) => {
    const feed = new Feed();
    const gathering = { invoke: { src: 'feed', ...invoked }, on };
    const agent = beside(feed[kind] as AnyActorLogic, { initial: 'gathering', states: { gathering } });
    const it = await started(agent);
    await until(() => agent.world.count('book') === 1 && JSON.stringify(it.value()).includes('wait'));
    feed.say(1);
    feed.say(2);
    expect(it.got()).toEqual([1, 2]);
    const failed = it.wrong('Trip', 'booking');
    feed.say(3);
    await failed;
    await until(() => agent.world.count('book') === 2 && JSON.stringify(it.value()).includes('wait'));
    feed.say(4);
    expect([it.got(), feed.lives.length, it.found]).toEqual([[1, 2, 3, 4], 1, []]);
  });
});

/** booking; reading: a feed that the root, or the step into `reading`, has spawned. */
function inTurn(feed: Feed, isSpawnedLate: boolean) {
  const world = new World();
  const spawned = { feed: ({ spawn }: { spawn(src: string): unknown }) => spawn('feed') };
  const booking = calls('book', 'booking', 'reading', [], isSpawnedLate ? [assign(spawned as never)] : []);
  const machine = machineOf(
    { book: world.tool('book'), feed: feed.callback },
    {
      context: isSpawnedLate
        ? { got: [] }
        : ({ spawn }: { spawn(src: string): unknown }) => ({ got: [], feed: spawn('feed') }),
      initial: 'booking',
      states: { booking, reading: { on: { CHUNK: take, GO: 'over' } }, over },
    },
  );
  const unit = { states: ['booking'], at: 'booking -> reading', writes: ['booking', 'feed'] };
  return { world, machine, config: configOf({ book: BOOK, feed: 'effect: none' }, { Trip: unit }) };
}

describe('CH8: a spawned source', () => {
  test('lives on where its start stands: its chunks wait for the state that took them, in order', async () => {
    const feed = new Feed();
    const agent = inTurn(feed, false);
    const it = await started(agent);
    await it.at('reading');
    feed.say(1);
    feed.say(2);
    await it.wrong('Trip', 'booking');
    feed.say(3);
    await until(() => agent.world.count('book') === 2 && it.value() === 'reading');
    await until(() => it.got().length === 3);
    feed.say(4);
    expect([it.got(), feed.lives.length, it.found]).toEqual([[1, 2, 3, 4], 1, ['source_waits']]);
  });

  test('is begun anew where its start goes back, and nothing of its old life stands', async () => {
    const feed = new Feed();
    const agent = inTurn(feed, true);
    const it = await started(agent);
    await it.at('reading');
    feed.say(1);
    const old = feed.say;
    const [first] = feed.lives;
    await it.wrong('Trip', 'booking');
    await until(() => feed.lives.length === 2);
    first?.(2);
    old(1);
    expect([it.value(), it.got(), it.found]).toEqual(['reading', [1], []]);
  });
});

describe('CH8: what a source was told', () => {
  /** look; book, each of which tells the feed. */
  function telling(action: object) {
    const feed = new Feed();
    const world = new World();
    const a = {
      initial: 'look',
      states: {
        look: calls('look', 'seen', 'book', [], [sendTo('feed', { type: 'SEEN' })]),
        book: calls('book', 'booking', 'wait', [], [action]),
        wait: {},
      },
    };
    const b = { on: { CHUNK: take } };
    const machine = machineOf(
      { look: world.tool('look'), book: world.tool('book'), feed: feed.callback },
      { context: { got: [] }, type: 'parallel', invoke: { src: 'feed', id: 'feed' }, states: { a, b } },
    );
    const config = configOf(
      { look: 'writes: [seen], effect: none', book: BOOK, feed: 'effect: none' },
      {
        Look: { states: ['a.look'], at: 'a.look -> a.book', writes: ['seen'] },
        Trip: { states: ['a.book'], at: 'a.book -> a.wait', writes: ['booking'] },
      },
    );
    return { feed, world, machine, config };
  }

  test.each([
    ['sendTo', sendTo('feed', { type: 'BOOKED' }), 'BOOKED'],
    ['forwardTo', forwardTo('feed'), 'xstate.done.actor.0.m.a.book'],
  ] as const)(
    'by %s goes back with its step: it is begun anew, and what kept steps have told it is said to be missing',
    async (_, action, type) => {
      const agent = telling(action);
      const it = await started(agent);
      await it.at({ a: 'wait', b: {} });
      agent.feed.say(1);
      await it.wrong('Trip', 'booking');
      await until(() => agent.world.count('book') === 2 && JSON.stringify(it.value()).includes('wait'));
      agent.feed.say(1);
      expect([it.got(), agent.feed.lives.length, it.found]).toEqual([[1], 2, ['source_begun_anew']]);
      expect(agent.feed.heard).toEqual(['1: SEEN', `1: ${type}`, `2: ${type}`]);
    },
  );
});

test('CH8: a source that is over when its chunk goes back is begun anew: its end goes back, too', async () => {
  const feed = new Feed();
  const world = new World();
  const trip = { initial: 'booking', states: { booking: calls('book', 'booking', 'wait'), wait: {} } };
  const stop = {
    initial: 'stopping',
    states: { stopping: calls('stop', 'said', 'stopped', [], [stopChild('feed')]), stopped: {} },
  };
  const answers = [held(), held()];
  const machine = machineOf(
    { book: world.tool('book'), stop: world.tool('stop', ({ nth }) => answers[nth]?.promise), feed: feed.callback },
    {
      context: ({ spawn }: { spawn(src: string, options: object): unknown }) => ({
        got: [],
        feed: spawn('feed', { id: 'feed' }),
      }),
      type: 'parallel',
      states: { trip, stop, text: { on: { CHUNK: takeOf } } },
    },
  );
  const config = configOf(
    { book: BOOK, stop: 'writes: [said], effect: none', feed: 'effect: none' },
    {
      Trip: {
        states: ['trip.booking'],
        at: 'trip.booking -> trip.wait',
        writes: ['booking'],
        rollback: 'joint: [Stop]',
      },
      Stop: { states: ['stop.stopping'], at: 'stop.stopping -> stop.stopped', writes: ['said'] },
    },
  );
  const it = await started({ machine, config });
  await until(() => JSON.stringify(it.value()).includes('wait'));
  feed.say(1);
  answers[0]?.resolve('stop');
  await until(() => JSON.stringify(it.value()).includes('stopped'));
  await it.wrong('Trip', 'booking');
  await until(() => world.count('book') === 2 && JSON.stringify(it.value()).includes('wait'));
  feed.say(1);
  expect([feed.lives.length, it.got(), it.found]).toEqual([2, [1], []]);
});

test('CH8: work that received what a source said on an undone telling is not set aside', async () => {
  const feed = new Feed();
  const world = new World();
  const told = [sendTo('feed', { type: 'BOOKED' })];
  const gathering = { on: { CHUNK: { ...take, target: 'over' } } };
  const machine = machineOf(
    { book: world.tool('book'), feed: feed.callback },
    {
      context: { got: [] },
      invoke: { src: 'feed', id: 'feed' },
      initial: 'booking',
      states: { booking: calls('book', 'booking', 'gathering', [], told), gathering, over: {} },
    },
  );
  const config = configOf(
    { book: BOOK, feed: 'effect: none' },
    {
      Trip: { states: ['booking'], at: 'booking -> gathering', writes: ['booking'], rollback: 'joint: [Text]' },
      Text: { states: ['gathering'], at: 'gathering -> over', writes: ['got'], reads: ['got'] },
    },
  );
  const it = await started({ machine, config });
  await it.at('gathering');
  feed.say(1);
  await it.at('over');
  await it.wrong('Trip', 'booking');
  await until(() => world.count('book') === 2 && it.value() !== 'booking');
  expect([it.value(), it.got(), it.aside()]).toEqual(['gathering', [], []]);
  feed.say(7);
  expect([it.value(), it.got(), feed.lives.length]).toEqual(['over', [7], 2]);
});

test('CH8: chunks of a process that is over do not come again, and that is told', async () => {
  const feed = new Feed();
  const agent = beside(feed.callback as AnyActorLogic, {
    initial: 'gathering',
    states: { gathering: { invoke: { src: 'feed' }, on: { CHUNK: takeOf } } },
  });
  const dying = new Dying(agent.machine, agent.config);
  const first = await dying.attached();
  first.actor.start();
  await until(() => JSON.stringify(first.actor.getSnapshot()).includes('wait'));
  feed.say(1);
  first.actor.stop();
  const found: string[] = [];
  const second = (await resume(agent.machine, {
    run: 'r',
    config: agent.config,
    journal: await dying.store.next('r'),
    onFinding: ({ code }: { code: string }) => void found.push(code),
  } as never)) as unknown as Sidecar;
  second.actor.start();
  const got = () => (second.actor.getSnapshot() as { context: Context }).context.got;
  feed.say(2);
  expect([got(), feed.lives.length]).toEqual([[1, 2], 2]);
  await second.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Trip', entity: 'it' }, key: 'booking' });
  await until(() => agent.world.count('book') === 2);
  expect([got(), feed.lives.length, found]).toEqual([[2], 2, ['source_lost']]);
});
