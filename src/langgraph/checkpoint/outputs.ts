/**
 * The outputs of nodes, as notes hold them. A `Command` and its sends stand there by their parts: whole, each would be one text, in which what
 * was written before is written once more, a long conversation at every turn.
 */
import { Command, isCommand, Send } from '@langchain/langgraph';

/** The output of a node. With `parts`, a value of one of {@link Parts} stands for it. */
export interface NotedOutput {
  readonly is: unknown;
  readonly parts?: true;
}

type Parts =
  | { readonly value: unknown }
  | { readonly list: readonly Parts[] }
  | { readonly send: Pick<Send, 'node' | 'args'> }
  | { readonly command: Readonly<Record<string, unknown>>; readonly goto?: Parts };

/** The output of a node as it is noted. */
export function notedOutput(output: unknown): NotedOutput {
  return hasParts(output) ? { is: partsOf(output), parts: true } : { is: output };
}

/** The output of a node that was noted. */
export function outputOf({ is, parts }: NotedOutput): unknown {
  return parts === true ? wholeOf(is as Parts) : is;
}

/** The part of an output by which a node leads on, without what it wrote. */
export function ledTo(output: unknown): unknown {
  if (Array.isArray(output)) return output.map(ledTo);
  if (!isCommand(output)) return null;
  const { graph, goto } = output;
  return new Command({ ...(graph !== undefined && { graph }), ...(goto !== undefined && { goto }) });
}

function hasParts(value: unknown): boolean {
  return Array.isArray(value) ? value.some(hasParts) : isCommand(value) || value instanceof Send;
}

function partsOf(value: unknown): Parts {
  if (!hasParts(value)) return { value };
  if (Array.isArray(value)) return { list: value.map(partsOf) };
  if (value instanceof Send) return { send: { node: value.node, args: value.args } };
  const { graph, update, goto, resume } = value as Command;
  const command = Object.entries({ graph, update, resume }).filter(([, member]) => member !== undefined);
  return { command: Object.fromEntries(command), ...(goto !== undefined && { goto: partsOf(goto) }) };
}

function wholeOf(parts: Parts): unknown {
  if ('value' in parts) return parts.value;
  if ('list' in parts) return parts.list.map(wholeOf);
  if ('send' in parts) return new Send(parts.send.node, parts.send.args);
  const { command, goto } = parts;
  return new Command({ ...command, ...(goto !== undefined && { goto: wholeOf(goto) as never }) });
}
