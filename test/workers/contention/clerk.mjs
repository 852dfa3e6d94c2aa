/**
 * An agent that appends to shared lists and audits groups of them, one act after the other, in the order of its input. The lists are files that
 * are read, and written a moment later: two that write one at once lose what the other wrote. Where it is denied an act, it ends.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { tool } from 'belay-sidecar/xstate';
import { assign, setup } from 'xstate';

const unopened = () => Promise.reject(new Error('opened by no run'));
const act = ({ context: { acts, next } }) => acts[next];
const done = { target: 'choosing', actions: assign({ next: ({ context }) => context.next + 1 }) };

const machine = setup({ actors: { append: tool(unopened), audit: tool(unopened) } }).createMachine({
  id: 'clerk',
  context: ({ input }) => ({ acts: input.acts, next: 0 }),
  initial: 'choosing',
  states: {
    choosing: {
      always: [
        { guard: (each) => act(each) === undefined, target: 'over' },
        { guard: (each) => act(each).item === undefined, target: 'auditing' },
        { target: 'appending' },
      ],
    },
    appending: { invoke: { src: 'append', input: act, onDone: done, onError: 'denied' } },
    auditing: { invoke: { src: 'audit', input: act, onDone: done, onError: 'denied' } },
    over: { type: 'final' },
    denied: { type: 'final' },
  },
  output: ({ context: { next, acts } }) => ({ acts: next, denied: next < acts.length }),
});

/** The lists of a group, by item. A list that nothing was written to is empty. */
export function listOf(world, group, item) {
  try {
    return JSON.parse(readFileSync(join(world, group, `${item}.json`), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

const ITEMS = ['0', '1', '2', '3', '4'];

/** The agent over a folder of lists. */
export function agentIn(world, ms) {
  const write = (group, item, list) => {
    const file = join(world, group, `${item}.json`);
    const part = `${file}.${process.pid}.${Math.random()}`;
    mkdirSync(join(world, group), { recursive: true });
    writeFileSync(part, JSON.stringify(list));
    renameSync(part, file);
  };
  return {
    machine,
    config: fileURLToPath(new URL('contention.yaml', import.meta.url)),
    about: 'appends and audits',
    async open({ run, input }) {
      const append = async ({ input: { group, item }, key }) => {
        const list = listOf(world, group, item);
        if (list.some((each) => each.key === key)) return list.length;
        await wait(ms);
        write(group, item, [...list, { run, key, is: 'append' }]);
        return list.length + 1;
      };
      const audit = async ({ input: { group } }) => {
        const before = ITEMS.map((item) => listOf(world, group, item).length);
        await wait(ms);
        const after = ITEMS.map((item) => listOf(world, group, item).length);
        mkdirSync(join(world, 'audits'), { recursive: true });
        const found = { run, group, before, after };
        writeFileSync(join(world, 'audits', `${run}.${group}.${Math.random()}.json`), JSON.stringify(found));
        return after;
      };
      // A person may cancel a run whose worker was killed over a call: without an answer it would wait for a person to say what became of that call.
      const find = async ({ args: { group, item }, key }) => {
        const at = listOf(world, group, item).findIndex((each) => each.key === key);
        return at < 0 ? { is: 'not_applied' } : { is: 'applied', output: at + 1 };
      };
      const actors = { append: tool(append), audit: tool(audit) };
      return { machine: machine.provide({ actors }), input, reconcilers: { find }, close: async () => {} };
    },
  };
}
