/** A rehearsal runs an agent once for each fault, and tells harm from a run that stands still and from one that ends as it should. */
import { describe, expect, test } from 'vitest';
import { setup } from 'xstate';
import { RehearsalError, type RehearsalOptions, recordingWorld, rehearse } from '../../src/testing/index.ts';
import { tool } from '../../src/xstate/tool.ts';
import { config as refundConfig, refundIn } from './agents/refund.ts';
import { configOf, ordered, PAGE, shop } from './agents/shop.ts';

describe('the refund agent with its reviewed config', () => {
  test('does no harm in any cell, and every run that stands still says why and what would unblock it', async () => {
    const world = recordingWorld({ forgetful: ['payBack', 'writeLetter'] });
    const report = await rehearse({ ...refundIn(world), config: refundConfig, kills: 'all' });
    expect(report.totals.harm).toBe(0);
    expect(report.totals.same).toBeGreaterThan(70);
    for (const { verdict } of report.cells) {
      if (verdict.is !== 'parked') continue;
      expect(verdict.reasons.length).toBeGreaterThan(0);
      expect(verdict.unblock.length).toBeGreaterThan(0);
    }
    const kinds = new Set(report.cells.map(({ fault }) => fault.kind));
    expect([...kinds]).toEqual(['call', 'wrong', 'approval', 'restart', 'kill']);
    expect(report.untaken).toEqual([
      'checking -> refused (xstate.done.state.refund.checking)',
      'addressing -> writing (xstate.error.actor.0.refund.addressing)',
      'proofing -> again (xstate.done.actor.0.refund.proofing)',
      'again -> addressing',
    ]);
    expect(report.totals.unreached).toBe(0);
  });

  test('is reported word for word the same for the same seed, and other cells are drawn for another', async () => {
    const sampled = (seed: number) => {
      const world = recordingWorld();
      return rehearse({ ...refundIn(world), config: refundConfig, sample: 8, seed });
    };
    const [one, again, other] = [await sampled(7), await sampled(7), await sampled(8)];
    expect(one.cells).toHaveLength(8);
    expect(JSON.stringify(again)).toBe(JSON.stringify(one));
    expect(other.cells.map(({ id }) => id)).not.toEqual(one.cells.map(({ id }) => id));
  });
});

describe('a shop with an honest world', () => {
  test('does no harm, whatever goes wrong', async () => {
    const report = await rehearse({ ...shop(), paths: ordered, kills: 'all' });
    expect(report.cells.filter(({ verdict }) => verdict.is === 'harm')).toEqual([]);
    expect(report.untaken).toEqual([]);
  });

  test('may redact what its reports would show: a rehearsal keeps its journals in memory', async () => {
    const config = configOf(PAGE.replace('tools:', 'redact: [receipt]\ntools:'));
    const { totals } = await rehearse({ ...shop(), config, paths: ordered, kills: 'none', sample: 5 });
    expect(totals.harm).toBe(0);
  });

  test('is asked by its reconciler, and parks where nobody knows what became of a payment', async () => {
    const { cells } = await rehearse({ ...shop(), paths: ordered, kills: 'none' });
    const lost = (reconciler: string) => cells.find(({ id }) => id === `path 1/call/pay#1/lost/${reconciler}`)?.verdict;
    expect(lost('knows')).toEqual({ is: 'same' });
    expect(lost('silent')).toMatchObject({ is: 'parked', reasons: ['effect_outcome_unknown'] });
    expect(lost('absent')).toMatchObject({ is: 'parked', reasons: ['effect_outcome_unknown'] });
  });

  test('brings a late call on by its clock once the run is over, also where its tool waits on a timer', async () => {
    const { cells } = await rehearse({ ...shop({ slow: true }), paths: ordered, only: 'pay#1/late' });
    expect(cells.map(({ verdict }) => verdict.is)).not.toContain('harm');
    expect(cells.map(({ timeline }) => timeline.includes('pay#1 arrives late'))).toEqual(cells.map(() => true));
    expect(cells.length).toBeGreaterThan(0);
  });

  test('has a price that is found wrong asked again, and parks once it was paid', async () => {
    const { cells } = await rehearse({ ...shop(), paths: ordered, kills: 'none', wrong: { askPrice: () => 7 } });
    const found = (when: string) =>
      cells.find(({ id }) => id === `path 1/wrong/Offer tea priced/askPrice#1/${when}/price`);
    expect(found('soon')?.verdict).toEqual({ is: 'same' });
    expect(found('soon')?.timeline).toContain('askPrice#1 answers wrongly: 7');
    expect(found('last')?.verdict).toMatchObject({
      is: 'parked',
      reasons: ['committed_consumers_present', 'irreversible_effect_policy'],
      unblock: [expect.stringContaining('Undo pay of Order::tea::0')],
    });
  });

  test('waits for an order that never comes, takes one that comes late, and is not harmed by a second one', async () => {
    const { cells } = await rehearse({ ...shop(), paths: ordered, kills: 'none' });
    const [late, doubled, missing] = cells.filter(({ fault }) => fault.kind === 'event').map(({ verdict }) => verdict);
    expect([late, doubled]).toEqual([{ is: 'same' }, { is: 'same' }]);
    expect(missing).toMatchObject({ is: 'parked', reasons: ['waiting'] });
  });
});

describe('a world that breaks what the config says of it', () => {
  test('a bank that forgets keys pays twice where a late payment meets a reconciler that spoke too early', async () => {
    const { cells } = await rehearse({ ...shop({ forgetsKeys: true }), paths: ordered, kills: 'none' });
    const late = cells.find(({ id }) => id === 'path 1/call/pay#1/late/knows')?.verdict;
    expect(late).toMatchObject({ is: 'harm', harms: [{ is: 'twice' }] });
  });

  test('a counterparty that denies what it did has a payment made twice', async () => {
    const { cells } = await rehearse({ ...shop({ lies: true, forgetsKeys: true }), paths: ordered, kills: 'none' });
    const lost = cells.find(({ id }) => id === 'path 1/call/pay#1/lost/knows')?.verdict;
    expect(lost).toMatchObject({ is: 'harm', harms: [{ is: 'twice', text: 'rows has "paid 40" 2 times and not 1' }] });
  });

  test('a tool without a timeout that never answers is harm: nobody is told', async () => {
    const page = PAGE.replace(
      'effect: irreversible, reconcile: findRow, timeout: 10s',
      'effect: irreversible, reconcile: findRow',
    );
    const { cells } = await rehearse({ ...shop(), config: configOf(page), paths: ordered, kills: 'none' });
    const hung = cells.filter(({ verdict }) => verdict.is === 'harm');
    expect(hung.map(({ fault }) => 'how' in fault && `${fault.kind} ${fault.how}`)).toEqual(
      Array.from({ length: 3 }, () => 'call timeout'),
    );
    expect(hung[0]?.verdict).toMatchObject({ harms: [{ text: expect.stringContaining('has no timeout') }] });
  });
});

describe('an agent that cannot be rehearsed is refused', () => {
  const code = async (options: Partial<RehearsalOptions>) => {
    try {
      await rehearse({ ...shop(), paths: ordered, sample: 1, ...options } as RehearsalOptions);
    } catch (error) {
      if (error instanceof RehearsalError) return [error.code, error.message];
      throw error;
    }
    return 'rehearsed';
  };

  test('with no snapshot', async () => {
    expect(await code({ world: { reset: () => {} } as never })).toEqual([
      'no_snapshot',
      expect.stringContaining('snapshot()'),
    ]);
    expect(await code({ world: { reset: () => {}, snapshot: () => undefined } })).toEqual([
      'no_snapshot',
      expect.stringMatching(/says nothing/),
    ]);
  });

  test('with a reset that leaves something behind', async () => {
    expect(await code(shop({ leaves: true }))).toEqual(['reset_leaves_something', expect.stringMatching(/at rows\/0/)]);
  });

  test('with runs that differ, unless the tool is replayed', async () => {
    expect(await code(shop({ moods: true }))).toEqual(['not_stable', expect.stringMatching(/calls/)]);
    expect(await code({ ...shop({ moods: true }), replay: ['askPrice'] })).toBe('rehearsed');
  });

  test('with a machine that comes to no end', async () => {
    expect(await code({ paths: [{}] })).toEqual(['never_ends', expect.stringMatching(/rest in waiting/)]);
    const again = [{ events: [{ type: 'order' }, { type: 'order' }] }];
    expect(await code({ paths: again })).toEqual([
      'never_ends',
      expect.stringMatching(/before it takes the event order/),
    ]);
  });

  test('with a machine that goes on for ever', async () => {
    const round = setup({ actors: { askPrice: tool<number, void>(async () => 1) } }).createMachine({
      id: 'shop',
      initial: 'here',
      states: {
        here: { invoke: { src: 'askPrice', onDone: 'there' } },
        there: { invoke: { src: 'askPrice', onDone: 'here' } },
      },
    });
    expect(await code({ machine: round, paths: [{}] })).toEqual(['never_ends', expect.stringMatching(/for ever/)]);
  });

  test('with a run that fails by itself', async () => {
    const machine = shop().machine.provide({ actors: { pay: tool(() => Promise.reject(new Error('no money'))) } });
    expect(await code({ machine, reconcilers: {} })).toEqual(['fails_without_faults', expect.stringMatching(/parked/)]);
  });

  test('with a machine that has no tools', async () => {
    const machine = setup({}).createMachine({ id: 'shop', initial: 'done', states: { done: { type: 'final' } } });
    expect(await code({ machine, paths: [{}] })).toEqual(['no_tools', expect.stringMatching(/has no tools/)]);
  });

  test('with processes to be killed, of a world that is in this one', async () => {
    expect(await code({ kills: 'process' })).toEqual(['world_in_process', expect.stringMatching(/outlives: true/)]);
  });

  test('with a config that has errors, and with names that are not there', async () => {
    expect(await code({ config: 'nowhere.yaml' })).toEqual(['config_refused', expect.stringMatching(/nowhere\.yaml/)]);
    expect(await code({ wrong: { askPrise: () => 1 } })).toEqual(['bad_option', expect.stringMatching(/askPrise/)]);
    expect(await code({ replay: ['model'] })).toEqual(['bad_option', expect.stringMatching(/model/)]);
    expect(await code({ paths: [] })).toEqual(['bad_option', expect.stringMatching(/1 to 50/)]);
    expect(await code({ paths: [{ name: 'a' }, { name: 'a' }] })).toEqual([
      'bad_option',
      expect.stringMatching(/one name/),
    ]);
  });
});
