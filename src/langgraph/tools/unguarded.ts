/**
 * Sees tools that the config declares and that run beside the guard: a function, a tool or a class of the user's calls them itself. LangChain tells
 * each call of a tool to the callbacks that it hands down.
 */
import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { GraphError } from '../graph-error.ts';
import { guarding } from './guard-tools.ts';

/** Told of a declared tool that runs unguarded, once for each tool. */
type Tell = (text: string) => void;

/** Told by LangChain of each call of a tool, before the tool acts. */
export class Unguarded extends BaseCallbackHandler {
  override readonly name = 'belay';
  override readonly raiseError = true;
  override readonly awaitHandlers = true;
  readonly #tools: BoundaryConfig['tools'];
  readonly #tell: Tell;
  readonly #told = new Set<string>();

  constructor(tools: BoundaryConfig['tools'], tell: Tell) {
    super();
    this.#tools = tools;
    this.#tell = tell;
  }

  /** @throws GraphError `unsupported_graph` where the config has something to say before the tool may act. */
  override handleToolStart(
    ...[, , , , , , name = '']: Parameters<NonNullable<BaseCallbackHandler['handleToolStart']>>
  ) {
    const tool = this.#tools.get(name);
    if (guarding.getStore() === true || tool === undefined || tool.effect === 'none') return;
    const asks = tool.gate !== null || tool.when !== null || tool.check !== null || tool.buffer !== null;
    const happens = `The tool "${name}" is called by code that no guard is around, inside another tool or a class of your own: its call has no key and no entry in the journal`;
    const way =
      'Give it to a ToolNode of the graph, call it in a node as a graphTool, or declare only the tool that calls it.';
    const text = asks
      ? `${happens}, and what the config asks for before it acts was not asked. The call was refused. ${way}`
      : `${happens}, so that it may be made twice and is never taken back. ${way}`;
    if (!this.#told.has(name)) this.#tell(text);
    this.#told.add(name);
    if (asks) throw new GraphError('unsupported_graph', text);
  }
}
