/** A prebuilt agent whose model wants a room and then a mail, its desk, and its config. */
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { type AgentMiddleware, createAgent } from 'langchain';
import { z } from 'zod';
import { loadConfig } from '../../src/boundaries/load.ts';
import { attachGraph } from '../../src/langgraph/graph.ts';

/** The config of an agent whose model speaks in a node of that name. */
function configOf(model: string, more = '', entity = '"it"') {
  const text = `
belay: 1
agent: clerk
keys: { append: [messages] }
tools:
  book: { reads: [], writes: [], effect: reversible, undo: cancel, reconcile: desk, timeout: 5s }
  mail: { reads: [], writes: [], effect: reversible, undo: cancel, reconcile: desk, timeout: 5s }
skeletons:
  Tools:
    entity: ${JSON.stringify(entity)}
    states: [tools]
    entry: [tools]
    outputs: [messages]
    exit: [{ id: called, at: tools -> end, when: 'true' }]
    rollback: { anchors: [called], resume: tools, compensable: undo, joint: [Tools, Model] }
  Model:
    entity: '"it"'
    states: [${model}]
    entry: [${model}]
    outputs: [messages]
    exit: [{ id: said, at: ${model} -> end, when: 'true' }]
    rollback: { anchors: [said], resume: ${model}, compensable: undo, joint: [Tools, Model] }
${more}`;
  const { config, findings } = loadConfig(text, { file: 'clerk.yaml' });
  if (config === null) throw new Error(findings.map(({ message }) => message).join('\n'));
  return config;
}

/** What a tool does at its desk. */
export type Does = (name: string, nth: number) => 'answers' | 'throws' | 'loses its reply' | 'is wrong';

/** A model that wants a room booked, then a mail with what it was told, and then says what it knows. */
export class Clerk extends FakeListChatModel {
  override bindTools() {
    return this;
  }
  override async invoke(input: unknown): Promise<never> {
    const said = input as BaseMessage[];
    const told = said.filter((message) => message.getType() === 'tool').map((message) => message.text);
    const wants = (name: string, of: string) =>
      new AIMessage({ id: `wants ${name}`, content: '', tool_calls: [{ name, args: { of }, id: `call-${name}` }] });
    const next =
      told[0] === undefined
        ? wants('book', 'room')
        : told[1] === undefined
          ? wants('mail', told[0])
          : new AIMessage({ id: 'said', content: told.join('; ') });
    return next as never;
  }
}

/** A desk where tools act, and what stands there. */
function deskOf(does: Does) {
  const desk = new Map<string, string>();
  const calls: string[] = [];
  let acts = 0;
  const make = (name: string) =>
    tool(
      async ({ of }, { configurable }) => {
        const key = String(configurable?.idempotency_key);
        const how = does(name, calls.filter((each) => each === name).length);
        calls.push(name);
        if (how === 'throws') throw new Error('the desk is closed');
        acts += 1;
        desk.set(key, `${name} ${of}`);
        if (how === 'loses its reply') throw new Error('socket hang up');
        return how === 'is wrong' ? `${name} something` : `${name} ${of}`;
      },
      { name, description: name, schema: z.object({ of: z.string() }) },
    );
  return { desk, calls, acts: () => acts, tools: [make('book'), make('mail')] };
}

type Desk = ReturnType<typeof deskOf>;

/** An agent under Belay, and its desk. */
async function attached(graph: object, config: ReturnType<typeof configOf>, at: Desk) {
  const run = await attachGraph(graph, {
    run: 'r',
    config,
    input: { messages: [{ role: 'user', content: 'A room, please.' }] },
    undo: { cancel: ({ key }) => void at.desk.delete(key) },
    reconcilers: {
      desk: ({ key }) => {
        const output = at.desk.get(key);
        return output === undefined ? { is: 'not_applied' } : { is: 'applied', output };
      },
    },
  });
  const last = (state: Record<string, unknown>) => (state.messages as BaseMessage[]).at(-1)?.text;
  return { ...at, run, last };
}

/** The agents that LangGraph and LangChain have ready, each with such a clerk. */
export const CLERKS = {
  createReactAgent: (does: Does) => {
    const at = deskOf(does);
    const graph = createReactAgent({ llm: new Clerk({ responses: [] }), tools: at.tools, name: 'clerk' });
    return attached(graph, configOf('agent'), at);
  },
  createAgent: (does: Does) => created(does, [], '').run,
};

/** An agent of `createAgent`. @param more skeletons of the nodes that its middleware adds. @param entity of its tool calls. */
export function created(
  does: Does,
  middleware: readonly AgentMiddleware[],
  more: string,
  { model = new Clerk({ responses: [] }), entity = '"it"' }: { model?: FakeListChatModel; entity?: string } = {},
) {
  const at = deskOf(does);
  const agent = createAgent({
    model,
    tools: at.tools,
    name: 'clerk',
    middleware: [...middleware],
  });
  return { agent, at, run: attached(agent.graph, configOf('model_request', more, entity), at) };
}

/** The last words of the model where nothing fails. */
export const RIGHT = 'book room; mail book room';
