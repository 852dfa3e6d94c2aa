/** The units over several nodes: which of them control is in, and at which nodes it goes on in the same one. */
import type { BoundaryConfig, Skeleton } from '../../boundaries/config.ts';
import type { RuntimeEvent } from '../../runtime/microstep.ts';
import type { Memory, UnitNotes } from '../checkpoint/memory.ts';

/** The skeletons of a config that own several nodes of a graph. @param nodes the states of the graph's nodes. */
export function ofSeveralNodes({ skeletons }: BoundaryConfig, nodes: ReadonlySet<string>): Skeleton[] {
  return [...skeletons.values()].filter(({ states }) => states.filter((state) => nodes.has(state)).length > 1);
}

/** The units of a graph that runs one node at a time. */
export class Units {
  readonly #skeletons: readonly Skeleton[];
  readonly #choicesAt: (node: string) => readonly string[];

  /** @param choicesAt lists the nodes that the conditional edges behind a node may choose. */
  constructor(skeletons: readonly Skeleton[], choicesAt: (node: string) => readonly string[]) {
    this.#skeletons = skeletons;
    this.#choicesAt = choicesAt;
  }

  /** The unit that begins at a node; null where none over several nodes does. */
  begun(node: string, event: RuntimeEvent, memory: Memory): UnitNotes | null {
    const skeleton = this.#skeletons.find(({ entry }) => entry.includes(node));
    const entity = skeleton === undefined ? null : entityAt(skeleton, node, event, memory);
    return skeleton === undefined || entity === null ? null : { of: skeleton.name, entity };
  }

  /** True where the edges behind a node choose if a unit goes on. */
  isChosen(unit: UnitNotes, node: string): boolean {
    const states = this.#skeletons.find(({ name }) => name === unit.of)?.states ?? [];
    return this.#choicesAt(node).some((choice) => states.includes(choice));
  }

  /** True where a unit goes on at a node: it is one of its own, and begins no other one. */
  goesOn(unit: UnitNotes, node: string, event: RuntimeEvent, memory: Memory): boolean {
    const skeleton = this.#skeletons.find(({ name }) => name === unit.of);
    if (skeleton === undefined || !skeleton.states.includes(node)) return false;
    return !skeleton.entry.includes(node) || entityAt(skeleton, node, event, memory) === unit.entity;
  }
}

/** The entity that a unit entered at a node is about, as a step says it that enters it; null where that is not known. */
function entityAt({ entity }: Skeleton, node: string, event: RuntimeEvent, memory: Memory): string | null {
  const { type, ...args } = event;
  const found = entity.evaluate({ state: node, action: type, args, entity: null, memory, event });
  return 'value' in found ? found.value : null;
}
