/**
 * Watches a running machine and those that it invokes, without changing what they do: each microstep is handed on, an error
 * is caught where it happens, named promises are called through a guard, and a private event rewinds the machine in place
 * (semantics.md §11). The machine that is given is not touched; a provided copy of it runs.
 */
import {
  type AnyActorLogic,
  type AnyActorRef,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  type AnyTransitionDefinition,
  fromPromise,
  type InspectionEvent,
} from 'xstate';
import { type ActorPlan, build, RESTORE, rewind } from './restore.ts';
import { kindOf } from './shape.ts';
import { activeNodes, enteredBy, nodeAt, pathOf, regionOf } from './structure.ts';

/** A state as a step tells of it. */
export interface Place {
  /** As a config names it, with the tool before it for a machine that is invoked: `inner/x`. */
  readonly path: string;
  /** The path of its region, within its own machine. */
  readonly region: string;
}

/** An actor that a step started. */
export interface Child {
  readonly ref: AnyActorRef;
  readonly id: string;
  /** The name of its logic; null where it is inline. */
  readonly src: string | null;
  /** The state that invokes it; null for a spawned one. */
  readonly place: Place | null;
  readonly kind: 'promise' | 'machine' | 'other';
  readonly input: unknown;
}

/** A microstep, lifted out of xstate. The first of an actor has no `before`. */
export interface Seen {
  readonly event: AnyEventObject;
  readonly before: readonly Place[] | null;
  readonly after: readonly Place[];
  readonly entered: readonly Place[];
  /** Whether it took its event: an eventless step, which follows of itself, only carries it along. */
  readonly hears: boolean;
  /** The states whose transitions were taken; none for the first step of an actor. */
  readonly sources: readonly Place[];
  readonly memoryBefore: unknown;
  readonly memory: unknown;
  readonly snapshot: AnyMachineSnapshot;
  readonly rememberedChanged: boolean;
  /** Whether no code of the machine's had a part in it: no guard, no action, no input. */
  readonly bare: boolean;
  readonly started: readonly Child[];
  /** Whether its event was sent from outside the actor system, and this is the first step that it caused. */
  readonly outside: boolean;
  /** The actors that were there before and are not any more. */
  readonly gone: readonly AnyActorRef[];
}

/** A call of a named promise. */
export interface Call {
  readonly ref: AnyActorRef;
  readonly tool: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
  /** Makes the call, with its idempotency key. */
  act(key: string | undefined, signal: AbortSignal): Promise<unknown>;
}

/** What a watcher is told, and asked. */
export interface Watcher {
  /** The microsteps that one event caused, in order. Called before anything that they started runs. */
  steps(ref: AnyActorRef, seen: readonly Seen[]): void;
  /** The first steps of an actor, once it is known whose it is. */
  begun(ref: AnyActorRef, seen: readonly Seen[]): void;
  /** A transition threw, or an error came that nothing handles: the machine stays as it was. */
  crashed(ref: AnyActorRef, event: AnyEventObject, error: unknown, places: readonly Place[]): void;
  /** Whether an event has to wait, or is refused: the machine then does not see it now. */
  stops(ref: AnyActorRef, event: AnyEventObject, snapshot: AnyMachineSnapshot): boolean;
  call(call: Call): Promise<unknown>;
  /** The root is told to stop: what follows is no act of the machine's. */
  stopping(): void;
  /** An actor was made anew by a restore, in the place of the one that the journal numbers so. */
  adopted(ref: AnyActorRef, number: number): void;
}

type Scope = Parameters<AnyStateMachine['transition']>[2];
interface Micro {
  readonly event: AnyEventObject;
  readonly snapshot: AnyMachineSnapshot;
  readonly transitions: readonly AnyTransitionDefinition[];
}

/** A machine made ready to be watched. */
export class Watch {
  readonly machine: AnyStateMachine;
  readonly #watcher: Watcher;
  readonly #systems = new WeakSet<object>();
  readonly #outside = new WeakSet<object>();
  readonly #collecting = new Map<unknown, Micro[]>();
  readonly #begun = new WeakMap<object, Seen[]>();
  readonly #copies = new Map<AnyStateMachine, AnyStateMachine>();
  readonly #tools = new Map<string, (call: object) => Promise<unknown>>();
  readonly #prefixes = new Map<AnyStateMachine, string>();
  readonly #places = new Map<AnyStateNode, Place>();
  readonly #active = new WeakMap<readonly AnyStateNode[], readonly Place[]>();

  constructor(machine: AnyStateMachine, watcher: Watcher) {
    this.#watcher = watcher;
    this.machine = this.#copy(machine, '');
  }

  /**
   * Listens for microsteps where xstate announces them. It announces everything that happens to whoever asks for one thing, at a
   * cost for each; this takes them before that. A test pins it, as it is no public API.
   */
  #listen({ system }: Scope): void {
    if (this.#systems.has(system)) return;
    this.#systems.add(system);
    const announcer = system as unknown as { _sendInspectionEvent(event: InspectionEvent): void };
    const announce = announcer._sendInspectionEvent;
    announcer._sendInspectionEvent = (event) => {
      if (event.type === '@xstate.event' && event.sourceRef === undefined) this.#outside.add(event.event);
      if (event.type === '@xstate.microstep') {
        const { actorRef, snapshot, _transitions: transitions } = event;
        this.#collecting
          .get(actorRef)
          ?.push({ event: event.event, snapshot: snapshot as AnyMachineSnapshot, transitions });
      }
      announce(event);
    };
  }

  /** The first steps of an actor that was made without being restored, told once. */
  begin(ref: AnyActorRef): void {
    const seen = this.#begun.get(ref);
    if (seen === undefined) return;
    this.#begun.delete(ref);
    this.#watcher.begun(ref, seen);
  }

  /** The function of a tool, for a call that is made when no actor waits for it any more. */
  toolNamed(name: string): ((call: object) => Promise<unknown>) | undefined {
    return this.#tools.get(name);
  }

  /** The places of a snapshot's active states. */
  placesOf(snapshot: AnyMachineSnapshot): readonly Place[] {
    const nodes = activeNodes(snapshot);
    const known = this.#active.get(nodes);
    if (known !== undefined) return known;
    const places = nodes.map((node) => this.#place(node));
    this.#active.set(nodes, places);
    return places;
  }

  #place(node: AnyStateNode): Place {
    const known = this.#places.get(node);
    if (known !== undefined) return known;
    const prefix = this.#prefixes.get(node.machine as AnyStateMachine) ?? '';
    const place = { path: `${prefix}${pathOf(node)}`, region: regionOf(node) };
    this.#places.set(node, place);
    return place;
  }

  #copy(machine: AnyStateMachine, prefix: string): AnyStateMachine {
    const known = this.#copies.get(machine);
    if (known !== undefined) return known;
    const copy = machine.provide({}) as AnyStateMachine;
    this.#copies.set(machine, copy);
    this.#prefixes.set(copy, prefix);
    const { actors } = copy.implementations;
    for (const [name, logic] of Object.entries(actors))
      actors[name] = this.#guard(name, logic as AnyActorLogic, prefix);
    this.#instrument(copy);
    return copy;
  }

  #guard(name: string, logic: AnyActorLogic, prefix: string): AnyActorLogic {
    const kind = kindOf(logic);
    if (kind === 'machine') return this.#copy(logic as AnyStateMachine, `${prefix}${name}/`);
    if (kind !== 'promise') return logic;
    const act = (logic as unknown as { config: (call: object) => Promise<unknown> }).config;
    this.#tools.set(name, act);
    return fromPromise(({ input, system, self, signal, emit }) =>
      this.#watcher.call({
        ref: self,
        tool: name,
        input,
        signal,
        act: async (key, own) => act({ input, system, self, signal: own, emit, key }),
      }),
    );
  }

  #instrument(machine: AnyStateMachine): void {
    const { transition, getInitialSnapshot, restoreSnapshot } = machine;
    machine.getInitialSnapshot = (scope, input) => {
      const [initial, micros] = this.#collect(scope, () => getInitialSnapshot(scope, input)) as [
        AnyMachineSnapshot,
        Micro[],
      ];
      if (initial.status !== 'error') {
        this.#begun.set(scope.self, this.#lift(null, [first(micros, initial, input), ...micros]));
      }
      return initial;
    };
    machine.restoreSnapshot = (snapshot, scope) => {
      const plan = (snapshot as { belay?: ActorPlan }).belay;
      return plan === undefined
        ? restoreSnapshot(snapshot, scope)
        : build(machine, plan, scope, restoreSnapshot, (ref, number) => this.#watcher.adopted(ref, number));
    };
    machine.transition = (snapshot, event, scope) => this.#step(transition, machine, snapshot, event, scope);
  }

  #collect<T>(scope: Scope, run: () => T): [T, Micro[]] {
    this.#listen(scope);
    const micros: Micro[] = [];
    this.#collecting.set(scope.self, micros);
    try {
      return [run(), micros];
    } finally {
      this.#collecting.delete(scope.self);
    }
  }

  #step(
    transition: AnyStateMachine['transition'],
    machine: AnyStateMachine,
    snapshot: AnyMachineSnapshot,
    event: AnyEventObject,
    scope: Scope,
  ): AnyMachineSnapshot {
    const { self } = scope;
    if (event.type === RESTORE) {
      const adopt = (ref: AnyActorRef, number: number) => this.#watcher.adopted(ref, number);
      return rewind(machine, snapshot, event.plan as ActorPlan, scope, adopt);
    }
    if (event.type === 'xstate.stop' && (self as { _parent?: unknown })._parent === undefined) this.#watcher.stopping();
    if (event.type === 'xstate.stop') return transition(snapshot, event, scope) as AnyMachineSnapshot;
    if (this.#watcher.stops(self, event, snapshot)) return snapshot;
    if (event.type.startsWith('xstate.error.') && !snapshot.can(event)) {
      this.#watcher.crashed(self, event, event.error, this.placesOf(snapshot));
      return snapshot;
    }
    // What a transition defers is let go only when it went well: a failed one must not start what it spawned.
    const deferred: Parameters<Scope['defer']>[0][] = [];
    try {
      const local = { ...scope, defer: (fn: (typeof deferred)[number]) => void deferred.push(fn) };
      const [next, micros] = this.#collect(scope, () => transition(snapshot, event, local) as AnyMachineSnapshot);
      // What nobody heard took the machine nowhere, and is no step: also where other steps came before it.
      const taken = micros.filter(
        ({ transitions, snapshot: after }, index) =>
          transitions.length > 0 || after !== (micros[index - 1]?.snapshot ?? snapshot),
      );
      if (taken.length > 0) this.#watcher.steps(self, this.#lift(snapshot, taken));
      for (const fn of deferred) scope.defer(fn);
      return next;
    } catch (error) {
      this.#watcher.crashed(self, event, error, this.#hearing(snapshot, event));
      return snapshot;
    }
  }

  /** The active states that listen to an event; all of them where none does. */
  #hearing(snapshot: AnyMachineSnapshot, event: AnyEventObject): Place[] {
    const hearing = activeNodes(snapshot).filter(
      (node) => node.transitions.has(event.type) || node.transitions.has('*'),
    );
    return (hearing.length === 0 ? activeNodes(snapshot) : hearing).map((node) => this.#place(node));
  }

  /** Every state of the machine and of those that it invokes, by the path that a config names it with. */
  places(): Map<string, Place> {
    const places = new Map<string, Place>();
    const walk = (node: AnyStateNode): void => {
      const place = this.#place(node);
      places.set(place.path, place);
      for (const child of Object.values(node.states)) walk(child);
    };
    for (const copy of this.#prefixes.keys()) walk(copy.root);
    return places;
  }

  /** The value of a region that stands in a state: the state's path from the region on, its initial states below it. */
  valueWithin(prefix: string, region: string, path: string): AnyMachineSnapshot['value'] | undefined {
    for (const [copy, own] of this.#prefixes) {
      const from = own === prefix ? nodeAt(copy, region) : undefined;
      if (from !== undefined) return valueTowards(from, path.split('.'));
    }
    return undefined;
  }

  #lift(start: AnyMachineSnapshot | null, micros: readonly Micro[]): Seen[] {
    let before = start;
    return micros.map(({ event, snapshot, transitions }) => {
      const entered = enteredBy(before, snapshot, transitions);
      const seen: Seen = {
        event,
        before: before === null ? null : this.placesOf(before),
        after: this.placesOf(snapshot),
        entered: [...entered].map((node) => this.#place(node)),
        hears: transitions.length === 0 || transitions.some(({ eventType }) => eventType !== ''),
        sources: transitions.map(({ source }) => this.#place(source as AnyStateNode)),
        memoryBefore: before?.context,
        memory: snapshot.context,
        snapshot,
        bare: isBare(before, snapshot, transitions, entered),
        rememberedChanged: before === null || before.historyValue !== snapshot.historyValue,
        started: this.#started(before, snapshot),
        outside: this.#outside.delete(event) && !event.type.startsWith('xstate.'),
        gone: goneBetween(before, snapshot),
      };
      before = snapshot;
      return seen;
    });
  }

  #started(before: AnyMachineSnapshot | null, after: AnyMachineSnapshot): Child[] {
    if (before?.children === after.children) return [];
    const started: Child[] = [];
    for (const [id, ref] of Object.entries(after.children) as [string, AnyActorRef | undefined][]) {
      if (ref === undefined || before?.children[id] === ref) continue;
      const node = activeNodes(after).find((active) => active.invoke.some((invoke) => invoke.id === id));
      const src = typeof ref.src === 'string' && !ref.src.startsWith('xstate.invoke.') ? ref.src : null;
      const { logic, options } = ref as unknown as { logic: AnyActorLogic; options: { input?: unknown } };
      const told = kindOf(logic);
      const kind = told === 'machine' || told === 'promise' ? told : 'other';
      started.push({ ref, id, src, place: node === undefined ? null : this.#place(node), kind, input: options.input });
    }
    return started;
  }
}

function goneBetween(before: AnyMachineSnapshot | null, after: AnyMachineSnapshot): AnyActorRef[] {
  if (before === null || before.children === after.children) return [];
  return (Object.entries(before.children) as [string, AnyActorRef | undefined][]).flatMap(([id, ref]) =>
    ref === undefined || after.children[id] === ref ? [] : [ref],
  );
}

/** Whether a microstep ran no code of the machine's: neither its transitions nor the states that it leaves and enters have any. */
function isBare(
  before: AnyMachineSnapshot | null,
  after: AnyMachineSnapshot,
  transitions: readonly AnyTransitionDefinition[],
  entered: ReadonlySet<AnyStateNode>,
): boolean {
  if (before === null || before.context !== after.context) return false;
  if (before._nodes.some(isGuarded) || transitions.some(({ actions }) => actions.length > 0)) return false;
  const quiet = (node: AnyStateNode) => node.entry.length === 0 && node.exit.length === 0 && node.invoke.length === 0;
  return (
    [...entered].every(quiet) && before._nodes.every((node) => after._nodes.includes(node) || node.exit.length === 0)
  );
}

/** Whether a guard of the state has a say in where control goes, taken or not. */
function isGuarded(node: AnyStateNode): boolean {
  if (node.always?.some(({ guard }) => guard !== undefined) === true) return true;
  for (const candidates of node.transitions.values())
    if (candidates.some(({ guard }) => guard !== undefined)) return true;
  return false;
}

/** The first microstep of an actor: xstate reports only the eventless ones that follow it, so it is what they began from. */
function first(micros: readonly Micro[], initial: AnyMachineSnapshot, input: unknown): Micro {
  const event = { type: 'xstate.init', input };
  const next = micros[0];
  if (next === undefined) return { event, snapshot: initial, transitions: [] };
  const { machine } = initial;
  const nodes = [machine.root, ...initialNodes(machine.root)];
  return {
    event,
    snapshot: {
      ...initial,
      _nodes: nodes,
      value: initialValue(machine.root),
      status: 'active',
      children: {},
    } as unknown as AnyMachineSnapshot,
    transitions: [],
  };
}

function initialNodes(node: AnyStateNode): AnyStateNode[] {
  const children =
    node.type === 'parallel'
      ? Object.values(node.states)
      : node.type === 'compound'
        ? [...(node.initial.target ?? [])]
        : [];
  return children.filter((child) => child.type !== 'history').flatMap((child) => [child, ...initialNodes(child)]);
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
