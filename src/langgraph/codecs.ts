/** The codecs of the values of LangChain and LangGraph: messages, commands, sends. */
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
import { Command, isCommand, Send } from '@langchain/langgraph';
import type { ValueCodec } from '../journal/value-codec.ts';

/** The classes of LangChain's own messages, whose stored form is made of their members. A class of another may have more to say. */
const MESSAGES = new Set<unknown>(
  [AIMessage, AIMessageChunk, HumanMessage, RemoveMessage, SystemMessage, ToolMessage].map((each) => each.prototype),
);

/** The codecs that every run of a graph has. */
export const CODECS: readonly ValueCodec[] = [
  {
    name: 'langchain.message',
    is: (value) => value instanceof BaseMessage,
    encode: (message: BaseMessage) => JSON.parse(JSON.stringify(message.toDict())) as unknown,
    decode: (form: StoredMessage) => mapStoredMessagesToChatMessages([form])[0],
    isPlain: (message: BaseMessage) => MESSAGES.has(Object.getPrototypeOf(message)),
  },
  {
    name: 'langgraph.send',
    is: (value) => value instanceof Send,
    encode: ({ node, args }: Send) => ({ node, args }),
    decode: ({ node, args }: { node: string; args: unknown }) => new Send(node, args),
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
