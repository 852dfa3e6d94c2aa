/** Calls that wait for a person: when they are asked about, when they leave, and how often (semantics.md R4). */
import { describe, expect, test } from 'vitest';
import { setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { ApprovalRequest, GuardedRequest } from '../../src/effects/gates.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attach } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { calm, until } from '../poll.ts';
import { asked, by, gated, statusOf } from './gated.ts';
import { held, Line, of } from './stations.ts';

describe('a gated call', () => {
  test('leaves once a person has approved it, and once only', async () => {
    const told: string[] = [];
    const line = new Line([gated(), { name: 'b' }]);
    const run = await line.begin({ onGate: ({ gate }) => void told.push(gate) });
    run.send('go');
    const gate = await asked(run);
    await calm();
    expect([line.called('a'), run.value, told]).toEqual([0, 'a', [gate.gate]]);
    expect(await run.sidecar.answer(gate.gate, 'approved', by)).toBeNull();
    await run.at('rest');
    expect([line.called('a'), run.sidecar.gates(), line.reports]).toEqual([1, [], []]);
    await run.close();
  });

  test('does not leave where a person denies it: that is a failure, and nothing happened', async () => {
    const line = new Line([{ ...gated(), onError: 'handled' }]);
    const run = await line.begin();
    run.send('go');
    const gate = await asked(run);
    expect(await run.sidecar.answer(gate.gate, 'denied', { by: 'Ada', why: 'too dear' })).toBeNull();
    await run.at('handled');
    expect(line.called('a')).toBe(0);
    await run.close();
  });

  test('that was denied is not asked about again where its work is done again: a no is final', async () => {
    const line = new Line([{ ...gated(), rollback: 'tries: 1' }]);
    const told: GuardedRequest[] = [];
    const run = await line.begin({ onGate: (request) => void told.push(request) });
    run.send('go');
    const first = await asked(run);
    await run.sidecar.answer(first.gate, 'denied', by);
    expect((await run.finished()).status).toBe('parked');
    expect([line.called('a'), line.reports.map(({ signal }) => signal)]).toEqual([
      0,
      ['GOVERNOR_DENIED', 'GOVERNOR_DENIED'],
    ]);
    expect(told).toMatchObject([
      { gate: first.gate, tool: 'a', instance: of('a'), reason: 'every call of a waits for an approval' },
    ]);
    await run.close();
  });

  test('waits only where the config says so, and where nobody can tell', async () => {
    const small = new Line([
      { name: 'a', reads: ['wanted'], tool: "effect: irreversible, gate: { when: 'args.wanted > 10' }" },
    ]);
    const run = await small.begin();
    run.send('go');
    await asked(run);
    await run.close();
    const none = new Line([{ name: 'a', tool: "effect: irreversible, gate: { when: 'false' }" }]);
    const free = await none.begin();
    free.send('go');
    await free.at('rest');
    expect([none.called('a'), free.sidecar.gates()]).toEqual([1, []]);
    await free.close();
  });

  test('is told of again by the process that takes its run up', async () => {
    const journal = memoryStore();
    const line = new Line([gated()]);
    const told: string[] = [];
    const onGate = ({ gate }: GuardedRequest) => void told.push(gate);
    const first = await line.begin({ journal, onGate });
    first.send('go');
    const { gate } = await asked(first);
    await first.close();
    const next = await line.resume({ journal, onGate });
    await until(() => told.length === 2);
    expect(told).toEqual([gate, gate]);
    await next.close();
  });

  test('leaves other regions alone while it waits', async () => {
    let sent = 0;
    const act = tool(async () => {
      sent += 1;
    });
    const machine = setup({ actors: { send: act, look: tool(async () => 'seen') } }).createMachine({
      id: 'two',
      type: 'parallel',
      states: {
        left: { initial: 'sending', states: { sending: { invoke: { src: 'send', onDone: 'sent' } }, sent: {} } },
        right: { initial: 'looking', states: { looking: { invoke: { src: 'look', onDone: 'seen' } }, seen: {} } },
      },
    });
    const { config } = loadConfig(
      `belay: 1
agent: two
tools: { send: { effect: irreversible, gate: true }, look: { effect: none } }
skeletons: {}`,
      { file: 'two.yaml' },
    );
    const sidecar = await attach(machine, { run: 'r', config: config as BoundaryConfig });
    sidecar.actor.start();
    const { gate } = await asked({ sidecar });
    await until(() => sidecar.actor.getSnapshot().matches({ left: 'sending', right: 'seen' }));
    expect(sent).toBe(0);
    await sidecar.answer(gate, 'approved', by);
    await until(() => sidecar.actor.getSnapshot().matches({ left: 'sent' }));
    expect(sent).toBe(1);
    await sidecar.close();
  });

  test('is not asked about again by the next process, which takes the answer that was given before', async () => {
    const journal = memoryStore();
    const line = new Line([gated()]);
    const first = await line.begin({ journal });
    first.send('go');
    const { gate } = await asked(first);
    await first.close();
    const second = await line.resume({ journal });
    expect((await asked(second)).gate).toBe(gate);
    await calm();
    expect(line.called('a')).toBe(0);
    await second.sidecar.answer(gate, 'approved', by);
    await second.at('rest');
    expect(line.called('a')).toBe(1);
    await second.close();
  });

  test('is asked about once, however often its process ends after the approval and before the call leaves', async () => {
    const journal = memoryStore();
    const never = held<string | null>();
    let ask: () => Promise<string | null> = async () => null;
    const line = new Line([gated(', check: fresh')]);
    const options = { journal, checks: { fresh: () => ask() } };
    const first = await line.begin(options);
    first.send('go');
    const { gate } = await asked(first);
    ask = () => never.promise;
    await first.sidecar.answer(gate, 'approved', by);
    await calm();
    await first.close();
    ask = async () => null;
    const second = await line.resume(options);
    await second.at('rest');
    expect([line.called('a'), second.sidecar.gates()]).toEqual([1, []]);
    await second.close();
  });

  test('has its preconditions asked again after the approval', async () => {
    const says: (string | null)[] = [null, 'the price has gone up'];
    const line = new Line([{ ...gated(', check: fresh'), onError: 'handled' }]);
    const run = await line.begin({ checks: { fresh: () => says.shift() ?? null } });
    run.send('go');
    const { gate } = await asked(run);
    await run.sidecar.answer(gate, 'approved', by);
    await run.at('handled');
    expect([line.called('a'), says]).toEqual([0, []]);
    await run.close();
  });

  test('has the governor asked again, too', async () => {
    const says: (string | null)[] = [null, 'not on a Saturday'];
    const line = new Line([{ ...gated(), onError: 'handled' }]);
    const run = await line.begin({ governor: () => says.shift() ?? null });
    run.send('go');
    await run.sidecar.answer((await asked(run)).gate, 'approved', by);
    await run.at('handled');
    expect(line.called('a')).toBe(0);
    await run.close();
  });

  test('is denied by the clock where nobody answers in time', async () => {
    const line = new Line([{ name: 'a', tool: 'effect: irreversible, gate: { expires: 50ms }', onError: 'handled' }]);
    const run = await line.begin();
    run.send('go');
    await run.at('handled');
    expect(line.called('a')).toBe(0);
    await run.close();
  });

  test('that nobody waits for any more is not made, and its question is void', async () => {
    const line = new Line([gated(), { name: 'b' }]);
    const run = await line.begin();
    run.send('go');
    const { gate } = await asked(run);
    await run.fail('CONTRACT_VIOLATION', { instance: of('a') });
    const next = await asked(run);
    expect(next.gate).not.toBe(gate);
    expect(await run.sidecar.answer(gate, 'approved', by)).toContain('void');
    await calm();
    expect(line.called('a')).toBe(0);
    await run.sidecar.answer(next.gate, 'approved', by);
    await run.at('rest');
    expect(line.called('a')).toBe(1);
    await run.close();
  });
});

test('an idempotent call that has left is unknown, and not undone by a denial of its next try', async () => {
  const line = new Line([{ name: 'a', tool: 'effect: idempotent, gate: true', rollback: 'tries: 1' }], {
    a: () => {
      throw new Error('connection reset');
    },
  });
  const journal = memoryStore();
  const run = await line.begin({ journal });
  run.send('go');
  const first = await asked(run);
  await run.sidecar.answer(first.gate, 'approved', by);
  await until(() => run.sidecar.gates().some(({ gate, asks }) => gate !== first.gate && asks === 'approval'));
  const next = run.sidecar.gates().find(({ asks }) => asks === 'approval') as ApprovalRequest;
  await run.sidecar.answer(next.gate, 'denied', by);
  await calm(50);
  await run.sidecar.durable();
  expect([line.called('a'), statusOf(journal, first.key)]).toEqual([1, 'unknown']);
  await run.close();
});

test('a call of unknown outcome is asked about, whatever its preconditions say by then', async () => {
  const journal = memoryStore();
  const checks = { fresh: (): string | null => says };
  let says: string | null = null;
  const line = new Line([{ name: 'a', tool: 'effect: irreversible, check: fresh' }], {
    a: () => new Promise(() => {}),
  });
  const first = await line.begin({ journal, checks });
  first.send('go');
  await until(() => line.called('a') === 1);
  await first.close();
  says = 'it was paid meanwhile';
  const second = await line.resume({ journal, checks });
  expect((await second.finished()).status).toBe('parked');
  expect(line.reports.at(-1)?.signal).toBe('TOOL_EXCEPTION');
  await second.sidecar.settle(line.calls[0]?.key as string, 'confirmed', 'was there');
  await second.at('rest');
  expect([line.called('a'), second.context.a]).toEqual([1, 'was there']);
  await second.close();
});

test('what nobody could tell is asked of a person, and no other question is asked about it meanwhile', async () => {
  const line = new Line([{ name: 'a', tool: 'effect: irreversible' }], {
    a: () => {
      throw new Error('connection reset');
    },
  });
  const run = await line.begin();
  run.send('go');
  expect((await run.finished()).status).toBe('parked');
  const gate = await asked(run);
  expect([gate.asks, run.sidecar.gates().length]).toEqual(['outcome', 1]);
  expect(await run.sidecar.answer(gate.gate, 'approved', by)).toBe('it asks for an outcome');
  await run.sidecar.settle(gate.key, 'confirmed', 'was there');
  await run.at('rest');
  expect([run.context.a, run.sidecar.gates()]).toEqual(['was there', []]);
  await run.close();
});
