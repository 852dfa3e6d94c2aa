/** What the crash tests found, where it shows without a crash: runs that are taken up, in this process, where they once stood still. */
import { expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attach, resume } from '../../src/sidecar/attach.ts';
import { tool } from '../../src/xstate/tool.ts';

const { config } = loadConfig(
  `
belay: 1
agent: toy
tools:
  send: { reads: [], writes: [receipt], effect: irreversible }
skeletons:
  Work:
    entity: '"it"'
    states: [within]
    entry: [within]
    outputs: [receipt]
    exit:
      - { id: over, at: within -> over, when: 'memory.?receipt.hasValue()' }
    rollback: { anchors: [over] }
`,
  { file: 'toy.yaml' },
);

/** A machine that sends in a child of its own, and cannot take the child's output while `broken.is`. */
function machine(broken: { is: boolean }, sent: string[]) {
  const send = tool(async ({ key }: { input: undefined; key: string | undefined }) => {
    sent.push(String(key));
    return 'r';
  });
  const inner = setup({ actors: { send } }).createMachine({
    id: 'inner',
    context: {},
    initial: 'sending',
    states: {
      sending: { invoke: { src: 'send', onDone: 'sent' } },
      sent: { type: 'final', output: ({ event }) => (event as unknown as { output: string }).output },
    },
    output: ({ event }) => `receipt ${(event as unknown as { output: string }).output}`,
  });
  return setup({ types: { context: {} as { receipt?: string } }, actors: { inner } }).createMachine({
    id: 'toy',
    context: {},
    initial: 'within',
    states: {
      within: {
        invoke: {
          src: 'inner',
          onDone: {
            target: 'over',
            actions: assign(({ event }) => {
              if (broken.is) throw new Error('cannot take it');
              return { receipt: event.output as unknown as string };
            }),
          },
        },
      },
      over: { type: 'final' },
    },
  });
}

test('a child machine that was done, and whose parent could not take its output, tells it again after a restart', async () => {
  if (config === null) throw new Error('the config does not load');
  const options = { run: 'r', config, journal: memoryStore() };
  const [broken, sent] = [{ is: true }, [] as string[]];
  for (let start = 0; start < 3; start += 1) {
    const sidecar = await resume(machine(broken, sent), options);
    sidecar.actor.start();
    expect((await sidecar.finished()).status).toBe('parked');
    await sidecar.close();
  }
  broken.is = false;
  const last = await resume(machine(broken, sent), options);
  last.actor.start();
  expect((await last.finished()).status).toBe('done');
  expect(last.actor.getSnapshot().context).toEqual({ receipt: 'receipt r' });
  expect(sent).toHaveLength(1);
  await last.close();
});

test('a call that a person settles is answered where it waits, in the run that parked on it', async () => {
  if (config === null) throw new Error('the config does not load');
  const failing = setup({
    types: { context: {} as { receipt?: string } },
    actors: {
      send: tool(
        async (_: { input: undefined; key: string | undefined }): Promise<string> => Promise.reject(new Error('reset')),
      ),
    },
  }).createMachine({
    id: 'toy',
    context: {},
    initial: 'within',
    states: {
      within: {
        invoke: { src: 'send', onDone: { target: 'over', actions: assign({ receipt: ({ event }) => event.output }) } },
      },
      over: { type: 'final' },
    },
  });
  const sidecar = await attach(failing, { run: 'r', config });
  sidecar.actor.start();
  const parked = await sidecar.finished();
  if (parked.status !== 'parked' || !('unblock' in parked.decision)) throw new Error('it has to wait for a person');
  const [act] = parked.decision.unblock.acts;
  if (act?.act !== 'settle_outcome') throw new Error('it has to ask for the outcome');
  await sidecar.settle(act.effect.id as string, 'confirmed', 'by hand');
  expect((await sidecar.finished()).status).toBe('done');
  expect(sidecar.actor.getSnapshot().context).toEqual({ receipt: 'by hand' });
  await sidecar.close();
});
