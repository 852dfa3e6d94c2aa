/**
 * The one substrate that every strategy runs on: the agent's own machine, in which one call fails in one raw way, each call takes
 * a little longer than the last time, and every call that was really made is written down. A plain runtime and the sidecar see the
 * same machine.
 */
import type { OpenAgent } from 'belay-sidecar/xstate';
import { type AnyActorLogic, type AnyStateMachine, fromPromise } from 'xstate';
import { fieldOf, there } from '../domains/there.ts';
import type { CallSite, Failing } from './case.ts';
import { type Draw, drawOf } from './draw.ts';
import type { Raw } from './raw.ts';
import { raise } from './raw.ts';

/** A call that was made. Times in milliseconds, of a clock that only goes forward. */
export interface Call {
  readonly tool: string;
  readonly args: string;
  readonly began: number;
  /** When it answered; null where it failed, or never did. */
  ended: number | null;
}

/** A machine on the substrate. */
export interface Substrate {
  readonly machine: OpenAgent['machine'];
  /** The calls that were made, in order. What was answered without a call is none. */
  readonly calls: readonly Call[];
  /** The call that failed, or during which something was found wrong; null before. */
  failed: Pick<Call, 'tool' | 'args'> | null;
  /** When that was. */
  failedAt: number;
  /** From now on a counterparty recognises no key of the tools: what is done again is another decision to it. */
  forget(tools: ReadonlySet<string>): void;
}

/** Puts a machine on the substrate; `failing` null for a run that never fails. Which seed it is decides how long calls take. */
export function onSubstrate(
  machine: OpenAgent['machine'],
  failing: Failing | null,
  raw: Raw | null,
  seed: number,
): Substrate {
  const calls: Call[] = [];
  const draw: Draw = drawOf(seed);
  let forgotten: ReadonlySet<string> = new Set();
  const forget: Substrate['forget'] = (tools) => {
    forgotten = tools;
  };
  const substrate: { -readonly [K in keyof Substrate]: Substrate[K] } = {
    machine,
    calls,
    failed: null,
    failedAt: 0,
    forget,
  };
  const isFailing = (tool: string): boolean => {
    if (failing === null || 'found' in failing || raw === 'denied' || substrate.failed !== null) return false;
    return isNth(failing.call, tool, calls);
  };
  const isHandled = (tool: string, when: 'before' | 'after'): boolean => {
    const handled = failing === null || 'found' in failing ? undefined : failing.handled;
    return handled?.when === when && isNth(handled, tool, calls);
  };
  const wrapped = (tool: string, act: Act): AnyActorLogic => {
    return fromPromise(async (given) => {
      const call: Call = { tool, args: JSON.stringify(given.input), began: performance.now(), ended: null };
      calls.push(call);
      const fails = isFailing(tool);
      const [late, lost] = [isHandled(tool, 'before'), isHandled(tool, 'after')];
      if (fails) substrate.failed = call;
      await draw.pause();
      const made = forgotten.has(tool) ? { ...given, key: undefined } : given;
      if (fails && failing !== null && !('found' in failing) && failing.when === 'after') await act(made);
      if (fails) {
        substrate.failedAt = performance.now();
        return raise(there(raw, 'way to fail'), tool);
      }
      if (late) return raise('timeout', tool);
      const output = await act(made);
      if (lost) return raise('timeout', tool);
      call.ended = performance.now();
      return output;
    });
  };
  substrate.machine = withTools(machine, wrapped);
  return substrate;
}

/** Makes a call of a tool. */
export type Act = (call: object) => Promise<unknown>;

/** Calls tools, by their names. */
export type ToolCalls = Readonly<Record<string, Act>>;

/** The tools of a machine, by their names, to be called by another runtime. */
export function callsOf(machine: OpenAgent['machine']): ToolCalls {
  const acts = Object.entries(machine.implementations.actors).map(([name, logic]) => [name, actOf(logic)] as const);
  return Object.fromEntries(acts.flatMap(([name, act]) => (act === null ? [] : [[name, act]])));
}

/** The function of a promise, which xstate has as a field that its types do not name; null of any other logic. */
function actOf(logic: object): Act | null {
  const act = fieldOf(logic, 'config');
  return typeof act === 'function' ? (call) => Promise.resolve(Reflect.apply(act, undefined, [call])) : null;
}

function isMachine(logic: object): logic is AnyStateMachine {
  return 'implementations' in logic;
}

/** True if the last of the calls is the nth of its tool. */
export function isNth({ tool, nth }: CallSite, last: string, calls: readonly { readonly tool: string }[]): boolean {
  return last === tool && calls.filter((call) => call.tool === tool).length === nth;
}

/** Makes a copy of a machine whose promises are others, those of machines that it invokes by name too. */
export function withTools(
  machine: AnyStateMachine,
  wrapped: (tool: string, act: Act) => AnyActorLogic,
): AnyStateMachine {
  const copy: AnyStateMachine = machine.provide({});
  const { actors } = copy.implementations;
  for (const [name, logic] of Object.entries(actors)) {
    const act = actOf(logic);
    if (isMachine(logic)) actors[name] = withTools(logic, wrapped);
    else if (act !== null) actors[name] = wrapped(name, act);
  }
  return copy;
}
