/**
 * The runtime of a graph: LangGraph executes it, superstep by superstep, and this tells a run of it in the words of the port. A superstep
 * is a composite state, and its tasks are regions in it; a restore enters the graph again, at the superstep where control stands.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { argsDigest } from '../effects/digest.ts';
import type { StateValue } from '../model/step-entry.ts';
import { EnteredRuntime } from '../runtime/entered.ts';
import { END, type Lane, laneNamed, partOf, placeNamed, placeOf } from '../runtime/lanes.ts';
import type { ActorHandle, Place, RuntimeEvent } from '../runtime/microstep.ts';
import { rootPlace } from '../runtime/plain-step.ts';
import type { ActorPlan } from '../runtime/restore-plan.ts';
import type { Crash, Enterable, PaperChange, Watcher } from '../runtime/runtime.ts';
import { Turns } from '../runtime/turns.ts';
import { type Memory, notesOn, OWN, SENDS, seenInSuperstep } from './checkpoint/memory.ts';
import { reachedIn, valuesOf } from './checkpoint/reached.ts';
import type { Graph } from './copy.ts';
import { GraphError, isGraphRecursionError } from './graph-error.ts';
import type { Closed, Host, Question } from './host.ts';
import { placesIn } from './line/control.ts';
import { besideEachOther } from './line/refused.ts';
import { inLine } from './line/steps.ts';
import type { Observed } from './observe.ts';
import { settingOnPaper } from './paper/setting.ts';
import { PaperWatcher } from './paper/watcher.ts';
import { Pass } from './pass.ts';
import type { Answer } from './questions.ts';
import type { Setting } from './setting.ts';
import type { Task } from './tasks.ts';
import { Telling } from './telling.ts';
import { Calls } from './tools/calls.ts';
import type { NodeCalls } from './tools/node-calls.ts';
import { BETWEEN_NODES, caller } from './tools/tool.ts';
import { Unguarded } from './tools/unguarded.ts';
import {
  type AnswerEvent,
  type Around,
  answered,
  holds,
  IN_LANES,
  type Output,
  rests,
  type Transitions,
  type TurnEvent,
  turnBegins,
} from './transitions.ts';

/** The type of the event that brings the input of a turn. */
const INPUT: TurnEvent['type'] = 'graph.input';
/** The type of the event that brings an answer. */
const ANSWER: AnswerEvent['type'] = 'graph.answer';

/** Runs a function outside of the node that caused it: LangGraph would take what is entered in a node for a part of its graph. */
const outside = AsyncLocalStorage.snapshot();

/** Executes a graph, and is its root. */
export class Execution extends EnteredRuntime<Setting, Memory, Pass> implements Host {
  protected readonly at: Telling;
  readonly #steps: Transitions;
  protected readonly calls: Calls;
  /** The outputs of nodes that no step has noted yet, by lane. */
  readonly #outputs = new Map<string, Output>();
  #isDrained = false;
  #isAsking = false;
  /** The turns of a thread. */
  readonly turns: Turns<TurnEvent['type']>;
  readonly #unguarded: Unguarded;

  constructor(setting: Setting, watcher: Watcher) {
    super(setting, watcher);
    this.#steps = setting.units === null ? IN_LANES : inLine(setting.units);
    this.at = new Telling(this, watcher);
    this.#unguarded = new Unguarded(setting.tools, (text) => watcher.finds('unguarded_tool', text));
    setting.beside?.tellTo((text) => watcher.finds('checkpointer_failed', text));
    const when = (event: RuntimeEvent, isStale: () => boolean, then: () => void) => this.when(event, isStale, then);
    this.calls = new Calls({ telling: this.at, watcher, codecs: setting.codecs, tools: setting.tools, when });
    this.turns = new Turns({
      type: INPUT,
      watcher,
      said: setting.said,
      turn: () => (this.at.value === null ? null : (this.at.memory[OWN].thread ?? null)),
      digestOf: (input) => argsDigest(input, this.at.memory[OWN].salt ?? null, setting.codecs),
      when,
      begins: (event) => this.#begins(event),
      ends: () => this.at.tell([rests()]),
      rests: () => setting.rests(),
      leavesRest: () => setting.leavesRest(),
    });
  }

  override get receives(): Turns<TurnEvent['type']> | null {
    return this.program.said === null ? null : this.turns;
  }

  override get enterable(): Enterable {
    const { said, salt } = this.program;
    return {
      said,
      inputIn: (context) => (context as Memory)[OWN].input,
      // The digest stays: a caller that hands the first input in again has this turn.
      turnWith: (event, input) => ({ ...event, input }),
      begunWith: (input) => (said === null ? { [OWN]: { salt: this.at.memory[OWN].salt ?? salt, input } } : undefined),
      onPaper: (change) => this.#onPaper(change),
    };
  }

  /** The graph is entered on paper, from where it stood before the change. */
  async #onPaper(change: PaperChange): Promise<ReadonlySet<number>> {
    const { input, turn } = change;
    if (input === null) return new Set();
    const event = turn === 0 ? null : { type: INPUT, input: input.is, turn, is: '' };
    const watcher = new PaperWatcher(change, event);
    const own = new Execution(settingOnPaper(this.program, watcher), watcher);
    if (event === null) own.make({ input: input.is });
    else own.puts(change.standing());
    own.start();
    await watcher.over();
    own.stop();
    return watcher.met;
  }

  /** Puts a graph that was not started where control and context say. */
  private puts({ value, context }: Pick<ActorPlan, 'value' | 'context'>): void {
    this.at.value = value;
    this.at.memory = context as Memory;
  }

  /** A node that waits for a call, and a graph that asks, do nothing by themselves. */
  protected runs(): boolean {
    return !this.#isAsking && !this.isResting && this.calls.underWay.size === 0;
  }

  /** Enters the graph for the first time in this process, or again where it was drained. */
  override start(): void {
    if (this.#isDrained) this.#again();
    super.start();
  }

  /** The graph as it is executed now; null before it was entered. */
  running = (): Graph | null =>
    this.isResting ? new Pass(this.program.graph, this).graph : (this.entry?.graph ?? null);

  /** The channels that the graph gives out. */
  get result(): unknown {
    const { outputChannels } = this.program.graph;
    if (typeof outputChannels === 'string') return this.at.memory[outputChannels];
    return valuesOf(this.at.memory, outputChannels);
  }

  override stop(): void {
    this.program.beside?.leave();
    super.stop();
  }

  override restore(ref: ActorHandle, plan: ActorPlan): void {
    // What it asked is asked again, if it comes there again.
    this.program.asks([]);
    this.turns.leaves();
    super.restore(ref, plan);
  }

  protected first(input: unknown): Memory {
    const { salt, said } = this.program;
    return { [OWN]: said === null ? { salt, input } : { salt, thread: { turn: 0, isOpen: false } } };
  }
  protected begin(): void {
    this.at.begin();
  }
  override seen(context: unknown): unknown {
    return seenInSuperstep(context as Memory);
  }
  protected isOver(): boolean {
    return this.at.value === END && this.program.said === null;
  }
  override arrival(_: ActorHandle, value: StateValue, _context: unknown, region: string) {
    const after = placesIn(value);
    const lane = laneNamed(region);
    const source = typeof value === 'string' ? (after[0] as Place) : placeOf(lane, partOf(value, lane) ?? 'end');
    return { after, entered: [source], moves: [region], source, done: false };
  }
  override placeAt(path: string): Place | undefined {
    const place = placeNamed(path, this.program.graph.nodes);
    return place === undefined || this.program.units === null ? place : rootPlace(path);
  }
  override valueWithin(_prefix: string, _region: string, path: string): StateValue {
    return this.program.units === null ? 'run' : path;
  }
  outputOf = () => this.result;
  get #around(): Around {
    const { graph, channels } = this.program;
    return { graph, channels, outputs: this.#outputs };
  }
  get asked() {
    const { channels, settings, modes, subgraphs, units } = this.program;
    const own = this.at.memory[OWN];
    const callbacks = [this.program.told ?? this.#unguarded];
    const isTurn = own.thread?.isOpen === true && 'input' in own;
    const { input } = own;
    return {
      callbacks,
      channels,
      settings,
      modes: modes(),
      subgraphs: subgraphs(),
      input,
      isTurn,
      edges: units !== null,
    };
  }
  from = () => reachedIn(this.program, this.at.memory);
  refused = (tasks: readonly Task[]) => (this.program.units === null ? null : besideEachOther(tasks));
  lanes = () => this.at.lanes;
  notes = ({ name }: Lane) => notesOn(this.at.memory, name);
  given(lane: Lane, isSent: boolean): readonly (readonly string[])[] {
    const { value } = this.at;
    // The context has what those have written that are over; this one does not see it. Its reads are of this superstep alone, so nothing claims them.
    const isBeside = this.lanes().some((other) => partOf(value, other) === 'end');
    return [...(isSent ? [[SENDS, lane.name]] : []), ...(isBeside ? [[OWN, 'at', 'id']] : [])];
  }
  tieOf = (node: string, args: unknown) => this.program.tieOf(node, args, this.at.memory);
  chunk = (chunk: unknown, questions: readonly Question[]) => this.program.chunk(chunk, questions);
  idOf(lane: Lane, task: string, interrupt: Question['interrupt']): string {
    return this.program.idOf(interrupt, this.#answered(lane, task), this.watcher.epochIn(lane.name));
  }

  open(pass: Pass, closed: Closed | null, tasks: readonly Task[], then: () => void): void {
    this.#on(pass, 'graph.on', () => {
      this.at.tell(this.#steps.opens(this.#around, this.at, closed, tasks));
      this.#outputs.clear();
      // What was set aside is claimed first, and the run then holds what comes next.
      this.#on(pass, 'graph.run', then);
    });
  }

  output(pass: Pass, lane: Lane, output: unknown, reads: Output['reads'], then: () => void): void {
    if (this.lanes().length > 1) {
      this.#on(pass, 'graph.output', () => {
        this.at.tell([holds(lane, { is: output, reads })]);
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
      if (this.program.said !== null) {
        this.at.tell(this.#steps.turnEnds(this.#around, this.at, closed));
        this.#outputs.clear();
        this.turns.end();
        return;
      }
      this.at.tell(this.#steps.ends(this.#around, this.at, closed, () => this.result));
      this.watcher.holdsEnd(this.result);
    });
  }

  drained(pass: Pass, closed: Closed | null, error: Error): void {
    this.#on(pass, 'graph.drained', () => {
      this.at.tell(this.#steps.drained(this.#around, this.at, closed));
      this.leave();
      this.#isDrained = true;
      this.program.drains(error);
    });
  }

  asks(pass: Pass, questions: readonly Question[]): void {
    if (pass.isStale) return;
    this.#isAsking = questions.length > 0;
    if (!this.#answersAgain(questions)) this.program.asks(questions);
  }

  /** Answers questions, and enters the graph again. */
  answer(answers: readonly Answer[]): void {
    this.#answers(answers.map((each) => [each, { type: ANSWER, value: each.value, of: this.#nameOf(each.question) }]));
  }

  /** Answers a question by what its answer was revised to. @returns false where none of the questions was answered so. */
  #answersAgain(questions: readonly Question[]): boolean {
    for (const event of this.watcher.toComeAgain(ANSWER) as readonly AnswerEvent[]) {
      const question = questions.find((each) => this.#nameOf(each) === event.of);
      if (question === undefined) continue;
      this.#answers([[{ question, value: event.value }, event]]);
      return true;
    }
    return false;
  }

  #answers(answers: readonly (readonly [Answer, AnswerEvent])[]): void {
    const pass = this.entry as Pass;
    this.#on(pass, ANSWER, () => {
      this.leave();
      this.at.tell(answers.map(([answer, event]) => answered(answer, event)));
      this.enter();
    });
  }

  /** The name of a question, which it keeps where it is asked again. */
  #nameOf({ lane, task, interrupt }: Question): string {
    return this.program.idOf(interrupt, this.#answered(lane, task), 0);
  }

  #answered(lane: Lane, task: string): number {
    const { answers } = this.notes(lane);
    return answers?.task === task ? answers.values.length : 0;
  }

  failed(pass: Pass, lane: Lane | null, error: unknown): void {
    const places = lane === null ? [] : [{ path: lane.name, region: lane.name }];
    const isStale = () => this.entry !== pass;
    // A node that had done nothing yet has nothing to be taken back, so that no plan enters the graph again.
    const again = () => this.when({ type: 'graph.again' }, isStale, () => this.#again());
    void this.crashes({ type: 'graph.failed' }, error, places, isStale, this.#why(error)).then(again);
  }

  /** Says if the runtime has met its limit, or refuses the graph: no code of a node threw then. */
  #why(error: unknown): Pick<Crash, 'limit' | 'isRefused'> {
    const { limit } = this.program;
    if (isGraphRecursionError(error)) return { limit };
    return error instanceof GraphError ? { isRefused: true } : {};
  }

  callsOf(pass: Pass, lane: Lane, observed: Observed): NodeCalls {
    return this.calls.of(lane, observed, () => pass.isStale);
  }

  /** True between two turns of a thread. */
  get isResting(): boolean {
    return this.turns.isResting;
  }

  #begins(event: TurnEvent): void {
    this.leave();
    this.at.tell([turnBegins(event)]);
    this.enter();
  }

  protected enter(): void {
    if (this.isResting) {
      this.turns.rest();
      return;
    }
    if (this.program.said !== null && this.at.value === END) {
      this.turns.end();
      return;
    }
    const pass = new Pass(this.program.graph, this);
    this.entry = pass;
    this.#isDrained = false;
    outside(() => caller.run(BETWEEN_NODES, () => void pass.go()));
  }

  #again(): void {
    this.leave();
    this.enter();
  }

  protected override leave(): void {
    this.entry?.leave();
    this.#outputs.clear();
    this.#isAsking = false;
  }

  #on(pass: Pass, type: string, then: () => void): void {
    this.when({ type }, () => pass.isStale, then);
  }
}
