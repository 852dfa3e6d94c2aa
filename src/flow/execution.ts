/** One execution of a flow: the function is entered anew after each restore, and steps that are kept answer from the memory. */
import { doneEvent, endedChild } from '../model/reply-event.ts';
import type { ActorHandle, Microstep, Place, RuntimeEvent } from '../runtime/microstep.ts';
import type { ActorPlan } from '../runtime/restore-plan.ts';
import type { Runtime, Watcher } from '../runtime/runtime.ts';
import type { ToolCall } from '../runtime/tool-call.ts';

type Act = (call: ToolCall<unknown>) => Promise<unknown>;

/** The function of a flow, with what it takes its steps by. */
export type Body = (step: (name: string, input: unknown, act: Act) => Promise<unknown>, input: unknown) => unknown;

/** The context of a flow; `output` is there once its function has returned. */
type Memory = { input: unknown; steps: Record<string, unknown>; output?: unknown };

/** The step at which control stands, which is the handle of its call. The function, entered anew, takes it again. */
interface Current {
  readonly name: string;
  readonly input: unknown;
  readonly stop: AbortController;
  isTaken: boolean;
  answer: Promise<unknown> | null;
  output: { readonly is: unknown } | null;
}

const SAME = { hears: true, remembered: null, done: false, output: undefined, bare: false, outside: false };
const NONE = {
  started: [],
  gone: [],
  moves: [''],
  looks: [],
  parts: [],
  raisedBack: [],
  sends: false,
  arms: [],
  fired: null,
  sender: null,
};

/** Executes a flow, and is its root. It has one region, hears nothing from outside, and takes one step at a time. */
export class Execution implements Runtime {
  readonly machines = null;
  readonly placeAt = placeOf;
  readonly #tools = new Map<string, Act>();
  readonly #body: Body;
  readonly #watcher: Watcher;
  #memory: Memory = { input: undefined, steps: {} };
  #at: string | null = null;
  #current: Current | null = null;
  #due: { readonly event: RuntimeEvent; readonly go: () => void } | null = null;
  #entry = 0;
  #isStarted = false;
  #wakes = false;

  constructor(body: Body, watcher: Watcher) {
    this.#body = body;
    this.#watcher = watcher;
  }

  /** Enters the function for the first time in this process. */
  start(): void {
    this.#isStarted = true;
    if (this.#wakes) this.#watcher.woken();
    if (this.#at === null) this.#tell({ type: 'flow.begin' }, 'begin', this.#memory, { remembered: {} });
    if (!('output' in this.#memory)) this.#enter();
  }
  make(from: { readonly input: unknown } | { readonly plan: ActorPlan }): ActorHandle {
    if ('plan' in from) this.restore(this, from.plan);
    else this.#memory = { input: from.input, steps: {} };
    return this;
  }
  restore(_: ActorHandle, { value, context, keep, make }: ActorPlan): void {
    this.#leave(keep);
    this.#memory = context as Memory;
    this.#at = String(value);
    for (const { number, id, input } of make) {
      this.#current = standing(id, input);
      this.#watcher.adopted(this.#current, number);
    }
    if ('output' in this.#memory) this.#watcher.holdsEnd(this.#memory.output);
    else if (this.#isStarted) this.#enter();
  }
  deliver(_: ActorHandle, event: RuntimeEvent): void {
    if (event === this.#due?.event) this.#due.go();
  }
  teller(_: ActorHandle, { type }: RuntimeEvent): ActorHandle | null | undefined {
    const name = endedChild(type);
    if (name === null) return null;
    return name === this.#current?.name ? this.#current : undefined;
  }
  wake(): void {
    this.#wakes = true;
  }
  arrival(_: ActorHandle, value: unknown) {
    const source = placeOf(String(value));
    return { after: [source], entered: [source], moves: [''], source, done: false };
  }
  stop = () => this.#leave([]);
  announce = () => {};
  end = () => {};
  valueWithin = (_prefix: string, _region: string, path: string) => path;
  toolNamed = (name: string) => this.#tools.get(name) as ((call: object) => Promise<unknown>) | undefined;
  outputOf = () => this.#memory.output;
  seen = (context: unknown) => context;
  inputOf = () => this.#current?.input;
  inputFor = (_: ActorHandle, { input }: { readonly input?: unknown }) => input;

  /** Nothing that the function does from now on counts, but for a call that is kept. */
  #leave(keep: readonly string[]): void {
    this.#entry += 1;
    this.#due = null;
    if (this.#current !== null && keep.includes(this.#current.name)) this.#current.isTaken = false;
    else {
      this.#current?.stop.abort();
      this.#current = null;
    }
  }

  #enter(): void {
    const entry = this.#entry;
    const isStale = () => entry !== this.#entry;
    const taken = new Set<string>();
    const step = async (name: string, input: unknown, act: Act) => {
      if (isStale()) return never();
      if (taken.has(name)) throw new Error(`step "${name}" was taken before: say behind an @ what it is about`);
      taken.add(name);
      const answer = await this.#take(name, input, act);
      return isStale() ? never() : answer;
    };
    const run = async () => this.#body(step, this.#memory.input);
    const ended = run().then((output) => (isStale() ? undefined : this.#return(output)));
    ended.catch((error) => {
      const places = [placeOf(this.#at ?? 'begin')];
      if (!isStale()) void this.#watcher.crashed(this, { event: this.#event(), error, places, ofChild: false });
    });
  }

  #take(name: string, input: unknown, act: Act): unknown {
    const tool = toolOf(name);
    this.#tools.set(tool, act);
    if (Object.hasOwn(this.#memory.steps, name)) return this.#memory.steps[name];
    const current = this.#current;
    if (current !== null && !current.isTaken) return this.#call(expected(current, name), input, act);
    if (this.#due !== null || current?.output === null) throw new Error(`step "${name}" was taken beside another one`);
    const next = standing(name, input);
    const started = [{ ref: next, id: name, src: tool, place: placeOf(tool), kind: 'promise', input } as const];
    return new Promise((resolve) => {
      this.#move(tool, { started }, () => {
        this.#current = next;
        resolve(this.#call(next, input, act));
      });
    });
  }

  #call(current: Current, input: unknown, act: Act): Promise<unknown> {
    current.isTaken = true;
    current.answer ??= this.#watcher
      .call({
        ref: current,
        tool: toolOf(current.name),
        input,
        signal: current.stop.signal,
        act: async (key, signal, counts) => act({ input: counts, key, signal }),
        handles: () => false,
      })
      .then((is) => {
        current.output = { is };
        return is;
      });
    return current.answer;
  }

  #return(output: unknown): void {
    if (this.#current?.isTaken === false) expected(this.#current, null);
    if (this.#current?.output === null) throw new Error(`the flow ended beside its step "${this.#current.name}"`);
    const end = () => {
      this.#tell({ type: 'flow.return' }, 'end', { ...this.#memory, output }, { hears: false, done: true, output });
      this.#watcher.holdsEnd(output);
    };
    if (this.#at === 'end') end();
    else this.#move('end', {}, end);
  }

  /** The event on which control moves: the answer of the step at which it stands. */
  #event(): RuntimeEvent {
    const current = this.#current;
    if (current?.output == null) return { type: 'flow.step' };
    return { type: doneEvent(current.name), output: current.output.is, actorId: current.name };
  }

  /** Moves control once nothing holds its event back. */
  #move(to: string, more: Partial<Microstep>, then: () => void): void {
    const [event, left] = [this.#event(), this.#current];
    const { steps, ...rest } = this.#memory;
    const memory = left === null ? this.#memory : { ...rest, steps: { ...steps, [left.name]: left.output?.is } };
    const go = () => {
      this.#due = { event, go };
      if (this.#watcher.stops(this, event)) return;
      this.#due = null;
      this.#tell(event, to, memory, { gone: left === null ? [] : [left], ...more });
      this.#current = null;
      then();
    };
    go();
  }

  #tell(event: RuntimeEvent, to: string, context: Memory, more: Partial<Microstep>): void {
    const before = this.#at === null ? null : [placeOf(this.#at)];
    const after = [placeOf(to)];
    const control = { before, after, entered: after, sources: before ?? [], value: to };
    const contextBefore = before === null ? undefined : this.#memory;
    this.#watcher.steps(this, [{ ...SAME, ...NONE, ...control, event, contextBefore, context, ...more }]);
    this.#memory = context;
    this.#at = to;
  }
}

function placeOf(path: string): Place {
  return { path, region: '' };
}

/** The tool of a step, which is the state that it stands in. */
function toolOf(name: string): string {
  return name.split('@', 1)[0] as string;
}

/** @throws Error where the function comes elsewhere than its journal has it: it is not the same for the same answers. */
function expected(current: Current, name: string | null): Current {
  if (current.name === name) return current;
  throw new Error(`the flow came to ${name ?? 'its end'}, and its journal has it at step "${current.name}"`);
}

function standing(name: string, input: unknown): Current {
  return { name, input, stop: new AbortController(), isTaken: false, answer: null, output: null };
}

function never(): Promise<never> {
  return new Promise(() => {});
}
