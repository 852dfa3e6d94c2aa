/** The codecs of the values of LangChain and LangGraph: messages, commands, sends, and values that take the place of others. */
import {
  AIMessage,
  AIMessageChunk,
  BaseMessage,
  HumanMessage,
  mapStoredMessagesToChatMessages,
  RemoveMessage,
  type StoredMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { Command, isCommand, Overwrite, Send } from '@langchain/langgraph';
import type { ValueCodec } from '../journal/value-codec.ts';

/** The classes of LangChain's own messages, whose stored form is made of their members. A class of another may have more to say. */
const MESSAGES = new Set<unknown>(
  [AIMessage, AIMessageChunk, HumanMessage, RemoveMessage, SystemMessage, ToolMessage].map((each) => each.prototype),
);

/** The kinds of messages that can be made again of their stored form. */
const KINDS = new Set(['human', 'ai', 'system', 'function', 'tool', 'generic', 'remove']);

type RemoveMessageFields = ConstructorParameters<typeof RemoveMessage>[0];

/** The message of a stored form. LangChain makes none of those that take another one out of a list. */
function messageOf(form: StoredMessage): BaseMessage | undefined {
  if (form.type === 'remove') return new RemoveMessage(form.data as RemoveMessageFields);
  return mapStoredMessagesToChatMessages([form])[0];
}

/** The codecs that every run of a graph has. */
export const CODECS: readonly ValueCodec[] = [
  {
    name: 'langchain.message',
    // One of another kind needs a codec of its own: what could not be read would take the whole run with it.
    is: (value) => value instanceof BaseMessage && KINDS.has(value.getType()),
    encode: (message: BaseMessage) => JSON.parse(JSON.stringify(message.toDict())) as unknown,
    decode: messageOf,
    isPlain: (message: BaseMessage) => MESSAGES.has(Object.getPrototypeOf(message)),
  },
  {
    name: 'langgraph.send',
    is: (value) => value instanceof Send,
    encode: ({ node, args }: Send) => ({ node, args }),
    decode: ({ node, args }: { node: string; args: unknown }) => new Send(node, args),
  },
  {
    name: 'langgraph.overwrite',
    is: (value) => value instanceof Overwrite,
    encode: ({ value }: Overwrite) => ({ value }),
    decode: ({ value }: { value: unknown }) => new Overwrite(value),
  },
  {
    name: 'langgraph.command',
    is: (value) => isCommand(value),
    encode: ({ graph, update, goto, resume }: Command) => ({
      ...(graph !== undefined && { graph }),
      ...(update !== undefined && { update }),
      ...(goto !== undefined && { goto }),
      ...(resume !== undefined && { resume }),
    }),
    decode: (form: object) => new Command(form),
  },
];
