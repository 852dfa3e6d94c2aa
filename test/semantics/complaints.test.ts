/** C12 and C13: what a complaint is about, and how long an answer to it holds. */
import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { memoryStore, resume, SidecarError } from '../../src/index.ts';
import { calls, calm, configOf, type Given, held, machineOf, run, until, World } from './little.ts';

/** look; pay; rest. The second look takes as long as `second` does. */
function shop(
  pay: { readonly effect: string; readonly reads?: string[] },
  second: Promise<unknown> = Promise.resolve('look1'),
  rollback = '',
) {
  const world = new World();
  const machine = machineOf(
    { look: world.tool('look', ({ nth }) => (nth === 1 ? second : `look${nth}`)), pay: world.tool('pay') },
    {
      initial: 'look',
      states: {
        look: calls('look', 'looked', 'pay'),
        pay: calls('pay', 'paid', 'rest', pay.reads),
        rest: { on: { close: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    {
      look: 'writes: [looked], effect: none',
      pay: `reads: ${JSON.stringify(pay.reads ?? [])}, writes: [paid], ${pay.effect}`,
    },
    {
      LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'], rollback },
      PAY: { states: ['pay'], at: 'pay -> rest', writes: ['paid'], reads: pay.reads ?? [] },
    },
  );
  return { world, machine, config };
}

const IRREVERSIBLE = { effect: 'effect: irreversible' };
const REVERSIBLE = { effect: 'effect: reversible, undo: un' };

describe('C12: a failure names a version', () => {
  test('the same complaint twice is answered once', async () => {
    const { world, machine, config } = shop(IRREVERSIBLE);
    const it = await run(machine, config);
    await it.at('rest');
    await Promise.all([it.wrong('LOOK', 'looked'), it.wrong('LOOK', 'looked')]);
    await it.at('rest');
    expect([it.verdicts(), world.count('look'), world.count('pay')]).toEqual([['restore'], 2, 1]);
    await it.sidecar.close();
  });

  test('one about the version that has taken its place is another failure', async () => {
    const { world, machine, config } = shop(IRREVERSIBLE);
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => it.context().looked === 'look1' && it.value() === 'rest');
    await it.wrong('LOOK', 'looked');
    await until(() => it.context().looked === 'look2' && it.value() === 'rest');
    expect([it.verdicts(), world.count('pay')]).toEqual([['restore', 'restore'], 1]);
    await it.sidecar.close();
  });

  test.each([
    ['a skeleton that the config does not have', { skeleton: 'LOKO', entity: 'it' }, undefined],
    ['work that never began', { skeleton: 'LOOK', entity: 'another' }, undefined],
    ['a key that the work never wrote', { skeleton: 'LOOK', entity: 'it' }, 'paid'],
  ])('%s is a typed error, and the run goes on', async (_, instance, key) => {
    const { world, machine, config } = shop(IRREVERSIBLE);
    const it = await run(machine, config);
    await it.at('rest');
    const complaint = it.sidecar.fail('CONTRACT_VIOLATION', { instance, ...(key !== undefined && { key }) });
    await expect(complaint).rejects.toMatchObject({ code: 'bad_failure' });
    await expect(complaint).rejects.toBeInstanceOf(SidecarError);
    expect([it.verdicts(), it.sidecar.status]).toEqual([[], 'running']);
    it.send('close');
    expect([(await it.ending()).status, world.count('look')]).toEqual(['done', 1]);
    await it.sidecar.close();
  });

  test('a complaint about work that is undone already needs no answer', async () => {
    const second = held();
    const { world, machine, config } = shop({ ...REVERSIBLE, reads: ['looked'] }, second.promise, 'joint: [PAY]');
    const it = await run(machine, config, { undo: world.undo });
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    await it.wrong('PAY', 'paid');
    expect(it.verdicts()).toHaveLength(1);
    second.resolve('anew');
    await it.at('rest');
    expect([it.context(), world.count('pay'), world.undone.length]).toEqual([{ looked: 'anew', paid: 'pay1' }, 2, 1]);
    await it.sidecar.close();
  });

  test.each([
    ['undone', { ...REVERSIBLE, reads: ['looked'] }, 'joint: [PAY]'],
    ['set aside', REVERSIBLE, ''],
  ])('a key that the work never wrote is a typed error where that work is %s, too', async (_, pay, rollback) => {
    const second = held();
    const { world, machine, config } = shop(pay, second.promise, rollback);
    const it = await run(machine, config, { undo: world.undo });
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    for (const skeleton of ['LOOK', 'PAY'])
      await expect(it.wrong(skeleton, 'noted')).rejects.toMatchObject({ code: 'bad_failure' });
    // What it had written before it was undone is no unknown key.
    await it.wrong('LOOK', 'looked');
    await it.wrong('PAY', 'paid');
    expect([it.verdicts().length, it.sidecar.status]).toEqual([1, 'running']);
    second.resolve('anew');
    await it.at('rest');
    expect([it.context(), world.count('pay')]).toEqual([{ looked: 'anew', paid: 'pay1' }, 2]);
    await it.sidecar.close();
  });

  test('work that is set aside is undone where that is possible, with no cut of its own', async () => {
    const second = held();
    const { world, machine, config } = shop(REVERSIBLE, second.promise);
    const it = await run(machine, config, { undo: world.undo });
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    expect(it.aside()).toEqual(['PAY']);
    await until(() => world.count('look') === 2);
    await it.wrong('PAY', 'paid');
    expect([world.undone, it.verdicts()]).toEqual([[world.keys('pay')[0]], ['restore']]);
    second.resolve('anew');
    await it.at('rest');
    expect([it.context(), world.count('pay')]).toEqual([{ looked: 'anew', paid: 'pay1' }, 2]);
    await it.sidecar.close();
  });

  test('where its undo fails the run is parked on it, until the undo works or a person has made it', async () => {
    const second = held();
    const { world, machine, config } = shop(REVERSIBLE, second.promise);
    let works = false;
    const un = ({ key }: { key: string }) => {
      if (!works) throw new Error('no refunds');
      world.undone.push(key);
    };
    const it = await run(machine, config, { undo: { un } });
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    await it.wrong('PAY', 'paid');
    expect([(await it.ending()).status, it.codes(), world.count('pay')]).toEqual(['parked', ['unclaimed_effect'], 1]);
    works = true;
    await it.sidecar.reconcile();
    second.resolve('anew');
    await it.at('rest');
    expect([it.context(), world.undone.length, world.count('pay')]).toEqual([{ looked: 'anew', paid: 'pay1' }, 1, 2]);
    await it.sidecar.close();
  });

  test('where the process dies between that undo and its outcome, the next one makes the undo again, and then the work', async () => {
    const second = held();
    const { world, machine, config } = shop(REVERSIBLE, second.promise);
    const journal = memoryStore();
    const undone: string[] = [];
    const dies = ({ undoKey }: { undoKey: string }) => {
      undone.push(undoKey);
      return new Promise<void>(() => {});
    };
    const it = await run(machine, config, { undo: { un: dies }, journal });
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    void it.wrong('PAY', 'paid');
    await until(() => undone.length === 1);
    await it.sidecar.close();

    const un = ({ undoKey }: { undoKey: string }) => void undone.push(undoKey);
    const next = await resume(machine, { run: 'r', config, journal, undo: { un } } as never);
    second.resolve('anew');
    next.actor.start();
    await until(() => (next.actor.getSnapshot() as { value: unknown }).value === 'rest');
    expect([new Set(undone).size, undone.length, world.count('pay')]).toEqual([1, 2, 2]);
    await next.close();
  });

  test('and parks the run where that is not possible', async () => {
    const second = held();
    const { world, machine, config } = shop(IRREVERSIBLE, second.promise);
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    await it.wrong('PAY', 'paid');
    expect((await it.ending()).status).toBe('parked');
    expect([it.codes(), world.count('pay')]).toEqual([['unclaimed_effect'], 1]);
    await it.sidecar.close();
  });

  test('an idempotent answer that was set aside and found wrong is asked for again, under its key', async () => {
    const second = held();
    const { world, machine, config } = shop({ effect: 'effect: idempotent' }, second.promise);
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    await it.wrong('PAY', 'paid');
    second.resolve('anew');
    await it.at('rest');
    expect([it.context().paid, world.count('pay'), new Set(world.keys('pay')).size]).toEqual(['pay1', 2, 1]);
    await it.sidecar.close();
  });

  test('the answer of work that is undone already is not served again to its replay (C10)', async () => {
    const second = held();
    const { world, machine, config } = shop(
      { effect: 'effect: idempotent', reads: ['looked'] },
      second.promise,
      'joint: [PAY]',
    );
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    await it.wrong('PAY', 'paid');
    // With equal arguments the ledger would have the answer.
    second.resolve('look0');
    await it.at('rest');
    expect([it.context().paid, world.count('pay'), new Set(world.keys('pay')).size]).toEqual(['pay1', 2, 1]);
    await it.sidecar.close();
  });

  test('nor is that of work which goes back with another complaint while its own waits (C10)', async () => {
    const { world, machine, config } = shop({ effect: 'effect: idempotent' }, Promise.resolve('look0'), 'joint: [PAY]');
    const it = await run(machine, config);
    await it.at('rest');
    await Promise.all([it.wrong('LOOK', 'looked'), it.wrong('PAY', 'paid')]);
    await it.at('rest');
    expect([it.context().paid, world.count('pay'), it.verdicts().length]).toEqual(['pay1', 2, 1]);
    await it.sidecar.close();
  });

  test('and of such work only the answers that were found wrong: the others are served to its replay (C10)', async () => {
    const world = new World();
    const machine = machineOf(
      { look: world.tool('look', () => 'look'), pay: world.tool('pay'), note: world.tool('note') },
      {
        initial: 'look',
        states: {
          look: calls('look', 'looked', 'pay'),
          pay: calls('pay', 'paid', 'note', ['looked']),
          note: calls('note', 'noted', 'rest', ['looked']),
          rest: {},
        },
      },
    );
    const config = configOf(
      {
        look: 'writes: [looked], effect: none',
        pay: 'reads: [looked], writes: [paid], effect: idempotent',
        note: 'reads: [looked], writes: [noted], effect: idempotent',
      },
      {
        LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'], rollback: 'joint: [PAY]' },
        PAY: { states: ['pay', 'note'], at: 'note -> rest', writes: ['paid', 'noted'], reads: ['looked'] },
      },
    );
    const it = await run(machine, config);
    await it.at('rest');
    await Promise.all([it.wrong('LOOK', 'looked'), it.wrong('PAY', 'paid')]);
    await until(() => world.count('look') === 2);
    await it.at('rest');
    expect([it.undone(), world.count('pay'), world.count('note')]).toEqual([['LOOK', 'PAY'], 2, 1]);
    await it.sidecar.close();
  });

  test.each([
    ['a person has undone the rest of it, and then it is found wrong', undefined, true],
    ['its payment is found wrong, and then a person has undone the rest of it', 'paid', false],
  ])(
    'no payment of work whose record is given up is served or made again where %s (C10)',
    async (_, key, isUndoneFirst) => {
      const world = new World();
      const second = held();
      const machine = machineOf(
        {
          look: world.tool('look', ({ nth }) => (nth === 1 ? second.promise : `look${nth}`)),
          pay: world.tool('pay'),
          note: world.tool('note'),
        },
        {
          initial: 'look',
          states: {
            look: calls('look', 'looked', 'pay'),
            pay: calls('pay', 'paid', 'note'),
            note: calls('note', 'noted', 'rest'),
            rest: {},
          },
        },
      );
      const config = configOf(
        {
          look: 'writes: [looked], effect: none',
          pay: 'writes: [paid], effect: irreversible',
          note: 'writes: [noted], effect: reversible, undo: un',
        },
        {
          LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'] },
          PAY: { states: ['pay', 'note'], at: 'note -> rest', writes: ['paid', 'noted'] },
        },
      );
      const journal = memoryStore();
      const it = await run(machine, config, { undo: world.undo, journal });
      await it.at('rest');
      await it.wrong('LOOK', 'looked');
      expect(it.aside()).toEqual(['PAY']);
      const undo = () => it.sidecar.settle(world.keys('note')[0] as string, 'compensated');
      if (isUndoneFirst) await undo();
      await it.wrong('PAY', key);
      expect((await it.ending()).status).toBe('parked');
      if (!isUndoneFirst) await undo();
      second.resolve('look1');
      await calm();
      expect([it.codes(), world.count('pay'), world.undone]).toEqual([['unclaimed_effect'], 1, []]);
      await it.sidecar.close();

      // The next process asks the same, and goes on once a person has undone the payment.
      const next = await resume(machine, { run: 'r', config, journal, undo: world.undo } as never);
      next.actor.start();
      expect(await next.finished()).toMatchObject({
        status: 'parked',
        decision: { refusals: [{ code: 'unclaimed_effect' }] },
      });
      await next.settle(world.keys('pay')[0] as string, 'compensated');
      await until(() => (next.actor.getSnapshot() as { value: unknown }).value === 'rest');
      expect([next.status, world.count('pay'), world.undone]).toEqual(['running', 2, []]);
      await next.close();
    },
  );

  test('one that waits makes no work to build on, in the process that takes the run up either', async () => {
    const { world, machine, config } = shop(IRREVERSIBLE);
    const journal = memoryStore();
    const it = await run(machine, config, { journal });
    await it.at('rest');
    // Alone, the look would be done again, and the payment set aside and claimed; but the payment is found wrong as well.
    void it.wrong('PAY', 'paid');
    await it.wrong('LOOK', 'looked');
    expect([(await it.ending()).status, world.count('pay')]).toEqual(['parked', 1]);
    await it.sidecar.close();
    const next = await resume(machine, { run: 'r', config, journal } as never);
    next.actor.start();
    expect((await next.finished()).status).toBe('parked');
    await calm();
    expect([world.count('look'), world.count('pay')]).toEqual([1, 1]);
    await next.close();
  });

  test('a run that has ended takes no complaint', async () => {
    const { world, machine, config } = shop(REVERSIBLE);
    const it = await run(machine, config, { undo: world.undo });
    await it.at('rest');
    it.send('close');
    await it.ending();
    await expect(it.wrong('PAY', 'paid')).rejects.toMatchObject({ code: 'run_finished' });
    expect([world.undone, it.context().paid]).toEqual([[], 'pay0']);
    await it.sidecar.close();
  });
});

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

describe('C13: an answer holds only at the journal head at which it was given', () => {
  /** The payment has read what is found wrong, and nobody may cross its promise: a rerun is advised. */
  async function advised() {
    const { world, machine, config } = shop({ ...REVERSIBLE, reads: ['looked'] });
    const state = { moved: null as string | null };
    const un = { undo: world.undo.un, moved: () => state.moved };
    const it = await run(machine, config, { undo: { un } as never });
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await it.ending();
    expect(it.verdicts()).toEqual(['rerun']);
    return { world, it, state };
  }

  test('work that the run relies on is not said to be undone by hand, unless an open question names it', async () => {
    const { world, machine, config } = shop(IRREVERSIBLE);
    const it = await run(machine, config, { undo: world.undo });
    await it.at('rest');
    const [key] = world.keys('pay') as [string];
    await expect(it.sidecar.settle(key, 'compensated')).rejects.toMatchObject({ code: 'not_advised' });
    await it.wrong('PAY', 'paid');
    expect((await it.ending()).status).toBe('parked');
    await it.sidecar.settle(key, 'compensated');
    await until(() => world.count('pay') === 2);
    await it.at('rest');
    it.send('close');
    expect((await it.ending()).status).toBe('done');
    const [, again] = world.keys('pay') as [string, string];
    await expect(it.sidecar.settle(again, 'compensated')).rejects.toMatchObject({ code: 'not_advised' });
    await it.sidecar.close();
  });

  test('advice that is still right is carried out', async () => {
    const { world, it } = await advised();
    await it.sidecar.rerun();
    await until(() => world.count('pay') === 2);
    await it.at('rest');
    expect([world.undone, it.context()]).toEqual([[world.keys('pay')[0]], { looked: 'look1', paid: 'pay1' }]);
    it.send('close');
    expect((await it.ending()).status).toBe('done');
    await it.sidecar.close();
  });

  test('advice that an approved payment has overtaken is not: the payment stands, and the other answer is shown', async () => {
    const world = new World();
    const names = ['look', 'pay', 'ship'] as const;
    const machine = machineOf(Object.fromEntries(names.map((name) => [name, world.tool(name)])), {
      type: 'parallel',
      states: {
        p: {
          initial: 'look',
          states: {
            look: calls('look', 'looked', 'pay'),
            pay: calls('pay', 'paid', 'rest', ['looked']),
            rest: {},
          },
        },
        q: { initial: 'ship', states: { ship: calls('ship', 'shipped', 'over'), over: {} } },
      },
    });
    const config = configOf(
      {
        look: 'writes: [looked], effect: none',
        pay: 'reads: [looked], writes: [paid], effect: none',
        ship: 'reads: [], writes: [shipped], effect: irreversible, gate: { expires: 1h }',
      },
      {
        LOOK: { states: ['p.look'], at: 'p.look -> p.pay', writes: ['looked'] },
        PAY: { states: ['p.pay'], at: 'p.pay -> p.rest', writes: ['paid'], reads: ['looked'] },
        SHIP: { states: ['q.ship'], at: 'q.ship -> q.over', writes: ['shipped'] },
      },
    );
    const it = await run(machine, config);
    await it.at({ p: 'rest', q: 'ship' });
    await it.wrong('LOOK', 'looked');
    await it.ending();
    expect(it.verdicts()).toEqual(['rerun']);
    const [gate] = it.sidecar.gates();
    await it.sidecar.answer((gate as { gate: string }).gate, 'approved', { by: 'Ada' });
    await until(() => world.count('ship') === 1);
    await calm();
    await it.sidecar.rerun();
    expect((await it.ending()).status).toBe('parked');
    expect([it.verdicts().at(-1), names.map((name) => world.count(name))]).toEqual(['escalate', [1, 1, 1]]);
    await it.sidecar.close();
  });

  test('advice that the world has overtaken is not: the other answer is shown, and nothing is done', async () => {
    const { world, it, state } = await advised();
    state.moved = 'the room was given to another guest';
    await it.sidecar.rerun();
    expect((await it.ending()).status).toBe('parked');
    expect([it.verdicts(), it.codes()]).toEqual([
      ['rerun', 'escalate'],
      ['committed_consumers_present', 'compensation_missing'],
    ]);
    expect([world.undone, world.count('look'), world.count('pay')]).toEqual([[], 1, 1]);
    await it.sidecar.close();
  });
});

/** Two regions: one looks, and waits for a flag; the other, once all in it have found, sets that flag. Both are left for `rest`. */
function twoRegions() {
  const world = new World();
  const finding = {
    initial: 'find',
    states: { find: calls('find', 'found', 'over'), over: { type: 'final' } },
  };
  const machine = machineOf(
    { look: world.tool('look'), find: world.tool('find') },
    {
      initial: 'both',
      states: {
        both: {
          type: 'parallel',
          states: {
            a: {
              initial: 'look',
              states: {
                look: calls('look', 'looked', 'wait'),
                wait: { always: { guard: ({ context }: Given) => context.flag === 1, target: '#m.rest' } },
              },
            },
            b: {
              initial: 'all',
              states: {
                all: {
                  type: 'parallel',
                  states: { one: finding, two: { initial: 'end', states: { end: { type: 'final' } } } },
                  onDone: 'flag',
                },
                flag: { always: { target: 'end', actions: assign({ flag: 1 } as never) } },
                end: {},
              },
            },
          },
        },
        rest: { on: { close: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    { look: 'writes: [looked], effect: none', find: 'writes: [found], effect: none' },
    {
      LOOK: { states: ['both.a.look'], at: 'both.a.look -> both.a.wait', writes: ['looked'] },
      FIND: { states: ['both.b.all.one.find'], at: 'both.b.all.one.find -> both.b.all.one.over', writes: ['found'] },
    },
  );
  return { world, machine, config };
}

test('what a restore has completed is not heard once the next restore takes it back: the flag is set after the work (C9)', async () => {
  const { world, machine, config } = twoRegions();
  const it = await run(machine, config);
  await it.at('rest');
  await Promise.all([it.wrong('LOOK'), it.wrong('FIND')]);
  await until(() => world.count('find') === 2);
  await it.at('rest');
  expect([it.verdicts(), it.context()]).toEqual([['restore', 'restore'], { flag: 1, looked: 'look1', found: 'find1' }]);
  await it.sidecar.close();
});
