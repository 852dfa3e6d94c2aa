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
import type { ActorPlaces } from './references.ts';
import { activeNodes, nodeAt } from './structure.ts';
import { actorOf } from './toolbox.ts';
import type { Scope } from './watch/announcements.ts';

/** The machine whose actors are made, and where it is to stand. */
interface Parent {
  readonly machine: AnyStateMachine;
  readonly next: AnyMachineSnapshot;
  readonly scope: Scope;
  readonly places: ActorPlaces;
}

/** Makes an actor, not started; undefined where its state is not active, or nothing is there to be invoked. */
export function makeChild(parent: Parent, child: ChildPlan, context: unknown): AnyActorRef | undefined {
  const { machine, next, scope, places } = parent;
  const node = child.at === null ? undefined : nodeAt(machine, child.at);
  const invoke = node?.invoke.find((definition) => definition.id === child.id);
  if (child.at !== null && (node === undefined || invoke === undefined || !activeNodes(next).includes(node)))
    return undefined;
  const named = child.src === null ? undefined : actorOf(machine, child.src);
  const logic = child.src === null ? inlineLogic(node, child.id) : named?.logic;
  if (logic === undefined) return undefined;
  let ref: AnyActorRef | undefined;
  const later = (of: (whole: unknown) => unknown) => (whole: unknown) => ref && takeInput(ref, of(whole));
  const spawned = named === undefined ? child.input : named.whole(child.input);
  const given = invoke === undefined ? spawned : invoke.input;
  const inputOf = (now: unknown) =>
    (given as (of: object) => unknown)({ context: now, event: places.settled(child.event), self: scope.self });
  const input =
    typeof given === 'function'
      ? inputOf(places.revived(context, later(inputOf)))
      : places.revived(
          given,
          later((whole) => whole),
        );
  const options = {
    id: child.id,
    parent: scope.self,
    src: named?.name ?? invoke?.src,
    systemId: invoke === undefined ? child.systemId : invoke.systemId,
    syncSnapshot: invoke?.onSnapshot !== undefined,
    input,
    ...(child.plan !== null && { snapshot: { status: 'active', belay: child.plan } }),
  };
  ref = createActor(logic, options as never) as unknown as AnyActorRef;
  places.takeIn(ref);
  return ref;
}

/** Gives an actor that was made, and not started, another input: one with the actors that were made after it. */
function takeInput(ref: AnyActorRef, input: unknown): void {
  const { options } = ref as unknown as { options: { input?: unknown } };
  options.input = input;
  const snapshot = ref.getSnapshot() as { input?: unknown } | undefined;
  if (snapshot !== undefined && 'input' in snapshot) snapshot.input = input;
}

/** The logic that a state invokes without a name. */
function inlineLogic(node: AnyStateNode | undefined, id: string): AnyActorLogic | undefined {
  const index = node?.invoke.findIndex((definition) => definition.id === id) ?? -1;
  const configured = node?.config.invoke;
  const one = Array.isArray(configured) ? configured[index] : configured;
  return typeof one?.src === 'object' ? (one.src as AnyActorLogic) : undefined;
}
