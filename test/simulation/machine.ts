/** Builds the xstate machine of a scenario, and its config beside it: both from one walk over the blocks. */
import type { ToolCall } from 'belay-sidecar';
import { tool } from 'belay-sidecar/xstate';
import { type AnyStateMachine, assign, setup } from 'xstate';
import { type Asking, answers, asking, ECHO, echo } from './asking.ts';
import type { CallArgs, Caller } from './call.ts';
import { countOf } from './count.ts';
import { digest, isOdd } from './digest.ts';
import { edgesOf } from './edges.ts';
import { Page, writtenBy } from './page.ts';
import { type Awaiting, type Memory, type Place, Places } from './places.ts';
import { raising } from './raising.ts';
import {
  type Block,
  firstOf,
  inner,
  type LastCall,
  lastOf,
  type Scenario,
  type Step,
  type ToolSpec,
  type Unit,
} from './scenario.ts';

/** A scenario, built. */
export interface Built {
  readonly machine: AnyStateMachine;
  readonly page: string;
  readonly awaiting: readonly Awaiting[];
}

type State = Record<string, unknown>;
type States = Record<string, State>;
interface Heard {
  readonly context: Memory;
  readonly event: { readonly output?: unknown; readonly value?: unknown };
}

/** Builds a scenario whose calls are carried out by `call`. */
export function build(scenario: Scenario, call: Caller): Built {
  const page = new Page(scenario);
  const awaiting: Awaiting[] = [];
  const machine = new Builder({ scenario, page, awaiting, call }, 'm', scenario.body, '').machine();
  return { machine, page: page.text(), awaiting };
}

/** What the machines of a scenario are built from, and into. */
interface Making {
  readonly scenario: Scenario;
  readonly page: Page;
  readonly awaiting: Awaiting[];
  readonly call: Caller;
}

class Builder {
  readonly #making: Making;
  readonly #id: string;
  readonly #body: readonly Block[];
  readonly #prefix: string;
  readonly #places: Places;
  readonly #actors: Record<string, unknown> = {};

  constructor(making: Making, id: string, body: readonly Block[], prefix: string) {
    this.#making = making;
    this.#id = id;
    this.#body = body;
    this.#prefix = prefix;
    this.#places = new Places(id !== 'm', body);
  }

  machine(): AnyStateMachine {
    const states: States = { end: { type: 'final' } };
    const initial = this.#sequence(this.#body, 'end', { path: [], loop: null }, states);
    const maps = Object.fromEntries(this.#places.maps().map((key) => [key, {}]));
    const context = this.#places.isChild ? ({ input }: { input: Memory }) => ({ ...maps, ...input }) : maps;
    const config = { id: this.#id, context, initial, states, output: ({ context }: Heard) => digest(context) };
    return setup({ actors: this.#actors as never }).createMachine(config as never) as unknown as AnyStateMachine;
  }

  /** Lays blocks out one after the other. @returns the state that begins them. */
  #sequence(blocks: readonly Block[], next: string, place: Place, states: States): string {
    let first = next;
    for (const block of blocks.toReversed()) first = this.#block(block, first, place, states);
    return first;
  }

  #block(block: Block, next: string, place: Place, states: States): string {
    switch (block.block) {
      case 'unit':
        return this.#unit(block, next, place, states);
      case 'loose':
        return this.#step(block.step, next, next, place, states);
      case 'branch': {
        const [odd, even] = inner(block).map((arm) => this.#sequence(arm, next, place, states));
        const guard = ({ context }: Heard) => isOdd(this.#places.read(block.on, place, context));
        states[block.at] = { always: [{ guard, target: odd }, { target: even }] };
        return block.at;
      }
      case 'loop':
        return this.#loop(block, next, place, states);
      case 'parallel':
        return this.#parallel(block, next, place, states);
      case 'nest':
        return this.#nest(block, next, place, states);
      case 'compute': {
        const actions = this.#keep([block.key], place, ({ context }) => {
          const value = digest(block.reads.map((key) => this.#places.read(key, place, context)));
          return block.coarse ? value % 2 : value;
        });
        states[block.at] = { always: { target: next, actions } };
        return block.at;
      }
      case 'raise':
        states[block.at] = raising(block);
        states[`${block.at}b`] = { always: { target: next, actions: this.#keep([block.key], place, () => 1) } };
        return block.at;
      case 'meet': {
        const guard = ({ context }: Heard) => this.#places.read(block.key, place, context) !== null;
        states[block.at] = { on: { [block.from]: next }, always: { guard, target: next } };
        return block.at;
      }
    }
  }

  #loop(block: Extract<Block, { block: 'loop' }>, next: string, place: Place, states: States): string {
    const { at, over, times } = block;
    const within = { ...place, loop: { at, over } };
    const count = countOf(at);
    const last = block.tight ? lastOf(block.body) : null;
    if (last !== null) return this.#tightLoop(block, last, next, within, states);
    const first = this.#sequence(block.body, `${at}n`, within, states);
    states[at] = { always: { target: `${at}h`, actions: count.begin } };
    states[`${at}h`] = {
      always: [{ guard: (heard: Heard) => count.value(heard) < times, target: first }, { target: next }],
    };
    states[`${at}n`] = { always: { target: `${at}h`, actions: count.next } };
    return at;
  }

  /** The answer of the last call enters the body again, or leaves the loop. */
  #tightLoop(
    { at, times, body }: Extract<Block, { block: 'loop' }>,
    [unit, { at: call }]: LastCall,
    next: string,
    place: Place,
    states: States,
  ): string {
    const first = firstOf(body[0] as Block);
    this.#unit(unit, next, place, states, first);
    this.#sequence(body.slice(0, -1), firstOf(unit), place, states);
    const count = countOf(at);
    const { invoke } = states[call] as { invoke: { onDone: { actions: unknown } } };
    const again = {
      guard: (heard: Heard) => count.value(heard) + 1 < times,
      target: first,
      reenter: true,
      actions: [invoke.onDone.actions, count.next],
    };
    states[call] = { invoke: { ...invoke, onDone: [again, invoke.onDone] } };
    states[at] = { always: { target: first, actions: count.begin } };
    return at;
  }

  #nest(block: Extract<Block, { block: 'nest' }>, next: string, place: Place, states: States): string {
    const { at, body, rests, key } = block;
    const within: States = { end: { type: 'final' } };
    const inside = { ...place, path: [...place.path, at] };
    const [rest, back, away] = [`${at}s`, `${at}k`, `${at}p`];
    const later = this.#sequence(body.slice(1), 'end', inside, within);
    const initial = this.#sequence(body.slice(0, 1), rests ? rest : later, inside, within);
    if (rests) {
      const hasRested = ({ context }: Heard) => this.#places.read(key, place, context) !== null;
      const target = `#${this.#id}.${[...place.path, away].join('.')}`;
      const leaves = { target, actions: this.#keep([key], place, () => 1) };
      within[rest] = { always: { guard: hasRested, target: later }, after: { 1: leaves } };
      within[back] = { type: 'history', history: Number(at.slice(1)) % 2 === 1 ? 'deep' : 'shallow' };
      states[away] = { after: { 1: `${at}.${back}` } };
    }
    states[at] = { initial, states: within, onDone: next };
    return at;
  }

  #parallel(block: Extract<Block, { block: 'parallel' }>, next: string, place: Place, states: States): string {
    const { at, leaves } = block;
    const regions: States = {};
    for (const [index, blocks] of block.regions.entries()) {
      const within: States = { end: { type: 'final' } };
      const last = leaves ? `${at}f${index}` : 'end';
      if (leaves && index === 0) {
        const guard = ({ context }: Heard) =>
          block.regions.every((_, other) => other === 0 || context[`${at}f${other}`] === 1);
        within[last] = { always: { guard, target: `#${this.#id}.${[...place.path, next].join('.')}` } };
      } else if (leaves) within[last] = { always: { target: 'end', actions: assign({ [last]: 1 } as never) } };
      const initial = this.#sequence(blocks, last, { ...place, path: [...place.path, at, `r${index}`] }, within);
      regions[`r${index}`] = { initial, states: within };
    }
    if (leaves)
      regions.rw = { initial: `${at}w`, states: { [`${at}w`]: { on: { NEVER: 'end' } }, end: { type: 'final' } } };
    states[at] = { type: 'parallel', states: regions, onDone: { target: next } };
    return at;
  }

  /** @param again where the last edge may lead besides, with the count of the loop written. */
  #unit(unit: Unit, next: string, place: Place, states: States, again: string | null = null): string {
    const { steps } = unit;
    const after = steps.map((_, index) => steps[index + 1]?.at ?? next);
    for (const [index, step] of steps.entries()) {
      const beyond = after[index + 1] ?? next;
      this.#step(step, after[index] as string, beyond, place, states);
    }
    const first = steps[0];
    if (first === undefined) return next;
    const own = steps.flatMap((step) => [step.at, ...(step.step === 'call' && step.retry ? [`${step.at}w`] : [])]);
    const edges = edgesOf(steps, after, again);
    const byArgs = (first.step === 'call' || first.step === 'child') && place.path.length === 0;
    const counts = again === null ? [] : [place.loop?.at as string];
    this.#making.page.unit({ unit, place, prefix: this.#prefix, states: own, edges, byArgs, counts }, this.#places);
    return first.at;
  }

  #step(step: Step, next: string, beyond: string, place: Place, states: States): string {
    switch (step.step) {
      case 'call':
        states[step.at] = { invoke: this.#invoke(step, next, place) };
        if (step.retry) states[`${step.at}w`] = { after: { 1: step.at } };
        return step.at;
      case 'child':
        states[step.at] = { invoke: this.#begin(step, next, place), on: answers };
        return step.at;
      case 'ask':
        states[step.at] = this.#ask(step, next, place);
        return step.at;
      case 'delay':
        states[step.at] = { after: { [step.ms]: next } };
        return step.at;
      case 'await': {
        const occasion = (memory: Memory) =>
          `${step.at} ${this.#places.entity(place, memory)} ${this.#places.round(place, memory)}`;
        this.#making.awaiting.push({ at: step.at, occasion });
        this.#making.page.event(step.at, this.#places, place);
        const actions = this.#keep([step.key], place, ({ event }) => event.value);
        states[step.at] = { on: { [step.at]: { target: next, actions } } };
        return step.at;
      }
      case 'skip': {
        const guard = ({ context }: Heard) => isOdd(this.#places.read(step.on, place, context));
        states[step.at] = { always: [{ guard, target: beyond }, { target: next }] };
        return step.at;
      }
    }
  }

  #invoke(step: Extract<Step, { step: 'call' }>, next: string, place: Place): object {
    const { scenario, page, call: carryOut } = this.#making;
    const spec = scenario.tools.find(({ name }) => name === step.tool) as ToolSpec;
    this.#actors[spec.name] ??= tool((call: ToolCall<CallArgs>) => carryOut(spec, call));
    page.call(spec.name, this.#places, place, step.reads, writtenBy(step));
    const act = (spec.once === undefined ? null : step.repeats) ?? step.at;
    const input = ({ context }: Heard): CallArgs => {
      const values = this.#values(step.reads, place, context);
      const [entity, round] = [this.#places.entity(place, context), this.#places.round(place, context)];
      return { at: act, entity, round, cents: digest(values) % 50, in: values };
    };
    // A call that is held back has no answer while the machine goes on.
    const actions = this.#keep(writtenBy(step), place, ({ event }) => (spec.buffer ? 1 : event.output));
    return { src: spec.name, input, onDone: { target: next, actions }, ...(step.retry && { onError: `${step.at}w` }) };
  }

  #begin(step: Extract<Step, { step: 'child' }>, next: string, place: Place): object {
    const { scenario, page } = this.#making;
    const body = scenario.children.find(({ name }) => name === step.child)?.body ?? [];
    const prefix = `${this.#prefix}${step.child}/`;
    this.#actors[step.child] = new Builder(this.#making, step.child, body, prefix).machine();
    page.call(step.child, this.#places, place, step.reads, [step.key]);
    const input = ({ context }: Heard): Memory => ({
      entity: this.#places.entity(place, context),
      round: this.#places.round(place, context),
      given: this.#values(step.reads, place, context),
    });
    const actions = this.#keep([step.key], place, ({ event }) => event.output);
    return { src: step.child, id: step.at, input, onDone: { target: next, actions } };
  }

  #ask(step: Asking, next: string, place: Place): State {
    this.#actors[ECHO] ??= echo;
    if (step.of === 'other') this.#making.page.call(ECHO, this.#places, place, step.reads, [step.key]);
    const value = ({ context }: Heard) => digest(this.#values(step.reads, place, context));
    const actions = this.#keep([step.key], place, ({ event }) => event.value);
    return { ...asking(step, value), on: { [step.at]: { target: next, actions } } };
  }

  #values(keys: readonly string[], place: Place, memory: Memory): Memory {
    return Object.fromEntries(keys.map((key) => [key, this.#places.read(key, place, memory)]));
  }

  /** Writes a value to keys. */
  #keep(keys: readonly string[], place: Place, value: (heard: Heard) => unknown): unknown {
    return assign(((heard: Heard) => {
      const kept = value(heard);
      return Object.assign({}, ...keys.map((key) => this.#places.write(key, place, heard.context, kept))) as Memory;
    }) as never);
  }
}
