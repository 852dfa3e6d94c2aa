/**
 * The way between an agent and its world, on which faults happen: each call, each question to a reconciler and each
 * undo passes here. A dead process receives no answer, and its sent calls are carried out.
 */
import { isDeepStrictEqual } from 'node:util';
import { PROCESS } from '../../clock/clock.ts';
import type { Inverse, Reconciler, Undo } from '../../effects/counterparty.ts';
import type { AnyStateMachine } from '../../xstate/actor.ts';
import { type Act, withTools } from '../../xstate/tools.ts';
import type { CallFault, CallSite, WrongFault } from '../faults/fault.ts';
import { answerOf, isIdle, isKeyed, isKeyless } from './dishonesty.ts';
import { type Observation, type ObservedCall, plain } from './observation.ts';
import type { Life, Passing } from './passing.ts';
import type { OpenSubject } from './subject.ts';

/** The most calls of a run: one that makes more does not end. */
const MOST_CALLS = 1_000;

const NEVER = new Promise<never>(() => {});

/** The transport of one run, over all of its processes. */
export class Transport {
  /** Calls at which the world works, or so it seems. */
  inFlight = 0;
  /** The calls that are late and act now: no time of the run passes meanwhile. */
  arriving = 0;
  /** Calls that never answer. */
  readonly hanging: ObservedCall[] = [];
  /** True once the fault has happened. */
  fired = false;
  /** True once more calls were made than a run has that ends. */
  isEndless = false;
  /** True once the wrong answer was found wrong: from then on the answer is the right one. */
  found = false;
  readonly #passing: Passing;
  readonly #seen: Observation;
  /** The acts under each key. */
  readonly #done = new Map<string, unknown>();
  readonly #late = new Set<() => Promise<void>>();
  #wrongArgs: { readonly args: unknown } | null = null;
  #wrongAt: number | null = null;

  constructor(passing: Passing, seen: Observation) {
    this.#passing = passing;
    this.#seen = seen;
  }

  /** A machine whose calls pass here. */
  machine(life: Life, machine: AnyStateMachine): AnyStateMachine {
    return withTools(machine, (tool, act) => (call) => this.#call(life, tool, act, call));
  }

  /** The reconcilers of an agent, as the fault has them. */
  reconcilers(life: Life, { reconcilers = {} }: OpenSubject, named: string | null): Record<string, Reconciler> {
    const { fault } = this.#passing;
    const kind = fault?.kind === 'call' ? fault.reconciler : null;
    return Object.fromEntries(
      Object.entries(reconcilers).flatMap(([name, ask]) => {
        if (name === named && kind === 'absent') return [];
        const answers: Reconciler = async (call) => {
          if (!life.isAlive) return NEVER;
          if (name === named && kind === 'silent') return { is: 'unknown' } as const;
          const answer =
            answerOf(this.#passing.dishonest, name, call, this.#done) ?? (await this.#working(async () => ask(call)));
          this.#seen.tell(`${name} is asked about a call of ${call.tool}: ${answer.is}`);
          return life.isAlive ? answer : NEVER;
        };
        return [[name, answers] as const];
      }),
    );
  }

  /** The undos of an agent. */
  undos(life: Life, { undo = {} }: OpenSubject): Record<string, Undo | Inverse> {
    return Object.fromEntries(
      Object.entries(undo).map(([name, own]) => {
        const inverse = typeof own === 'function' ? { undo: own, moved: null } : own;
        const undoing: Undo = async (call) => {
          if (!life.isAlive) return NEVER;
          if (!isIdle(this.#passing.dishonest, name)) await this.#working(async () => inverse.undo(call));
          return life.isAlive ? undefined : NEVER;
        };
        const { moved } = inverse;
        if (moved === null) return [name, undoing] as const;
        return [name, { undo: undoing, moved: (call) => (life.isAlive ? moved.call(own, call) : NEVER) }] as const;
      }),
    );
  }

  /** Something leaves for the machine or for the world: a moment at which what is wrong may be found. @returns true where it is. */
  moment(): boolean {
    this.#seen.moments += 1;
    const { fault } = this.#passing;
    if (fault?.kind === 'steer' && !this.fired && this.#seen.moments >= fault.moment) {
      this.fired = true;
      this.#passing.steer(fault);
      return true;
    }
    if (fault?.kind !== 'wrong' || this.#wrongAt === null) return false;
    return this.#seen.moments - this.#wrongAt >= fault.after && this.find();
  }

  /** Finds wrong what is wrong, where it was said. @returns false where there is nothing to find. */
  find(): boolean {
    const { fault } = this.#passing;
    if (fault?.kind !== 'wrong' || this.#wrongAt === null || this.found) return false;
    this.found = true;
    this.#seen.foundAt = this.#seen.moments;
    this.#passing.complain(fault);
    return true;
  }

  /** Has every call that is late act now. */
  async arrive(): Promise<void> {
    for (const act of [...this.#late]) await act();
  }

  async #call(life: Life, tool: string, act: Act, given: Parameters<Act>[0]): Promise<unknown> {
    if (!life.isAlive) return NEVER;
    const { calls } = this.#seen;
    if (calls.length >= MOST_CALLS) {
      this.isEndless = true;
      return NEVER;
    }
    const nth = calls.filter((call) => call.tool === tool).length + 1;
    this.moment();
    const call: ObservedCall = {
      ...{ tool, nth, args: plain(given.input), key: given.key ?? null, moment: this.#seen.moments },
      ...{ time: Date.now(), left: this.#seen.tick(), back: null },
      tookKey: false,
      acted: false,
      heard: false,
    };
    this.#seen.call(call);
    this.#seen.tell(`${tool}#${nth} ${JSON.stringify(call.args)}`);
    const { fault } = this.#passing;
    if (fault?.kind === 'restart' && isAt(fault, call) && !this.fired) {
      this.fired = true;
      this.#passing.restart();
    }
    try {
      const output = await this.#answer(call, act, this.#given(life, call, given));
      if (!life.isAlive) return NEVER;
      call.answer = { output };
      call.back = this.#seen.tick();
      return output;
    } catch (error) {
      if (!life.isAlive) return NEVER;
      this.#seen.tell(`${tool}#${nth} fails: ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    }
  }

  /** A call as it leaves: a dead process aborts nothing, as what it has sent is under way. */
  #given(life: Life, call: ObservedCall, given: Parameters<Act>[0]): Parameters<Act>[0] {
    const isKept = isKeyless(this.#passing.dishonest, call.tool);
    const own = new AbortController();
    const { signal } = given;
    if (signal?.aborted) own.abort(signal.reason);
    signal?.addEventListener('abort', () => {
      if (life.isAlive) own.abort(signal.reason);
    });
    return {
      ...given,
      signal: own.signal,
      get key() {
        call.tookKey = true;
        return isKept ? undefined : given.key;
      },
    };
  }

  async #answer(call: ObservedCall, act: Act, given: Parameters<Act>[0]): Promise<unknown> {
    const really = async (): Promise<unknown> => {
      if (call.key !== null && isKeyed(this.#passing.dishonest, call.tool) && this.#done.has(call.key))
        return this.#done.get(call.key);
      const recorded = this.#passing.recorded(call.tool, call.args);
      const output = recorded === undefined ? await this.#working(() => act(given)) : recorded.output;
      this.#seen.act(this.#seen.calls.indexOf(call));
      if (call.key !== null) this.#done.set(call.key, output);
      return output;
    };
    const { fault } = this.#passing;
    if (fault?.kind === 'call' && isAt(fault, call) && !this.fired) {
      this.fired = true;
      return this.#fail(fault, call, really);
    }
    if (fault?.kind === 'timer' && fault.call !== null && isAt(fault.call, call)) return this.#meet(call, really);
    const output = await really();
    if (fault?.kind !== 'wrong' || this.found) return output;
    if (isAt(fault, call)) {
      this.fired = true;
      this.#wrongAt = call.moment;
      this.#wrongArgs = { args: call.args };
    } else if (!this.#isAgain(fault, call)) return output;
    const wrong = this.#passing.wrong(fault, output);
    this.#seen.tell(`${call.tool}#${call.nth} answers wrongly: ${JSON.stringify(plain(wrong))}`);
    return wrong;
  }

  /** Holds a reply until the delay that it meets. */
  async #meet(call: ObservedCall, really: () => Promise<unknown>): Promise<unknown> {
    const output = this.#passing.isMissed ? null : await really();
    await this.#passing.meets(call);
    return this.#passing.isMissed ? NEVER : output;
  }

  /** True for a call that asks what was answered wrongly before. */
  #isAgain({ tool }: WrongFault, call: ObservedCall): boolean {
    return this.#wrongArgs !== null && tool === call.tool && isDeepStrictEqual(this.#wrongArgs.args, call.args);
  }

  async #fail({ tool, how }: CallFault, call: ObservedCall, really: () => Promise<unknown>): Promise<unknown> {
    switch (how) {
      case 'before':
        throw new Error(`rehearsed: ${tool} fails before it acts`);
      case 'lost':
        await really();
        throw new Error(`rehearsed: ${tool} has acted, and its reply is lost`);
      case 'timeout':
        await really();
        this.#seen.tell(`${call.tool}#${call.nth} has acted, and never answers`);
        this.hanging.push(call);
        return NEVER;
      case 'refused':
        await really();
        return this.#passing.refused(tool);
      case 'late': {
        const arrive = async (): Promise<void> => {
          if (!this.#late.delete(arrive)) return;
          this.#seen.tell(`${call.tool}#${call.nth} arrives late`);
          this.arriving += 1;
          await really().catch(() => {});
          this.arriving -= 1;
        };
        this.#late.add(arrive);
        PROCESS.after(this.#passing.lateness(tool), () => void arrive());
        throw Object.assign(new Error(`rehearsed: no answer of ${tool}`), { name: 'TimeoutError' });
      }
    }
  }

  async #working<T>(work: () => Promise<T>): Promise<T> {
    this.inFlight += 1;
    try {
      return await work();
    } finally {
      this.inFlight -= 1;
    }
  }
}

function isAt(site: CallSite, call: CallSite): boolean {
  return site.tool === call.tool && site.nth === call.nth;
}
