/** A rehearsed failure is the one that was asked for, at the call that was named, and at no other. */

import { describe, expect, test } from 'vitest';
import { assign, createActor, fromPromise, setup, waitFor } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { Report } from '../../src/index.ts';
import { attach } from '../../src/xstate/attach.ts';
import { FAULT_SIGNALS, type Fault, withFault } from '../../src/xstate/faults.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { tool } from '../../src/xstate/tool.ts';

/** What the tools were called with, in order. */
type Calls = { tool: string; key: string | undefined }[];

/** A machine that looks, sends, looks again, and has another machine send; what goes wrong ends in `failed`. */
function shop(calls: Calls) {
  const look = tool(async ({ key }: { key: string | undefined }) => {
    calls.push({ tool: 'look', key });
    return 'seen';
  });
  const send = tool(async ({ key }: { key: string | undefined }) => {
    calls.push({ tool: 'send', key });
    return 'sent';
  });
  const courier = setup({ actors: { send } }).createMachine({
    id: 'courier',
    initial: 'sending',
    states: { sending: { invoke: { src: 'send', onDone: 'sent' } }, sent: { type: 'final' } },
  });
  return setup({
    types: { context: {} as { error?: unknown } },
    actors: { look, send, courier, inline: fromPromise(async () => 'beside') },
  }).createMachine({
    id: 'shop',
    context: {},
    initial: 'looking',
    states: {
      looking: { invoke: { src: 'look', onDone: 'sending', onError: 'failed' } },
      sending: { invoke: { src: 'send', onDone: 'again', onError: 'failed' } },
      again: { invoke: { src: 'look', onDone: 'couriered', onError: 'failed' } },
      couriered: { invoke: { src: 'courier', onDone: 'done', onError: 'failed' } },
      failed: {
        type: 'final',
        entry: assign({ error: ({ event }) => (event as unknown as { error: unknown }).error }),
      },
      done: { type: 'final' },
    },
  });
}

/** How the machine ends in a plain actor, and what was called. */
async function plain(fault: Fault) {
  const calls: Calls = [];
  const { machine, fired } = withFault(shop(calls), fault);
  const actor = createActor(machine);
  actor.start();
  const { value, context } = await waitFor(actor, ({ status }) => status === 'done');
  return { ended: value, called: calls.map((call) => call.tool), error: context.error as Error, fired: fired() };
}

describe('in a plain actor', () => {
  test('before it acts, the tool is not called', async () => {
    const { ended, called, error, fired } = await plain({ tool: 'send', when: 'before', signal: 'TOOL_EXCEPTION' });
    expect([ended, called, fired]).toEqual(['failed', ['look'], true]);
    expect(error.message).toBe('rehearsed: send failed before it acted');
  });

  test('after it has acted, the reply is lost', async () => {
    const { ended, called, error, fired } = await plain({ tool: 'send', when: 'after', signal: 'TIMEOUT' });
    expect([ended, called, error.name, fired]).toEqual(['failed', ['look', 'send'], 'TimeoutError', true]);
  });

  test('the second call, where that is the one', async () => {
    const { ended, called, fired } = await plain({ tool: 'look', nth: 2, when: 'after', signal: 'TOOL_EXCEPTION' });
    expect([ended, called, fired]).toEqual(['failed', ['look', 'send', 'look'], true]);
  });

  test('a call that never comes leaves the machine as it is, and says so', async () => {
    const { ended, called, fired } = await plain({ tool: 'look', nth: 3, when: 'before', signal: 'TIMEOUT' });
    expect([ended, called, fired]).toEqual(['done', ['look', 'send', 'look', 'send'], false]);
  });

  test('calls within machines that it invokes count, too', async () => {
    const { called, fired } = await plain({ tool: 'send', nth: 2, when: 'before', signal: 'TOOL_EXCEPTION' });
    expect([called, fired]).toEqual([['look', 'send', 'look'], true]);
  });

  test('an output that is none comes as nothing', async () => {
    const { ended, called, fired } = await plain({ tool: 'send', when: 'before', signal: 'INVALID_OUTPUT' });
    expect([ended, called, fired]).toEqual(['done', ['look', 'look', 'send'], true]);
  });

  test('the machine that was given stays as it was, and the copy has its states and edges', async () => {
    const calls: Calls = [];
    const machine = shop(calls);
    const { machine: copy } = withFault(machine, { tool: 'send', when: 'before', signal: 'TIMEOUT' });
    expect(machineShape(copy).digest).toBe(machineShape(machine).digest);
    const actor = createActor(machine);
    actor.start();
    expect((await waitFor(actor, ({ status }) => status === 'done')).value).toBe('done');
  });
});

describe('under the sidecar', () => {
  const { config, findings } = loadConfig(
    `belay: 1
agent: shop
tools:
  look: { effect: none, output: { type: string } }
  send: { effect: irreversible, output: { type: string } }
skeletons:
  Sending:
    entity: '"it"'
    states: [sending]
    entry: [sending]
    exit: [{ id: sent, at: sending -> again, when: 'true' }]
    rollback: { anchors: [sent], resume: sending }
recover:
  - { tool: look, signals: [TIMEOUT, TOOL_EXCEPTION, INVALID_OUTPUT, GOVERNOR_DENIED] }
  - { tool: send, signals: [TIMEOUT, TOOL_EXCEPTION, INVALID_OUTPUT, GOVERNOR_DENIED] }
`,
    { file: 'shop.yaml' },
  );

  /** What the failure of a call is taken for, and what was called before the run stood still. */
  async function watched(fault: Fault) {
    if (config === null) throw new Error(JSON.stringify(findings));
    const calls: Calls = [];
    const signals: Report['signal'][] = [];
    const { machine, governor, fired } = withFault(shop(calls), fault);
    const onDecision = ({ signal }: Pick<Report, 'signal'>) => void signals.push(signal);
    const sidecar = await attach(machine, { run: 'r', config, governor, onDecision });
    sidecar.actor.start();
    await sidecar.finished();
    await sidecar.close();
    return { calls, signals, fired: fired() };
  }

  test.each(FAULT_SIGNALS)('%s before the call is taken for what it is', async (signal) => {
    const { calls, signals, fired } = await watched({ tool: 'send', when: 'before', signal });
    // Nobody doubts that a denied call did not happen: its work is done again, and this time it is not denied.
    const called = signal === 'GOVERNOR_DENIED' ? ['look', 'send', 'look', 'send'] : ['look'];
    expect([calls.map((call) => call.tool), signals, fired]).toEqual([called, [signal], true]);
  });

  test.each(['TIMEOUT', 'TOOL_EXCEPTION', 'INVALID_OUTPUT'] as const)('%s after the call, too', async (signal) => {
    const { calls, signals } = await watched({ tool: 'send', when: 'after', signal });
    expect(signals).toEqual([signal]);
    // The key reaches the tool through the copy.
    expect(calls).toEqual([
      { tool: 'look', key: undefined },
      { tool: 'send', key: expect.stringMatching(/^belay-[\w-]{43}$/) },
    ]);
  });

  test('the second call is denied, where that is the one', async () => {
    const { calls, signals } = await watched({ tool: 'look', nth: 2, when: 'before', signal: 'GOVERNOR_DENIED' });
    expect([calls.map((call) => call.tool), signals]).toEqual([['look', 'send'], ['GOVERNOR_DENIED']]);
  });
});

describe('what cannot be rehearsed is refused with what can', () => {
  const send: Fault = { tool: 'send', when: 'before', signal: 'TIMEOUT' };
  test.each([
    [
      'a tool that is not there',
      { ...send, tool: 'sned' },
      'unknown_tool',
      /"sned" is no tool of shop: its tools are "look", "send"/,
    ],
    ['a machine', { ...send, tool: 'courier' }, 'unknown_tool', /"courier" is no tool of shop/],
    [
      'a signal of the machine',
      { ...send, signal: 'CHAIN_EXCEPTION' },
      'not_of_a_call',
      /comes from the machine itself/,
    ],
    [
      'a signal that is none',
      { ...send, signal: 'OOPS' },
      'not_of_a_call',
      /^OOPS is no signal: a call fails with TIMEOUT/,
    ],
    ['a denial after the call', { ...send, when: 'after', signal: 'GOVERNOR_DENIED' }, 'only_before', /has not acted/],
    ['a call number that is none', { ...send, nth: 0 }, 'bad_number', /counted from 1, so 0/],
  ])('%s', (_name, fault, code, message) => {
    const refused = () => withFault(shop([]), fault as Fault);
    expect(refused).toThrow(expect.objectContaining({ code }) as Error);
    expect(refused).toThrow(message);
  });
});
