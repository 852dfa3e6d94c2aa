/** The states of a machine and of the machines that it invokes, as places: under their names in a config. */
import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from 'xstate';
import type { StateValue } from '../../model/step-entry.ts';
import type { Place } from '../../runtime/microstep.ts';
import type { Arrival, Completion } from '../../runtime/runtime.ts';
import { stateDone } from '../events.ts';
import { activeNodes, isBelow, nodeAt, pathOf, regionOf } from '../structure.ts';

/** The places of a machine. */
export class Layout {
  readonly #prefixes = new Map<AnyStateMachine, string>();
  readonly #places = new Map<AnyStateNode, Place>();
  readonly #active = new WeakMap<readonly AnyStateNode[], readonly Place[]>();
  #byPath: ReadonlyMap<string, Place> | null = null;

  /** Adds a machine under a prefix for the paths of its states: `inner/` for a machine invoked by the name `inner`. */
  add(machine: AnyStateMachine, prefix: string): void {
    this.#prefixes.set(machine, prefix);
    this.#byPath = null;
  }

  /** The place of a state. */
  of(node: AnyStateNode): Place {
    const known = this.#places.get(node);
    if (known !== undefined) return known;
    const prefix = this.#prefixes.get(node.machine as AnyStateMachine) ?? '';
    const place = { path: `${prefix}${pathOf(node)}`, region: regionOf(node), ...(prefix !== '' && { prefix }) };
    this.#places.set(node, place);
    return place;
  }

  /** The places of a snapshot's active states. */
  placesOf(snapshot: AnyMachineSnapshot): readonly Place[] {
    const nodes = activeNodes(snapshot);
    const known = this.#active.get(nodes);
    if (known !== undefined) return known;
    const places = nodes.map((node) => this.of(node));
    this.#active.set(nodes, places);
    return places;
  }

  /** The active states that listen to an event; all active states if none listens. */
  hearing(snapshot: AnyMachineSnapshot, type: string): Place[] {
    const hearing = activeNodes(snapshot).filter((node) => node.transitions.has(type) || node.transitions.has('*'));
    return (hearing.length === 0 ? activeNodes(snapshot) : hearing).map((node) => this.of(node));
  }

  /** The place of a state, by the path that a config names it with. */
  placeAt(path: string): Place | undefined {
    this.#byPath ??= this.#all();
    return this.#byPath.get(path);
  }

  #all(): ReadonlyMap<string, Place> {
    const places = new Map<string, Place>();
    const walk = (node: AnyStateNode): void => {
      const place = this.of(node);
      places.set(place.path, place);
      for (const child of Object.values(node.states)) walk(child);
    };
    for (const machine of this.#prefixes.keys()) walk(machine.root);
    return places;
  }

  /** The value of a region that stands in a state: the state's path from the region on, its initial states below it. */
  valueWithin(prefix: string, region: string, path: string): StateValue | undefined {
    for (const [machine, own] of this.#prefixes) {
      const from = own === prefix ? nodeAt(machine, region) : undefined;
      if (from !== undefined) return valueTowards(from, path.split('.')) as StateValue | undefined;
    }
    return undefined;
  }

  /** The events that complete states of a snapshot tell their surroundings, in the order in which xstate raises them. */
  completions(snapshot: AnyMachineSnapshot): readonly Completion[] {
    const active = activeNodes(snapshot);
    const isComplete = (node: AnyStateNode): boolean => {
      const children = Object.values(node.states).filter(({ type }) => type !== 'history');
      if (node.type === 'parallel') return children.every(isComplete);
      return node.type === 'compound' && children.some((child) => child.type === 'final' && active.includes(child));
    };
    return active
      .filter((node) => node.parent !== undefined && isComplete(node))
      .sort((a, b) => b.path.length - a.path.length)
      .map((node) => {
        const final = Object.values(node.states).find((child) => child.type === 'final' && active.includes(child));
        const output = typeof final?.output === 'function' ? undefined : final?.output;
        const inside = active.filter((other) => other === node || isBelow(other, node));
        return {
          event: { type: stateDone(node.id), output },
          regions: [...new Set(inside.map((other) => this.of(other).region))],
        };
      });
  }

  /** The states of a region's part of a snapshot, below what goes on around them, as a step that came there would have entered them. */
  arrival(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, region: string): Arrival {
    const nodes = activeNodes(snapshot).filter((node) => {
      const path = pathOf(node);
      return region === '' || path === region || path.startsWith(`${region}.`);
    });
    return {
      after: this.placesOf(snapshot),
      entered: nodes.map((node) => this.of(node)),
      moves: [...new Set([region, ...nodes.map(regionOf)])],
      source: this.of(nodeAt(machine, region) ?? machine.root),
      done: snapshot.status === 'done',
    };
  }
}

function initialValue(node: AnyStateNode): AnyMachineSnapshot['value'] {
  if (node.type === 'parallel') {
    return Object.fromEntries(
      Object.values(node.states)
        .filter((child) => child.type !== 'history')
        .map((child) => [child.key, initialValue(child)]),
    );
  }
  const child = node.type === 'compound' ? node.initial.target?.[0] : undefined;
  if (child === undefined) return {};
  return child.type === 'compound' || child.type === 'parallel' ? { [child.key]: initialValue(child) } : child.key;
}

function valueTowards(from: AnyStateNode, [key, ...rest]: string[]): AnyMachineSnapshot['value'] | undefined {
  const child = key === undefined ? undefined : from.states[key];
  if (child === undefined) return key === undefined ? initialValue(from) : undefined;
  const inner = rest.length > 0 ? valueTowards(child, rest) : initialValue(child);
  const below = child.type === 'atomic' || child.type === 'final' ? child.key : { [child.key]: inner ?? {} };
  if (from.type !== 'parallel') return below;
  return { ...(initialValue(from) as object), [child.key]: inner ?? {} };
}
