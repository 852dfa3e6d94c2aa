/**
 * The world of one case: each call of a tool is held until it is made to return, and what calls did stands here, whatever becomes of a process.
 * A second call under one key is a second act, but for tools of class `idempotent`.
 */
import type { ReconcileResult } from '../../../src/effects/counterparty.ts';
import type { ToolCall } from '../../../src/runtime/tool-call.ts';
import type { Case } from './cases.ts';
import { type Args, answerOf, type EffectClass } from './little-graph.ts';

/** How a call is made to return; one that is late acts and never returns. */
type Return = 'answers' | 'loses its reply' | 'throws' | 'is late';

export interface HeldCall {
  readonly name: string;
  readonly key: string;
  isOpen: boolean;
  return(how: Return): void;
}

export interface Act {
  readonly tool: string;
  readonly args: Args;
  readonly key: string;
  readonly class: EffectClass;
  /** True where its call left after the failure was told. */
  readonly isLater: boolean;
  /** True where it stood already when the failure was told. */
  readonly stoodBefore: boolean;
  answer: string;
  undone: boolean;
}

export class World {
  readonly acts: Act[] = [];
  calls: HeldCall[] = [];
  readonly log: string[] = [];
  /** True from the moment at which the failure is told: what was wrong is answered right from then on. */
  isTold = false;
  readonly #case: Case;
  readonly #classes: ReadonlyMap<string, EffectClass>;
  /** The keys of calls by tool and what they are about, in the order in which they came. */
  readonly #keys = new Map<string, string[]>();

  constructor(one: Case) {
    this.#case = one;
    this.#classes = new Map(one.graph.nodes.map((node) => [node.name, node.class]));
  }

  call(tool: string, { input, key = '', signal }: ToolCall<Args>): Promise<string> {
    const name = this.#nameOf(tool, input.of, key);
    this.log.push(`call ${name} ${JSON.stringify(input)} key ${key}`);
    const isLater = this.isTold;
    let act = (): string => this.#act(name, tool, input, key, isLater);
    const isFailing = name === this.#case.call && !this.isTold && !this.#case.kind.startsWith('wrong');
    const isAtOnce = this.#case.acts === 'at once' && !isFailing;
    if (isAtOnce) {
      const answer = act();
      act = () => answer;
    }
    return new Promise((resolve, reject) => {
      const held: HeldCall = {
        name,
        key,
        isOpen: true,
        return: (how) => {
          if (!held.isOpen) return;
          held.isOpen = false;
          this.log.push(`${name} ${how}`);
          if (how === 'throws') return reject(new Error('connection refused'));
          const answer = act();
          if (how === 'answers') resolve(answer);
          if (how === 'loses its reply') reject(new Error('connection reset'));
        },
      };
      this.calls.push(held);
      if (isAtOnce) return;
      const abort = () => {
        if (!held.isOpen) return;
        held.isOpen = false;
        this.log.push(`${name} is aborted`);
        reject(new Error('aborted'));
      };
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  /** Names a call by its tool, what it is about, and its number among such calls: tools of class `none` get no key, and are told apart by their replies. */
  #nameOf(tool: string, of: string, key: string): string {
    const about = `${tool}/${of}`;
    const keys = this.#keys.get(about) ?? [];
    const answered = this.log.filter((line) => line.startsWith(`${about}#`) && line.endsWith(' answers')).length;
    const known = key === '' ? `${answered}` : key;
    if (!keys.includes(known)) keys.push(known);
    this.#keys.set(about, keys);
    return `${about}#${keys.indexOf(known)}`;
  }

  /** The process has died: no reply is heard any more, and what acts with its reply never does. */
  dies(): void {
    this.log.push('the process dies');
    this.calls = [];
  }

  #act(name: string, tool: string, args: Args, key: string, isLater: boolean): string {
    const { kind, call } = this.#case;
    const isSuspect = (kind === 'wrong key' || kind === 'wrong work') && name === call;
    const answer = answerOf(tool, args, isSuspect && !this.isTold);
    const effect = this.#classes.get(tool) as EffectClass;
    const known = effect === 'idempotent' ? this.acts.find((act) => act.key === key && !act.undone) : undefined;
    if (known !== undefined) {
      // The counterparty answers from memory, unless it has been told that this very answer was wrong.
      if (isSuspect && this.isTold) known.answer = answerOf(tool, known.args, false);
      return known.answer;
    }
    if (effect === 'none') return answer;
    const stoodBefore = !this.isTold;
    this.acts.push({ tool, args, key, class: effect, isLater, stoodBefore, answer, undone: false });
    this.log.push(`act ${answer}`);
    return answer;
  }

  /** Answers a reconciler's question truthfully. */
  readonly find = ({ key }: { readonly key: string }): ReconcileResult => {
    const act = this.acts.findLast((one) => one.key === key && !one.undone);
    const mayStill = this.calls.some((call) => call.key === key && call.isOpen);
    const said = (result: ReconcileResult): ReconcileResult => {
      this.log.push(`asked about ${key}: ${result.is}`);
      return result;
    };
    if (act !== undefined) return said({ is: 'applied', output: act.answer });
    return said(mayStill ? { is: 'unknown' } : { is: 'not_applied' });
  };

  readonly undo = ({ key }: { readonly key: string }): void => {
    const act = this.acts.findLast((one) => one.key === key && !one.undone);
    this.log.push(`undo ${key}: ${act?.answer ?? 'nothing stands'}`);
    if (act !== undefined) act.undone = true;
  };
}
