/** A call whose arguments nothing can write does not leave, and that is no error of the machine's (semantics.md E3, F2). */
import { expect, test } from 'vitest';
import { setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { ValueCodec } from '../../src/journal/value-codec.ts';
import { explain } from '../../src/recovery/explain.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { unlessItHangs } from '../poll.ts';

class Client {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

const CLIENTS: ValueCodec = {
  name: 'client',
  is: (value) => value instanceof Client,
  encode: ({ name }: Client) => name,
  decode: (name: string) => new Client(name),
};

/** Signs with what it is given; whoever refuses is asked in the machine's own way. */
function signing(input: () => unknown) {
  const signed: unknown[] = [];
  const sign = tool<string, unknown>(async (call) => {
    signed.push(call.input);
    return 'signed';
  });
  const machine = setup({ actors: { sign } }).createMachine({
    id: 'agent',
    initial: 'signing',
    states: {
      signing: { invoke: { src: 'sign', input, onDone: 'signed', onError: 'refusedByTheUser' } },
      signed: { type: 'final' },
      refusedByTheUser: { type: 'final' },
    },
  });
  return { machine, signed };
}

const optionsFor = (effect: string, more = '') => {
  const { config } = loadConfig(
    `
belay: 1
agent: agent
tools: { sign: { effect: ${effect}, timeout: 5s${more} } }
skeletons:
  Sign: { entity: '"it"', states: [signing], entry: [signing], exit: [{ id: over, at: signing -> signed, when: 'true' }], rollback: { anchors: [over], resume: signing } }
`,
    { file: 'page.yaml' },
  );
  if (config === null) throw new Error('the config has an error');
  return { run: 'r', config, journal: memoryStore() };
};

test.each([
  ['an object of a class', new Client('wallet'), 'class'],
  ['a function', () => 'wallet', 'function'],
  ['a signal', new AbortController().signal, 'class'],
])('%s: the run is parked with its place, and no handler of the machine hears of it', async (_, client, why) => {
  const { machine, signed } = signing(() => ({ with: [{ client }] }));
  const sidecar = await attach(machine, optionsFor('irreversible'));
  sidecar.actor.start();
  const end = await unlessItHangs(sidecar.finished());
  expect(end).toMatchObject({
    status: 'parked',
    decision: {
      verdict: 'escalate',
      refusals: [{ code: 'no_codec', tool: 'sign', path: 'with/0/client', reason: why }],
      unblock: { leadsTo: 'ask_again', acts: [{ act: 'register_codec', tool: 'sign', path: 'with/0/client' }] },
    },
  });
  expect([sidecar.actor.getSnapshot().value, signed]).toEqual(['signing', []]);
  if (end.status !== 'parked') throw new Error(end.status);
  const said = JSON.stringify(explain(end.decision));
  expect(said).toContain('its input at with/0/client');
  expect(said).toContain('register a codec');
  // Asked again in the same process, it is the same question.
  await sidecar.reconcile();
  expect(await unlessItHangs(sidecar.finished())).toMatchObject({ status: 'parked' });
  expect(signed).toEqual([]);
  await sidecar.close();
});

test('a codec that is registered lets the run go on, in another process', async () => {
  const { machine, signed } = signing(() => ({ client: new Client('wallet') }));
  const options = optionsFor('irreversible');
  const first = await attach(machine, options);
  first.actor.start();
  expect(await unlessItHangs(first.finished())).toMatchObject({ status: 'parked' });
  await first.close();
  const again = await resume(machine, options);
  again.actor.start();
  expect(await unlessItHangs(again.finished())).toMatchObject({ status: 'parked' });
  await again.close();
  const second = await resume(machine, { ...options, codecs: [CLIENTS] });
  second.actor.start();
  expect(await unlessItHangs(second.finished())).toMatchObject({ status: 'done' });
  expect([second.actor.getSnapshot().value, signed]).toEqual(['signed', [{ client: new Client('wallet') }]]);
  await second.close();
});

test('a tool that changes nothing is called with whatever it is given', async () => {
  const { machine, signed } = signing(() => ({ client: new Client('wallet') }));
  const sidecar = await attach(machine, optionsFor('none'));
  sidecar.actor.start();
  expect(await unlessItHangs(sidecar.finished())).toMatchObject({ status: 'done' });
  expect(signed).toHaveLength(1);
  await sidecar.close();
});

test('a precondition that is not met reaches the machine, as a denial does', async () => {
  const { machine, signed } = signing(() => ({ client: 'wallet' }));
  const sidecar = await attach(machine, optionsFor('irreversible', ', when: "args.client == \'vault\'"'));
  sidecar.actor.start();
  expect(await unlessItHangs(sidecar.finished())).toMatchObject({ status: 'done' });
  expect([sidecar.actor.getSnapshot().value, signed]).toEqual(['refusedByTheUser', []]);
  await sidecar.close();
});
