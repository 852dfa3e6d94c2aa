/**
 * A gate in front of all calls of a machine: a call is made, and answers, when the study lets it. So a moment of a run is the number
 * of its answers, whatever runtime the machine is under, and a call that is under way there was made by then, or was not.
 */
import { type AnyStateMachine, fromPromise } from 'xstate';
import { fieldOf } from '../../domains/there.ts';
import { type Act, withTools } from '../substrate.ts';

/** A call as it was asked for. */
export interface GatedCall {
  readonly tool: string;
  readonly args: string;
  readonly input: unknown;
  readonly key: string;
  /** True once its tool has acted. */
  made: boolean;
  /** True once its caller has the answer. */
  answered: boolean;
  output: unknown;
}

interface Waiting {
  readonly call: GatedCall;
  /** Makes the call once: a second request has the same answer. */
  make(): Promise<unknown>;
  answer(): Promise<void>;
}

/** The calls of one machine. */
export class Gate {
  /** In the order in which they were asked for. */
  readonly calls: GatedCall[] = [];
  /** In the order of their answers. */
  readonly answers: GatedCall[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #prefix: string;
  readonly #underWay: readonly GatedCall[];

  /**
   * @param prefix what begins the keys of calls that have none: a runtime without a ledger decides each call anew.
   * @param underWay the calls that were under way and go on: asked again, they are the same.
   */
  constructor(prefix = 'plain', underWay: readonly GatedCall[] = []) {
    this.#prefix = prefix;
    this.#underWay = [...underWay];
  }

  /** The calls that were asked for and wait. */
  get pending(): readonly GatedCall[] {
    return this.#waiting.map(({ call }) => call);
  }

  /** The calls that have acted by now. */
  get done(): readonly GatedCall[] {
    return this.calls.filter(({ made }) => made);
  }

  /** Makes a copy of a machine behind the gate. */
  before(machine: AnyStateMachine): AnyStateMachine {
    return withTools(machine, (tool, act) => fromPromise((given) => this.#ask(tool, act, given)));
  }

  /** The number of calls that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Makes the calls that wait, and keeps their answers back. */
  async makeAll(): Promise<void> {
    for (const each of [...this.#waiting]) await each.make().catch(() => {});
  }

  /** Lets the first of the calls that wait be made and answer, in an order that does not hang on who came first. */
  async next(): Promise<void> {
    const named = this.#waiting.map((each) => [`${each.call.tool} ${each.call.args}`, each] as const);
    const [first] = named.sort(([one], [other]) => (one < other ? -1 : 1));
    await first?.[1].answer();
  }

  #ask(tool: string, act: Act, given: { readonly input: unknown; readonly signal: AbortSignal }): Promise<unknown> {
    const args = JSON.stringify(given.input) ?? 'null';
    const known = fieldOf(given, 'key') ?? this.#underWay.find((call) => call.tool === tool && call.args === args)?.key;
    const key = typeof known === 'string' ? known : `${this.#prefix}:${this.calls.length}`;
    const call: GatedCall = { tool, args, input: given.input, key, made: false, answered: false, output: null };
    this.calls.push(call);
    const { answers } = this;
    let making: Promise<unknown> | null = null;
    const make = () => {
      if (making !== null) return making;
      call.made = true;
      making = act({ ...given, key });
      return making;
    };
    return new Promise((resolve, reject) => {
      const leave = () => {
        const index = this.#waiting.indexOf(own);
        if (index >= 0) this.#waiting.splice(index, 1);
      };
      const own: Waiting = {
        call,
        make,
        async answer() {
          leave();
          try {
            call.output = await make();
            call.answered = true;
            answers.push(call);
            resolve(call.output);
          } catch (error) {
            reject(error);
          }
        },
      };
      given.signal.addEventListener('abort', () => {
        leave();
        reject(given.signal.reason);
      });
      this.#waiting.push(own);
    });
  }
}
