/** The world of one case, and its model: acts stay, whatever becomes of a process. A second act under a key is a second act, but for idempotent tools. */
import type { ReconcileResult } from '../../../src/effects/counterparty.ts';
import type { Case, Class } from './cases.ts';

/** An act, or an answer of a tool that changes nothing. */
export interface Act {
  readonly tool: Class;
  readonly key: string;
  readonly id: string;
  /** The answer of the model that wanted it. */
  readonly of: string;
  answer: string;
  readonly turn: number;
  readonly isWrong: boolean;
  undone: boolean;
}

/** An answer of the model. */
export interface Thought {
  readonly answer: string;
  readonly turn: number;
  /** What was said when it was asked. */
  readonly on: string;
  readonly ids: readonly string[];
}

/** What the model answers with. */
export interface Wanted {
  readonly answer: string;
  readonly calls: readonly { readonly tool: Class; readonly id: string }[];
}

interface Held {
  readonly of: 'model' | 'act';
  return(): void;
}

/** The world of one case. */
export class World {
  readonly acts: Act[] = [];
  readonly thoughts: Thought[] = [];
  readonly log: string[] = [];
  /** The calls under way. */
  calls: Held[] = [];
  /** The turn that is under way, from outside. */
  turn = 0;
  /** True once what was wrong was told of: from then on it is answered right. */
  isTold = false;
  #answers = 0;
  #isLost = false;
  readonly #case: Case;

  constructor(one: Case) {
    this.#case = one;
  }

  think(on: readonly string[], turn: number, wanted: readonly Class[]): Promise<Wanted> {
    return this.#held('model', () => {
      const answer = this.#answer('model', turn);
      const calls = wanted.map((tool, nth) => ({ tool, id: `${answer.replaceAll(' ', '-')}-${nth}` }));
      this.thoughts.push({ answer, turn, on: JSON.stringify(on), ids: calls.map(({ id }) => id) });
      return { answer, calls };
    });
  }

  act(tool: Class, id: string, turn: number, of: string, key: string): Promise<string> {
    return this.#held('act', () => {
      const known = tool === 'idempotent' ? this.acts.find((act) => act.key === key && !act.undone) : undefined;
      const answer = this.#answer('act', turn);
      if (known !== undefined) {
        if (this.isTold && known.answer.startsWith('wrong')) known.answer = answer;
        return known.answer;
      }
      this.acts.push({ tool, key, id, of, answer, turn, isWrong: answer.startsWith('wrong'), undone: false });
      if (this.#case.lost !== turn || this.#isLost) return answer;
      this.#isLost = true;
      this.log.push('the reply is lost');
      throw new Error('socket hang up');
    });
  }

  /** True where everything that a turn wants is answered: nothing of it is left to be done. */
  isWhole(turn: number): boolean {
    const rounds = this.#case.turns[turn] ?? [];
    const own = this.thoughts.filter((each) => each.turn === turn);
    const isDone = (id: string) => this.acts.some((act) => act.id === id && !act.undone);
    return new Set(own.map(({ on }) => on)).size >= rounds.length && (own.at(-1)?.ids ?? []).every(isDone);
  }

  dies(): void {
    this.log.push('the process dies');
    this.calls = [];
  }

  readonly find = ({ key }: { readonly key: string }): ReconcileResult => {
    const act = this.acts.findLast((one) => one.key === key && !one.undone);
    this.log.push(`find ${key}: ${act?.answer}`);
    return act === undefined ? { is: 'not_applied' } : { is: 'applied', output: act.answer };
  };

  readonly undo = ({ key }: { readonly key: string }): void => {
    const act = this.acts.findLast((one) => one.key === key && !one.undone);
    this.log.push(`undo ${act?.answer ?? key}`);
    if (act !== undefined) act.undone = true;
  };

  #held<T>(of: Held['of'], make: () => T): Promise<T> {
    this.log.push(`call ${of}`);
    return new Promise((resolve, reject) => {
      const held: Held = {
        of,
        return: () => {
          this.calls = this.calls.filter((one) => one !== held);
          try {
            resolve(make());
          } catch (error) {
            reject(error);
          }
        },
      };
      this.calls.push(held);
    });
  }

  #answer(of: 'model' | 'act', turn: number): string {
    const { complaint } = this.#case;
    // One answer is wrong: the first of its turn, until it was told of.
    const known = of === 'act' ? this.acts : this.thoughts;
    const isFirst = !known.some((each) => each.turn === turn && each.answer.startsWith('wrong'));
    const isWrong = complaint?.of === of && complaint.about === turn && !this.isTold && isFirst;
    this.#answers += 1;
    const answer = `${isWrong ? 'wrong' : 'right'} ${of} ${this.#answers}`;
    this.log.push(`answer ${answer}`);
    return answer;
  }
}
