/** Holds the models and tools of LangChain's back while a graph is on paper: code of the user's that calls one itself goes no further there. */
import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { never } from '../../runtime/calls-under-way.ts';
import { guarding } from '../tools/guard-tools.ts';

/** Told by LangChain of each call, before it leaves. */
export class Unasked extends BaseCallbackHandler {
  override readonly name = 'belay-paper';
  override readonly awaitHandlers = true;
  readonly #ends: () => void;

  /** @param ends is called where the graph goes no further. */
  constructor(ends: () => void) {
    super();
    this.#ends = ends;
  }

  // Models of chats are told of here, too.
  override handleLLMStart(): Promise<never> {
    return this.#stops();
  }

  override handleRetrieverStart(): Promise<never> {
    return this.#stops();
  }

  override handleToolStart(): Promise<never> | undefined {
    return guarding.getStore() === true ? undefined : this.#stops();
  }

  /** The call waits for this, and never leaves. */
  #stops(): Promise<never> {
    this.#ends();
    return never();
  }
}
