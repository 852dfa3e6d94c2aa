import { describe, expect, test } from 'vitest';
import { agents } from '../../domains/agents.ts';
import type { InstanceId } from '../../src/model/instance.ts';
import type { Fault } from '../../src/xstate/faults.ts';
import { type Found, folder, reviewed, runsOf } from './running.ts';

const agent = agents.navigation;
const run = runsOf(agent);
const { config, size, lint, warnings, notRecoverable, exitsOf } = reviewed(agent);

const stop = (index: number, ordinal = 0): InstanceId => ({
  skeleton: 'ResolveStop',
  entity: `stop[${index}]`,
  ordinal,
});

const ROUTE: InstanceId = { skeleton: 'FinalizeRoute', entity: 'route', ordinal: 0 };

describe('the machine and its boundaries', () => {
  test('have the size of the paper: 14 states, 28 legal edges, 3 skeletons, 4 commits, 6 exits, 1 pending', () => {
    expect(size).toEqual({ states: 14, edges: 28, skeletons: 3, commits: 4, exits: 6, pending: 1 });
  });

  test('have three recoverable exits of a stop, one legal edge that is none, and nothing to be warned of', () => {
    expect(warnings).toEqual([]);
    expect(notRecoverable('ResolveStop')).toEqual(['WAITING_POI_SELECTION -> STOP_READY']);
    expect(lint.filter(({ code }) => code === 'boundary_pending')).toMatchObject([
      { message: expect.stringContaining('"shortlisted"') },
    ]);
    expect(exitsOf('ResolveStop')).toEqual([
      'WAITING_QUERY_REFINEMENT -> STOP_READY',
      'WAITING_QUERY_REFINEMENT -> ROUTES_PLANNED',
      'WAITING_QUERY_REFINEMENT -> DONE',
    ]);
  });
});

describe('a run that never fails', () => {
  test('takes 22 actions with three stops, and certifies every boundary that it comes past', async () => {
    const { status, calls, world, findings } = await run({});
    expect([status, calls.length, findings]).toEqual(['done', 22, []]);
    expect(world).toMatchObject({
      hold: [{ place: 'blue-anchor' }, { place: 'lighthouse' }, { place: 'orchard-cafe' }],
      reservation: [{ charger: 'junction-north', standing: 'first' }],
      account: [{ cents: 500 }],
      log: [{ stops: 3, km: 58 }],
      route: [{ vehicle: 'wren', standing: 'first' }],
    });
    expect((await run({})).world).toEqual(world);
  });

  test('has a stop moved, another one searched for anew, and the legs planned by another weight', async () => {
    const wishes = [{ stop: 'stop[1]', place: 'abbey-garden' }, { stop: 'stop[0]', query: 'food vegan' }, { by: 'km' }];
    const { status, world, findings } = await run({ wishes });
    expect([status, findings]).toEqual(['done', []]);
    expect(world).toMatchObject({
      hold: [
        { place: 'green-table', revision: 1 },
        { place: 'abbey-garden', revision: 2 },
        { place: 'orchard-cafe', revision: 1 },
      ],
      log: [{ km: 59 }],
    });
  });

  test('refines a query until nothing else may be searched for', async () => {
    const stops = [{ title: 'Sea', query: 'food vegan fish', refine: 'view sea' }];
    const { calls, context, world, findings } = await run({ from: 'castle', to: 'harbour', stops });
    expect(calls.filter((tool) => tool === 'search_poi')).toHaveLength(7);
    expect(context).toMatchObject({ stops: { 'stop[0]': { place: 'lighthouse', search: { round: 2 } } } });
    // An offer that is open is no boundary, and that is no finding.
    expect([findings, world.reservation]).toEqual([
      [],
      [{ charger: 'station-yard', trip: 'castle-tour', standing: 'first' }],
    ]);
  });

  test.each([
    ['shows a preview, and tells nobody', { mode: 'preview' }, 'DONE', 3],
    ['ends a preview whose last stop is skipped', previewOf('food', 'museum'), 'DONE', 1],
    ['is cancelled where every stop is skipped', previewOf('museum'), 'CANCELLED', 0],
    ['is cancelled where there is no stop', { stops: [] }, 'CANCELLED', 0],
    ['is cancelled where the vehicle is not known', { vehicle: 'ox' }, 'CANCELLED', 0],
    ['is cancelled where the vehicle does not go that far', { vehicle: 'moth' }, 'CANCELLED', 3],
    ['is cancelled where no road leads', { to: 'island' }, 'CANCELLED', 3],
  ])('%s', async (_what, input, state, holds) => {
    const { value, world, findings } = await run(input);
    expect([value, world.hold?.length, world.route, world.reservation, findings]).toEqual([state, holds, [], [], []]);
  });

  test('refuses an input that is no request, and says why', async () => {
    await expect(agent.open({ run: 'r', folder: folder(), input: { mode: 'loud', stopps: 3 } })).rejects.toThrow(
      /no request.*additional properties.*\/mode must be equal to one of/,
    );
  });
});

function previewOf(...queries: string[]) {
  return { mode: 'preview', stops: queries.map((query) => ({ title: query, query })) };
}

describe('a call that fails', () => {
  const tools = [...config.tools.values()];
  const faults = tools.flatMap(({ name, effect }): Fault[] => [
    { tool: name, when: 'before', signal: 'TIMEOUT' },
    { tool: name, when: 'before', signal: 'GOVERNOR_DENIED' },
    { tool: name, when: 'after', signal: 'TOOL_EXCEPTION' },
    ...(effect === 'none' ? [] : ([{ tool: name, when: 'after', signal: 'INVALID_OUTPUT' }] as const)),
  ]);
  const asked = faults.filter(({ tool, signal }) => tool !== 'reserve_charger' || signal === 'GOVERNOR_DENIED');

  test.each(asked.filter(({ tool, signal }) => signal !== 'INVALID_OUTPUT' || tool !== 'collect_trip'))(
    'ends in the world in which nothing failed: $tool $when, $signal',
    async (fault) => {
      const input = { wishes: [{ stop: 'stop[1]', place: 'abbey-garden' }] };
      const [{ status, world, reports }, undisturbed] = [await run(input, fault), await run(input)];
      expect([status, reports.length]).toEqual(['done', 1]);
      expect(world).toEqual(undisturbed.world);
    },
  );

  test('waits for a person where the reply of a charger is lost, since nobody can be asked', async () => {
    const fault: Fault = { tool: 'reserve_charger', when: 'after', signal: 'TIMEOUT' };
    const { status, decision, world } = await run({}, fault);
    expect([status, decision?.verdict, world.reservation?.length, world.route]).toEqual(['parked', 'escalate', 1, []]);
  });
});

describe('what is found wrong', () => {
  const wished = { wishes: [{ stop: 'stop[1]', place: 'abbey-garden' }] };
  test.each<[string, object, Found, string[]]>([
    [
      'goes back to its entry, not to the list that it was chosen from',
      {},
      { during: 'refine_stop', nth: 3, instance: stop(2), key: 'stops/stop[2]/place' },
      ['ResolveStop::stop[2]::0'],
    ],
    [
      'takes the stop with it that was searched for near it',
      {},
      { during: 'choose_poi', nth: 2, instance: stop(0), key: 'stops/stop[0]/place' },
      ['ResolveStop::stop[0]::0', 'ResolveStop::stop[1]::0'],
    ],
    [
      'is only the move where it was the move',
      wished,
      { during: 'plan_leg', nth: 6, instance: stop(1, 1), key: 'stops/stop[1]/place' },
      ['ResolveStop::stop[1]::1', 'FinalizeRoute::route::1'],
    ],
    [
      'has the charger cancelled and quoted anew where the offer was open',
      { stops: [{ title: 'Sea', query: 'view sea' }], from: 'castle', to: 'harbour' },
      { during: 'publish_route', instance: ROUTE, key: 'reservation' },
      ['FinalizeRoute::route::0'],
    ],
    [
      'has the charger cancelled and reserved again where the offer was firm',
      {},
      { during: 'publish_route', instance: ROUTE, key: 'reservation' },
      ['FinalizeRoute::route::0'],
    ],
  ])('%s', async (_what, input, found, moved) => {
    const failed = await run(input, found);
    const named = failed.moved.filter((name) => !name.includes('(root)'));
    expect([failed.status, failed.decision?.verdict, named, failed.findings]).toEqual(['done', 'restore', moved, []]);
    expect(failed.world).toEqual((await run(input)).world);
  });

  test('is too late once the next stop has relied on it and the vehicle was told', async () => {
    const found = { during: 'file_log', instance: stop(0), key: 'stops/stop[0]/place' };
    const { status, decision, world } = await run({}, found);
    expect([status, decision?.verdict, world.route?.length]).toEqual(['parked', 'escalate', 1]);
  });

  test('would wait in line, were it taken from the list once more: that is why the list is pending', async () => {
    const stops = { ...config.skeletons.get('ResolveStop') } as NonNullable<ReturnType<typeof config.skeletons.get>>;
    const anchors = [...stops.rollback.anchors, 'shortlisted'];
    const anchored = { ...stops, rollback: { ...stops.rollback, anchors, pending: [] } };
    const careless = { ...config, skeletons: new Map([...config.skeletons, ['ResolveStop', anchored]]) };
    const found = { during: 'refine_stop', nth: 3, instance: stop(2), key: 'stops/stop[2]/place' };
    const { status, world } = await run({}, found, { config: careless });
    expect([status, world.hold?.at(-1)]).toMatchObject(['done', { stop: 'stop[2]', standing: 'waiting' }]);
  });
});
