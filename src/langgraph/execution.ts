/**
 * The runtime of a graph: LangGraph executes it, superstep by superstep, and this tells a run of it in the words of the port. A superstep
 * is a composite state, and its tasks are regions in it; a restore enters the graph again, at the superstep where control stands.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { endedChild } from '../model/reply-event.ts';
import type { StateValue } from '../model/step-entry.ts';
import type { ActorHandle, RuntimeEvent } from '../runtime/microstep.ts';
import type { ActorPlan } from '../runtime/restore-plan.ts';
import type { Runtime, Watcher } from '../runtime/runtime.ts';
import type { Answer } from './answers.ts';
import { checkpointOf, type Memory, notesOn, OWN, SENDS, seenInSuperstep } from './checkpoint/memory.ts';
import type { Graph } from './copy.ts';
import { END, type Lane, laneNamed, partOf, placeNamed, placeOf, placesOf } from './lanes.ts';
import type { Observed } from './observe.ts';
import { type Closed, type Host, Pass, type Question } from './pass.ts';
import type { Setting } from './setting.ts';
import type { Task } from './tasks.ts';
import { Telling } from './telling.ts';
import { Calls } from './tools/calls.ts';
import type { NodeCalls, UnderWay } from './tools/node-calls.ts';
import { BETWEEN_NODES, caller } from './tools/tool.ts';
import { type Around, answered, applies, ends, holds, type Output, opens } from './transitions.ts';

/** Runs a function outside of the node that caused it: LangGraph would take what is entered in a node for a part of its graph. */
const outside = AsyncLocalStorage.snapshot();

/** Executes a graph, and is its root. */
export class Execution implements Runtime, Host {
  readonly machines = null;
  readonly #setting: Setting;
  readonly #watcher: Watcher;
  readonly #telling: Telling;
  readonly #calls: Calls;
  /** The outputs of nodes that no step has noted yet, by lane. */
  readonly #outputs = new Map<string, Output>();
  readonly #waiting = new Map<RuntimeEvent, () => void>();
  #pass: Pass | null = null;
  #isStarted = false;
  #isDrained = false;
  #wakes = false;

  constructor(setting: Setting, watcher: Watcher) {
    this.#setting = setting;
    this.#watcher = watcher;
    this.#telling = new Telling(this, watcher);
    const when = (event: RuntimeEvent, isStale: () => boolean, then: () => void) => this.#when(event, isStale, then);
    this.#calls = new Calls({ telling: this.#telling, watcher, codecs: setting.codecs, when });
  }

  /** Enters the graph for the first time in this process. */
  start(): void {
    if (this.#isDrained) this.#again();
    if (this.#isStarted) return;
    this.#isStarted = true;
    if (this.#wakes) this.#watcher.woken();
    if (this.#telling.value === null) this.#telling.begin();
    if (this.#telling.value !== END) this.#enter();
  }

  /** The graph as it is executed now; null before it was entered. */
  running = (): Graph | null => this.#pass?.graph ?? null;

  /** The channels that the graph gives out. */
  get result(): unknown {
    const { outputChannels } = this.#setting.graph;
    const { memory } = this.#telling;
    if (typeof outputChannels === 'string') return memory[outputChannels];
    return Object.fromEntries(outputChannels.flatMap((name) => (name in memory ? [[name, memory[name]]] : [])));
  }

  make(from: { readonly input: unknown } | { readonly plan: ActorPlan }): ActorHandle {
    if ('plan' in from) this.restore(this, from.plan);
    else this.#telling.memory = { [OWN]: { salt: this.#setting.salt, input: from.input } };
    return this;
  }

  restore(_: ActorHandle, { value, context, keep, make }: ActorPlan): void {
    this.#leave();
    // What it asked is asked again, if it comes there again.
    this.#setting.asks([]);
    this.#calls.keep(keep);
    this.#telling.memory = context as Memory;
    this.#telling.value = value;
    for (const { number, id, src, input } of make) this.#watcher.adopted(this.#calls.add(id, src ?? '', input), number);
    if (value === END) this.#watcher.holdsEnd(this.result);
    else if (this.#isStarted) this.#enter();
  }

  deliver(_: ActorHandle, event: RuntimeEvent): void {
    const go = this.#waiting.get(event);
    this.#waiting.delete(event);
    go?.();
  }
  teller(_: ActorHandle, { type }: RuntimeEvent): ActorHandle | null | undefined {
    const id = endedChild(type);
    return id === null ? null : this.#calls.underWay.get(id);
  }
  wake(): void {
    this.#wakes = true;
  }
  arrival(_: ActorHandle, value: StateValue, _context: unknown, region: string) {
    const lane = laneNamed(region);
    const source = placeOf(lane, partOf(value, lane) ?? 'end');
    return { after: placesOf(value), entered: [source], moves: [region], source, done: false };
  }
  placeAt = (path: string) => placeNamed(path, this.#setting.graph.nodes);
  stop = () => this.#leave();
  announce = () => {};
  end = () => {};
  valueWithin = () => 'run';
  toolNamed = (name: string) => this.#calls.tools.get(name) as ((call: object) => Promise<unknown>) | undefined;
  outputOf = () => this.result;
  seen = (context: unknown) => seenInSuperstep(context as Memory);
  inputOf = (ref: ActorHandle) => (ref as Partial<UnderWay>).input;
  inputFor = (_: ActorHandle, { input }: { readonly input?: unknown }) => input;
  get #around(): Around {
    const { graph, channels } = this.#setting;
    return { graph, channels, outputs: this.#outputs };
  }
  get asked() {
    const { channels, settings, modes, subgraphs } = this.#setting;
    return { channels, settings, modes: modes(), subgraphs: subgraphs(), input: this.#telling.memory[OWN].input };
  }
  from() {
    const { at } = this.#telling.memory[OWN];
    return at === undefined ? null : { checkpoint: checkpointOf(at), step: at.step };
  }
  lanes = () => this.#telling.lanes;
  notes = ({ name }: Lane) => notesOn(this.#telling.memory, name);
  given(lane: Lane, isSent: boolean): readonly (readonly string[])[] {
    const { value } = this.#telling;
    // The context has what those have written that are over; this one does not see it. Its reads are of this superstep alone, so nothing claims them.
    const isBeside = this.lanes().some((other) => partOf(value, other) === 'end');
    return [...(isSent ? [[SENDS, lane.name]] : []), ...(isBeside ? [[OWN, 'at', 'id']] : [])];
  }
  tieOf = (node: string, args: unknown) => this.#setting.tieOf(node, args, this.#telling.memory);
  chunk = (chunk: unknown) => this.#setting.chunk(chunk);

  open(pass: Pass, closed: Closed | null, tasks: readonly Task[], then: () => void): void {
    this.#on(pass, 'graph.on', () => {
      this.#telling.tell(opens(this.#around, this.#telling, closed, tasks));
      this.#outputs.clear();
      // What was set aside is claimed first, and the run then holds what comes next.
      this.#on(pass, 'graph.run', then);
    });
  }

  output(pass: Pass, lane: Lane, output: unknown, reads: Output['reads'], then: () => void): void {
    if (this.lanes().length > 1) {
      this.#on(pass, 'graph.output', () => {
        this.#telling.tell([holds(lane, { is: output, reads })]);
        then();
      });
      return;
    }
    // A task that is alone is over with its output: one step says both.
    this.#outputs.set(lane.name, { is: output, reads });
    then();
  }

  ended(pass: Pass, closed: Closed | null): void {
    this.#on(pass, 'graph.end', () => {
      this.#telling.tell(ends(this.#around, this.#telling, closed, () => this.result));
      this.#watcher.holdsEnd(this.result);
    });
  }

  drained(pass: Pass, closed: Closed | null, error: Error): void {
    this.#on(pass, 'graph.drained', () => {
      this.#telling.tell(applies(this.#around, this.#telling, closed));
      this.#leave();
      this.#isDrained = true;
      this.#setting.drains(error);
    });
  }

  asks(pass: Pass, questions: readonly Question[]): void {
    if (!pass.isStale) this.#setting.asks(questions);
  }

  /** Answers questions, and enters the graph again. */
  answer(answers: readonly Answer[]): void {
    const pass = this.#pass as Pass;
    this.#on(pass, 'graph.answer', () => {
      this.#leave();
      this.#telling.tell(answers.map(answered));
      this.#enter();
    });
  }

  failed(pass: Pass, lane: Lane | null, error: unknown): void {
    if (this.#pass !== pass) return;
    const places = lane === null ? [] : [{ path: lane.name, region: lane.name }];
    const crash = { event: { type: 'graph.failed' }, error, places, ofChild: false };
    const isStale = () => this.#pass !== pass;
    // A node that had done nothing yet has nothing to be taken back, so that no plan enters the graph again.
    const again = () => this.#when({ type: 'graph.again' }, isStale, () => this.#again());
    void this.#watcher.crashed(this, crash).then(again);
  }

  calls(pass: Pass, lane: Lane, observed: Observed): NodeCalls {
    return this.#calls.of(lane, observed, () => pass.isStale);
  }

  #enter(): void {
    const pass = new Pass(this.#setting.graph, this);
    this.#pass = pass;
    this.#isDrained = false;
    outside(() => caller.run(BETWEEN_NODES, () => void pass.go()));
  }

  #again(): void {
    this.#leave();
    this.#enter();
  }

  #leave(): void {
    this.#pass?.leave();
    this.#outputs.clear();
  }

  #on(pass: Pass, type: string, then: () => void): void {
    this.#when({ type }, () => pass.isStale, then);
  }

  /** Goes on once nothing holds that back, and not at all where the pass was left meanwhile. */
  #when(event: RuntimeEvent, isStale: () => boolean, then: () => void): void {
    const go = () => {
      if (isStale()) return;
      if (this.#watcher.stops(this, event)) this.#waiting.set(event, go);
      else then();
    };
    go();
  }
}
