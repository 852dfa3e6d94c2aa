/** A run goes on with the input that it was begun with: another one is refused, and is not dropped without a word. */
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { interrupt, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { attachGraph, type GraphOptions, resumeGraph } from '../../src/langgraph/graph.ts';
import { scratchFolder } from '../scratch.ts';

const { config } = loadConfig('belay: 1\nagent: agent\ntools: {}\nskeletons: {}\n', { file: 'page.yaml' });

const folder = scratchFolder('other-input');

const chat = (asks: boolean) =>
  new StateGraph(MessagesAnnotation)
    .addNode('chat', ({ messages }) => ({
      messages: [new AIMessage(`answer to ${messages.at(-1)?.text}${asks ? interrupt('sure?') : ''}`)],
    }))
    .addEdge('__start__', 'chat')
    .compile({ name: 'agent' });
const saying = (text: string) => ({ messages: [new HumanMessage(text)] });
const last = (state: Record<string, unknown>) => (state.messages as BaseMessage[]).at(-1)?.text;

/** The options of a process that opens the file of a run for itself. */
const opening = (file: string, input?: object) =>
  ({
    run: 'thread',
    config: config as BoundaryConfig,
    journal: sqliteStore(file),
    ...(input && { input }),
  }) as GraphOptions;

test.each([
  ['done', false],
  ['still asking', true],
])(
  'a run that is %s is taken up in another process with its own input or without one, and with no other',
  async (_, asks) => {
    const file = `${folder}/asks-${asks}.sqlite`;
    const first = await attachGraph(chat(asks), opening(file, saying('one')));
    const state = await first.invoke();
    await first.close();
    await expect(resumeGraph(chat(asks), opening(file, saying('two')))).rejects.toMatchObject({
      code: 'other_input',
      message: expect.stringContaining('begin a run of another name'),
    });
    for (const input of [saying('one'), undefined]) {
      const run = await resumeGraph(chat(asks), opening(file, input));
      const again = await run.invoke();
      expect([last(again), again.__interrupt__]).toEqual([last(state), state.__interrupt__]);
      await run.close();
    }
  },
);
