/** A recording world is an honest counterparty: one act for one key, an answer about each call, and an undo that takes it back. */
import { describe, expect, test } from 'vitest';
import { assertActedOnce, assertNeverActed, recordingWorld, withFault } from '../../src/testing/index.ts';
import { attach } from '../../src/xstate/index.ts';
import { shop } from '../rehearsal/agents/shop.ts';

async function ordered(fault: Parameters<typeof withFault>[1]) {
  const { machine, config } = shop();
  const world = recordingWorld();
  const recorded = world.around(machine, config);
  const sidecar = await attach(withFault(recorded.machine, fault).machine, { run: 'r', config, ...recorded });
  sidecar.actor.subscribe((snapshot) => {
    if (snapshot.matches('waiting')) queueMicrotask(() => sidecar.actor.send({ type: 'order' }));
  });
  sidecar.actor.start();
  const { status } = await sidecar.finished();
  return { world, status };
}

describe('a recording world', () => {
  test('sees one payment where the reply is lost and the payment is asked about', async () => {
    const { world, status } = await ordered({ tool: 'pay', when: 'after', signal: 'TOOL_EXCEPTION' });
    expect(status).toBe('done');
    assertActedOnce(world, 'pay');
    assertActedOnce(world, 'pay', 40);
    assertNeverActed(world, 'pay', 41);
    expect(world.snapshot()).toEqual({
      reserve: [{ args: 40, output: 'hold 40' }],
      pay: [{ args: 40, output: 'paid 40' }],
    });
  });

  test('does not record what only asks', async () => {
    const { world } = await ordered({ tool: 'askPrice', when: 'before', signal: 'TOOL_EXCEPTION' });
    assertNeverActed(world, 'askPrice');
    expect(world.acts.map(({ tool }) => tool)).toEqual(['reserve', 'pay']);
  });

  test('acts once for one key, says what became of it, takes it back for good, and forgets all at a reset', async () => {
    const { machine, config } = shop();
    const world = recordingWorld();
    const { machine: recorded, reconcilers, undo } = world.around(machine, config);
    const { config: pay } = recorded.implementations.actors.pay as unknown as {
      config: (call: object) => Promise<unknown>;
    };
    const call = { key: 'k1', tool: 'pay', args: 40 };
    expect(reconcilers.findRow?.(call)).toEqual({ is: 'not_applied' });
    expect(await Promise.all([pay({ input: 40, key: 'k1' }), pay({ input: 40, key: 'k1' })])).toEqual([
      'paid 40',
      'paid 40',
    ]);
    expect(reconcilers.findRow?.(call)).toEqual({ is: 'applied', output: 'paid 40' });
    assertActedOnce(world, 'pay');
    await undo.release?.({ ...call, undoKey: 'u1', output: 'paid 40' });
    await pay({ input: 40, key: 'k1' });
    assertNeverActed(world, 'pay');
    world.reset();
    expect(world.acts).toEqual([]);
  });
});

describe('an assertion that does not hold', () => {
  test('lists what the tool did', async () => {
    const { world } = await ordered({ tool: 'askPrice', when: 'before', signal: 'TOOL_EXCEPTION' });
    expect(() => assertNeverActed(world, 'pay')).toThrow(
      /no act of pay should stand, and 1 do\. Its acts:\n {2}stands: 40 under belay-/,
    );
    expect(() => assertActedOnce(world, 'ship')).toThrow('It has never acted; reserve, pay did.');
    expect(() => assertActedOnce(recordingWorld(), 'pay')).toThrow('No tool has acted.');
  });

  test('a config with errors is refused with its code', () => {
    expect(() => recordingWorld().around(shop().machine, 'nowhere.yaml')).toThrow(
      expect.objectContaining({ code: 'config_refused' }),
    );
  });
});
