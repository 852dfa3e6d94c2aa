/** A recorded run is gone through under the machine and the config of today: where they part, and over what. */
import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, setup } from 'xstate';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { verifyRuns } from '../../src/testing/index.ts';
import { Line, of, type Station } from '../sidecar/stations.ts';
import { CONFIG, config, done, order, recorded, verified } from './recorded.ts';

describe('a recorded run', () => {
  test('replays equal under the machine and the config that it ran under, and nothing leaves', async () => {
    const journal = await recorded(order());
    done.length = 0;
    const calls: string[] = [];
    const machine = order({ ask: async () => calls.push('ask'), pay: async () => String(calls.push('pay')) });
    expect(await verified(machine, journal)).toEqual({
      run: 'r',
      agent: 'order',
      is: 'equal',
      equal: 3,
      steps: 3,
      parting: null,
      why: null,
      changed: { machine: false, config: false },
      config: [],
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect([calls, done]).toEqual([[], []]);
  });

  test('parts where the machine goes to another state', async () => {
    const journal = await recorded(order());
    const machine = order({ next: 'review', more: { review: {} } });
    expect(await verified(machine, journal)).toMatchObject({
      is: 'parts',
      equal: 1,
      steps: 3,
      changed: { machine: true },
      parting: {
        step: 2,
        actor: '',
        region: '',
        event: 'xstate.done.actor.0.order.asking',
        is: 'state',
        expected: 'paying',
        found: 'review',
      },
    });
  });

  test('parts where the machine writes something else, and says what', async () => {
    const { parting, changed } = await verified(order({ price: (answer) => answer + 1 }), await recorded(order()));
    expect(parting).toMatchObject({ step: 2, is: 'context', expected: 'price = 42', found: 'price = 43' });
    expect(changed.machine).toBe(false);
  });

  test('parts where a call asks for something else, though its answer is the same', async () => {
    const { parting } = await verified(order({ asks: (price) => price * 2 }), await recorded(order()));
    expect(parting).toMatchObject({ step: 2, is: 'arguments', expected: 'pay is asked 42', found: 'pay is asked 84' });
  });

  test('parts where today another tool is called', async () => {
    const states = { paying: { invoke: { src: 'ask', id: '1.order.paying', onDone: 'paid' } } };
    const { parting } = await verified(order({ more: states }), await recorded(order()));
    expect(parting).toMatchObject({ step: 2, is: 'actors' });
    expect(parting?.expected).toContain('starts pay in paying');
    expect(parting?.found).toContain('starts ask in paying');
  });

  test('parts where today nothing is heard of an answer', async () => {
    const states = { asking: { invoke: { src: 'ask' } } };
    const { parting } = await verified(order({ more: states }), await recorded(order()));
    expect(parting).toMatchObject({ step: 2, is: 'step', expected: 'paying', found: 'no step' });
  });

  test('parts where today a transition throws', async () => {
    const thrown = () => {
      throw new Error('no such price');
    };
    const { parting } = await verified(order({ price: thrown }), await recorded(order()));
    expect(parting).toMatchObject({ step: 2, is: 'step', found: 'it throws: no such price' });
  });

  test('parts where today the machine takes one step more', async () => {
    const states = { paid: { always: 'filed' }, filed: { type: 'final' } };
    const journal = await recorded(order({ more: { paid: {} } }), {}, CONFIG, (state) => state === 'paid');
    const { parting } = await verified(order({ more: states }), journal);
    expect(parting).toMatchObject({ step: 4, is: 'step', expected: 'no step', found: 'filed, the end' });
  });

  test('may differ in keys that a clock writes', async () => {
    let now = 0;
    const clocked = () => order({ price: () => ++now });
    const journal = await recorded(clocked(), { now: () => 0 });
    const constant = { asks: () => 1 };
    const fixed = await recorded(order({ ...constant, price: () => ++now }));
    expect((await verified(clocked(), journal)).parting).toMatchObject({ is: 'context' });
    expect(await verified(order({ ...constant, price: () => ++now }), fixed, { ignore: ['price'] })).toMatchObject({
      is: 'equal',
    });
  });

  test('that was restored is gone through beyond its recovery', async () => {
    const answers: unknown[] = ['dear', 42];
    const ask = async () => answers.shift() as number;
    const text = CONFIG.replace(
      'writes: [price], effect: none',
      'writes: [price], effect: none, output: { type: number }',
    );
    const journal = await recorded(order({ ask }), {}, text);
    const entries = [...journal.read('r')].length;
    const same = await verified(order(), journal, { config: config(text) });
    expect(same).toMatchObject({ is: 'equal', parting: null, why: null, config: [] });
    expect(same.steps).toBeGreaterThan(3);
    expect(same.equal).toBe(same.steps);
    const before = await verified(order({ more: { asking: { invoke: { src: 'pay' } } } }), journal, {
      config: config(text),
    });
    expect(before).toMatchObject({ is: 'parts', parting: { step: 1, is: 'actors' } });
    const after = await verified(order({ asks: (price) => price + 1 }), journal, { config: config(text) });
    expect(after).toMatchObject({ is: 'parts', parting: { is: 'arguments', found: 'pay is asked 43' } });
    expect(after.parting?.row).toBeGreaterThan(entries / 2);
  });

  test('in which work was set aside and taken over is gone through, too', async () => {
    const stations: readonly Station[] = [
      { name: 'a', reads: ['wanted'] },
      { name: 'b', reads: ['wanted'], tool: 'effect: irreversible' },
    ];
    const line = new Line(stations, { a: ({ nth }) => `a${nth}` });
    const journal = memoryStore();
    const run = await line.begin({ journal });
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.at('rest');
    expect(line.aside()).toEqual(['B 0']);
    run.send('end');
    await run.finished();
    await run.close();
    const calls = line.calls.length;
    const machine = line.machine as unknown as AnyStateMachine;
    const [same] = await verifyRuns({ journal, machine, config: line.config });
    expect(same).toMatchObject({ is: 'equal', parting: null, why: null, config: [] });
    expect(line.calls.length).toBe(calls);
    const longer = new Line([...stations, { name: 'c' }]).machine as unknown as AnyStateMachine;
    expect(await verifyRuns({ journal, machine: longer, config: line.config })).toMatchObject([{ is: 'parts' }]);
  });

  test('of another agent, or without a step, is not comparable', async () => {
    const journal = await recorded(order());
    const machine = setup({}).createMachine({ id: 'other' }) as unknown as AnyStateMachine;
    expect(await verifyRuns({ journal, machine })).toMatchObject([
      { is: 'not comparable', agent: 'order', why: { code: 'no_machine', text: 'there is no machine "order"' } },
    ]);
    const empty = memoryStore();
    await (await empty.open('e', 'create')).close();
    for (const each of await verifyRuns({ journal: empty, machine })) expect(each.why?.code).toBe('no_steps');
    expect(await verifyRuns({ journal, machine, runs: ['none'] })).toMatchObject([{ why: { code: 'unreadable' } }]);
  });

  test('without a config is compared by the machine alone', async () => {
    const journal = await recorded(order());
    const [one] = await verifyRuns({ journal, machine: order() });
    expect(one).toMatchObject({ is: 'equal', config: null, changed: { config: false } });
  });
});

describe('a config that is changed', () => {
  test('says which boundary certifies at which step only in the journal, or only today', async () => {
    const journal = await recorded(order());
    const less = await verified(order(), journal, { config: config(CONFIG.replace('[asked, paid]', '[paid]')) });
    const at = { step: 2, event: 'xstate.done.actor.0.order.asking', is: 'certified', what: 'Order::it::0 asked' };
    expect(less).toMatchObject({ is: 'equal', changed: { machine: false, config: true } });
    expect(less.config).toMatchObject([{ ...at, only: 'recorded' }]);
    const strict = await recorded(order(), {}, CONFIG.replace('[asked, paid]', '[paid]'));
    expect((await verified(order(), strict)).config).toMatchObject([{ ...at, only: 'today' }]);
  });

  test('says which instance is entered and closed under another name', async () => {
    const journal = await recorded(order());
    const { is, config: differences } = await verified(order(), journal, {
      config: config(CONFIG.replace(`'"it"'`, `'"that"'`)),
    });
    expect(is).toBe('equal');
    expect(differences?.map(({ step, is, what, only }) => [step, is, what, only])).toEqual([
      [1, 'entered', 'Order::it::0', 'recorded'],
      [1, 'entered', 'Order::that::0', 'today'],
      [2, 'certified', 'Order::it::0 asked', 'recorded'],
      [2, 'certified', 'Order::that::0 asked', 'today'],
      [3, 'certified', 'Order::it::0 paid', 'recorded'],
      [3, 'certified', 'Order::that::0 paid', 'today'],
      [3, 'closed', 'Order::it::0', 'recorded'],
      [3, 'closed', 'Order::that::0', 'today'],
    ]);
  });

  test.each([
    ['has errors', 'no-such.yaml', 'config_refused'],
    ['is compared without a key that is none', undefined, 'bad_option'],
  ])('is refused where it %s', async (_what, named, code) => {
    const journal = await recorded(order());
    const options = { journal, machine: order(), ...(named === undefined ? { ignore: ['a//b'] } : { config: named }) };
    await expect(verifyRuns(options)).rejects.toEqual(expect.objectContaining({ code }));
  });
});
