/** A key names a decision (semantics.md E3, E7): what a replay asks for under it, what it asks for besides, and what it leaves out. */
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { explain } from '../../src/recovery/explain.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import type { Report } from '../../src/sidecar/report.ts';
import { attach } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { until } from '../poll.ts';
import { Line, of } from './stations.ts';

/** What a planner wants: payments one after the other, and perhaps a look at the balance before them. */
interface Plan {
  readonly cents: readonly number[];
  readonly looks?: boolean;
}

const { config } = loadConfig(
  `belay: 1
agent: shop
tools:
  plan: { reads: [], writes: [plan], effect: none }
  look: { reads: [], writes: [], effect: none }
  pay: { reads: [plan], writes: [paid], effect: idempotent }
skeletons:
  Shop:
    entity: '"it"'
    states: [planning, looking, paying, next]
    entry: [planning]
    outputs: [plan, paid]
    exit:
      - { id: paid, at: next -> shopped, when: memory.paid > 0, outputs: [plan] }
    rollback: { anchors: [paid], resume: planning }
keys: { blind: [plan, paid] }`,
  { file: 'shop.yaml' },
);

/** A shop whose planner says one thing the first time and another the second. */
async function shop(first: Plan, second: Plan) {
  const plans = [first, second];
  const paid: { key: string | undefined; cents: number }[] = [];
  const reports: Report[] = [];
  const findings: string[] = [];
  const machine = setup({
    types: { context: {} as { plan: Plan; paid: number } },
    actors: {
      plan: tool(async () => plans.shift() as Plan),
      look: tool(async () => 1),
      pay: tool(async ({ key, input }: ToolCall<{ cents: number }>) => {
        paid.push({ key, cents: input.cents });
      }),
    },
  }).createMachine({
    id: 'shop',
    context: { plan: { cents: [] }, paid: 0 },
    initial: 'idle',
    states: {
      idle: { on: { go: 'planning' } },
      planning: {
        invoke: {
          src: 'plan',
          onDone: { target: 'looking', actions: assign({ plan: ({ event }) => event.output, paid: 0 }) },
        },
      },
      looking: {
        always: { guard: ({ context }) => context.plan.looks !== true, target: 'paying' },
        invoke: { src: 'look', onDone: 'paying' },
      },
      paying: {
        invoke: {
          src: 'pay',
          input: ({ context }) => ({ cents: context.plan.cents[context.paid] as number }),
          onDone: { target: 'next', actions: assign({ paid: ({ context }) => context.paid + 1 }) },
        },
      },
      next: {
        always: [{ guard: ({ context }) => context.paid < context.plan.cents.length, target: 'paying' }, 'shopped'],
      },
      shopped: {},
    },
  });
  const sidecar = await attach(machine, {
    run: 'r',
    config: config as BoundaryConfig,
    onDecision: (report) => void reports.push(report),
    onFinding: ({ code, text }) => void findings.push(`${code}: ${text}`),
  });
  sidecar.actor.start();
  sidecar.actor.send({ type: 'go' });
  await until(() => sidecar.actor.getSnapshot().value === 'shopped');
  const replayed = async () => {
    const left = plans.length;
    await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Shop', entity: 'it', ordinal: 0 } });
    await until(
      () => plans.length < left && (sidecar.status === 'parked' || sidecar.actor.getSnapshot().value === 'shopped'),
    );
  };
  /** What stands at a counterparty that deduplicates by key: one payment a key, of the amount that it was first asked for. */
  const stands = () => [...new Map(paid.toReversed().map(({ key, cents }) => [key, cents])).values()].toReversed();
  return { sidecar, paid, reports, findings, replayed, stands };
}

describe('a replay', () => {
  test('that asks to pay 49 where the ledger holds 50 under the same decision is refused, and both are shown', async () => {
    const { sidecar, paid, reports, replayed } = await shop({ cents: [50] }, { cents: [49] });
    await replayed();
    expect([sidecar.status, paid.map(({ cents }) => cents)]).toEqual(['parked', [50]]);
    const { decision } = reports.at(-1) as Report;
    expect(decision.refusals).toMatchObject([
      { code: 'effect_diverged', recordedArgs: '{"cents":50}', askedArgs: '{"cents":49}' },
    ]);
    const words = JSON.stringify(explain(decision));
    expect(words).toContain('recorded {\\"cents\\":50}, now {\\"cents\\":49}');
    await sidecar.close();
  });

  test('that asks for the same asks the counterparty again under the same key, and nothing is paid again (C10)', async () => {
    const { sidecar, paid, replayed, stands } = await shop({ cents: [50] }, { cents: [50] });
    await replayed();
    expect([sidecar.status, paid.length, stands()]).toEqual(['running', 2, [50]]);
    await sidecar.close();
  });

  test('into which a planner inserts a query shifts no key', async () => {
    const { sidecar, paid, replayed, stands } = await shop({ cents: [50, 50] }, { cents: [50, 50], looks: true });
    const before = paid.map(({ key }) => key);
    await replayed();
    expect([sidecar.status, stands()]).toEqual(['running', [50, 50]]);
    expect(paid.slice(2).map(({ key }) => key)).toEqual(before);
    await sidecar.close();
  });

  test('that pays once more pays that alone', async () => {
    const { sidecar, replayed, stands } = await shop({ cents: [50] }, { cents: [50, 50] });
    await replayed();
    expect(stands()).toEqual([50, 50]);
    await sidecar.close();
  });

  test('that never claims a kept payment is stopped at its next boundary (E7)', async () => {
    const { sidecar, paid, findings, replayed } = await shop({ cents: [50, 50] }, { cents: [50] });
    await replayed();
    const [, second] = paid;
    expect(findings).toEqual([
      `not_certified: exit paid of Shop::it::0 does not certify: controllable: the replay has not claimed ${second?.key}`,
    ]);
    await sidecar.close();
  });
});

test('two equal payments are two decisions, and both happen', async () => {
  const { sidecar, paid } = await shop({ cents: [50, 50] }, { cents: [] });
  expect(paid.map(({ cents }) => cents)).toEqual([50, 50]);
  expect(new Set(paid.map(({ key }) => key)).size).toBe(2);
  await sidecar.close();
});

describe('E3: the same key with other arguments', () => {
  test('is a divergence: refused, shown, and not served', async () => {
    const line = new Line(
      [
        { name: 'a', reads: ['wanted'] },
        { name: 'b', reads: ['a'], tool: 'effect: idempotent' },
      ].map((station) => (station.name === 'a' ? { ...station, rollback: 'joint: [B]' } : station)),
      { a: ({ nth }) => `a${nth}` },
    );
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    expect((await run.finished()).status).toBe('parked');
    expect(line.codes()).toEqual(['effect_diverged']);
    expect(line.called('b')).toBe(1);
    expect(run.context.b).toBeUndefined();
    await run.close();
  });

  test('is answered from the ledger where the arguments are the same', async () => {
    const line = new Line(
      [
        { name: 'a', reads: ['wanted'], rollback: 'joint: [B]' },
        { name: 'b', reads: ['a'], tool: 'effect: idempotent' },
      ],
      { b: ({ nth }) => `b${nth}` },
    );
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.at('rest');
    expect(line.calls.map(({ tool }) => tool)).toEqual(['a', 'b', 'a']);
    expect(run.context.b).toBe('b0');
    await run.close();
  });
});
