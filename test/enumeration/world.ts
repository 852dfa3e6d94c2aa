/**
 * Holds the world of one real run: every call of a tool is held until the driver has it return, and what the calls did to the world
 * stands here. Nothing in the world forgives: a second call under one key is a second act, but for tools of class `idempotent`.
 */
import type { ReconcileResult, ToolCall, UndoCall } from 'belay-sidecar';
import type { EnumeratedCase } from './failures.ts';
import { actText } from './interpreter.ts';
import { answerOf, type CallName, callText, type EffectClass, type Memory } from './little-machine.ts';

/** How the driver has a call return. */
type Return = 'answers' | 'loses its reply' | 'throws before acting';

/** A call that left, as the world sees it. */
export interface HeldCall {
  readonly name: string;
  readonly key: string | undefined;
  readonly isOpen: boolean;
  return(how: Return): void;
}

/** Something that was done, with what was answered. */
export interface Act {
  readonly call: CallName;
  readonly args: Memory;
  readonly key: string;
  readonly class: EffectClass;
  /** True where its call left after the failure was told. */
  readonly isLater: boolean;
  /** True where it stood already when the failure was told. */
  readonly stoodBefore: boolean;
  answer: string;
  undone: boolean;
}

/** The world of one run. */
export class World {
  readonly acts: Act[] = [];
  readonly calls: HeldCall[] = [];
  readonly log: string[] = [];
  /** True from the moment at which the failure is told: what was wrong is answered right from then on. */
  isTold = false;
  readonly #case: EnumeratedCase;
  readonly #classes: ReadonlyMap<string, EffectClass>;

  constructor(one: EnumeratedCase) {
    this.#case = one;
    this.#classes = new Map(one.machine.tools.map((tool) => [tool.name, tool.class]));
  }

  /** The acts that stand, as text; an idempotent one that stands twice is written once. */
  standing(which: (act: Act) => boolean = () => true): readonly string[] {
    const standing = this.acts.filter((act) => !act.undone && which(act));
    const texts = standing.map((act) => ({ act, text: actText(act.call, act.args, act.answer) }));
    const isRepeated = (text: string, at: number) => texts.findIndex((other) => other.text === text) < at;
    return texts
      .filter(({ act, text }, at) => act.class !== 'idempotent' || !isRepeated(text, at))
      .map(({ text }) => text)
      .sort();
  }

  /** Makes a call of a tool, which returns when the driver says so. */
  call(tool: string, { input, key, signal }: ToolCall<Memory>): Promise<string> {
    const { pass } = input as { readonly pass?: string };
    const call = { tool, pass: pass === undefined ? null : Number(pass) };
    this.log.push(`call ${callText(call)} ${JSON.stringify(input)} key ${key ?? '-'}`);
    const effect = this.#classes.get(tool) as EffectClass;
    const isLater = this.isTold;
    let act = (): string => this.#act(call, effect, input, key ?? '', isLater);
    if (this.#actsAtOnce(call)) {
      const answer = act();
      act = () => answer;
    }
    return new Promise((resolve, reject) => {
      let isOpen = true;
      const close = (how: string, settle: () => void): void => {
        if (!isOpen) return;
        isOpen = false;
        this.log.push(`${callText(call)} ${how}`);
        settle();
      };
      const held = {
        name: callText(call),
        key,
        get isOpen() {
          return isOpen;
        },
        return: (how: Return) =>
          close(how, () => {
            if (how === 'throws before acting') return reject(new Error('connection refused'));
            const answer = act();
            if (how === 'answers') resolve(answer);
            else reject(new Error('connection reset'));
          }),
      };
      this.calls.push(held);
      if (this.#actsAtOnce(call)) return;
      signal.addEventListener('abort', () => close('is aborted', () => reject(new Error('aborted'))), { once: true });
    });
  }

  #actsAtOnce(call: CallName): boolean {
    const { kind, acts } = this.#case;
    const isFailing = kind === 'lost reply' || kind === 'throws before acting';
    return acts === 'at once' && !(isFailing && !this.isTold && callText(call) === callText(this.#case.call));
  }

  #act(call: CallName, effect: EffectClass, input: Memory, key: string, isLater: boolean): string {
    const { kind, call: suspect } = this.#case;
    const isSuspect =
      kind.startsWith('wrong') && kind !== 'wrong work in flight' && callText(call) === callText(suspect);
    const answer = answerOf(call, input, isSuspect && !this.isTold);
    const known = effect === 'idempotent' ? this.acts.find((act) => act.key === key && !act.undone) : undefined;
    if (known !== undefined) {
      // The counterparty answers from memory, unless it has been told that this very answer was wrong.
      if (isSuspect && this.isTold) known.answer = answerOf(known.call, known.args, false);
      return known.answer;
    }
    if (effect !== 'none') {
      this.acts.push({
        call,
        args: input,
        key,
        class: effect,
        isLater,
        stoodBefore: !this.isTold,
        answer,
        undone: false,
      });
      this.log.push(`act ${actText(call, input, answer)}`);
    }
    return answer;
  }

  /** Answers a reconciler's question truthfully. */
  readonly find = ({ key }: { readonly key: string }): ReconcileResult => {
    const act = this.acts.findLast((one) => one.key === key && !one.undone);
    if (act !== undefined) return this.#said(key, { is: 'applied', output: act.answer });
    const mayStill = this.calls.some((call) => call.key === key && call.isOpen);
    return this.#said(key, mayStill ? { is: 'unknown' } : { is: 'not_applied' });
  };

  #said(key: string, outcome: ReconcileResult): ReconcileResult {
    this.log.push(`asked about ${key}: ${outcome.is}`);
    return outcome;
  }

  /** Takes one act back. */
  readonly undo = ({ key }: UndoCall): void => {
    const act = this.acts.findLast((one) => one.key === key && !one.undone);
    this.log.push(`undo ${key}: ${act === undefined ? 'nothing stands' : actText(act.call, act.args, act.answer)}`);
    if (act !== undefined) act.undone = true;
  };
}
