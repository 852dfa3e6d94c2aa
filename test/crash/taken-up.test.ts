/** What the crash tests found, where it shows without a crash: runs that are taken up, in this process, where they once stood still. */
import { expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import { EntryDecoder } from '../../src/journal/entry-codec.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
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

/** A machine that sends in a child of its own, and cannot take the child's output so many `times`. */
function machine(broken: { times: number }, sent: string[]) {
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
              broken.times -= 1;
              if (broken.times >= 0) throw new Error('cannot take it');
              return { receipt: event.output as unknown as string };
            }),
          },
        },
      },
      over: { type: 'final' },
    },
  });
}

test('a child machine that was done, and whose parent could not take its output, tells it again', async () => {
  if (config === null) throw new Error('the config does not load');
  const verdicts: string[] = [];
  const store = memoryStore();
  const [broken, sent] = [{ times: 1 }, [] as string[]];
  const onDecision = ({ decision }: { decision: { verdict: string } }) => verdicts.push(decision.verdict);
  const sidecar = await attach(machine(broken, sent), { run: 'r', config, journal: store, onDecision });
  sidecar.actor.start();
  expect((await sidecar.finished()).status).toBe('done');
  expect(sidecar.actor.getSnapshot().context).toEqual({ receipt: 'receipt r' });
  expect([verdicts, sent.length]).toEqual([['restore'], 1]);
  await sidecar.close();

  // The same, had the process died before the failure was decided about.
  const rows = [...store.read('r')];
  const reader = new EntryDecoder();
  const decided = rows.findIndex((row) => reader.entry(row)?.do === 'decision');
  const other = memoryStore();
  const journal = await other.open('r', 'create');
  journal.append(rows.slice(0, decided));
  await journal.close();
  const second = await resume(machine({ times: 0 }, sent), { run: 'r', config, journal: other });
  second.actor.start();
  expect((await second.finished()).status).toBe('done');
  expect(second.actor.getSnapshot().context).toEqual({ receipt: 'receipt r' });
  expect(sent).toHaveLength(1);
  await second.close();
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
