/** C12: complaints that wait are decided together, and a later one adds to them or takes their place. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { resume } from '../../src/xstate/index.ts';
import { calm, until } from '../poll.ts';
import { calls, configOf, machineOf, run, World } from './little.ts';
import { IRREVERSIBLE, shop } from './shop.ts';

/** a; b; pay, which reads what both wrote. Both are found wrong, and pay stands in the way until a person has undone it. */
async function twice(pace: <T>(answer: T) => T | Promise<T>) {
  const world = new World();
  const machine = machineOf(
    {
      a: world.tool('a', ({ nth }) => pace(`a${nth}`)),
      b: world.tool('b', ({ nth }) => pace(`b${nth}`)),
      pay: world.tool('pay'),
    },
    {
      initial: 'a',
      states: {
        a: calls('a', 'ka', 'b'),
        b: calls('b', 'kb', 'pay'),
        pay: calls('pay', 'paid', 'rest', ['ka', 'kb']),
        rest: {},
      },
    },
  );
  const config = configOf(
    {
      a: 'writes: [ka], effect: none',
      b: 'writes: [kb], effect: none',
      pay: 'reads: [ka, kb], writes: [paid], effect: irreversible',
    },
    {
      A: { states: ['a'], at: 'a -> b', writes: ['ka'], rollback: 'joint: [PAY]' },
      B: { states: ['b'], at: 'b -> pay', writes: ['kb'], rollback: 'joint: [PAY]' },
      PAY: { states: ['pay'], at: 'pay -> rest', writes: ['paid'], reads: ['ka', 'kb'] },
    },
  );
  const it = await run(machine, config);
  await it.at('rest');
  await it.wrong('B', 'kb');
  await it.wrong('A', 'ka');
  expect(it.verdicts()).toEqual(['escalate', 'escalate']);
  await it.sidecar.settle(world.keys('pay')[0] as string, 'compensated');
  await until(
    () => world.count('pay') === 2,
    () => `a second payment, but it is at ${String(it.value())}`,
  );
  const paidFor = world.acts.filter(({ tool }) => tool === 'pay').map(({ input }) => input)[1];
  await it.sidecar.close();
  return paidFor;
}

describe('C12: complaints that are parked are decided together', () => {
  test('no payment leaves on a value that another of them is about', async () => {
    const slow = async <T>(answer: T) => {
      await calm(30);
      return answer;
    };
    expect(await twice(slow)).toMatchObject({ ka: 'a1' });
  });

  test('however fast the replay of the first one is', async () => {
    expect(await twice((answer) => answer)).toMatchObject({ ka: 'a1' });
  });
});

/** look; pay, which is irreversible; note, which is not; rest. What is said of the payment parks the run. */
async function parkedOnPay() {
  const journal = memoryStore();
  const world = new World();
  const tools = Object.fromEntries(['look', 'pay', 'note'].map((name) => [name, world.tool(name)]));
  const machine = machineOf(tools, {
    initial: 'look',
    states: {
      look: calls('look', 'looked', 'pay'),
      pay: calls('pay', 'paid', 'note'),
      note: calls('note', 'noted', 'rest'),
      rest: { on: { close: 'end' } },
      end: { type: 'final' },
    },
  });
  const config = configOf(
    {
      look: 'writes: [looked], effect: none',
      pay: 'writes: [paid], effect: irreversible',
      note: 'writes: [noted], effect: idempotent',
    },
    {
      LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'] },
      PAY: { states: ['pay'], at: 'pay -> note', writes: ['paid'] },
      NOTE: { states: ['note'], at: 'note -> rest', writes: ['noted'] },
    },
  );
  const it = await run(machine, config, { journal });
  await it.at('rest');
  await it.wrong('PAY', 'paid');
  expect([(await it.ending()).status, it.verdicts()]).toEqual(['parked', ['escalate']]);
  const instead = (skeleton: string, key: string) =>
    it.sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton, entity: 'it' }, key, instead: true });
  const later = async () => {
    const next = await resume(machine, { run: 'r', config, journal } as never);
    next.actor.start();
    return next;
  };
  return { world, it, instead, later };
}

describe('C12: a later complaint adds to one that is parked, and takes its place where it says so', () => {
  test('another complaint leaves the first a suspect: the run stays parked', async () => {
    const { world, it } = await parkedOnPay();
    await it.wrong('NOTE', 'noted');
    await calm();
    expect([it.sidecar.status, world.count('pay')]).toEqual(['parked', 1]);
    await it.sidecar.close();
  });

  test('one that says `instead` is decided alone, and the run goes on with what was not wrong', async () => {
    const { world, it, instead, later } = await parkedOnPay();
    await instead('NOTE', 'noted');
    await it.at('rest');
    expect([it.sidecar.status, it.verdicts()]).toEqual(['running', ['escalate', 'restore']]);
    expect([world.count('pay'), it.context()]).toEqual([1, { looked: 'look0', paid: 'pay0', noted: 'note1' }]);
    await it.sidecar.close();
    // Nor does the next process ask the first again.
    const next = await later();
    await calm();
    expect(next.status).toBe('running');
    next.actor.send({ type: 'close' } as never);
    expect((await next.finished()).status).toBe('done');
    await next.close();
  });

  test('where it is parked itself, it is the only question, in the next process too', async () => {
    const { it, instead, later } = await parkedOnPay();
    await instead('LOOK', 'looked');
    await it.at('rest');
    await it.wrong('PAY', 'paid');
    await it.sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'PAY', entity: 'it' }, instead: true });
    expect((await it.ending()).status).toBe('parked');
    await it.sidecar.close();
    const next = await later();
    await next.fail('CONTRACT_VIOLATION', {
      instance: { skeleton: 'NOTE', entity: 'it' },
      key: 'noted',
      instead: true,
    });
    await until(() => (next.actor.getSnapshot() as { context: { noted?: string } }).context.noted !== 'note0');
    expect(next.status).toBe('running');
    await next.close();
  });

  test('the same complaint twice is one question, which one other complaint takes the place of', async () => {
    const { it, later } = await parkedOnPay();
    await it.wrong('PAY', 'paid');
    expect([it.sidecar.status, it.verdicts()]).toEqual(['parked', ['escalate', 'escalate']]);
    await it.sidecar.close();
    const next = await later();
    await next.fail('CONTRACT_VIOLATION', {
      instance: { skeleton: 'NOTE', entity: 'it' },
      key: 'noted',
      instead: true,
    });
    await until(() => next.status === 'running');
    await next.close();
  });

  test('where no complaint waits it is refused, and changes nothing', async () => {
    const { world, machine, config } = shop(IRREVERSIBLE);
    const it = await run(machine, config);
    await it.at('rest');
    const instead = it.sidecar.fail('CONTRACT_VIOLATION', {
      instance: { skeleton: 'LOOK', entity: 'it' },
      key: 'looked',
      instead: true,
    });
    await expect(instead).rejects.toMatchObject({ code: 'bad_failure' });
    expect([it.verdicts(), world.count('look'), it.sidecar.status]).toEqual([[], 1, 'running']);
    await it.sidecar.close();
  });

  test('the failure of a call is no complaint: `instead` does not take its place', async () => {
    const world = new World();
    const machine = machineOf(
      {
        look: world.tool('look'),
        pay: world.tool('pay', () => {
          throw new Error('the line is down');
        }),
      },
      {
        initial: 'look',
        states: { look: calls('look', 'looked', 'pay'), pay: calls('pay', 'paid', 'rest'), rest: {} },
      },
    );
    const config = configOf(
      { look: 'writes: [looked], effect: none', pay: 'writes: [paid], effect: irreversible' },
      {
        LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'] },
        PAY: { states: ['pay'], at: 'pay -> rest', writes: ['paid'] },
      },
    );
    const it = await run(machine, config);
    expect((await it.ending()).status).toBe('parked');
    const instead = it.sidecar.fail('CONTRACT_VIOLATION', {
      instance: { skeleton: 'LOOK', entity: 'it' },
      instead: true,
    });
    await expect(instead).rejects.toMatchObject({ code: 'bad_failure' });
    expect([it.sidecar.status, world.count('pay')]).toEqual(['parked', 1]);
    await it.sidecar.close();
  });

  test('one that names the occurrence takes the place of one that did not, without saying so', async () => {
    const world = new World();
    const machine = machineOf(
      { look: world.tool('look'), more: world.tool('more') },
      {
        initial: 'first',
        states: {
          first: calls('look', 'first', 'gap'),
          gap: { always: 'second' },
          second: calls('more', 'second', 'rest'),
          rest: { on: { close: 'end' } },
          end: { type: 'final' },
        },
      },
    );
    const config = configOf(
      { look: 'writes: [first], effect: none', more: 'writes: [second], effect: none' },
      {
        LOOK: {
          states: ['first', 'second'],
          entry: ['first', 'second'],
          at: ['first -> gap', 'second -> rest'],
          writes: ['first', 'second'],
        },
      },
    );
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK');
    expect([(await it.ending()).status, it.codes()]).toEqual(['parked', ['ambiguous_instance']]);
    // Said twice, it is one question.
    await it.wrong('LOOK');
    await it.wrong('LOOK', undefined, 1);
    await it.at('rest');
    expect([it.sidecar.status, world.count('look'), world.count('more')]).toEqual(['running', 1, 2]);
    it.send('close');
    expect((await it.ending()).status).toBe('done');
    await it.sidecar.close();
  });
});
