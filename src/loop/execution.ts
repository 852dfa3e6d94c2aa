/**
 * The runtime of a loop: its calls are lanes. Calls that the function asks for together are a round, and go on side by side; later calls are the
 * next round. The function is entered again after a restore and in each process, and is answered from the context as far as that goes.
 */

import type { StateValue } from '../model/step-entry.ts';
import { CallsUnderWay, CallUnderWay, never } from '../runtime/calls-under-way.ts';
import { BEGIN, END, type Lane, laneNamed, partOf, placeOf, placesOf, superstep } from '../runtime/lanes.ts';
import type { ActorHandle, Place } from '../runtime/microstep.ts';
import { rootPlace } from '../runtime/plain-step.ts';
import { ALL, type BetweenCalls, OWN, ReceivingRuntime, type Surroundings } from '../runtime/receiving.ts';
import type { Enterable, Watcher } from '../runtime/runtime.ts';
import type { Act } from '../runtime/tool-call.ts';
import { type Asked, Entry, enclosed, type Ways } from './entry.ts';
import { answered, firstMemory, idIn, laneFor, type Memory, MODEL, nameOf, noted, seenInRound } from './memory.ts';
import { loopOnPaper } from './on-paper.ts';
import { AT_BEGIN, AT_END, Telling } from './telling.ts';

export type { Ways } from './entry.ts';

/** The surroundings of a loop. */
export interface Setting extends Surroundings {
  readonly body: (ways: Ways) => Promise<unknown>;
  readonly tools: ReadonlyMap<string, { readonly effect: string; readonly decides: boolean }>;
}

type Call = CallUnderWay;

/** The turns of the event loop in which a function has to come again to the calls that its journal has under way. */
const PATIENCE = 100;

/** Executes a loop, and is its root. */
export class Execution extends ReceivingRuntime<Setting, Memory, Entry, 'loop'> {
  protected readonly at: Telling;
  protected readonly calls = new CallsUnderWay<Call>((id, tool, input) => new CallUnderWay(id, tool, input));

  constructor(setting: Setting, watcher: Watcher) {
    super('loop', setting, watcher);
    this.at = new Telling(this, watcher);
  }

  override get enterable(): Enterable {
    const { at, calls, program } = this;
    const digest = (input: unknown) => this.digest(input);
    const isAskedAnew = (name: string) => {
      const tool = program.tools.get(name);
      return tool?.effect === 'none' && !tool.decides;
    };
    return {
      said: program.said,
      inputIn: (context) => (context as Memory).input,
      // The digest stays: a caller that hands the first input in again has this turn.
      turnWith: (event, input) => ({ ...event, input }),
      begunWith: (input) => firstMemory(input, at.memory[OWN].salt),
      onPaper: (change) =>
        loopOnPaper(program.body, { memory: at.memory, underWay: calls.underWay, digest, isAskedAnew }, change),
    };
  }

  /** A round holds the function back until its calls are answered. */
  protected runs(): boolean {
    return !this.turns.isReady && this.at.open.length === 0;
  }

  outputOf = (): unknown => this.at.memory.output;
  protected isOver = (): boolean => 'output' in this.at.memory;
  protected first = (input: unknown): Memory => firstMemory(input, this.program.salt);
  protected begin = (): void => this.at.begin();
  override seen = (context: unknown): unknown => seenInRound(context as Memory);

  override arrival(_: ActorHandle, value: StateValue, _context: unknown, region: string) {
    const after = placesOf(value);
    const lane = laneNamed(region);
    const source = typeof value === 'string' ? (after[0] as Place) : placeOf(lane, partOf(value, lane) ?? 'end');
    return { after, entered: [source], moves: [region], source, done: false };
  }

  override placeAt(path: string): Place | undefined {
    if (path === BEGIN || path === END) return rootPlace(path);
    const isState = path === MODEL || this.program.tools.has(path);
    return isState ? { path, region: path, lanes: true } : undefined;
  }

  override valueWithin(): StateValue {
    return 'run';
  }

  protected enter(): void {
    const entry = new Entry();
    this.entry = entry;
    const isStale = () => entry.isStale;
    const ways: Ways = {
      call: (tool, id, input, act) => this.#ask(entry, nameOf(tool, id), tool, input, this.digest(input), act),
      think: (question, act) => {
        const is = this.digest(question);
        entry.thoughts += 1;
        return this.#ask(entry, nameOf(MODEL, String(entry.thoughts)), MODEL, { asks: is }, is, act);
      },
      receive: (said) => this.#receive(entry, said),
      input: this.at.memory.input,
    };
    const run = async () => this.#returns(entry, await this.program.body(ways));
    run().catch((error) => {
      if (!isStale()) this.#fails(entry, error);
    });
  }

  protected override leave(): void {
    if (this.entry !== null) this.entry.isStale = true;
    super.leave();
  }

  /** Tells that the function cannot go on: nothing that it does from now on counts. */
  #fails(entry: Entry, error: unknown): void {
    if (entry.isStale) return;
    this.leave();
    const now = () => this.entry !== null;
    const places = this.at.value === null ? [] : placesOf(this.at.value);
    const again = () => this.when({ type: 'loop.again' }, now, () => this.enter());
    void this.crashes({ type: 'loop.failed' }, error, places, now).then(again);
  }

  protected breaks(entry: Entry, why: string): Promise<never> {
    this.#fails(entry, new Error(why));
    return never();
  }

  async #ask(entry: Entry, name: string, tool: string, input: unknown, is: string, act: Act): Promise<unknown> {
    if (entry.isStale) return never();
    const why = entry.refused(name);
    if (why !== null) return this.breaks(entry, why);
    entry.taken.add(name);
    const own = enclosed(name, act);
    this.calls.tools.set(tool, own);
    const { steps, [OWN]: notes } = this.at.memory;
    if (Object.hasOwn(steps, name)) {
      // An answer is served to the question that it was given to, and to no other.
      if (notes.asked[name] !== is) return this.breaks(entry, differs(name));
      return steps[name];
    }
    return new Promise((answer) => this.#come(entry, { name, tool, input, is, act: own, answer }));
  }

  #come(entry: Entry, asked: Asked): void {
    const lane = laneFor(asked.name);
    const part = partOf(this.at.value, lane);
    if (part !== null && part !== 'end') {
      this.#goOn(entry, lane, asked);
      return;
    }
    entry.queue.push(asked);
    this.#opens(entry);
  }

  /** Takes a call up that the journal has under way. */
  #goOn(entry: Entry, lane: Lane, asked: Asked): void {
    const call = this.calls.underWay.get(asked.name);
    if (call === undefined) {
      this.#starts(entry, [{ lane, asked }], []);
      return;
    }
    if (this.digest(call.input) !== this.digest(asked.input)) {
      void this.breaks(entry, differs(asked.name));
      return;
    }
    this.#makes(entry, call, asked);
  }

  /** Has the waiting calls leave together, once the round before is answered: the calls of one turn of the event loop are one round. */
  #opens(entry: Entry, patience = PATIENCE): void {
    if (entry.isOpening) return;
    entry.isOpening = true;
    setImmediate(() => {
      entry.isOpening = false;
      if (entry.isStale || entry.queue.length === 0) return;
      const { open } = this.at;
      const owed = this.#owed(entry);
      if (owed !== undefined && patience > 0) this.#opens(entry, patience - 1);
      else if (owed !== undefined) void this.breaks(entry, astray(entry.queue[0]?.name ?? '', owed));
      else if (open.length === 0) this.#round(entry);
    });
  }

  /** The lane of a call that the journal has under way, and that this entry has not come to; undefined where there is none. */
  #owed({ taken }: Entry): Lane | undefined {
    const come = new Set([...taken].map((name) => laneFor(name).name));
    return this.at.open.find(({ name }) => !come.has(name));
  }

  #round(entry: Entry): void {
    entry.isOpening = true;
    const all = entry.queue.map((asked) => ({ lane: laneFor(asked.name), asked }));
    entry.queue = [];
    const round = all.map(({ asked }) => asked.name);
    const to = superstep(all.map(({ lane }) => lane));
    const memory = (before: Memory) => noted(before, { round });
    const { turn } = this.at.memory[OWN].thread;
    const begins = all.map(({ lane, asked }) => {
      const event = { type: 'loop.task', call: idIn(asked.name), turn };
      return { event, lane, part: 'run', reads: ALL } as const;
    });
    this.#starts(entry, all, [{ event: { type: 'loop.step' }, to, entered: [], memory }, ...begins]);
  }

  /** Tells that calls begin, and makes them. @param before the steps that lead to their round. */
  #starts(
    entry: Entry,
    all: readonly { readonly lane: Lane; readonly asked: Asked }[],
    before: Parameters<Telling['tell']>[0],
  ): void {
    const isStale = () => entry.isStale;
    this.when({ type: 'loop.step' }, isStale, () => {
      const made = all.map(({ lane, asked }) => ({
        lane,
        asked,
        call: new CallUnderWay(asked.name, asked.tool, asked.input),
      }));
      const starts = made.map(({ lane, asked, call }) => {
        const event = { type: 'loop.call', tool: asked.tool };
        // The call is made in a state of the lane's own, behind the step that begins its work: what is done again begins there.
        const started = [call.startedIn({ path: lane.name, region: lane.name })];
        return { event, lane, part: 'run', started, reads: ALL } as const;
      });
      this.at.tell([...before, ...starts]);
      entry.isOpening = false;
      for (const { call } of made) this.calls.underWay.set(call.id, call);
      // What was set aside is claimed first, and the run then holds what comes next.
      this.when({ type: 'loop.run' }, isStale, () => {
        for (const { asked, call } of made) this.#makes(entry, call, asked);
      });
    });
  }

  /** Makes a call, and answers who asked for it; one that is made already is waited for. */
  #makes(entry: Entry, call: Call, asked: Asked): void {
    const then = (output: unknown) =>
      new Promise((resolve) => this.#answers(call, asked.is, output, () => resolve(output)));
    call.make(this.watcher, asked.act, call.input, then).then(
      (output) => {
        if (!entry.isStale) asked.answer(output);
      },
      (error) => this.#fails(entry, error),
    );
  }

  /** Notes the answer to a call, once nothing holds it back. */
  #answers(call: Call, is: string, output: unknown, then: () => void): void {
    const event = call.answered();
    const isStale = () => this.calls.underWay.get(call.id) !== call;
    this.when(event, isStale, () => {
      const lane = laneFor(call.id);
      const memory = (before: Memory) => answered(before, call.id, is, output);
      this.at.tell([{ event, lane, part: 'end', gone: [call], reads: [], memory }]);
      this.calls.underWay.delete(call.id);
      if (this.entry !== null) this.#opens(this.entry);
      then();
    });
  }

  async #receive(entry: Entry, said: unknown): Promise<unknown> {
    if (entry.isStale) return never();
    const why = entry.refused('receive');
    return why === null ? this.receive(entry, said) : this.breaks(entry, why);
  }

  protected tells({ to, memory, ...change }: BetweenCalls<Memory>): void {
    // What a turn has said, it has said behind its last round.
    const behind = to === END ? (before: Memory) => noted(memory(before), { round: [] }) : memory;
    this.at.tell([{ ...change, ...(to === END ? AT_END : AT_BEGIN), memory: behind }]);
  }

  async #returns(entry: Entry, output: unknown): Promise<void> {
    if (entry.isStale) return;
    entry.isOver = true;
    await this.toEnd(entry, 'its end');
    if (entry.isStale) return;
    const end = () => {
      const memory = (before: Memory) => noted({ ...this.saying(before, output), output }, { round: [] });
      this.at.tell([{ event: { type: 'loop.end' }, ...AT_END, done: true, output, reads: ALL, memory }]);
      this.watcher.holdsEnd(output);
    };
    this.when({ type: 'loop.end' }, () => entry.isStale, end);
  }

  /** Sees to it that the function has come to each call that the journal has, and awaited it. */
  protected async toEnd(entry: Entry, where: string): Promise<void> {
    for (let times = 0; times < PATIENCE && this.#owed(entry) !== undefined; times += 1)
      await new Promise((resolve) => setImmediate(resolve));
    if (entry.isStale) return;
    const owed = this.#owed(entry);
    const [open] = this.at.open;
    if (owed !== undefined) void this.breaks(entry, astray(where, owed));
    else if (open !== undefined || entry.queue.length > 0)
      void this.breaks(
        entry,
        `the loop came to ${where} beside a call of ${open?.node ?? entry.queue[0]?.tool}: await its calls`,
      );
    else {
      const left = Object.keys(this.at.memory.steps).find((name) => !entry.taken.has(name));
      if (left !== undefined)
        void this.breaks(entry, `the loop came to ${where}, and its journal has a call "${left}" before`);
    }
  }
}

function differs(name: string): string {
  return `the loop makes "${name}" with other arguments than its journal has: what they are made of has to be the same in each process`;
}

function astray(where: string, { node }: Lane): string {
  return `the loop came to ${where}, and its journal has a call of ${node} under way`;
}
