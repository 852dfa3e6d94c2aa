/**
 * A reducer, which xstate makes with `fromTransition`, as a machine of one state: its steps are journaled, and its state is taken up and
 * restored, as those of a machine that is invoked by name.
 */
import { type AnyActorLogic, type AnyMachineSnapshot, type AnyStateMachine, assign, setup } from 'xstate';

type Reduce = (state: object, event: unknown, scope: object) => unknown;

/** A reducer as far as it matters here: what `fromTransition` returns. */
interface Reducer {
  readonly config: Reduce;
  readonly getInitialSnapshot: (scope: object, input: unknown) => { readonly context: unknown };
}

/** An action of xstate's own, which says the snapshot that it leads to. */
interface Resolved {
  resolve(scope: object, snapshot: AnyMachineSnapshot, args: { readonly event: unknown }): readonly unknown[];
}

const known = new WeakMap<AnyActorLogic, AnyStateMachine>();

/**
 * The machine whose context is the state of a reducer.
 * @throws TypeError from its steps, where a state is no object: a journal names parts of a state by their keys.
 */
export function machineOf(name: string, logic: AnyActorLogic): AnyStateMachine {
  const made = known.get(logic) ?? machineFor(name, logic as unknown as Reducer);
  known.set(logic, made);
  return made;
}

function machineFor(name: string, { config: reduce, getInitialSnapshot }: Reducer): AnyStateMachine {
  const reduced = assign({}) as unknown as Resolved;
  // An assign keeps the keys that are not named; a reducer returns the whole state.
  reduced.resolve = (scope, snapshot, { event }) => {
    const context = objectOf(name, reduce(snapshot.context, event, scope));
    return [{ ...snapshot, context }, undefined, undefined];
  };
  return setup({ actions: { reduce: reduced as never } }).createMachine({
    id: name,
    context: ({ input, self, ...scope }) =>
      objectOf(name, getInitialSnapshot({ ...scope, self, system: self.system }, input).context) as never,
    on: { '*': { actions: 'reduce' as never } },
  }) as unknown as AnyStateMachine;
}

function objectOf(name: string, state: unknown): object {
  if (typeof state === 'object' && state !== null && !Array.isArray(state)) return state;
  const is = Array.isArray(state) ? 'a list' : state == null ? String(state) : `a ${typeof state}`;
  throw new TypeError(`The state of the reducer "${name}" is ${is}: hold it in an object, such as { value }.`);
}
