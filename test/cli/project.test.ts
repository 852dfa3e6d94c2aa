/** `belay project`: the checkpointer of a graph is written anew from the journal of a thread, as a person types it (semantics.md RC13). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { attachGraph } from '../../src/langgraph/graph.ts';
import { belay } from './belay.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-project-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ask = (...args: string[]) => belay(args, '', {}, folder);
const at = (name: string) => JSON.stringify(import.meta.resolve(name));
const told = () => readFileSync(join(folder, 'puts.txt'), 'utf8').trim().split('\n');

/** A module whose graph has a checkpointer that notes what is done to it. */
const MODULE = `import { appendFileSync } from 'node:fs';
import { Annotation, MemorySaver, StateGraph } from ${at('@langchain/langgraph')};
const note = (line) => appendFileSync(${JSON.stringify(join(folder, 'puts.txt'))}, line + '\\n');
class Noting extends MemorySaver {
  async put(config, checkpoint, metadata) {
    note(config.configurable.thread_id + ' ' + metadata.step + ' ' + (checkpoint.channel_values.heard ?? ''));
    return super.put(config, checkpoint, metadata);
  }
  async deleteThread(thread) {
    note('delete ' + thread);
    return super.deleteThread(thread);
  }
}
const State = Annotation.Root({ says: Annotation, heard: Annotation });
export const graph = new StateGraph(State)
  .addNode('listen', async ({ says }) => ({ heard: says }))
  .addEdge('__start__', 'listen')
  .compile({ name: 'listener', checkpointer: new Noting() });
export const bare = new StateGraph(State).addNode('a', () => ({})).addEdge('__start__', 'a').compile({ name: 'bare' });
`;

test('the checkpoints of a thread are deleted and written anew, and a run of another kind is told', async () => {
  writeFileSync(join(folder, 'graph.mjs'), MODULE);
  const { graph, bare } = (await import(join(folder, 'graph.mjs'))) as { graph: object; bare: object };
  const configFor = (agent: string) =>
    loadConfig(`belay: 1\nagent: ${agent}\ntools: {}\nskeletons: {}\n`, { file: 'l.yaml' }).config ?? '';
  const journal = sqliteStore(join(folder, 'belay.sqlite'));
  const chat = await attachGraph(graph, { run: 'chat-1', config: configFor('listener'), journal, thread: true });
  for (const says of ['one', 'two']) await chat.invoke({ says });
  const project = (run: string) => ask('project', run, '--machines', 'graph.mjs');
  expect(await project('chat-1')).toMatchObject({
    code: 1,
    err: expect.stringContaining('graph_running A process has'),
  });
  await chat.close();
  const live = told();
  expect(live.length).toBeGreaterThan(3);
  writeFileSync(join(folder, 'puts.txt'), '');
  expect(await project('chat-1')).toMatchObject({ code: 0, out: `chat-1: ${live.length} checkpoints written\n` });
  expect(told()).toEqual(['delete chat-1', ...live]);
  writeFileSync(join(folder, 'puts.txt'), '');
  await ask('project', 'chat-1', '--machines', 'graph.mjs', '--thread', 'ada');
  expect(told()[0]).toBe('delete ada');

  const alone = await attachGraph(bare, { run: 'bare-1', config: configFor('bare'), journal, input: { says: 'x' } });
  await alone.invoke();
  await alone.close();
  expect(await project('bare-1')).toMatchObject({ code: 1, err: expect.stringContaining('has no checkpointer') });
  expect(await project('chat-9')).toMatchObject({ code: 2, err: expect.stringContaining('There is no run "chat-9"') });
  expect(await ask('project', 'chat-1')).toMatchObject({ code: 2, err: expect.stringContaining('no_machine') });
  await journal.close();
});
