/** The edges that a run takes, by the names that a machine's shape gives them. */
import type { EdgeShape } from '../model/machine.ts';
import type { InspectionEvent } from './actor.ts';

interface Node {
  readonly path: readonly string[];
}

interface Taken {
  readonly source: Node;
  readonly target?: readonly Node[] | undefined;
  readonly eventType: string;
}

interface ActorLike {
  readonly src?: unknown;
  readonly _parent?: ActorLike;
}

/** An edge as one text. */
export function edgeText({ from, to, event }: Pick<EdgeShape, 'from' | 'to' | 'event'>): string {
  return `${from === '' ? '(root)' : from} -> ${to === '' ? '(root)' : to}${event === '' ? '' : ` (${event})`}`;
}

/** The edges that a microstep took, as texts; none for any other event of an inspector. */
export function edgesTaken(event: InspectionEvent): readonly string[] {
  if (event.type !== '@xstate.microstep') return [];
  const prefix = prefixOf(event.actorRef as unknown as ActorLike);
  const pathOf = ({ path }: Node) => prefix + path.join('.');
  return (event._transitions as unknown as readonly Taken[]).flatMap(({ source, target, eventType }) =>
    (target ?? [source]).map((to) => edgeText({ from: pathOf(source), to: pathOf(to), event: eventType })),
  );
}

/** The names of the machines that invoke an actor, as the states of its machine have them before their paths. */
function prefixOf({ src, _parent: parent }: ActorLike): string {
  return parent === undefined ? '' : `${prefixOf(parent)}${String(src)}/`;
}
