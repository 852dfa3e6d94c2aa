/** The runtime of a flow: one step at a time, and control is the present step. */
import { CallsUnderWay, CallUnderWay, never, whileItCounts } from '../runtime/calls-under-way.ts';
import type { Position } from '../runtime/entered.ts';
import { BEGIN, END } from '../runtime/lanes.ts';
import type { RuntimeEvent } from '../runtime/microstep.ts';
import { inputsOnPaper, PaperEntry } from '../runtime/paper-entry.ts';
import { type PlainChange, plainStep, rootMove, rootPlace } from '../runtime/plain-step.ts';
import {
  type BetweenCalls,
  OWN,
  type Received,
  type ReceivingEntry,
  ReceivingRuntime,
  type Surroundings,
} from '../runtime/receiving.ts';
import type { Enterable, PaperChange, Watcher } from '../runtime/runtime.ts';
import type { Act } from '../runtime/tool-call.ts';
import { Markers } from './markers.ts';

/** The ways out of a flow's function, as it is executed. */
interface Ways {
  step(name: string, input: unknown, act: Act): Promise<unknown>;
  receive(said: unknown): Promise<unknown>;
  since(marker: string): boolean;
  readonly input: unknown;
}

/** The surroundings of a flow. */
export interface Setting extends Surroundings {
  readonly body: (ways: Ways) => Promise<unknown>;
}

/**
 * One entry into the function: the step that it must reach, the steps taken so far, and the step whose answer it
 * awaits.
 */
interface Entry extends ReceivingEntry {
  owed: CallUnderWay | null;
  readonly taken: Set<string>;
  open: string | null;
  readonly markers: Markers;
  /** True once it cannot go on: nothing that it does from then on counts. */
  hasFailed: boolean;
}

/** Executes a flow, and is its root. */
export class Execution extends ReceivingRuntime<Setting, Received, Entry, 'flow'> {
  protected readonly at: Position<Received> = { value: null, memory: { input: undefined, steps: {} } };
  protected readonly calls = new CallsUnderWay((id, tool, input) => new CallUnderWay(id, tool, input));

  constructor(setting: Setting, watcher: Watcher) {
    super('flow', setting, watcher);
  }

  override get enterable(): Enterable {
    return {
      said: this.program.said,
      inputIn: (context) => (context as Received).input,
      turnWith: (event, input) => ({ ...event, input }),
      begunWith: (input) => this.first(input),
      onPaper: (change) => this.#onPaper(change),
      asks: (name) => this.#asks(name),
    };
  }

  /** The function is entered on paper up to a step. */
  async #asks(wanted: string): Promise<{ readonly input: unknown } | null> {
    const { steps, turns = {}, input, [OWN]: own } = this.at.memory;
    const [entry, markers] = [new PaperEntry(), new Markers(own?.since)];
    const inputs = inputsOnPaper(turns, { turn: Number.POSITIVE_INFINITY, input: null });
    let [received, asked] = [0, null as { readonly input: unknown } | null];
    await entry.whole(() =>
      this.program.body({
        step: (name, given) => {
          if (name !== wanted) return entry.ask(name, Object.hasOwn(steps, name) ? { answer: steps[name] } : 'other');
          asked ??= { input: given };
          entry.ends();
          return never();
        },
        receive: () => {
          received += 1;
          return entry.receive(inputs, received);
        },
        // What the function has passed on its way to that step is noted.
        since: (marker) => markers.passes(marker, entry.met.size + received, () => false),
        input,
      }),
    );
    return asked;
  }

  /** A step that acts is answered from the ledger where its input is the same; one that looks is taken anew. */
  #onPaper(change: PaperChange): Promise<ReadonlySet<number>> {
    const { steps, turns = {}, input, [OWN]: own } = this.at.memory;
    const [entry, markers] = [new PaperEntry(), new Markers(own?.since)];
    const inputs = inputsOnPaper(turns, change);
    const kept = Object.keys(steps).filter((name) => !change.behind.has(name));
    let received = 0;
    const isAtHead = () => received >= inputs.length && kept.every((name) => entry.met.has(name));
    const run = () =>
      this.program.body({
        step: (name, given) => {
          const number = change.behind.get(name);
          if (number !== undefined && !change.hasActed(number, given)) return entry.ask(name, 'other');
          return entry.ask(name, Object.hasOwn(steps, name) ? { answer: steps[name] } : 'open');
        },
        receive: () => {
          received += 1;
          return entry.receive(inputs, received);
        },
        since: (marker) => markers.passes(marker, entry.met.size + received, isAtHead),
        input: change.turn === 0 && change.input !== null ? change.input.is : input,
      });
    return entry.whole(run, change.behind);
  }

  /** A step holds the function back until it is answered, and a receive until its input is there. */
  protected runs({ open }: Entry): boolean {
    return open === null && !this.turns.isReady && !this.isOver();
  }

  outputOf = () => this.at.memory.output;
  isOver = () => 'output' in this.at.memory;
  first = (input: unknown) => ({ input, steps: {} });
  begin = () => this.#tell(BEGIN, this.at.memory, { event: { type: 'flow.begin' }, remembered: {} });

  enter(): void {
    const entry: Entry = {
      owed: this.calls.only,
      taken: new Set(),
      open: null,
      received: 0,
      waiting: null,
      markers: new Markers(this.at.memory[OWN]?.since),
      hasFailed: false,
    };
    this.entry = entry;
    const isStale = () => this.entry !== entry || entry.hasFailed;
    const ways: Ways = {
      step: (name, input, act) => whileItCounts(isStale, () => this.#take(entry, name, input, act)),
      receive: (said) => whileItCounts(isStale, () => this.#receive(entry, said)),
      since: (marker) => !isStale() && this.#since(entry, marker),
      input: this.at.memory.input,
    };
    const run = async () => this.#return(entry, await this.program.body(ways));
    run().catch((error) => this.#fails(entry, error));
  }

  #fails(entry: Entry, error: unknown): void {
    if (entry.hasFailed) return;
    entry.hasFailed = true;
    const isStale = () => this.entry !== entry;
    // Where nothing was put elsewhere, the function is entered again where it stood.
    const again = () => this.when({ type: 'flow.again' }, isStale, () => this.enter());
    void this.crashes(this.#event(), error, [rootPlace(String(this.at.value))], isStale).then(again);
  }

  /** Nothing that the function does from here on is heard: an error that it could catch would be its own. */
  protected breaks(entry: Entry, why: string): Promise<never> {
    this.#fails(entry, new Error(why));
    return never();
  }

  /** A step that only work which was taken over has led to is left where the function goes another way (PA13). */
  #givesUp(entry: Entry, name: string | null): void {
    if (entry.owed !== null && entry.owed.id !== name && this.watcher.isUnasked(entry.owed)) entry.owed = null;
  }

  /** The reason why the function cannot come to a step, a receive or its end now: a journal that has a step under way has to have that one. */
  #refused({ owed, open, waiting }: Entry, name: string | null, where: string): string | null {
    if (waiting !== null && name !== null) return `step "${name}" was taken beside receive(): await its input before`;
    if (owed !== null && owed.id !== name)
      return `the flow came to ${where}, and its journal has it at step "${owed.id}"`;
    if (open !== null)
      return name === null
        ? `the flow came to ${where} beside its step "${open}"`
        : `step "${name}" was taken beside another one`;
    return null;
  }

  async #take(entry: Entry, name: string, input: unknown, act: Act): Promise<unknown> {
    if (entry.taken.has(name))
      return this.breaks(entry, `step "${name}" was taken before: say behind an @ what it is about`);
    entry.taken.add(name);
    const tool = name.split('@', 1)[0] as string;
    this.calls.tools.set(tool, act);
    if (Object.hasOwn(this.at.memory.steps, name)) return this.at.memory.steps[name];
    this.#givesUp(entry, name);
    const why = this.#refused(entry, name, name);
    if (why !== null) return this.breaks(entry, why);
    const { owed } = entry;
    Object.assign(entry, { owed: null, open: name });
    const call = owed ?? new CallUnderWay(name, tool, input);
    const make = () => call.make(this.watcher, act, input);
    const answer = await (owed === null ? new Promise((done) => this.#move(tool, call, () => done(make()))) : make());
    entry.open = null;
    return answer;
  }

  #since({ markers, taken, received, owed }: Entry, marker: string): boolean {
    return markers.passes(marker, taken.size + received, () => {
      const { value } = this.at;
      // Control may stand where a step begins that a restore has taken back.
      const isAnswered = value === BEGIN || (value !== END && this.calls.only !== null);
      return owed === null && isAnswered && this.isGiven(received);
    });
  }

  async #receive(entry: Entry, said: unknown): Promise<unknown> {
    if (entry.waiting !== null) return this.breaks(entry, 'receive() was called beside another one: await its input');
    if (entry.open !== null) return this.breaks(entry, `receive() was called beside step "${entry.open}": await it`);
    return this.receive(entry, said);
  }

  /** The reason why the function cannot come to a receive or its end now: it has to have come to each step that the journal has. */
  #astray(entry: Entry, where: string): string | null {
    this.#givesUp(entry, null);
    const left = Object.keys(this.at.memory.steps).find((name) => !entry.taken.has(name));
    const other = left === undefined ? null : `the flow came to ${where}, and its journal has step "${left}" before`;
    return this.#refused(entry, null, where) ?? other;
  }

  protected async toEnd(entry: Entry, where: string): Promise<void> {
    const why = this.#astray(entry, where);
    if (why !== null) return this.breaks(entry, why);
    const { value } = this.at;
    if (value !== BEGIN && value !== END) await new Promise<void>((done) => this.#move(END, null, done));
  }

  protected tells({ event, to, memory, ...more }: BetweenCalls<Received>): void {
    const { reads = [] } = more;
    this.#tell(to, memory(this.at.memory), { event, ...more, reads, bare: more.reads === undefined, own: OWN });
  }

  #return(entry: Entry, output: unknown): void {
    if (this.entry !== entry || entry.hasFailed) return;
    const why = this.#astray(entry, 'its end');
    if (why !== null) throw new Error(why);
    const told = { event: { type: 'flow.return' }, hears: false, done: true, output };
    const end = () => {
      const { memory } = this.at;
      const isTurn = memory.turns !== undefined && Object.keys(memory.turns).length > 0;
      this.#tell(END, { ...(isTurn ? this.saying(memory, output) : memory), output }, told);
      this.watcher.holdsEnd(output);
    };
    if (this.at.value === END) end();
    else this.#move(END, null, end);
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
      const answer = left?.output ?? null;
      const behind =
        left === null || answer === null ? memory : { ...memory, steps: { ...memory.steps, [left.id]: answer.is } };
      const started = next === null ? [] : [next.startedIn(rootPlace(to))];
      this.#tell(to, behind, { event, started, gone: left === null ? [] : [left] });
      this.calls.underWay.clear();
      if (next !== null) this.calls.underWay.set(next.id, next);
      then();
    };
    this.when(event, () => this.entry !== entry, go);
  }

  #tell(to: string, memory: Received, change: PlainChange): void {
    const markers = this.entry?.markers;
    const [behind, told] =
      markers?.isNew === true
        ? [this.noted(memory, { since: markers.all }), { ...change, own: OWN }]
        : [memory, change];
    if (markers !== undefined) markers.isNew = false;
    this.watcher.steps(this, [plainStep(rootMove(this.at.value, to), told, this.at.memory, behind)]);
    this.at.value = to;
    this.at.memory = behind;
  }
}
