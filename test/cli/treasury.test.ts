/**
 * The treasury agent of the examples, in the seven points of a wire: one instruction however often it is sent, an intent before it, a third outcome, what takes it
 * back, and its why. The ledger that its page prints is the one of this run; and no death at any row moves money twice.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rehearsals } from '../../examples/rehearsals.ts';
import { machine } from '../../examples/treasury/machine.ts';
import { readConfig } from '../../src/boundaries/directory.ts';
import { auditText } from '../../src/cli/ledger/audit-text.ts';
import { ledgersOf, memoryStore } from '../../src/index.ts';
import { auditOf } from '../../src/reports/audit.ts';
import { whyOf } from '../../src/reports/why.ts';
import { DrivenClock } from '../../src/testing/driven-clock.ts';
import { recordingWorld, rehearse } from '../../src/testing/index.ts';
import { attach, type Sidecar } from '../../src/xstate/index.ts';
import { withTools } from '../../src/xstate/tools.ts';
import { root } from '../pages.ts';

const PAGE = `${root}docs/rehearsals/treasury.md`;
const CASH = { id: 'cash-12', by: 'cfo', policy: 'cash@2029-11', until: '2030-02-01', cents: 10_000_000 };
const passes = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A run of the agent, whose wire is approved; its reply is lost where `lost`. */
async function closed(more: { readonly mandate?: object; readonly pair?: string; readonly lost?: boolean } = {}) {
  const { config } = readConfig(`${root}examples/treasury/boundaries.yaml`);
  if (config === null) throw new Error('the config of the example has errors');
  const world = recordingWorld();
  const recorded = world.around(machine as never, config);
  // The reply of the wire is lost, and the bank does not know of it for a while.
  let isUnknown = more.lost === true;
  const cut = withTools(recorded.machine, (name, act) => {
    if (name !== 'wire' || more.lost !== true) return act;
    return async (call) => {
      await act(call);
      throw new Error('the line was cut');
    };
  });
  const store = memoryStore();
  const options = {
    ...{ run: 'close-1', config, journal: store, now: () => Date.now(), mandate: more.mandate ?? CASH },
    ...{ input: { pair: more.pair ?? 'EURUSD' }, undo: recorded.undo },
    reconcilers: {
      ...recorded.reconcilers,
      findWire: (call: { readonly key: string }) => {
        const known = isUnknown ? ({ is: 'unknown' } as const) : recorded.reconcilers['findWire']?.(call as never);
        isUnknown = false;
        return known;
      },
    },
    onGate: ({ gate }: { gate: string }) => void run?.answer(gate, 'approved', { by: 'ada' }),
  };
  const run: Sidecar = (await attach(cut, options as never)) as never;
  run.actor.start();
  const ending = await Promise.race([run.finished(), passes(3_600_000).then(() => null)]);
  await run.close();
  const rows = [...store.read('close-1')];
  return { ending, world, rows, state: (run.actor.getSnapshot() as { value: unknown }).value };
}

/** The spine of an audit, as `belay ledger --mandate` prints it. The keys of a run are drawn: each is named by its place. */
function spine(rows: Parameters<typeof auditOf>[0]): string {
  const keys = new Map<string | null, string | null>([[null, null]]);
  const lines = auditOf(rows).map((line) => {
    if (!keys.has(line.key)) keys.set(line.key, `key-${keys.size}`);
    return { ...line, key: keys.get(line.key) ?? null };
  });
  const text = auditText(lines, { columns: 118, colours: false } as never);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

test('the ledger on the page is the one of a run whose wire has an unknown outcome for a while', () =>
  new DrivenClock().during(async () => {
    const { ending, rows, state, world } = await closed({ lost: true });
    expect([ending?.status, state]).toEqual(['done', 'filed']);
    const [, printed = ''] = readFileSync(PAGE, 'utf8').split('```ledger\n');
    expect(spine(rows)).toBe(printed.slice(0, printed.indexOf('\n```')));
    expect(ledgersOf(rows, Date.now()).obligations).toEqual([]);
    for (const tool of ['sell', 'buy', 'wire', 'post', 'file']) expect(world.actsOf(tool)).toHaveLength(1);
    const [why] = whyOf(rows, { call: 'wire' });
    expect(JSON.stringify(why?.on)).toContain('all above the floor earns more overnight');
    expect(why?.call?.approval).toMatchObject({ by: 'ada' });
  }));

test('where the second leg finds no other side, the first is unwound: two legs or none', () =>
  new DrivenClock().during(async () => {
    const { ending, state, world } = await closed({ pair: 'EURTRY' });
    expect([ending?.status, state]).toEqual(['done', 'unhedged']);
    for (const tool of ['sell', 'buy', 'wire', 'post', 'file']) expect(world.actsOf(tool)).toEqual([]);
  }));

test('above the limit of its mandate no leg and no wire leaves', () =>
  new DrivenClock().during(async () => {
    const { world } = await closed({ mandate: { ...CASH, cents: 1_000 } });
    for (const tool of ['sell', 'buy', 'wire', 'post', 'file']) expect(world.actsOf(tool)).toEqual([]);
  }));

test('a death behind any row ends as the run without one', async () => {
  const options = rehearsals['treasury']?.();
  if (options === undefined) throw new Error('there is no such example');
  const report = await rehearse({ ...options, kills: 'all', only: 'hedged/kill' });
  const deaths = report.cells.filter(({ fault }) => fault.kind === 'kill');
  expect(deaths.filter(({ verdict }) => verdict.is !== 'same').map(({ id, verdict }) => `${id} ${verdict.is}`)).toEqual(
    [],
  );
  expect(deaths.length).toBeGreaterThan(20);
});
