/**
 * The states that control can reach in a machine, guards aside: the states that an entry activates, and the states that
 * follow a state.
 */
import type { EdgeShape, MachineShape, StateShape } from '../../model/machine.ts';
import { isWithin } from '../sections/skeleton.ts';

/** A machine with its states by name. */
export class Reach {
  readonly shape: MachineShape;
  readonly states: ReadonlyMap<string, StateShape>;
  readonly #entered = new Map<string, ReadonlySet<string>>();
  readonly #children = new Map<string, string[]>();
  readonly #edges = new Map<string, EdgeShape[]>();

  constructor(shape: MachineShape) {
    this.shape = shape;
    this.states = new Map(shape.states.map((state) => [state.path, state]));
    for (const { path } of shape.states) {
      const parent = this.parentOf(path);
      if (parent !== null) this.#children.set(parent, [...(this.#children.get(parent) ?? []), path]);
    }
    for (const edge of shape.edges) this.#edges.set(edge.from, [...(this.#edges.get(edge.from) ?? []), edge]);
  }

  /** The state around a state; null for the root of a machine. */
  parentOf(path: string): string | null {
    return parentIn(machineOf(path, this.states), path);
  }

  /**
   * Every state that is active once control has entered a given state: the states around it, and the states that it
   * begins with.
   */
  entered(path: string): ReadonlySet<string> {
    const known = this.#entered.get(path);
    if (known !== undefined) return known;
    const active = new Set<string>();
    this.#entered.set(path, active);
    const around = [path];
    for (let outer = this.parentOf(path); outer !== null; outer = this.parentOf(outer)) around.push(outer);
    for (const state of around) this.#enter(state, state === path, active);
    return active;
  }

  /**
   * The states that an edge enters. States around both ends of the edge are not entered, nor are the regions beside it:
   * they stay active.
   */
  enteredBy(from: string | null, to: string): readonly string[] {
    let around = from === null ? null : this.parentOf(from);
    const staysPut = (state: string) =>
      state !== to && isWithin(to, state) && this.states.get(state)?.type !== 'parallel';
    while (around !== null && !staysPut(around)) around = this.parentOf(around);
    const domain = around === null || this.parentOf(around) === null ? null : around;
    return [...this.entered(to)].filter((state) => domain === null || (state !== domain && isWithin(state, domain)));
  }

  /**
   * Every state that can be active, from the machine's beginning, without going on from states for which `stop` is
   * true.
   */
  from(
    stop: (edge: {
      readonly from: string | null;
      readonly to: string;
      readonly active: ReadonlySet<string>;
    }) => boolean,
  ): ReadonlySet<string> {
    const reached = new Set<string>();
    const waiting: { from: string | null; to: string }[] = [...this.#spawned(), ''].map((to) => ({ from: null, to }));
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const active = this.entered(next.to);
      if (stop({ ...next, active })) continue;
      for (const state of active) {
        if (reached.has(state)) continue;
        reached.add(state);
        for (const to of this.#next(state)) waiting.push({ from: state, to });
      }
    }
    return reached;
  }

  /** The roots of machines that no state invokes: an action may spawn them at any time, which no structure tells. */
  #spawned(): readonly string[] {
    const invoked = new Set(
      this.shape.states.flatMap(({ path, invokes }) =>
        invokes.map(({ tool }) => `${machineOf(path, this.states)}${tool}/`),
      ),
    );
    return [...this.states.keys()].filter((path) => path.endsWith('/') && !invoked.has(path));
  }

  /** The states that an active state leads to: along its edges, and into the machines that it invokes. */
  #next(state: string): readonly string[] {
    const within = machineOf(state, this.states);
    const nested = (this.states.get(state)?.invokes ?? []).map(({ tool }) => `${within}${tool}/`);
    return [...(this.#edges.get(state) ?? []).map(({ to }) => to), ...nested.filter((root) => this.states.has(root))];
  }

  /** The states that control can enter from its present states, guards aside. A present state is among them if control can enter that state again. */
  ahead(active: Iterable<string>): ReadonlySet<string> {
    const seen = new Set<string>();
    const waiting = [...active];
    for (let state = waiting.pop(); state !== undefined; state = waiting.pop())
      for (const to of this.#next(state))
        for (const entered of this.enteredBy(state, to)) {
          if (seen.has(entered)) continue;
          seen.add(entered);
          waiting.push(entered);
        }
    return seen;
  }

  /** True if control can leave a state and enter it again, guards aside. */
  comesBack(path: string): boolean {
    const seen = new Set<string>();
    const waiting = [...this.entered(path)].filter((state) => isWithin(path, state));
    for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
      if (seen.has(state)) continue;
      seen.add(state);
      for (const to of this.#next(state)) {
        const entered = this.enteredBy(state, to);
        if (entered.includes(path)) return true;
        waiting.push(...entered);
      }
    }
    return false;
  }

  /**
   * True if some transition leads from one state to another. States around or within `from`, and around or into `to`,
   * count.
   */
  hasEdge(from: string, to: string): boolean {
    return this.shape.edges.some((edge) => {
      return (isWithin(edge.from, from) || isWithin(from, edge.from)) && this.arrives(edge, to);
    });
  }

  /** True if an edge ends with a state active. */
  arrives(edge: EdgeShape, to: string): boolean {
    return isWithin(edge.to, to) || this.entered(edge.to).has(to);
  }

  #enter(path: string, whole: boolean, active: Set<string>): void {
    if (active.has(path)) return;
    active.add(path);
    const state = this.states.get(path);
    if (state === undefined) return;
    const children = this.#children.get(path) ?? [];
    if (state.type === 'parallel') {
      for (const child of children) this.#enter(child, true, active);
    } else if (state.type === 'history') {
      // Any state within the parent may have been active before.
      for (const [other] of this.states) if (isWithin(other, this.parentOf(path) ?? '')) active.add(other);
    } else if (whole && state.initial !== null) this.#enter(state.initial, true, active);
  }
}

/** The state around a state of a machine, whose root is given; null for the root itself. */
export function parentIn(machine: string, path: string): string | null {
  if (path === machine) return null;
  const dot = path.lastIndexOf('.');
  return path.slice(0, dot >= machine.length ? dot : machine.length);
}

/** The known names of states. */
export interface Names {
  has(state: string): boolean;
}

/** The longest prefix of a state's path that is the root of an invoked machine (`sub/`); empty for the outermost machine. */
export function machineOf(state: string, states: Names): string {
  for (let slash = state.lastIndexOf('/'); slash > 0; slash = state.lastIndexOf('/', slash - 1)) {
    const root = state.slice(0, slash + 1);
    if (states.has(root)) return root;
  }
  return '';
}
