/** The keys of states may have a slash in them: the prefix of a machine ends where a machine begins, not at the last slash (C5). */
import { expect, test } from 'vitest';
import { type AnyStateMachine, assign, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import { attach } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { held } from './stations.ts';

/** One unit with two states is begun, and a complaint in its second state sends it back to its first. */
async function begun(first: string, second: string, isNested: boolean) {
  const answer = held<void>();
  let looks = 0;
  const calling = (src: string, key: string, target: string) => ({
    invoke: {
      src,
      onDone: { target, actions: assign({ [key]: ({ event }: { event: { output: unknown } }) => event.output }) },
    },
  });
  const actors = {
    look: tool<number, void>(async () => ++looks),
    tell: tool<string, void>(async () => {
      await answer.promise;
      return 'told';
    }),
  };
  const worker = setup({ actors } as never).createMachine({
    id: isNested ? 'worker' : 'agent',
    context: {},
    initial: first,
    states: {
      [first]: calling('look', 'look', second),
      [second]: calling('tell', 'told', 'over'),
      over: { type: 'final' },
    },
  } as never) as unknown as AnyStateMachine;
  const machine = isNested
    ? (setup({ actors: { worker } } as never).createMachine({
        id: 'agent',
        context: {},
        initial: 'working',
        states: { working: { invoke: { src: 'worker', onDone: 'over' } }, over: { type: 'final' } },
      } as never) as unknown as AnyStateMachine)
    : worker;
  const [one, two] = [first, second].map((state) => `"${isNested ? 'worker/' : ''}${state}"`);
  const { config, findings } = loadConfig(
    `
belay: 1
agent: agent
tools: { look: { writes: [look], effect: none }, tell: { writes: [told], effect: none }, worker: { effect: none } }
skeletons:
  Work: { entity: '"it"', states: [${one}, ${two}], entry: [${one}], inputs: [], outputs: [look, told], rollback: { anchors: [], resume: ${one} } }
`,
    { file: 'page.yaml' },
  );
  if (config === null) throw new Error(JSON.stringify(findings));
  const s = await attach(machine, { run: 'r', config });
  s.actor.start();
  await expect.poll(() => looks).toBe(1);
  const taken = await s.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Work', entity: 'it' } }).then(
    () => 'taken',
    (error: { code: string }) => error.code,
  );
  answer.resolve();
  const { status } = await s.finished();
  await s.close();
  return { taken, looks, status };
}

test.each([
  ['first', 'second', false],
  ['with/slash', 'second', false],
  ['first', 'with/slash', false],
  ['a/one', 'a/two', false],
  ['first', 'second', true],
  ['with/slash', 'second', true],
  ['first', 'with/slash', true],
  ['a/one', 'b/two', true],
])(
  'a unit in the states %s and %s goes back to its first (in a child machine: %s)',
  async (first, second, isNested) => {
    expect(await begun(first, second, isNested)).toEqual({ taken: 'taken', looks: 2, status: 'done' });
  },
);
