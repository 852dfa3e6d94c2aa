/** C5, K3 across processes: an event that one machine sends another while work waits for its claim is sent by whoever takes the run up. */
import { expect, test } from 'vitest';
import { createMachine, sendParent, sendTo } from 'xstate';
import { calm, until } from '../poll.ts';
import { context, Dying, value } from './dying.ts';
import { calls, configOf, machineOf, World } from './little.ts';

/** Answers each question once. */
const echo = createMachine({ on: { ASK: { actions: sendParent({ type: 'ANSWER' }) } } });

/** look; both { ask another machine, and wait for its answer ‖ get ready in a step of its own, and pay }; rest. */
function asksAndPays() {
  const world = new World();
  const machine = machineOf(
    { look: world.tool('look'), pay: world.tool('pay'), echo },
    {
      initial: 'look',
      states: {
        look: calls('look', 'looked', 'both'),
        both: {
          type: 'parallel',
          states: {
            one: {
              initial: 'asking',
              states: {
                asking: {
                  invoke: { src: 'echo', id: 'echo' },
                  entry: sendTo('echo', { type: 'ASK' }),
                  on: { ANSWER: 'over' },
                },
                over: { type: 'final' },
              },
            },
            two: {
              initial: 'ready',
              states: { ready: { always: 'pay' }, pay: calls('pay', 'paid', 'over'), over: { type: 'final' } },
            },
          },
          onDone: 'rest',
        },
        rest: { on: { close: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    { look: 'writes: [looked], effect: none', pay: 'writes: [paid], effect: irreversible, reconcile: find' },
    {
      LOOK: { states: ['look'], at: 'look -> both', writes: ['looked'] },
      PAY: { states: ['both.two.ready', 'both.two.pay'], at: 'both.two.pay -> both.two.over', writes: ['paid'] },
    },
  );
  return { world, machine, config };
}

/** Has the look found wrong in a run that is at rest, and kills its process at an append of the recovery. @returns whether it came to that. */
async function killedAt(append: number, when: 'before' | 'after'): Promise<boolean> {
  const { world, machine, config } = asksAndPays();
  const dying = new Dying(machine, config);
  const first = await dying.attached();
  first.actor.start();
  await until(() => value(first) === 'rest');
  dying.store.kill({ append: dying.store.appends + append, when });
  void first.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'LOOK', entity: 'it' }, key: 'looked' });
  await until(() => dying.isDead || (world.count('look') === 2 && value(first) === 'rest'));
  await calm();
  const next = await dying.resumed(first);
  await until(
    () => value(next) === 'rest',
    () => `rest after a kill ${when} append ${append}, but it is at ${JSON.stringify(value(next))} and ${next.status}`,
  );
  await calm();
  expect([append, world.count('pay')]).toEqual([append, 1]);
  expect(context(next)).toEqual({ looked: `look${world.count('look') - 1}`, paid: 'pay0' });
  await next.close();
  return dying.isDead;
}

test.each(['before', 'after'] as const)(
  'C5, K3: a question that waits for a claim is asked by the next process, where one dies %s any append',
  async (when) => {
    let append = 1;
    while (await killedAt(append, when)) append += 1;
    expect(append).toBeGreaterThan(5);
  },
);

test('C5, K3: a question whose event is one object is asked each time that it has to wait', async () => {
  const { world, machine, config } = asksAndPays();
  const sidecar = await new Dying(machine, config).attached();
  sidecar.actor.start();
  for (let round = 1; round <= 3; round += 1) {
    await until(() => value(sidecar) === 'rest' && world.count('look') === round);
    void sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'LOOK', entity: 'it' }, key: 'looked' });
  }
  await until(() => value(sidecar) === 'rest' && world.count('look') === 4);
  expect([world.count('pay'), context(sidecar)]).toEqual([1, { looked: 'look3', paid: 'pay0' }]);
  await sidecar.close();
});

/** Asks as it begins, rests, and dies at an append. @returns whether it came to that. */
async function killedAtStart(append: number, when: 'before' | 'after'): Promise<boolean> {
  const machine = machineOf(
    { echo },
    {
      initial: 'asking',
      invoke: { src: 'echo', id: 'echo' },
      states: { asking: { entry: sendTo('echo', { type: 'ASK' }), on: { ANSWER: 'rest' } }, rest: {} },
    },
  );
  const config = configOf(
    { look: 'writes: [looked], effect: none' },
    { ASK: { states: ['asking'], at: 'asking -> rest', writes: ['asked'] } },
  );
  const dying = new Dying(machine, config, [{ append, when }]);
  const first = await dying.attached();
  // Who starts the machine later finds it in no other place.
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  first.actor.start();
  await calm();
  const next = await dying.resumed(first);
  await until(
    () => value(next) === 'rest',
    () => `rest after a kill ${when} append ${append}, but it is at ${JSON.stringify(value(next))}`,
  );
  await next.close();
  return dying.isDead;
}

test.each(['before', 'after'] as const)(
  'C1a: what a machine sends as it is started is sent by the next process, where one dies %s any append',
  async (when) => {
    let append = 1;
    while (await killedAtStart(append, when)) append += 1;
    expect(append).toBeGreaterThan(1);
  },
);
