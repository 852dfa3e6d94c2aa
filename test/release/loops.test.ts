/** Early release in machines that go round three times (semantics.md ER1 to ER9): with deaths at each append, complaints, persons who free, and two runs. */
import { expect, test } from 'vitest';
import { type AnyStateMachine, assign, setup } from 'xstate';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { tool } from '../../src/xstate/tool.ts';
import { Life, moved } from './trial.ts';
import { type Act, type Claiming, type Done, World } from './world.ts';

const ROUNDS = 3;
const change = (key: string, promises = false): Act => ({ is: 'change', key, promises });

/** A machine that begins anew behind its last act, as often as it is told to. */
function looping(world: World, run: string, acts: readonly Act[], isDead = () => false): AnyStateMachine {
  const made = (act: Act, nth: number) => async (call: ToolCall<string>) =>
    isDead() ? await new Promise<string>(() => {}) : world.act(run, nth, act, call);
  const actors = Object.fromEntries(acts.map((act, nth) => [`act${nth}`, tool(made(act, nth))]));
  const last = acts.length - 1;
  const states = acts.map((_, nth) => ({
    [`s${nth}`]: {
      invoke: {
        src: `act${nth}`,
        input: ({ context }: { context: Record<string, string> }) => context[`u${nth === 0 ? last : nth - 1}`] ?? '0',
        onDone: {
          target: `w${nth}`,
          actions: assign(({ event }: { event: unknown }) => ({ [`u${nth}`]: (event as { output: string }).output })),
        },
      },
    },
    [`w${nth}`]: { on: { go: nth === last ? 'end' : `s${nth + 1}`, again: `s${nth === last ? 0 : nth + 1}` } },
  }));
  return setup({ types: { context: {} as Record<string, string> }, actors: actors as never }).createMachine({
    id: 'meets',
    context: {},
    initial: 'idle',
    states: Object.assign({ idle: { on: { go: 's0', again: 's0' } }, end: { type: 'final' } }, ...states),
  } as never) as unknown as AnyStateMachine;
}

type Fault = 'none' | 'die' | 'fail' | 'free' | 'lose';

interface Case {
  readonly acts: readonly (readonly Act[])[];
  readonly claiming: Claiming;
  readonly fault: Fault;
  /** The number of the move before which it happens, and the append at which a process dies, or the round whose act is found wrong. */
  readonly before: number;
  readonly append: number;
}

/** What happens to the first run of a case. */
async function struck(first: Life, { fault, append }: Case): Promise<void> {
  if (fault === 'die') await moved(first, { run: 0, is: 'die', append });
  else if (fault === 'fail') await moved(first, { run: 0, is: 'fail', act: 0, ordinal: append });
  else if (fault !== 'none') await moved(first, { run: 0, is: fault });
}

/** Three rounds of each run, one act of each in turn. */
async function play(one: Case) {
  const { acts, claiming, before } = one;
  const [world, store] = [new World(), memoryStore()];
  const lives = acts.map(
    (own, run) => new Life(`run-${'abc'[run]}`, { world, store, make: looping }, own, { ...claiming, loops: true }),
  );
  for (const life of lives) await life.open('attach');
  const moves = Math.max(...acts.map(({ length }) => length)) * ROUNDS;
  // A call that waits has been asked for already.
  const turn = async (life: Life, run: number, is: 'again' | 'go') => {
    if (!(await life.isWaiting())) await moved(life, { run, is });
  };
  for (let move = 0; move < moves * lives.length; move += 1) {
    if (move === before) await struck(lives[0] as Life, one);
    await turn(lives[move % lives.length] as Life, move % lives.length, 'again');
  }
  for (let move = 0; move < 4 * lives.length; move += 1)
    await turn(lives[move % lives.length] as Life, move % lives.length, 'go');
  const stands = lives.map(({ isGone, sidecar }) => (isGone ? 'gone' : sidecar.status));
  for (const life of lives) await life.end();
  return { world, stands, acts };
}

/** Says what is wrong; null where the standing acts are those of whole runs, one after the other in some order. */
function judge({ world, acts }: Awaited<ReturnType<typeof play>>): string | null {
  if (world.wrong !== null) return world.wrong;
  const standing = (run: number) => world.done.filter((each) => !each.isUndone && each.run === `run-${'abc'[run]}`);
  for (const [run, own] of acts.entries())
    for (const [index, { act }] of standing(run).entries())
      if (act !== index % own.length)
        return `run ${run} acts out of its turn: ${standing(run).map((each) => each.act)}`;
  const runs = acts.map((_, run) => run);
  return [runs, runs.toReversed()].some((order) => isSerial(order.flatMap(standing), world))
    ? null
    : 'no order of whole runs explains the world';
}

function isSerial(acts: readonly Done[], world: World): boolean {
  const values = new Map<string, string>();
  for (const { key, before, after } of acts) {
    if ((values.get(key) ?? '0') !== before) return false;
    values.set(key, after);
  }
  return [...world.values].every(([key, value]) => (values.get(key) ?? '0') === value);
}

const CONFIGS: readonly Claiming[] = [
  { release: 'final' },
  { release: 'final', lineUp: 'announce' },
  { release: 'whole', lineUp: 'announce' },
];
const PROGRAMS: readonly (readonly (readonly Act[])[])[] = [
  [[change('x'), change('y')], [change('x')]],
  [
    [change('x'), change('y')],
    [change('y'), change('x')],
  ],
  [[change('x', true), change('y')], [change('x')]],
];

test('ER1 to ER9: two runs that go round three times come to what one after the other comes to', {
  timeout: 600_000,
}, async () => {
  const ends: Record<string, number> = {};
  const wrong: string[] = [];
  let cases = 0;
  const tried = async (one: Case) => {
    const course = await play(one);
    const why = judge(course);
    cases += 1;
    if (why !== null) wrong.push(`${why}: ${JSON.stringify(one)}`);
    const end = course.stands.toSorted().join(', ');
    ends[end] = (ends[end] ?? 0) + 1;
  };
  for (const acts of PROGRAMS)
    for (const claiming of CONFIGS) {
      await tried({ acts, claiming, fault: 'none', before: 0, append: 0 });
      for (const fault of ['fail', 'free', 'lose'] as const)
        for (const before of [2, 5, 9]) await tried({ acts, claiming, fault, before, append: before === 9 ? 1 : 0 });
      await tried({ acts, claiming, fault: 'fail', before: 9, append: 0 });
      for (let append = 1; append <= 9; append += 1) await tried({ acts, claiming, fault: 'die', before: 4, append });
    }
  console.info(`${cases} loops, ${wrong.length} wrong: ${JSON.stringify(ends)}`);
  expect(wrong).toEqual([]);
  expect(cases).toBe(PROGRAMS.length * CONFIGS.length * 20);
  expect(ends['done, done']).toBeGreaterThan(60);
});

test('ER9: a boundary that promises a key in each round is broken by the second one, and by no first', async () => {
  const claiming = { release: 'whole', lineUp: 'announce' } as const;
  const promised = await play({
    acts: [[change('x', true), change('y')]],
    claiming,
    fault: 'none',
    before: 0,
    append: 0,
  });
  expect([promised.stands, promised.world.done.map(({ key }) => key)]).toEqual([['parked'], ['x', 'y']]);
});
