/**
 * Rehearses a failure: provides a copy of a machine in which one call of one tool fails: either the tool is not called,
 * or it acts and the reply is lost. Nothing in the machine is rewritten, and it works with the sidecar and without. It
 * shows the authors of an agent the consequences of a failure before the failure happens in the world.
 */

import type { AnyStateMachine } from 'xstate';
import { NUMBER, oneOf, optional, refuseOther, shape, TEXT } from '../model/argument.ts';
import { CodedError } from '../model/coded-error.ts';
import { SIGNALS, type Signal } from '../model/failure.ts';
import { MACHINE } from './machine-argument.ts';
import { type Act, withTools } from './tools.ts';

/** The signals that a call of a tool can fail with (docs/sidecar.md); the others come from the machine itself. */
export const FAULT_SIGNALS = [
  'TIMEOUT',
  'TOOL_EXCEPTION',
  'INVALID_OUTPUT',
  'GOVERNOR_DENIED',
] as const satisfies Signal[];

/** One of the fault signals. */
export type FaultSignal = (typeof FAULT_SIGNALS)[number];

/** A failure to be rehearsed. */
export interface Fault {
  /** The tool: the name of a promise in `setup()`, of the machine or of a machine that it invokes by name. */
  readonly tool: string;
  /** The number of the call that fails, counted from 1 in this process; the first if left out. */
  readonly nth?: number;
  /** `before`: the tool is not called at all. `after`: it has acted, and its reply is lost. */
  readonly when: 'before' | 'after';
  /**
   * The signal of the failure. `INVALID_OUTPUT` answers with nothing (`undefined`), which only a tool with an `output` schema
   * in the config refuses. `GOVERNOR_DENIED` is `before` only, and needs `governor` to be handed to the sidecar.
   */
  readonly signal: FaultSignal;
}

/** The reasons why a failure cannot be rehearsed. */
export type FaultErrorCode =
  /** Neither the machine nor a machine that it invokes by name has a promise of that name. */
  | 'unknown_tool'
  /** The signal comes from the machine and not from a call, or is none. */
  | 'not_of_a_call'
  /** A denied call is never made, so nothing can be denied after it. */
  | 'only_before'
  /** Calls are counted from 1. */
  | 'bad_number';

/** A failure that cannot be rehearsed. The message says what can. */
export class FaultError extends CodedError<FaultErrorCode> {
  override readonly name = 'FaultError';
}

/** A machine in which a failure is going to happen. */
export interface Faulty<TMachine extends AnyStateMachine> {
  /** The copy. Its states and edges are the machine's own, so a run of one can be resumed with the other. */
  readonly machine: TMachine;
  /** To be handed to `attach` or `resume` as `governor`: denies the call where that is the failure, and nothing else. */
  readonly governor: (call: { tool: string }) => string | null;
  /** True where the failure has happened. It never does where the tool is not called that often. */
  fired(): boolean;
}

/**
 * A copy of a machine in which the nth call of a tool fails, once.
 * @throws FaultError where that cannot happen.
 * @example
 * import { createActor, setup } from 'xstate';
 * import { tool } from 'belay-sidecar/xstate';
 * import { withFault } from 'belay-sidecar/testing';
 *
 * const machine = setup({ actors: { pay: tool<string, void>(async () => 'paid') } }).createMachine({
 *   initial: 'paying',
 *   states: { paying: { invoke: { src: 'pay', onDone: 'paid', onError: 'failed' } }, paid: {}, failed: {} },
 * });
 * const faulty = withFault(machine, { tool: 'pay', when: 'before', signal: 'TIMEOUT' });
 * const actor = createActor(faulty.machine).start();
 * await new Promise((resolve) => setTimeout(resolve, 10));
 * assert.deepEqual([actor.getSnapshot().value, faulty.fired()], ['failed', true]);
 */
export function withFault<TMachine extends AnyStateMachine>(machine: TMachine, fault: Fault): Faulty<TMachine> {
  refuseOther('withFault', { machine: [machine, MACHINE], fault: [fault, FAULT] });
  refuseImpossible(fault);
  const { tool, nth = 1, when, signal } = fault;
  const denies = signal === 'GOVERNOR_DENIED';
  let called = 0;
  let fired = false;
  const isIt = (): boolean => {
    called += 1;
    return called === nth;
  };
  const fail = (): undefined => {
    fired = true;
    return broken(fault);
  };
  const faulty =
    (act: Act): Act =>
    async (call) => {
      if (denies || !isIt()) return act(call);
      if (when === 'after') await act(call);
      return fail();
    };
  const tools = new Set<string>();
  const copy = withTools(machine, (name, act) => {
    tools.add(name);
    return name === tool ? faulty(act) : act;
  });
  if (!tools.has(tool)) {
    const known = [...tools].map((name) => JSON.stringify(name)).join(', ');
    const are = known === '' ? 'it has no promise with a name' : `its tools are ${known}`;
    throw new FaultError('unknown_tool', `${JSON.stringify(tool)} is no tool of ${machine.id}: ${are}`);
  }
  return {
    machine: copy,
    governor: (call) => {
      if (!denies || call.tool !== tool || !isIt()) return null;
      fired = true;
      return `rehearsed: ${tool} is not allowed`;
    },
    fired: () => fired,
  };
}

function refuseImpossible({ nth = 1, when, signal }: Fault): void {
  if (!(FAULT_SIGNALS as readonly string[]).includes(signal)) {
    const known = (SIGNALS as readonly string[]).includes(signal);
    const what = known ? 'comes from the machine itself and not from a call' : 'is no signal';
    throw new FaultError('not_of_a_call', `${signal} ${what}: a call fails with ${FAULT_SIGNALS.join(', ')}`);
  }
  if (signal === 'GOVERNOR_DENIED' && when !== 'before')
    throw new FaultError('only_before', 'GOVERNOR_DENIED comes before the call: a call that was denied has not acted');
  if (!Number.isSafeInteger(nth) || nth < 1)
    throw new FaultError('bad_number', `calls are counted from 1, so ${nth} is none of them`);
}

/** The failure itself: an error that is taken for the signal, or an answer that no schema of an object or a text takes. */
function broken({ tool, when, signal }: Fault): undefined {
  if (signal === 'INVALID_OUTPUT') return undefined;
  const what = when === 'before' ? 'before it acted' : 'after it had acted, and its reply is lost';
  const error = new Error(`rehearsed: ${tool} failed ${what}`);
  if (signal === 'TIMEOUT') error.name = 'TimeoutError';
  throw error;
}

/** A fault, as it is held against what is given; its signal has errors of its own. */
const FAULT = shape<Fault>('a fault: { tool, when, signal }', {
  tool: TEXT,
  nth: optional(NUMBER),
  when: oneOf('before', 'after'),
  signal: TEXT,
});
