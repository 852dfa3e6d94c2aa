/** A run that comes to its end stays with its worker while anything of that is under way, and is given back where a person has to act. */
import { afterEach, expect, test } from 'vitest';
import { assign } from 'xstate';
import { archivedRuns } from '../../src/journal/archive/lines.ts';
import { gathered } from '../../src/journal/gathered.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { timelineOf } from '../../src/reports/timeline.ts';
import { until } from '../poll.ts';
import { small, stopped, wait, working } from './small.ts';

afterEach(stopped);

const skeleton = (name: string, state: string, exits: readonly string[], more = '') =>
  `  ${name}:\n    entity: '"it"'\n    states: [${state}]\n    entry: [${state}]\n    exit:\n${exits
    .map((to) => `      - { id: ${to}, at: ${state} -> ${to}, when: 'true' }\n`)
    .join('')}    rollback: { anchors: [${exits}], resume: ${state}${more} }\n`;

test('one at its end that owes a commit of which it is unknown what became is parked, has not ended (LC8), and gives its slot to another', async () => {
  const store = memoryStore();
  const states = { a: { invoke: { src: 'mail', onDone: 'b' } }, b: { type: 'final' } };
  const lost = async () => {
    throw new Error('the answer is lost');
  };
  const mails = small({
    name: 'mails',
    config: `tools:\n  mail: { effect: irreversible, buffer: true }\nskeletons:\n${skeleton('S', 'a', ['b'])}`,
    initial: 'a',
    states,
    acts: { mail: lost },
  });
  const looks = small({
    name: 'looks',
    config: 'tools:\n  mail: { effect: none }\nskeletons: {}\n',
    initial: 'a',
    states,
    acts: { mail: async () => 'seen' },
  });
  const { client, told } = working(store, [mails, looks], { concurrency: 1 });
  await client.start({ run: 'first', agent: 'mails' });
  await until(() => told.includes('first parked'));
  await client.start({ run: 'second', agent: 'looks' });
  await until(async () => (await client.result('second')).is === 'done');
  expect(await client.delete('first')).toMatch(/it has not ended/);
  const [gate] = timelineOf(await gathered(store.read('first'))).runState.asked.pending();
  await client.settle('first', gate?.gate ?? '', { status: 'confirmed' }, { by: 'ann' });
  await until(async () => (await client.result('first')).is === 'done');
  expect(told.filter((each) => each.startsWith('first'))).toEqual(['first parked', 'first done']);
});

test('one that is cancelled stays until what it had staged is removed', async () => {
  const store = memoryStore();
  let discarded = 0;
  const area = {
    publish: async () => {},
    discard: async () => {
      await wait(300);
      discarded += 1;
    },
  };
  const stages = small({
    name: 'stages',
    config: 'tools:\n  put: { effect: reversible, undo: un, buffer: area }\nskeletons: {}\n',
    initial: 'a',
    states: { a: { invoke: { src: 'put', onDone: 'b' } }, b: {} },
    acts: { put: async () => 'staged' },
    more: { buffers: { area }, undo: { un: async () => {} } },
  });
  const { client, told } = working(store, [stages]);
  await client.start({ run: 'first', agent: 'stages' });
  await until(() => told.includes('first waits'));
  await client.cancel('first', { by: 'ann' });
  await until(async () => (await client.result('first')).is === 'cancelled');
  expect([discarded, told]).toEqual([1, ['first waits', 'first cancelled']]);
});

test('one whose machine has ended stays until what no replay has taken over is undone', async () => {
  const store = memoryStore();
  const acts: string[] = [];
  const keep = (key: string) =>
    assign({ [key]: ({ event }: { event: unknown }) => (event as { output: unknown }).output });
  const isYes = ({ event }: { event: { output?: unknown } }) => event.output === 'yes';
  const books = small({
    name: 'books',
    config: `tools:
  look: { effect: none, reads: [], writes: [k0] }
  book: { effect: reversible, undo: un, reads: [], writes: [k1] }
skeletons:
${skeleton('N0', 'n0', ['n1', 'w'], ', joint: [N1]')}${skeleton('N1', 'n1', ['w'])}`,
    initial: 'n0',
    states: {
      n0: {
        invoke: {
          src: 'look',
          onDone: [
            { guard: isYes, target: 'n1', actions: keep('k0') },
            { target: 'w', actions: keep('k0') },
          ],
        },
      },
      n1: { invoke: { src: 'book', onDone: { target: 'w', actions: keep('k1') } } },
      w: { on: { GO: 'over' } },
      over: { type: 'final' },
    },
    acts: {
      look: async () => {
        acts.push('look');
        return acts.length === 1 ? 'yes' : 'no';
      },
      book: async () => void acts.push('book'),
    },
    more: {
      undo: {
        un: async () => {
          await wait(400);
          acts.push('undone');
        },
      },
    },
  });
  const { client, told } = working(store, [books]);
  await client.start({ run: 'first', agent: 'books', input: {} });
  await until(() => told.includes('first waits'));
  const instance = { skeleton: 'N0', entity: 'it' };
  await client.fail('first', { signal: 'CONTRACT_VIOLATION', instance, key: 'k0', by: 'ann' });
  await until(() => acts.length === 3);
  await client.send('first', 'GO', { at: 'w' });
  await until(async () => (await client.result('first')).is === 'done');
  expect(acts).toEqual(['look', 'book', 'look', 'undone']);
});

test('one that a process held when it was to be deleted is deleted later', async () => {
  const store = memoryStore();
  const states = { a: { type: 'final' } };
  const none = small({ name: 'none', config: 'tools: {}\nskeletons: {}\n', initial: 'a', states, acts: {} });
  const { client } = working(store, [none]);
  await client.start({ run: 'first', agent: 'none' });
  await until(async () => (await client.result('first')).is === 'done');
  const held = await store.open('first', 'resume');
  const kept: string[] = [];
  working(store, [], {
    pollMs: 5,
    retainMs: 0,
    onTold: (each) => void (each.is === 'retained' && kept.push(each.why)),
  });
  await until(() => kept.length > 0);
  await held.close();
  await until(() => store.run('first') === null);
  expect(kept).toEqual(['a living process holds it']);
});

test('one that is to be kept elsewhere is deleted once it is kept, and not before', async () => {
  const store = memoryStore();
  const states = { a: { type: 'final' } };
  const none = small({ name: 'none', config: 'tools: {}\nskeletons: {}\n', initial: 'a', states, acts: {} });
  const { client } = working(store, [none]);
  await client.start({ run: 'first', agent: 'none' });
  await until(async () => (await client.result('first')).is === 'done');
  let isFull = true;
  const archived: string[] = [];
  const whys: string[] = [];
  working(store, [], {
    pollMs: 5,
    retainMs: 0,
    archive: async (_run, lines) => {
      for await (const line of lines) if (!isFull) archived.push(line);
      if (isFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    },
    onTold: (each) => void (each.is === 'retained' && whys.push(each.why)),
  });
  await until(() => whys.length > 0);
  expect([whys, store.run('first')?.run]).toEqual([['ENOSPC'], 'first']);
  isFull = false;
  await until(() => store.run('first') === null);
  expect(archivedRuns(archived.join(''), 'first.jsonl').map(({ run }) => run)).toEqual(['first']);
});
