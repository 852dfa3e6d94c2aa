/** Makes the actors of a machine anew: the input of each is taken from the restored memory and never from a snapshot (R7). */
import {
  type AnyActorLogic,
  type AnyActorRef,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  createActor,
} from 'xstate';
import type { ChildPlan } from '../runtime/restore-plan.ts';
import { activeNodes, nodeAt } from './structure.ts';
import type { Scope } from './watch/announcements.ts';

/** Makes an actor, not started; undefined where its state is not active, or nothing is there to be invoked. */
export function makeChild(
  machine: AnyStateMachine,
  next: AnyMachineSnapshot,
  child: ChildPlan,
  context: unknown,
  scope: Scope,
): AnyActorRef | undefined {
  const node = child.at === null ? undefined : nodeAt(machine, child.at);
  const invoke = node?.invoke.find((definition) => definition.id === child.id);
  if (child.at !== null && (node === undefined || invoke === undefined || !activeNodes(next).includes(node)))
    return undefined;
  const logic =
    child.src === null
      ? inlineLogic(node, child.id)
      : (machine.implementations.actors[child.src] as AnyActorLogic | undefined);
  if (logic === undefined) return undefined;
  const given = invoke === undefined ? child.input : invoke.input;
  const input =
    typeof given === 'function' ? given({ context: context, event: child.event, self: scope.self } as never) : given;
  const options = {
    id: child.id,
    parent: scope.self,
    src: child.src ?? invoke?.src,
    systemId: invoke?.systemId,
    syncSnapshot: invoke?.onSnapshot !== undefined,
    input,
    ...(child.plan !== null && { snapshot: { status: 'active', belay: child.plan } }),
  };
  return createActor(logic, options as never) as unknown as AnyActorRef;
}

/** The logic that a state invokes without a name. */
function inlineLogic(node: AnyStateNode | undefined, id: string): AnyActorLogic | undefined {
  const index = node?.invoke.findIndex((definition) => definition.id === id) ?? -1;
  const configured = node?.config.invoke;
  const one = Array.isArray(configured) ? configured[index] : configured;
  return typeof one?.src === 'object' ? (one.src as AnyActorLogic) : undefined;
}
