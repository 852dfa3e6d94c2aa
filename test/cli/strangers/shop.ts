/** The world of strangers' machines: it can be asked, and it can be acted on, once a key. */
import { fromPromise } from 'xstate';
import { tool } from '../../../src/xstate/tool.ts';

export class Shop {
  /** What was asked and done, in order, with each repetition. */
  readonly calls: string[] = [];
  readonly #acts = new Map<string, string>();

  /** The acts that stand, each as often as it was done, sorted. */
  get acts(): string[] {
    return [...this.#acts.values()].sort();
  }

  /** A read, as people write it: it takes a while, and its answer is a function of what it is asked. */
  read<Input, Output>(name: string, answer: (input: Input) => Output) {
    return fromPromise<Output, Input>(async ({ input }) => {
      this.calls.push(name);
      await new Promise((resolve) => setTimeout(resolve, 2));
      return answer(input);
    });
  }

  /** An act of a counterparty that knows the key of a request: twice is once. */
  act<Input, Output>(name: string, answer: (input: Input) => Output) {
    return tool<Output, Input>(async ({ input, key }) => {
      this.calls.push(name);
      await new Promise((resolve) => setTimeout(resolve, 2));
      const output = answer(input);
      const own = key ?? `without a key, ${this.#acts.size}`;
      if (!this.#acts.has(own)) this.#acts.set(own, `${name} ${JSON.stringify(output)}`);
      return output;
    });
  }
}
