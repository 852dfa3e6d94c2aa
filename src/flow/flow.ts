/** Flows: named steps in an async function, each a tool call under the sidecar (`belay-sidecar/flow`). */

import { createHash } from 'node:crypto';
import { ANYTHING, CODE, NAME, refuseOther, shape } from '../model/argument.ts';
import { CallsUnderWay, CallUnderWay, whileItCounts } from '../runtime/calls-under-way.ts';
import { EnteredRuntime, type Position } from '../runtime/entered.ts';
import type { RuntimeEvent } from '../runtime/microstep.ts';
import { PaperEntry } from '../runtime/paper-entry.ts';
import { type PlainChange, plainStep, rootMove, rootPlace } from '../runtime/plain-step.ts';
import type { Enterable, PaperChange } from '../runtime/runtime.ts';
import type { Act, ToolCall } from '../runtime/tool-call.ts';
import type { RunCommands } from '../sidecar/opening/commands.ts';
import { beginRun, resumeRun } from '../sidecar/opening/open-run.ts';
import type { RunOptions } from '../sidecar/opening/options.ts';
import type { Program } from '../sidecar/opening/program.ts';
import { RUN_FIELDS } from '../sidecar/opening/taken-options.ts';

/**
 * Takes a step: calls the function through the sidecar, or answers what the journal has. The name is the step's tool and its state in the
 * config; behind an `@` it says what this step is about (`reserve@sku-1`), so that a step can be taken once for each of many.
 */
export type Step = <TIn, TOut>(name: string, input: TIn, act: (call: ToolCall<TIn>) => Promise<TOut>) => Promise<TOut>;

/** The options of a run of a flow; the input counts for a run that begins. */
export interface FlowOptions<TInput> extends RunOptions {
  readonly input: TInput;
}

/** A flow, to be run under the sidecar. */
export interface Flow<TInput> {
  /** Begins a run. @throws SidecarError, JournalError (`run_exists`, `lease_held`). */
  attach(options: FlowOptions<TInput>): Promise<RunCommands>;
  /** Takes a run up where its journal ends. @throws SidecarError, JournalError (`journal_corrupt`, `lease_held`). */
  resume(options: FlowOptions<TInput>): Promise<RunCommands>;
}

/**
 * Makes a flow of a function. The function is entered again after each restore and in each process, so that what it does outside its
 * steps has to lead to the same steps; `agent` is the name that its config has for it.
 * @throws ArgumentError; `attach` and `resume` of the flow say what they throw.
 * @example
 * import { loadConfig } from 'belay-sidecar';
 * import { flow } from 'belay-sidecar/flow';
 *
 * const { config } = loadConfig('belay: 1\nagent: greeting\ntools:\n  greet: { effect: none }\nskeletons: {}\n', { file: 'g.yaml' });
 * assert.ok(config);
 * const greeting = flow<string>('greeting', async (step, name) => step('greet', name, async ({ input }) => `hello ${input}`));
 * const run = await greeting.attach({ run: 'greeting-1', config, input: 'you' });
 * assert.deepEqual(await run.finished(), { status: 'done', output: 'hello you' });
 * await run.close();
 */
export function flow<TInput>(agent: string, body: (step: Step, input: TInput) => Promise<unknown>): Flow<TInput> {
  refuseOther('flow', { agent: [agent, NAME], body: [body, CODE] });
  const digest = createHash('sha256').update(`flow ${agent}`).digest('hex');
  const runtime: Program['runtime'] = (watcher) => new Execution(body as Body, watcher);
  const run = async (open: typeof resumeRun, options: FlowOptions<TInput>): Promise<RunCommands> => {
    refuseOther(`the flow "${agent}"`, { options: [options, FLOW_OPTIONS] });
    const { root, commands } = await open({ agent, digest, input: options.input, runtime }, options);
    (root as Execution).start();
    return commands;
  };
  return { attach: (options) => run(beginRun, options), resume: (options) => run(resumeRun, options) };
}

/** The kinds of the options. */
const FLOW_OPTIONS = shape<FlowOptions<unknown>>('an object: { run, config, input }', {
  ...RUN_FIELDS,
  input: ANYTHING,
});

/** The function of a flow, as it is executed. */
type Body = (step: (name: string, input: unknown, act: Act) => Promise<unknown>, input: unknown) => Promise<unknown>;

/** The context of a flow; `output` is there once its function has returned. */
type Memory = { input: unknown; steps: Record<string, unknown>; output?: unknown };

/**
 * One entry into the function: the step that it must reach, the steps taken so far, and the step whose answer it
 * awaits.
 */
type Entry = { owed: CallUnderWay | null; readonly taken: Set<string>; open: string | null };

/** Executes a flow, one step at a time: control is the present step. */
class Execution extends EnteredRuntime<Body, Memory, Entry> {
  protected readonly at: Position<Memory> = { value: null, memory: { input: undefined, steps: {} } };
  protected readonly calls = new CallsUnderWay((id, tool, input) => new CallUnderWay(id, tool, input));

  override get enterable(): Enterable {
    const { at } = this;
    return {
      said: null,
      get input() {
        return at.memory.input;
      },
      turnWith: (event) => event,
      begunWith: (input) => this.first(input),
      onPaper: (change) => this.#onPaper(change),
    };
  }

  /** A step that acts is answered from the ledger where its input is the same; one that looks is taken anew. */
  #onPaper({ input, hasActed }: PaperChange): Promise<ReadonlySet<string>> {
    const { steps } = this.at.memory;
    const entry = new PaperEntry();
    const take = (name: string, given: unknown) => {
      if (!hasActed(name, given)) return entry.ask(name, 'other');
      return entry.ask(name, Object.hasOwn(steps, name) ? { answer: steps[name] } : 'open');
    };
    return entry.whole(() => this.program(take, input?.is));
  }

  /** A step holds the function back until it is answered. */
  protected runs({ open }: Entry): boolean {
    return open === null && !this.isOver();
  }

  outputOf = () => this.at.memory.output;
  isOver = () => 'output' in this.at.memory;
  first = (input: unknown) => ({ input, steps: {} });
  begin = () => this.#tell('begin', this.at.memory, { event: { type: 'flow.begin' }, remembered: {} });

  enter(): void {
    const entry: Entry = { owed: this.calls.only, taken: new Set(), open: null };
    this.entry = entry;
    const isStale = () => this.entry !== entry;
    const take = (name: string, input: unknown, act: Act) =>
      whileItCounts(isStale, () => this.#take(entry, name, input, act));
    const run = async () => this.#return(entry, await this.program(take, this.at.memory.input));
    // Where nothing was put elsewhere, the function is entered again where it stood.
    const again = () => this.when({ type: 'flow.again' }, isStale, () => this.enter());
    const places = () => [rootPlace(String(this.at.value))];
    run().catch((error) => this.crashes(this.#event(), error, places(), isStale).then(again));
  }

  /** Comes to a step, or to the end: a journal that has a step under way has to have that one. */
  #come(entry: Entry, name: string | null): CallUnderWay | null {
    const { owed, open } = entry;
    if (owed !== null && owed.id !== name)
      throw new Error(`the flow came to ${name ?? 'its end'}, and its journal has it at step "${owed.id}"`);
    if (open !== null && name === null) throw new Error(`the flow ended beside its step "${open}"`);
    if (open !== null) throw new Error(`step "${name}" was taken beside another one`);
    Object.assign(entry, { owed: null, open: name });
    return owed;
  }

  async #take(entry: Entry, name: string, input: unknown, act: Act): Promise<unknown> {
    if (entry.taken.has(name)) throw new Error(`step "${name}" was taken before: say behind an @ what it is about`);
    entry.taken.add(name);
    const tool = name.split('@', 1)[0] as string;
    this.calls.tools.set(tool, act);
    if (Object.hasOwn(this.at.memory.steps, name)) return this.at.memory.steps[name];
    const owed = this.#come(entry, name);
    const call = owed ?? new CallUnderWay(name, tool, input);
    const make = () => call.make(this.watcher, act, input);
    const answer = await (owed === null ? new Promise((done) => this.#move(tool, call, () => done(make()))) : make());
    entry.open = null;
    return answer;
  }

  #return(entry: Entry, output: unknown): void {
    if (this.entry !== entry) return;
    this.#come(entry, null);
    const told = { event: { type: 'flow.return' }, hears: false, done: true, output };
    const end = () => {
      this.#tell('end', { ...this.at.memory, output }, told);
      this.watcher.holdsEnd(output);
    };
    if (this.at.value === 'end') end();
    else this.#move('end', null, end);
  }

  /** The event on which control moves: the answer to the step that the flow stands at. */
  #event(): RuntimeEvent {
    return this.calls.only?.output ? this.calls.only.answered() : { type: 'flow.step' };
  }

  /** Moves control once nothing holds its event back. */
  #move(to: string, next: CallUnderWay | null, then: () => void): void {
    const [event, left, entry] = [this.#event(), this.calls.only, this.entry];
    const go = () => {
      const { memory } = this.at;
      const behind = left === null ? memory : { ...memory, steps: { ...memory.steps, [left.id]: left.output?.is } };
      const started = next === null ? [] : [next.startedIn(rootPlace(to))];
      this.#tell(to, behind, { event, started, gone: left === null ? [] : [left] });
      this.calls.underWay.clear();
      if (next !== null) this.calls.underWay.set(next.id, next);
      then();
    };
    this.when(event, () => this.entry !== entry, go);
  }

  #tell(to: string, memory: Memory, change: PlainChange): void {
    this.watcher.steps(this, [plainStep(rootMove(this.at.value, to), change, this.at.memory, memory)]);
    this.at.value = to;
    this.at.memory = memory;
  }
}
