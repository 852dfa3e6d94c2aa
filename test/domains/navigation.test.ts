import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { agents } from '../../domains/agents.ts';
import { readConfig } from '../../src/boundaries/directory.ts';
import { lintConfig } from '../../src/boundaries/lint.ts';
import { type InstanceId, instanceName } from '../../src/model/instance.ts';
import { attach, type SidecarOptions } from '../../src/sidecar/attach.ts';
import type { Report } from '../../src/sidecar/report.ts';
import { type Fault, withFault } from '../../src/xstate/faults.ts';
import { machineShape } from '../../src/xstate/shape.ts';

const agent = agents.navigation;
const shape = machineShape(agent.machine);
const { config, document, findings } = readConfig(agent.config);
if (config === null) throw new Error(JSON.stringify(findings));

const folders: string[] = [];
const folder = () => {
  const made = mkdtempSync(join(tmpdir(), 'belay-navigation-'));
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const each of folders.splice(0)) rmSync(each, { recursive: true, force: true });
});

/** Somebody finds, at the nth call of a tool, that an instance wrote a wrong key. */
interface Found {
  readonly during: string;
  readonly nth?: number;
  readonly instance: InstanceId;
  readonly key: string;
}

/** Runs the agent in a world of its own until it ends or stands still; a call fails, or something is found wrong. */
async function run(input: object, failing: Fault | Found | null = null, options: Partial<SidecarOptions> = {}) {
  const opened = await agent.open({ run: 'r', folder: folder(), input });
  const reports: Report[] = [];
  const calls: string[] = [];
  const findings: string[] = [];
  const faulty = failing === null || 'during' in failing ? null : withFault(opened.machine, failing);
  const sidecar = await attach(faulty?.machine ?? opened.machine, {
    run: 'r',
    config: agent.config,
    input: opened.input,
    undo: opened.undo ?? {},
    reconcilers: opened.reconcilers ?? {},
    reviewed: true,
    onDecision: (report) => void reports.push(report),
    onFinding: ({ code, text }) => void findings.push(`${code} ${text}`),
    governor: async ({ tool }) => {
      calls.push(tool);
      const nth = calls.filter((call) => call === tool).length;
      if (failing !== null && 'during' in failing && tool === failing.during && nth === (failing.nth ?? 1))
        await sidecar.fail('CONTRACT_VIOLATION', { instance: failing.instance, key: failing.key });
      return faulty?.governor({ tool }) ?? null;
    },
    ...options,
  });
  sidecar.actor.start();
  const ending = await sidecar.finished();
  const world = (await opened.world?.()) ?? {};
  const { value, context } = sidecar.actor.getSnapshot() as { value: unknown; context: Record<string, unknown> };
  await sidecar.close();
  await opened.close();
  const [first] = reports;
  const moves = first?.decision.line?.moves.map(({ instance }) => instanceName(instance)) ?? [];
  return { ending, world, value, context, reports, calls, findings, verdict: first?.decision.verdict, moves };
}

const stop = (index: number, ordinal = 0): InstanceId => ({
  skeleton: 'ResolveStop',
  entity: `stop[${index}]`,
  ordinal,
});

const ROUTE: InstanceId = { skeleton: 'FinalizeRoute', entity: 'route', ordinal: 0 };

describe('the machine and its boundaries', () => {
  test('have the size of the paper: 14 states, 28 legal edges, 3 skeletons, 4 commits, 6 exits, 1 pending', () => {
    const edges = new Set(shape.edges.map(({ from, to }) => `${from} -> ${to}`));
    const skeletons = [...config.skeletons.values()];
    const all = skeletons.flatMap(({ boundaries, rollback }) =>
      boundaries.map(({ kind, id }) => (rollback.pending.includes(id) ? 'pending' : kind)),
    );
    const count = (kind: string) => all.filter((each) => each === kind).length;
    expect([
      shape.states.filter(({ path }) => path !== '').length,
      edges.size,
      skeletons.length,
      count('commit'),
      count('exit'),
      count('pending'),
    ]).toEqual([14, 28, 3, 4, 6, 1]);
  });

  test('have three recoverable exits of a stop, one legal edge that is none, and nothing to be warned of', () => {
    const lint = lintConfig(config, document, shape);
    expect(lint.filter(({ severity }) => severity !== 'note')).toEqual([]);
    const lost = lint.filter(
      ({ code, message }) => code === 'not_recoverable' && message.includes('leaves ResolveStop'),
    );
    expect(lost.map(({ message }) => message.split(' (')[0])).toEqual(['WAITING_POI_SELECTION -> STOP_READY']);
    expect(lint.filter(({ code }) => code === 'boundary_pending')).toMatchObject([
      { message: expect.stringContaining('"shortlisted"') },
    ]);
    const exits = config.skeletons.get('ResolveStop')?.boundaries.filter(({ kind }) => kind === 'exit') ?? [];
    expect(exits.map(({ site }) => ('from' in site ? `${site.from} -> ${site.to}` : site.at))).toEqual([
      'WAITING_QUERY_REFINEMENT -> STOP_READY',
      'WAITING_QUERY_REFINEMENT -> ROUTES_PLANNED',
      'WAITING_QUERY_REFINEMENT -> DONE',
    ]);
  });
});

describe('a run that never fails', () => {
  test('takes 22 actions with three stops, and certifies every boundary that it comes past', async () => {
    const { ending, calls, world, findings } = await run({});
    expect([ending.status, calls.length, findings]).toEqual(['done', 22, []]);
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
    const { ending, world, findings } = await run({ wishes });
    expect([ending.status, findings]).toEqual(['done', []]);
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
      const [{ ending, world, reports }, undisturbed] = [await run(input, fault), await run(input)];
      expect([ending.status, reports.length]).toEqual(['done', 1]);
      expect(world).toEqual(undisturbed.world);
    },
  );

  test('waits for a person where the reply of a charger is lost, since nobody can be asked', async () => {
    const fault: Fault = { tool: 'reserve_charger', when: 'after', signal: 'TIMEOUT' };
    const { ending, verdict, world } = await run({}, fault);
    expect([ending.status, verdict, world.reservation?.length, world.route]).toEqual(['parked', 'escalate', 1, []]);
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
    const [{ ending, world, verdict, moves, findings }, undisturbed] = [await run(input, found), await run(input)];
    const named = moves.filter((name) => !name.includes('(root)'));
    expect([ending.status, verdict, named, findings]).toEqual(['done', 'restore', moved, []]);
    expect(world).toEqual(undisturbed.world);
  });

  test('is too late once the next stop has relied on it and the vehicle was told', async () => {
    const found = { during: 'file_log', instance: stop(0), key: 'stops/stop[0]/place' };
    const { ending, verdict, world } = await run({}, found);
    expect([ending.status, verdict, world.route?.length]).toEqual(['parked', 'escalate', 1]);
  });

  test('would wait in line, were it taken from the list once more: that is why the list is pending', async () => {
    const stops = { ...config.skeletons.get('ResolveStop') } as NonNullable<ReturnType<typeof config.skeletons.get>>;
    const anchors = [...stops.rollback.anchors, 'shortlisted'];
    const anchored = { ...stops, rollback: { ...stops.rollback, anchors, pending: [] } };
    const careless = { ...config, skeletons: new Map([...config.skeletons, ['ResolveStop', anchored]]) };
    const found = { during: 'refine_stop', nth: 3, instance: stop(2), key: 'stops/stop[2]/place' };
    const { ending, world } = await run({}, found, { config: careless, reviewed: false });
    expect([ending.status, world.hold?.at(-1)]).toMatchObject(['done', { stop: 'stop[2]', standing: 'waiting' }]);
  });
});
