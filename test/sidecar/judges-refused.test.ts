/** JU1: only machines have judges. A flow and a graph whose config has one are refused before a row is written. */
import { Annotation, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { flow } from '../../src/flow/flow.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attachGraph, resumeGraph } from '../../src/langgraph/graph.ts';
import { loaded } from './loaded.ts';

const config = (agent: string, target: string, judge: string) =>
  loaded(`belay: 1
agent: ${agent}
tools:
  grade: { effect: none }
skeletons:
  DRAFT:
    entity: '"it"'
    states: [draft]
    entry: [draft]
    outputs: [text]
    exit:
      - { id: drafted, at: 'draft -> ${target}', when: memory.?text.hasValue()${judge} }
    rollback: { anchors: [drafted], resume: draft }
`);
const JUDGE = ', judge: { by: grade, pass: event.output.ok }';

test('a flow with a judge is refused, as it begins and as it is taken up', async () => {
  const journal = memoryStore();
  const drafts = flow('drafts', async (step) => step('draft', {}, async () => 'text'));
  const options = { run: 'r', config: config('drafts', 'end', JUDGE), journal, input: {} };
  await expect(drafts.attach(options)).rejects.toMatchObject({ code: 'judge_unsupported' });
  await expect(drafts.resume(options)).rejects.toMatchObject({ code: 'judge_unsupported' });
  expect(await journal.runs()).toEqual([]);
});

test('a graph with a judge is refused with a reason that check tells, and taken without it', async () => {
  const graph = new StateGraph(Annotation.Root({ text: Annotation<string> }))
    .addNode('draft', async () => ({ text: 'text' }))
    .addEdge('__start__', 'draft')
    .compile({ name: 'drafts' });
  const options = { run: 'r', journal: memoryStore(), input: {} };
  const judged = { ...options, config: config('drafts', '__end__', JUDGE) };
  for (const opened of [attachGraph, resumeGraph])
    await expect(opened(graph, judged)).rejects.toMatchObject({
      code: 'unsupported_graph',
      message: expect.stringContaining('its boundary "drafted" has a judge'),
    });
  const run = await attachGraph(graph, { ...options, config: config('drafts', '__end__', '') });
  expect(await run.invoke()).toEqual({ text: 'text' });
  await run.close();
});
