/** A complaint about an early round of a loop: all later rounds are claimed, in turns, and at a cost that is counted and not timed. */
import { afterEach, expect, test, vi } from 'vitest';
import { type AnyStateMachine, assign, setup, waitFor } from 'xstate';
import { Folding } from '../../src/history/context.ts';
import { Paged } from '../../src/history/paged.ts';
import { loadConfig, memoryStore } from '../../src/index.ts';
import { ContextReads } from '../../src/projection/set-aside/context-reads.ts';
import { SetAside } from '../../src/projection/set-aside/set-aside.ts';
import { Deciding } from '../../src/sidecar/failures/deciding.ts';
import { attach, tool } from '../../src/xstate/index.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const BAD = 2;
const { config } = loadConfig(
  `belay: 1
agent: long
tools: { look: { reads: [], writes: ['v/k{args.i}'], effect: none }, book: { reads: ['v/k{args.i}'], writes: ['b/k{args.i}'], effect: reversible, undo: undo } }
skeletons:
  One: { entity: string(args.i), states: [look, book], entry: [look], inputs: [i], outputs: ['v/k{entity}', 'b/k{entity}'], exit: [{ id: out, at: book -> next, when: 'true', outputs: [] }], rollback: { anchors: [out], resume: look } }
`,
  { file: 'long.yaml' },
);

interface Context {
  readonly i: number;
  readonly v: Readonly<Record<string, string>>;
  readonly b: Readonly<Record<string, string>>;
}

/** A loop of rounds, at its end. @param tick the milliseconds that pass at each look at the clock. */
async function rounds(n: number, tick = 0) {
  let [looks, now] = [0, Date.UTC(2030, 0, 1)];
  const booked: number[] = [];
  const set = (name: 'v' | 'b') =>
    assign({
      [name]: ({ context, event }: { context: Context; event: { output?: unknown } }) => ({
        ...context[name],
        [`k${context.i}`]: event.output,
      }),
    } as never);
  const look = tool(async ({ input }: { input: { i: number } }) => (input.i === BAD && looks++ === 0 ? 'bad' : 'good'));
  const book = tool(async ({ input }: { input: { i: number; v: string } }) => {
    booked.push(input.i);
    return `b${input.i}${input.v}`;
  });
  const machine = setup({ actors: { look, book } as never }).createMachine({
    id: 'long',
    context: { i: 0, v: {}, b: {} },
    initial: 'look',
    states: {
      look: {
        invoke: {
          src: 'look',
          input: ({ context }: { context: Context }) => ({ i: context.i }),
          onDone: { target: 'book', actions: set('v') },
        },
      },
      book: {
        invoke: {
          src: 'book',
          input: ({ context }: { context: Context }) => ({ i: context.i, v: context.v[`k${context.i}`] }),
          onDone: { target: 'next', actions: set('b') },
        },
      },
      next: {
        always: [
          {
            guard: ({ context }: { context: Context }) => context.i + 1 < n,
            target: 'look',
            actions: assign({ i: ({ context }: { context: Context }) => context.i + 1 } as never),
          },
          { target: 'hold' },
        ],
      },
      hold: {
        on: {
          tick: {
            actions: assign({
              v: ({ context, event }: { context: Context; event: { n?: number } }) => ({
                ...context.v,
                t: `${event.n}`,
              }),
            } as never),
          },
        },
      },
    },
  } as never) as unknown as AnyStateMachine;
  const sidecar = await attach(machine, {
    run: 'r',
    config: config as NonNullable<typeof config>,
    journal: memoryStore(),
    undo: { undo: () => {} },
    now: () => {
      now += tick;
      return now;
    },
  });
  sidecar.actor.start();
  const at = (is: (context: Context) => boolean) =>
    waitFor(
      sidecar.actor as never,
      ((snapshot: { value: unknown; context: Context }) => snapshot.value === 'hold' && is(snapshot.context)) as never,
    );
  await at(() => true);
  const complain = () =>
    sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'One', entity: `${BAD}` }, key: `v/k${BAD}` });
  return { sidecar, at, booked, complain };
}

const isGood = ({ b }: Context) => b[`k${BAD}`]?.endsWith('good') === true;

async function counted(n: number) {
  const it = await rounds(n);
  let [removed, copied] = [0, 0];
  const { remove } = Paged.prototype;
  vi.spyOn(Paged.prototype, 'remove').mockImplementation(function (this: Paged<object>, ...at) {
    // The list of one key of one round is short.
    if (this.end > 10) removed += 1;
    remove.apply(this, at);
  });
  const apply = Folding.prototype.apply;
  vi.spyOn(Folding.prototype, 'apply').mockImplementation(function (this: Folding, changes) {
    const before = this.copied;
    apply.call(this, changes);
    copied += this.copied - before;
  });
  await it.complain();
  await it.at(isGood);
  await it.sidecar.close();
  vi.restoreAllMocks();
  return { removed, copied };
}

/** The containers that are copied for a restore that takes back so many events from outside, each of which had changed the context. */
async function copiedWith(ticks: number) {
  const it = await rounds(5);
  for (let n = 0; n < ticks; n += 1) it.sidecar.actor.send({ type: 'tick', n } as never);
  let copied = 0;
  const { apply } = Folding.prototype;
  vi.spyOn(Folding.prototype, 'apply').mockImplementation(function (this: Folding, changes) {
    const before = this.copied;
    apply.call(this, changes);
    copied += this.copied - before;
  });
  await it.complain();
  vi.restoreAllMocks();
  await it.at(isGood);
  await it.sidecar.close();
  return copied;
}

test('the contexts that events met which a restore takes back are not copied event by event', async () => {
  expect((await copiedWith(60)) - (await copiedWith(20))).toBeLessThanOrEqual(5);
});

test('each later round costs the containers that its own steps change, and no list of accesses is cut round by round', async () => {
  const [short, long] = [await counted(20), await counted(40)];
  expect(long.removed).toBeLessThanOrEqual(short.removed);
  expect(long.copied - short.copied).toBeLessThanOrEqual(20 * 10);
});

test('others have their turn between the claims, and what they do meanwhile waits: nothing is done again but the round found wrong', async () => {
  const it = await rounds(30, 20);
  await it.complain();
  let turns = 0;
  let over = false;
  const others = (async () => {
    for (; !over; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  })();
  await it.at(isGood);
  over = true;
  await others;
  expect(turns).toBeGreaterThan(20);
  expect(it.booked).toEqual([...Array(30).keys(), BAD]);
  await it.sidecar.close();
});

test('a second complaint between two claims is answered, and every round ends as good as before', async () => {
  const it = await rounds(30, 20);
  await it.complain();
  await new Promise((resolve) => setImmediate(resolve));
  await it.sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'One', entity: '1' }, key: 'v/k1' });
  await it.at((context) => isGood(context) && Object.keys(context.b).length === 30);
  expect(it.booked.filter((round) => round > BAD).length).toBe(27);
  await it.sidecar.close();
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('others have their turn while it is decided', async () => {
  const it = await rounds(60, 20);
  let turns = 0;
  let isDecided = false;
  const decided = it.complain().then(() => {
    isDecided = true;
  });
  for (; !isDecided; turns += 1) await turn();
  await decided;
  expect(turns).toBeGreaterThan(3);
  await it.at(isGood);
  expect(it.booked).toEqual([...Array(60).keys(), BAD]);
  await it.sidecar.close();
});

test('a complaint that comes while another is decided counts for that decision: it is made anew', async () => {
  const inTurns = vi.spyOn(Deciding.prototype, 'inTurns');
  const it = await rounds(60, 20);
  const first = it.complain();
  while (inTurns.mock.calls.length === 0) await turn();
  const second = it.sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'One', entity: '1' }, key: 'v/k1' });
  await first;
  expect(inTurns.mock.calls.length).toBe(2);
  await second;
  await it.at((context) => isGood(context) && Object.keys(context.b).length === 60);
  expect(it.booked.filter((round) => round > BAD).length).toBe(57);
  await it.sidecar.close();
});

test('where others change something in each turn, it is decided in one go in the end', async () => {
  const inTurns = vi.spyOn(Deciding.prototype, 'inTurns');
  const it = await rounds(60, 20);
  let isDecided = false;
  const decided = it.complain().then(() => {
    isDecided = true;
  });
  for (; !isDecided; await turn()) if (inTurns.mock.calls.length > 0) it.sidecar.actor.send({ type: 'tick' } as never);
  await decided;
  expect(inTurns.mock.calls.length).toBe(4);
  await it.at(isGood);
  expect(it.booked).toEqual([...Array(60).keys(), BAD]);
  await it.sidecar.close();
});

test('the records of a restore are made once, before it, and others have their turn meanwhile', async () => {
  const it = await rounds(60, 20);
  const ahead = vi.spyOn(SetAside.prototype, 'recordAhead');
  const read = vi.spyOn(ContextReads.prototype, 'inPieces');
  let [turns, isRestored] = [0, false];
  const restored = it.complain().then(() => {
    isRestored = true;
  });
  for (; !isRestored; await turn()) if (ahead.mock.calls.length > 0) turns += 1;
  await restored;
  expect([ahead.mock.calls.length, read.mock.calls.length]).toEqual([1, 1]);
  // A record is a piece, and each of their reads.
  expect(turns).toBeGreaterThan(57);
  await it.at(isGood);
  expect(it.booked).toEqual([...Array(60).keys(), BAD]);
  await it.sidecar.close();
});

test('where something happens while they are made, the restore makes them anew: nothing is done again but the round found wrong', async () => {
  const it = await rounds(60, 20);
  const ahead = vi.spyOn(SetAside.prototype, 'recordAhead');
  const read = vi.spyOn(ContextReads.prototype, 'inPieces');
  let [isRestored, sent] = [false, 0];
  const restored = it.complain().then(() => {
    isRestored = true;
  });
  for (; !isRestored; await turn()) {
    if (ahead.mock.calls.length === 0 || sent > 0) continue;
    sent += 1;
    it.sidecar.actor.send({ type: 'tick', n: 7 } as never);
  }
  await restored;
  expect([sent, ahead.mock.calls.length, read.mock.calls.length]).toEqual([1, 1, 1]);
  await it.at(isGood);
  expect(it.booked).toEqual([...Array(60).keys(), BAD]);
  await it.sidecar.close();
});
