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
import { type ActorPlan, BEGIN, build, END, RESTORE, rewind, WAKE } from './restore.ts';
import { kindOf } from './shape.ts';
import { activeNodes, enteredBy, isBelow, nodeAt, pathOf, raises, readsStates, regionOf } from './structure.ts';

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
export interface Microstep {
  readonly event: AnyEventObject;
  readonly before: readonly Place[] | null;
  readonly after: readonly Place[];
  readonly entered: readonly Place[];
  /** Whether it took its event: an eventless step, which follows of itself, only carries it along. */
  readonly hears: boolean;
  /** The states whose transitions were taken; none for the first step of an actor. */
  readonly sources: readonly Place[];
  readonly contextBefore: unknown;
  readonly context: unknown;
  readonly snapshot: AnyMachineSnapshot;
  readonly rememberedChanged: boolean;
  /** Whether no code of the machine's had a part in it: no guard, no action, no input. */
  readonly bare: boolean;
  readonly started: readonly Child[];
  /** Whether its event was sent from outside the actor system, and this is the first step that it caused. */
  readonly outside: boolean;
  /** The actors that were there before and are not any more. */
  readonly gone: readonly AnyActorRef[];
  /** The paths of the regions whose control it wrote: those of every state that it left or entered (C1). */
  readonly moves: readonly string[];
  /** The paths of the regions whose control it read besides (C1, C1a). */
  readonly looks: readonly string[];
  /** The regions that each of several eventless transitions moved, where they have nothing to do with each other; empty else. */
  readonly parts: readonly (readonly string[])[];
  /** How many steps ago those were that raised its event, in the same macrostep (C1a). */
  readonly raisedBack: readonly number[];
  /** The machine that sent its event, and is no part of xstate's own bookkeeping; null for any other event. */
  readonly sender: AnyActorRef | null;
}

/** A call of a named promise. */
export interface Call {
  readonly ref: AnyActorRef;
  readonly tool: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
  /** Makes the call, with its idempotency key and the input that counts. */
  act(key: string | undefined, signal: AbortSignal, input: unknown): Promise<unknown>;
}

/** What a watcher is told, and asked. */
export interface Watcher {
  /** The microsteps that one event caused, in order. Called before anything that they started runs. */
  steps(ref: AnyActorRef, seen: readonly Microstep[]): void;
  /** The first steps of an actor, once it is known whose it is. */
  begun(ref: AnyActorRef, seen: readonly Microstep[]): void;
  /** A transition threw, or an error came that nothing handles: the machine stays as it was. */
  crashed(ref: AnyActorRef, event: AnyEventObject, error: unknown, places: readonly Place[]): void;
  /** Whether an event has to wait, or is refused: the machine then does not see it now. */
  stops(ref: AnyActorRef, event: AnyEventObject, snapshot: AnyMachineSnapshot): boolean;
  call(call: Call): Promise<unknown>;
  /** The root has come to its end: whether that has to wait, because something is still to be decided about it. */
  holdsEnd(ref: AnyActorRef, snapshot: AnyMachineSnapshot): boolean;
  /** The first macrostep of the root threw: nothing has begun. */
  failedToBegin(error: unknown): void;
  /** The root takes events: it was started. Told where the watcher has asked for it. */
  woken(): void;
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

/** What a transition does to control between two configurations: it follows from the tree, and is worked out once. */
interface Plan extends Pick<Microstep, 'after' | 'entered' | 'hears' | 'sources' | 'moves' | 'looks'> {
  readonly from: readonly AnyStateNode[];
  readonly to: readonly AnyStateNode[];
  readonly before: readonly Place[] | null;
  /** Whether neither the transitions nor the states that are left and entered have any code. */
  readonly quiet: boolean;
}

/** How many pairs of configurations are remembered for one transition: a parallel machine can have any number of them. */
const PLANS = 8;

/** A machine made ready to be watched. */
export class MachineWatch {
  readonly machine: AnyStateMachine;
  readonly #watcher: Watcher;
  readonly #systems = new WeakSet<object>();
  readonly #outside = new WeakSet<object>();
  readonly #inner = new WeakSet<object>();
  readonly #senders = new WeakMap<object, AnyActorRef>();
  readonly #collecting = new Map<unknown, Micro[]>();
  readonly #begun = new WeakMap<object, Microstep[]>();
  readonly #copies = new Map<AnyStateMachine, AnyStateMachine>();
  readonly #tools = new Map<string, (call: object) => Promise<unknown>>();
  readonly #prefixes = new Map<AnyStateMachine, string>();
  readonly #places = new Map<AnyStateNode, Place>();
  readonly #active = new WeakMap<readonly AnyStateNode[], readonly Place[]>();
  readonly #plans = new WeakMap<AnyTransitionDefinition, Plan[]>();

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
      if (event.type === '@xstate.event') {
        if (event.sourceRef === undefined) this.#outside.add(event.event);
        else this.#senders.set(event.event, event.sourceRef as AnyActorRef);
      }
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
        act: async (key, own, counts) => act({ input: counts, system, self, signal: own, emit, key }),
      }),
    );
  }

  #instrument(machine: AnyStateMachine): void {
    const { transition, getInitialSnapshot, restoreSnapshot } = machine;
    machine.getInitialSnapshot = (scope, input) => {
      const begun = this.#initial(machine, scope, input, getInitialSnapshot);
      if (begun === null) return getInitialSnapshot(scope, input);
      const { snapshot, micros } = begun;
      if (snapshot.status === 'error' && isRoot(scope.self)) {
        this.#watcher.failedToBegin(snapshot.error);
        return { ...snapshot, status: 'active', error: undefined } as unknown as AnyMachineSnapshot;
      }
      if (snapshot.status === 'error') return snapshot;
      this.#begun.set(scope.self, this.#lift(null, micros));
      return this.#ending(scope.self, snapshot);
    };
    machine.restoreSnapshot = (snapshot, scope) => {
      const plan = (snapshot as { belay?: ActorPlan }).belay;
      return plan === undefined
        ? restoreSnapshot(snapshot, scope)
        : this.#ending(
            scope.self,
            build(machine, plan, scope, restoreSnapshot, (ref, number) => this.#watcher.adopted(ref, number)),
          );
    };
    machine.transition = (snapshot, event, scope) => this.#step(transition, machine, snapshot, event, scope);
  }

  /**
   * Makes the first snapshot of an actor microstep by microstep: xstate announces only those that follow the first. The eventless
   * transitions wait until that one is known; what its entry actions raise comes after them, as it does in xstate.
   */
  #initial(
    machine: AnyStateMachine,
    scope: Scope,
    input: unknown,
    getInitialSnapshot: AnyStateMachine['getInitialSnapshot'],
  ): { readonly snapshot: AnyMachineSnapshot; readonly micros: readonly Micro[] } | null {
    const event = { type: 'xstate.init', input };
    const raised: AnyEventObject[] = [];
    const nodes = [machine.root, ...initialNodes(machine.root)];
    const always = nodes.map((node) => node.always);
    const { getTransitionData } = machine;
    machine.getTransitionData = (_, waits) => {
      raised.push(waits as AnyEventObject);
      return [];
    };
    for (const node of nodes) node.always = undefined as never;
    let initial: AnyMachineSnapshot;
    try {
      [initial] = this.#collect(scope, () => getInitialSnapshot(scope, input) as AnyMachineSnapshot);
    } finally {
      machine.getTransitionData = getTransitionData;
      for (const [index, node] of nodes.entries()) node.always = always[index] as never;
    }
    const micros: Micro[] = [{ event, snapshot: initial, transitions: [] }];
    let snapshot = initial;
    for (const next of [{ type: 'xstate.init' }, ...raised]) {
      if (snapshot.status !== 'active') break;
      try {
        const [after, more] = this.#collect(scope, () => this.#plain(machine, snapshot, next, scope));
        micros.push(...more.map((micro) => (micro.event.type === 'xstate.init' ? { ...micro, event } : micro)));
        snapshot = after;
      } catch (error) {
        snapshot = { ...snapshot, status: 'error', error } as unknown as AnyMachineSnapshot;
      }
    }
    return { snapshot, micros: taken(micros, null) };
  }

  /** A macrostep of the machine as xstate makes it. */
  #plain(
    machine: AnyStateMachine,
    snapshot: AnyMachineSnapshot,
    event: AnyEventObject,
    scope: Scope,
  ): AnyMachineSnapshot {
    const { transition } = Object.getPrototypeOf(machine) as AnyStateMachine;
    return transition.call(machine, snapshot, event, scope) as AnyMachineSnapshot;
  }

  /** A snapshot of the root that has come to its end stays active while something is to be decided about that. */
  #ending(self: AnyActorRef, snapshot: AnyMachineSnapshot): AnyMachineSnapshot {
    if (snapshot.status !== 'done' || !isRoot(self) || !this.#watcher.holdsEnd(self, snapshot)) return snapshot;
    return { ...snapshot, status: 'active', output: undefined, children: {} } as unknown as AnyMachineSnapshot;
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
      return this.#ending(self, rewind(machine, snapshot, event.plan as ActorPlan, scope, adopt));
    }
    if (event.type === END)
      return { ...snapshot, status: 'done', output: event.output } as unknown as AnyMachineSnapshot;
    if (event.type === BEGIN) {
      const begun = machine.getInitialSnapshot(scope, event.input as never) as AnyMachineSnapshot;
      scope.defer(() => {
        for (const child of Object.values(begun.children) as (AnyActorRef | undefined)[])
          if (child?.getSnapshot().status === 'active') child.start();
      });
      this.begin(self);
      return begun;
    }
    if (event.type === WAKE) {
      this.#watcher.woken();
      return snapshot;
    }
    if (event.type === 'xstate.stop' && isRoot(self)) this.#watcher.stopping();
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
      const steps = taken(micros, snapshot);
      if (steps.length > 0) this.#watcher.steps(self, this.#lift(snapshot, steps));
      const ended = this.#ending(self, next);
      for (const fn of deferred) scope.defer(fn);
      return ended;
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

  /** Notes that an event comes from inside the machine, whoever hands it in. */
  isInner(event: AnyEventObject): void {
    this.#inner.add(event);
  }

  /** A snapshot of an actor that stands in a value, with nothing running. */
  standing(ref: AnyActorRef, value: AnyMachineSnapshot['value'], context: unknown): AnyMachineSnapshot {
    const { logic } = ref as unknown as { logic: AnyStateMachine };
    return logic.resolveState({ value, context } as never) as AnyMachineSnapshot;
  }

  /** The place of a region's own state. */
  placeOf(ref: AnyActorRef, region: string): Place {
    const { logic } = ref as unknown as { logic: AnyStateMachine };
    return this.#place(nodeAt(logic, region) ?? logic.root);
  }

  /** What an actor is started with that a state invokes, as xstate would compute it. */
  inputOf(
    ref: AnyActorRef,
    child: { readonly id: string; readonly at: string | null; readonly input?: unknown },
    context: unknown,
    event: AnyEventObject,
  ): unknown {
    const { logic } = ref as unknown as { logic: AnyStateMachine };
    const given = nodeAt(logic, child.at ?? '')?.invoke.find(({ id }) => id === child.id)?.input;
    if (child.at === null) return child.input;
    return typeof given === 'function' ? (given as (of: object) => unknown)({ context, event, self: ref }) : given;
  }

  /** The transitions' sources by which a machine would take an event now, as regions; none where it would not. */
  takers(snapshot: AnyMachineSnapshot, event: AnyEventObject): readonly string[] {
    const transitions = snapshot.machine.getTransitionData(
      snapshot as never,
      event as never,
    ) as readonly AnyTransitionDefinition[];
    return [...new Set(transitions.map(({ source }) => this.#place(source as AnyStateNode).region))];
  }

  /** The events that complete states of a snapshot tell their surroundings, in the order in which xstate raises them. */
  completions(
    snapshot: AnyMachineSnapshot,
  ): readonly { readonly event: AnyEventObject; readonly regions: readonly string[] }[] {
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
          event: { type: `xstate.done.state.${node.id}`, output },
          regions: [...new Set(inside.map((other) => this.#place(other).region))],
        };
      });
  }

  /**
   * The states of a region's part of a snapshot, below what goes on around them, as a step that came there would have entered
   * them.
   */
  arrival(
    snapshot: AnyMachineSnapshot,
    region: string,
  ): { readonly entered: readonly Place[]; readonly moves: readonly string[] } {
    const nodes = activeNodes(snapshot).filter((node) => {
      const path = pathOf(node);
      return region === '' || path === region || path.startsWith(`${region}.`);
    });
    return { entered: nodes.map((node) => this.#place(node)), moves: [...new Set([region, ...nodes.map(regionOf)])] };
  }

  #lift(start: AnyMachineSnapshot | null, micros: readonly Micro[]): Microstep[] {
    let before = start;
    return micros.map(({ event, snapshot, transitions }, index) => {
      const {
        before: places,
        after,
        entered,
        hears,
        sources,
        moves,
        looks,
        quiet,
      } = this.#plan(before, snapshot, transitions);
      const seen: Microstep = {
        event,
        before: places,
        after,
        entered,
        hears,
        sources,
        contextBefore: before?.context,
        context: snapshot.context,
        snapshot,
        bare: quiet && before !== null && before.context === snapshot.context,
        rememberedChanged: before === null || before.historyValue !== snapshot.historyValue,
        started: this.#started(before, snapshot),
        outside: this.#outside.delete(event) && !event.type.startsWith('xstate.') && !this.#inner.has(event),
        gone: goneBetween(before, snapshot),
        moves,
        looks,
        parts: this.#parts(before, snapshot, transitions),
        raisedBack: raisedBack(micros, index, start),
        sender: index === 0 ? this.#senderOf(event) : null,
      };
      before = snapshot;
      return seen;
    });
  }

  #plan(
    before: AnyMachineSnapshot | null,
    after: AnyMachineSnapshot,
    transitions: readonly AnyTransitionDefinition[],
  ): Plan {
    const [transition] = transitions;
    if (before === null || transition === undefined || transitions.length > 1)
      return this.#planned(before, after, transitions);
    const known = this.#plans.get(transition) ?? [];
    const plan = known.find(({ from, to }) => isSame(from, before._nodes) && isSame(to, after._nodes));
    if (plan !== undefined) return plan;
    const made = this.#planned(before, after, transitions);
    this.#plans.set(transition, [made, ...known.slice(0, PLANS - 1)]);
    return made;
  }

  #planned(
    before: AnyMachineSnapshot | null,
    after: AnyMachineSnapshot,
    transitions: readonly AnyTransitionDefinition[],
  ): Plan {
    const entered = enteredBy(before, after, transitions);
    return {
      from: before?._nodes ?? [],
      to: after._nodes,
      before: before === null ? null : this.placesOf(before),
      after: this.placesOf(after),
      entered: [...entered].map((node) => this.#place(node)),
      hears: transitions.length === 0 || transitions.some(({ eventType }) => eventType !== ''),
      sources: transitions.map(({ source }) => this.#place(source as AnyStateNode)),
      quiet: isQuiet(before, after, transitions, entered),
      ...this.#control(before, after, transitions, entered),
    };
  }

  /** Which regions' control a microstep wrote, and which it only read (C1). */
  #control(
    before: AnyMachineSnapshot | null,
    after: AnyMachineSnapshot,
    transitions: readonly AnyTransitionDefinition[],
    entered: ReadonlySet<AnyStateNode>,
  ): Pick<Microstep, 'moves' | 'looks'> {
    const moves = new Set<string>();
    for (const node of entered) moves.add(this.#place(node).region);
    if (before === null) return { moves: [...moves], looks: [] };
    if (before._nodes !== after._nodes) {
      const now = new Set(after._nodes);
      for (const node of before._nodes) if (!now.has(node)) moves.add(this.#place(node).region);
    }
    const looks = new Set<string>();
    for (const transition of transitions) {
      const source = transition.source as AnyStateNode;
      looks.add(this.#place(source).region);
      const inside = source.type === 'atomic' ? [] : before._nodes.filter((node) => isBelow(node, source));
      // Whether it is this state that hears an event hangs on all that is active inside of it.
      for (const node of inside) looks.add(this.#place(node).region);
      if (readsStates(source) || inside.some(readsStates))
        for (const node of before._nodes) looks.add(this.#place(node).region);
    }
    for (const region of moves) looks.delete(region);
    return { moves: [...moves], looks: [...looks] };
  }

  #parts(
    before: AnyMachineSnapshot | null,
    after: AnyMachineSnapshot,
    transitions: readonly AnyTransitionDefinition[],
  ): readonly (readonly string[])[] {
    if (before === null || transitions.length < 2) return [];
    const isEventless = transitions.every(({ eventType }) => eventType === '');
    if (!isEventless || raises(before, after, transitions)) return [];
    const parts = transitions.map(({ source }) => [this.#place(source as AnyStateNode).region]);
    const regions = parts.flat();
    const isApart = regions.every((one, index) =>
      regions.every((other, at) => index === at || !(other === one || one === '' || other.startsWith(`${one}.`))),
    );
    const moved = this.#control(before, after, transitions, enteredBy(before, after, transitions)).moves;
    const isInside = moved.every((path) => regions.some((region) => path === region || path.startsWith(`${region}.`)));
    return isApart && isInside ? parts : [];
  }

  #senderOf(event: AnyEventObject): AnyActorRef | null {
    const sender = this.#senders.get(event);
    if (sender === undefined || event.type.startsWith('xstate.')) return null;
    return kindOf((sender as unknown as { logic: AnyActorLogic }).logic) === 'machine' ? sender : null;
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

function isSame(one: readonly AnyStateNode[], other: readonly AnyStateNode[]): boolean {
  return one.length === other.length && one.every((node, index) => node === other[index]);
}

/** Whether a microstep ran no code of the machine's: neither its transitions nor the states that it leaves and enters have any. */
function isQuiet(
  before: AnyMachineSnapshot | null,
  after: AnyMachineSnapshot,
  transitions: readonly AnyTransitionDefinition[],
  entered: ReadonlySet<AnyStateNode>,
): boolean {
  if (before === null) return false;
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

/** The microsteps that took the machine somewhere: what nobody heard is no step, also where other steps came before it. */
function taken(micros: readonly Micro[], start: AnyMachineSnapshot | null): Micro[] {
  return micros.filter(
    ({ transitions, snapshot: after }, index) =>
      transitions.length > 0 || after !== (micros[index - 1]?.snapshot ?? start),
  );
}

/** How many microsteps ago those were that may have raised the event of one; none for what comes by itself, or from elsewhere. */
function raisedBack(micros: readonly Micro[], index: number, start: AnyMachineSnapshot | null): number[] {
  const { event, transitions } = micros[index] as Micro;
  const first = micros[0] as Micro;
  const isOwn = event === first.event || transitions.every(({ eventType }) => eventType === '');
  if (isOwn || event.type.startsWith('xstate.done.state.')) return [];
  const earlier = micros
    .slice(0, index)
    .map((micro, at) => ({ micro, back: index - at, from: micros[at - 1]?.snapshot ?? start }));
  const raising = earlier.filter(({ micro, from }) => raises(from, micro.snapshot, micro.transitions));
  return (raising.length > 0 ? raising : earlier).map(({ back }) => back);
}

function isRoot(self: unknown): boolean {
  return (self as { _parent?: unknown })._parent === undefined;
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
