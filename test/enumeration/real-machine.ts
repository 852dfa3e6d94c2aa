/** Builds a real xstate machine from a little one, and lists the edges that its tools leave by. */
import { tool } from 'belay-sidecar/xstate';
import { type AnyStateMachine, assign, createMachine } from 'xstate';
import {
  argsOf,
  keyOf,
  type LittleMachine,
  leadsIn,
  type Memory,
  type Part,
  readKey,
  toolsIn,
  written,
} from './little-machine.ts';
import type { World } from './world.ts';

/** A state that calls a tool, and the state that follows it; paths as the config writes them. */
export interface Site {
  readonly tool: string;
  readonly at: string;
  readonly to: string;
}

/** A child machine: the state that invokes it, and what it hands to its parent. */
export interface ChildSite extends Site {
  readonly body: Part;
  readonly reads: readonly string[];
}

/** A machine that can be attached to, once for each world. */
export interface RealMachine {
  readonly machine: AnyStateMachine;
  readonly sites: readonly Site[];
  readonly children: readonly ChildSite[];
  /** The world that the tools act on. */
  world: World | null;
}

type States = Record<string, object>;

interface Scope {
  readonly states: States;
  /** What stands before the names of the states: `par.L.` or `child/`. */
  readonly prefix: string;
  readonly inLoop: boolean;
}

interface Done {
  readonly context: Memory;
  readonly event: { readonly output: unknown };
}

/** Builds the machine. */
export function realMachine(little: LittleMachine): RealMachine {
  const builder = new Builder(little);
  const states: States = { end: { type: 'final' } };
  const initial = builder.place(little.body, 'end', { states, prefix: '', inLoop: false });
  const context = little.shape.includes('loop') ? { n: 0 } : {};
  const real: RealMachine = {
    machine: createMachine({ id: 'agent', context, initial, states } as object).provide({
      actors: {
        ...Object.fromEntries(
          little.tools.map(({ name }) => [
            name,
            tool<string, Memory>((call) => (real.world as World).call(name, call)),
          ]),
        ),
        ...builder.childMachines(() => real.world as World),
      },
    } as object) as AnyStateMachine,
    sites: builder.sites,
    children: builder.children,
    world: null,
  };
  return real;
}

class Builder {
  readonly sites: Site[] = [];
  readonly children: ChildSite[] = [];
  readonly #machine: LittleMachine;
  readonly #childStates: { name: string; initial: string; states: States; body: Part }[] = [];
  readonly #taken = new Map<string, number>();

  constructor(machine: LittleMachine) {
    this.#machine = machine;
  }

  /** Adds the states of a part. @returns the one in which it begins. */
  place(part: Part, next: string, scope: Scope): string {
    switch (part.is) {
      case 'call':
        return this.#call(part, next, scope);
      case 'wait':
        return this.#add('wait', scope, { on: { X: next } });
      case 'sequence':
        return part.parts.reduceRight((after, one) => this.place(one, after, scope), next);
      case 'unit':
        return this.place(part.body, next, scope);
      case 'branch':
        return this.#branch(part, next, scope);
      case 'loop':
        return this.#loop(part.body, next, scope);
      case 'parallel': {
        const region = (body: Part, side: string) => this.#region(body, scope, side);
        const states = { L: region(part.left, 'L'), R: region(part.right, 'R') };
        return this.#add('par', scope, { type: 'parallel', onDone: next, states });
      }
      case 'child':
        return this.#child(part.body, next, scope);
    }
  }

  childMachines(world: () => World): Record<string, AnyStateMachine> {
    return Object.fromEntries(
      this.#childStates.map(({ name, initial, states, body }) => {
        const actors = toolsIn(body).map(
          (one) => [one, tool<string, Memory>((call) => world().call(one, call))] as const,
        );
        const keys = toolsIn(body).map(keyOf);
        const config = {
          id: name,
          context: ({ input }: { input: Memory }) => inChild(input),
          initial,
          states,
          output: ({ context }: { context: Memory }) =>
            Object.fromEntries(keys.map((key) => [key, context[childKey(key)]])),
        };
        return [
          name,
          createMachine(config as object).provide({ actors: Object.fromEntries(actors) } as object) as AnyStateMachine,
        ];
      }),
    );
  }

  #add(name: string, { states }: Scope, state: object): string {
    const count = this.#taken.get(name) ?? 0;
    this.#taken.set(name, count + 1);
    const own = count === 0 ? name : `${name}_${count}`;
    states[own] = state;
    return own;
  }

  #call({ tool: src, retry }: Extract<Part, { is: 'call' }>, next: string, scope: Scope): string {
    const machine = this.#machine;
    const isInChild = scope.prefix.endsWith('/');
    const name = (key: string) => (isInChild ? childKey(key) : key);
    const seen = (context: Memory) => (isInChild ? fromChild(context) : context);
    const callOf = (context: Memory) => ({ tool: src, pass: scope.inLoop ? (context.n as number) : null });
    const write = ({ context, event }: Done) => ({
      [name(keyOf(src))]: written(machine, context, callOf(context), event.output),
    });
    const invoke: Record<string, unknown> = {
      src,
      input: ({ context }: Done) => argsOf(machine, seen(context), callOf(context)),
      onDone: { target: next, actions: assigning(write) },
    };
    const own = this.#add(src, scope, { invoke });
    if (retry) invoke.onError = { target: own, reenter: true };
    this.sites.push({ tool: src, at: scope.prefix + own, to: scope.prefix + next });
    return own;
  }

  #branch(part: Extract<Part, { is: 'branch' }>, next: string, scope: Scope): string {
    const machine = this.#machine;
    const isTaken = ({ context }: Done) => {
      const pass = scope.inLoop ? (context.n as number) : null;
      return leadsIn(readKey(machine, context, part.key, pass), machine.pick);
    };
    const yes = this.place(part.yes, next, scope);
    const no = part.no === null ? next : this.place(part.no, next, scope);
    return this.#add('choice', scope, { always: [{ guard: isTaken, target: yes }, { target: no }] });
  }

  #loop(body: Part, next: string, scope: Scope): string {
    const always: object[] = [];
    const again = this.#add('again', scope, { always });
    const first = this.place(body, again, { ...scope, inLoop: true });
    const isFirstPass = ({ context }: Done) => context.n === 0;
    always.push({ guard: isFirstPass, target: first, actions: assigning(() => ({ n: 1 })) }, { target: next });
    return first;
  }

  #region(body: Part, { prefix, inLoop }: Scope, side: string): object {
    const states: States = { end: { type: 'final' } };
    // The name that a parallel state is about to get.
    const par = this.#taken.has('par') ? `par_${this.#taken.get('par')}` : 'par';
    const initial = this.place(body, 'end', { states, prefix: `${prefix}${par}.${side}.`, inLoop });
    return { initial, states };
  }

  #child(body: Part, next: string, scope: Scope): string {
    const machine = this.#machine;
    const states: States = { end: { type: 'final' } };
    const initial = this.place(body, 'end', { states, prefix: 'child/', inLoop: false });
    this.#childStates.push({ name: 'child', initial, states, body });
    const own = toolsIn(body).map(keyOf);
    const read = machine.tools.filter(({ name }) => toolsIn(body).includes(name)).flatMap(({ reads }) => reads);
    const reads = [...new Set(read)].filter((key) => !own.includes(key));
    const invoke = {
      src: 'child',
      id: 'child',
      input: ({ context }: Done) => Object.fromEntries(reads.map((key) => [key, context[key] ?? null])),
      onDone: { target: next, actions: assigning(({ event }) => event.output as Memory) },
    };
    const at = this.#add('child', scope, { invoke });
    this.children.push({ tool: 'child', at: scope.prefix + at, to: scope.prefix + next, body, reads });
    return at;
  }
}

function assigning(change: (done: Done) => Memory): unknown {
  return assign(change as never);
}

/** The name of a key in a child's context: never one of the parent's. */
export function childKey(key: string): string {
  return key.replace('k', 'c');
}

function inChild(memory: Memory): Memory {
  return Object.fromEntries(Object.entries(memory).map(([key, value]) => [childKey(key), value]));
}

function fromChild(memory: Memory): Memory {
  return Object.fromEntries(Object.entries(memory).map(([key, value]) => [key.replace('c', 'k'), value]));
}
