/**
 * The control that a microstep writes and reads (semantics.md C1): the regions, their states, and whether user code had
 * a part in it.
 */
import type { AnyMachineSnapshot, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import type { StateValue } from '../../model/step-entry.ts';
import type { Microstep, Place } from '../../runtime/microstep.ts';
import { isRaising } from '../events.ts';
import { enteredBy, isBelow, readsStates, runs } from '../structure.ts';
import type { Layout } from './layout.ts';

/** The change of control that a transition makes between two configurations: it follows from the tree, and is worked out once. */
interface ControlStep extends Pick<Microstep, 'after' | 'entered' | 'hears' | 'sources' | 'moves' | 'looks'> {
  readonly from: readonly AnyStateNode[];
  readonly to: readonly AnyStateNode[];
  readonly before: readonly Place[] | null;
  /** The control after it: it follows from the states, and is one object for equal ones. */
  readonly value: StateValue;
  /** True where neither the transitions nor the states that are left and entered have any code. */
  readonly quiet: boolean;
  /** True where it is remembered, and so the same object the next time. */
  readonly kept: boolean;
}

type Transitions = readonly AnyTransitionDefinition[];

/** The most pairs of configurations that are remembered for one transition: a parallel machine can have any number of them. */
const REMEMBERED = 8;

/** The control of a machine's microsteps. */
export class Control {
  readonly #layout: Layout;
  readonly #known = new WeakMap<AnyTransitionDefinition, ControlStep[]>();

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  /** The change of control between two snapshots. */
  step(before: AnyMachineSnapshot | null, after: AnyMachineSnapshot, transitions: Transitions): ControlStep {
    const [transition] = transitions;
    if (before === null || transition === undefined || transitions.length > 1)
      return this.#workedOut(before, after, transitions, false);
    const known = this.#known.get(transition);
    if (known !== undefined)
      for (const step of known) if (isSame(step.from, before._nodes) && isSame(step.to, after._nodes)) return step;
    const made = this.#workedOut(before, after, transitions, true);
    this.#known.set(transition, known === undefined ? [made] : [made, ...known.slice(0, REMEMBERED - 1)]);
    return made;
  }

  #workedOut(
    before: AnyMachineSnapshot | null,
    after: AnyMachineSnapshot,
    transitions: Transitions,
    kept: boolean,
  ): ControlStep {
    const entered = enteredBy(before, after, transitions);
    return {
      from: before?._nodes ?? [],
      to: after._nodes,
      before: before === null ? null : this.#layout.placesOf(before),
      after: this.#layout.placesOf(after),
      entered: [...entered].map((node) => this.#layout.of(node)),
      hears: transitions.length === 0 || transitions.some(({ eventType }) => eventType !== ''),
      sources: transitions.map(({ source }) => this.#layout.of(source as AnyStateNode)),
      value: after.value as StateValue,
      quiet: isQuiet(before, after, transitions, entered),
      kept,
      ...this.#regions(before, after, transitions, entered),
    };
  }

  /** The regions whose control a microstep wrote, and those whose control it only read (C1). */
  #regions(
    before: AnyMachineSnapshot | null,
    after: AnyMachineSnapshot,
    transitions: Transitions,
    entered: ReadonlySet<AnyStateNode>,
  ): Pick<Microstep, 'moves' | 'looks'> {
    const moves = new Set<string>();
    for (const node of entered) moves.add(this.#layout.of(node).region);
    if (before === null) return { moves: [...moves], looks: [] };
    if (before._nodes !== after._nodes) {
      const now = new Set(after._nodes);
      for (const node of before._nodes) if (!now.has(node)) moves.add(this.#layout.of(node).region);
    }
    const looks = new Set<string>();
    for (const transition of transitions) {
      const source = transition.source as AnyStateNode;
      looks.add(this.#layout.of(source).region);
      const inside = source.type === 'atomic' ? [] : before._nodes.filter((node) => isBelow(node, source));
      // Whether it is this state that hears an event hangs on all that is active inside of it.
      for (const node of inside) looks.add(this.#layout.of(node).region);
      if (readsStates(source) || inside.some(readsStates))
        for (const node of before._nodes) looks.add(this.#layout.of(node).region);
    }
    for (const region of moves) looks.delete(region);
    return { moves: [...moves], looks: [...looks] };
  }

  /** The regions that each of several eventless transitions moved, where they have nothing to do with each other; empty else. */
  parts(
    before: AnyMachineSnapshot | null,
    after: AnyMachineSnapshot,
    transitions: Transitions,
  ): readonly (readonly string[])[] {
    if (before === null || transitions.length < 2) return [];
    const isEventless = transitions.every(({ eventType }) => eventType === '');
    if (!isEventless || runs(isRaising, before, after, transitions)) return [];
    const parts = transitions.map(({ source }) => [this.#layout.of(source as AnyStateNode).region]);
    const regions = parts.flat();
    const isApart = regions.every((one, index) =>
      regions.every((other, at) => index === at || !(other === one || one === '' || other.startsWith(`${one}.`))),
    );
    const moved = this.#regions(before, after, transitions, enteredBy(before, after, transitions)).moves;
    const isInside = moved.every((path) => regions.some((region) => path === region || path.startsWith(`${region}.`)));
    return isApart && isInside ? parts : [];
  }
}

function isSame(one: readonly AnyStateNode[], other: readonly AnyStateNode[]): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) if (one[index] !== other[index]) return false;
  return true;
}

/** True where a microstep ran no code of the machine's: neither its transitions nor the states that it leaves and enters have any. */
function isQuiet(
  before: AnyMachineSnapshot | null,
  after: AnyMachineSnapshot,
  transitions: Transitions,
  entered: ReadonlySet<AnyStateNode>,
): boolean {
  if (before === null) return false;
  if (before._nodes.some(isGuarded) || transitions.some(({ actions }) => actions.length > 0)) return false;
  const quiet = (node: AnyStateNode) => node.entry.length === 0 && node.exit.length === 0 && node.invoke.length === 0;
  return (
    [...entered].every(quiet) && before._nodes.every((node) => after._nodes.includes(node) || node.exit.length === 0)
  );
}

/** True where a guard of the state has a say in where control goes, taken or not. */
function isGuarded(node: AnyStateNode): boolean {
  if (node.always?.some(({ guard }) => guard !== undefined) === true) return true;
  for (const candidates of node.transitions.values())
    if (candidates.some(({ guard }) => guard !== undefined)) return true;
  return false;
}
