/** The world of one case: acts stay, whatever becomes of a process. A second call under a key is a second act, but for idempotent tools. */
import type { ReconcileResult } from '../../../src/effects/counterparty.ts';
import type { ToolCall } from '../../../src/runtime/tool-call.ts';
import type { Case, Class } from './cases.ts';

/** What a tool is called with. */
export interface Args {
  readonly price: string | null;
  /** What the input of the turn says besides; left out where nobody says an input otherwise. */
  readonly note?: string;
  /** What a person has answered before; left out where nobody was asked, or says an input otherwise. */
  readonly may?: string;
}

/** An act, or the answer of a model. */
export interface Act {
  readonly tool: string;
  readonly class: Class;
  readonly key: string;
  readonly args: Args;
  answer: string;
  readonly turn: number;
  undone: boolean;
}

interface Held {
  readonly tool: string;
  return(): void;
}

/** The world of one case. */
export class World {
  readonly acts: Act[] = [];
  readonly log: string[] = [];
  /** The calls under way. */
  calls: Held[] = [];
  /** The turn that is under way. */
  turn = 0;
  /** The answers so far: each is told from all others. */
  #answers = 0;
  /** True once what was wrong was told of: from then on it is answered right. */
  isTold = false;
  /** The turn whose answer is wrong. */
  readonly #wrong: number | null;
  readonly #classes: ReadonlyMap<string, Class>;

  constructor({ thread, complaint }: Case) {
    this.#wrong = complaint?.about ?? null;
    this.#classes = new Map(thread.nodes.map((node, nth) => [`n${nth}`, node.class]));
  }

  call(tool: string, { input, key = '' }: ToolCall<Args>): Promise<string> {
    this.log.push(`call ${tool} ${JSON.stringify(input)} ${key}`);
    return new Promise((resolve) => {
      const held: Held = {
        tool,
        return: () => {
          this.calls = this.calls.filter((one) => one !== held);
          resolve(this.#act(tool, input, key));
        },
      };
      this.calls.push(held);
    });
  }

  #act(tool: string, args: Args, key: string): string {
    const effect = this.#classes.get(tool) as Class;
    const isWrong = this.turn === this.#wrong && !this.isTold;
    const known = effect === 'idempotent' ? this.acts.find((act) => act.key === key && !act.undone) : undefined;
    const answer = `${isWrong ? 'wrong' : 'right'} ${tool} ${this.#answers}`;
    this.#answers += 1;
    if (known !== undefined) {
      // The counterparty answers from memory, unless it has been told that this very answer was wrong.
      if (this.isTold && known.answer.startsWith('wrong')) known.answer = answer;
      return known.answer;
    }
    this.acts.push({ tool, class: effect, key, args, answer, turn: this.turn, undone: false });
    this.log.push(`act ${answer}`);
    return answer;
  }

  dies(): void {
    this.log.push('the process dies');
    this.calls = [];
  }

  readonly find = ({ key }: { readonly key: string }): ReconcileResult => {
    const act = this.acts.findLast((one) => one.key === key && !one.undone);
    return act === undefined ? { is: 'not_applied' } : { is: 'applied', output: act.answer };
  };

  readonly undo = ({ key }: { readonly key: string }): void => {
    const act = this.acts.findLast((one) => one.key === key && !one.undone);
    this.log.push(`undo ${act?.answer ?? key}`);
    if (act !== undefined) act.undone = true;
  };
}
