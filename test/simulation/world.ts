/**
 * The world that generated machines act upon, with honest counterparties: an act is recorded under its key, an undo takes it away, an
 * idempotent counterparty acts once for a key, and a counterparty that says `not_applied` refuses every attempt that is still on its way.
 */
import { NotApplied, type ReconcileResult, type ToolCall } from 'belay-sidecar';
import type { CallArgs } from './call.ts';
import { digest } from './digest.ts';
import { type Fault, type Site, siteOf, type ToolSpec } from './scenario.ts';

/** Something that was done. */
export interface Act {
  readonly tool: ToolSpec;
  readonly args: CallArgs;
  readonly key: string;
  stands: boolean;
}

/** A call that has left and has not yet been applied. */
interface Attempt {
  readonly key: string;
  isRefused: boolean;
}

/** A world as plain data: it outlives the processes that act upon it. */
export interface SavedWorld {
  readonly acts: readonly {
    readonly tool: string;
    readonly args: CallArgs;
    readonly key: string;
    readonly stands: boolean;
  }[];
  readonly calls: readonly Site[];
  readonly found: readonly Site[];
  readonly wrong: readonly (readonly [
    Site,
    { readonly value: number; readonly count: number; readonly last: number },
  ])[];
  readonly fired: readonly number[];
  readonly undone: readonly string[];
  readonly void: readonly string[];
  readonly byHand: readonly string[];
}

/** One process of a run: what it asks after its end is not heard. */
export interface Life {
  alive: boolean;
}

type CallFault = Exclude<
  Fault,
  { fault: 'misspelt' | 'restart' | 'pause' | 'killed' | 'reconciler down' | 'undo loses reply' }
>;

/** How long a call takes that outlives its timeout, in milliseconds. */
const SLOW = 550;

/** How far a wrong answer is from the right one: it is odd, so that branches go the other way, and no right answer is as large. */
export const WRONG_BY = 1001;

/** The answer of a tool: a function of what it was given. */
export function rightAnswer(spec: ToolSpec, args: CallArgs): number {
  return digest([spec.name, args]);
}

/** Rejects or resolves never: the caller is gone. */
const NEVER = new Promise<never>(() => {});

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The world of one run. */
export class World {
  readonly acts: Act[] = [];
  /** The sites of all calls, in the order in which they began. */
  readonly calls: Site[] = [];
  /** Sites whose wrong value was found. */
  readonly found = new Set<Site>();
  /** Wrong answers that were given: the value, how often, and when last. */
  readonly wrong = new Map<Site, { readonly value: number; readonly count: number; readonly last: number }>();
  /** Grows with all that happens here. */
  activity = 0;
  /** Told after all that happens here. */
  onChange: () => void = () => {};
  inFlight = 0;
  /** The calls that began while the run was paused (LC10). */
  leftWhilePaused = 0;
  /** Told of every call as it begins. */
  onCall: (site: Site, tool: ToolSpec) => void = () => {};
  readonly fired = new Set<Fault>();
  readonly #faults: readonly Fault[];
  /** Sites with a call in flight. */
  readonly busy: Site[] = [];
  readonly #attempts = new Set<Attempt>();
  readonly #undone = new Set<string>();
  /** The keys that are refused for ever. */
  readonly #void = new Set<string>();
  /** What a person has undone by hand, by its key, until a process has acknowledged it. */
  readonly byHand = new Map<string, Act>();
  /** The arguments of the calls that a person is asked about, by the gate. */
  readonly asked = new Map<string, unknown>();
  #minted = 0;

  constructor(faults: readonly Fault[]) {
    this.#faults = faults;
  }

  /** Takes over what earlier processes have done. */
  restore(saved: SavedWorld, tools: readonly ToolSpec[]): void {
    for (const act of saved.acts)
      this.acts.push({ ...act, tool: tools.find(({ name }) => name === act.tool) as ToolSpec });
    this.calls.push(...saved.calls);
    for (const site of saved.found) this.found.add(site);
    for (const [site, given] of saved.wrong) this.wrong.set(site, given);
    for (const index of saved.fired) this.fired.add(this.#faults[index] as Fault);
    for (const key of saved.undone) this.#undone.add(key);
    for (const key of saved.void) this.#void.add(key);
    for (const key of saved.byHand) {
      const act = this.acts.findLast((other) => other.key === key);
      if (act !== undefined) this.byHand.set(key, act);
    }
  }

  /** What the next process has to know. */
  saved(): SavedWorld {
    return {
      acts: this.acts.map((act) => ({ ...act, tool: act.tool.name })),
      calls: this.calls,
      found: [...this.found],
      wrong: [...this.wrong],
      fired: [...this.fired].map((fault) => this.#faults.indexOf(fault)),
      undone: [...this.#undone],
      void: [...this.#void],
      byHand: [...this.byHand.keys()],
    };
  }

  /** Something has happened. */
  moved(): void {
    this.activity += 1;
    this.onChange();
  }

  /** The answer to a call, as it is today. */
  answer(spec: ToolSpec, args: CallArgs): number {
    const right = rightAnswer(spec, args);
    const wrong = this.#faults.find((fault) => fault.fault === 'wrong' && fault.site === siteOf(args));
    if (wrong === undefined || this.found.has(siteOf(args))) return right;
    this.fired.add(wrong);
    return right + WRONG_BY;
  }

  /** Carries a call out. */
  async call(life: Life, spec: ToolSpec, { input, key }: ToolCall<CallArgs>): Promise<unknown> {
    if (!life.alive) return NEVER;
    const site = siteOf(input);
    this.calls.push(site);
    this.inFlight += 1;
    this.moved();
    this.busy.push(site);
    this.onCall(site, spec);
    let answer: unknown;
    try {
      answer = await this.#carryOut(spec, input, key ?? this.#mint(), this.#take(site));
    } finally {
      this.busy.splice(this.busy.indexOf(site), 1);
      this.inFlight -= 1;
      this.moved();
    }
    // Nobody hears what comes back to a process that is gone.
    return life.alive ? answer : NEVER;
  }

  /** Says what became of a call, for good: what has not been applied by now never will be. */
  ask({ key, tool }: { key: string; tool: string }, tools: readonly ToolSpec[]): ReconcileResult {
    this.moved();
    const down = this.#faults.find((fault) => fault.fault === 'reconciler down' && !this.fired.has(fault));
    if (down !== undefined) {
      this.fired.add(down);
      throw new Error('the counterparty cannot be reached');
    }
    const act = this.standing(key);
    if (act !== undefined) return { is: 'applied', output: this.#answers(act.tool, act.args) };
    this.refuse(key);
    // What was undone by hand did not happen, the run is told, and makes it again under its key: the person puts nothing back.
    this.byHand.delete(key);
    if (tools.find(({ name }) => name === tool)?.refusesKey) this.#void.add(key);
    return { is: 'not_applied' };
  }

  /** The act that stands under a key. */
  standing(key: string): Act | undefined {
    return this.acts.find((act) => act.key === key && act.stands);
  }

  /** Refuses what is still on its way under a key. */
  refuse(key: string): void {
    for (const attempt of this.#attempts) if (attempt.key === key) attempt.isRefused = true;
  }

  /** Takes an act back. The same undo key is one undo. */
  undo(life: Life, key: string, undoKey: string): Promise<void> | void {
    if (!life.alive) return NEVER;
    if (this.#undone.has(undoKey)) return undefined;
    this.#undone.add(undoKey);
    const act = this.standing(key);
    if (act !== undefined) act.stands = false;
    this.refuse(key);
    this.moved();
    const lost = this.#faults.find((fault) => fault.fault === 'undo loses reply' && !this.fired.has(fault));
    if (lost === undefined) return undefined;
    this.fired.add(lost);
    throw new Error('the reply of the undo was lost');
  }

  async #carryOut(spec: ToolSpec, args: CallArgs, key: string, fault: CallFault['fault'] | null): Promise<unknown> {
    const attempt: Attempt = { key, isRefused: false };
    this.#attempts.add(attempt);
    try {
      await sleep(spec.before);
      if (fault === 'refuses') throw new Error('refused');
      if (fault === 'not applied') throw new NotApplied('nothing happened');
      if (fault === 'acts late') await sleep(SLOW);
      if (this.#void.has(key)) throw new Error('refused: this key is void');
      if (attempt.isRefused) throw new Error('refused: it was said that this call did not happen');
      this.#apply(spec, args, key);
    } finally {
      this.#attempts.delete(attempt);
    }
    if (fault === 'never replies') await sleep(SLOW);
    await sleep(fault === 'late reply' ? 15 : spec.after);
    if (fault === 'loses reply' || fault === 'never replies' || fault === 'acts late')
      throw new Error('connection reset');
    return fault === 'bad output' && spec.schema ? { unreadable: true } : this.#answers(spec, args);
  }

  /** Answers a call, and remembers what was wrong. */
  #answers(spec: ToolSpec, args: CallArgs): number {
    const value = this.answer(spec, args);
    const site = siteOf(args);
    if (value !== rightAnswer(spec, args))
      this.wrong.set(site, { value, count: (this.wrong.get(site)?.count ?? 0) + 1, last: Date.now() });
    return value;
  }

  #apply(spec: ToolSpec, args: CallArgs, key: string): void {
    if (spec.effect === 'none') return;
    // What is published may be asked for again, whatever its class.
    const isKnown =
      (spec.effect === 'idempotent' || spec.buffer) && this.acts.some((act) => act.key === key && act.stands);
    if (!isKnown) this.acts.push({ tool: spec, args, key, stands: true });
    this.moved();
  }

  #take(site: Site): CallFault['fault'] | null {
    const fault = this.#faults.find(
      (each) =>
        'site' in each &&
        each.site === site &&
        !this.fired.has(each) &&
        each.fault !== 'wrong' &&
        each.fault !== 'misspelt',
    );
    if (fault === undefined) return null;
    this.fired.add(fault);
    return fault.fault as CallFault['fault'];
  }

  #mint(): string {
    this.#minted += 1;
    return `without a sidecar ${this.#minted}`;
  }
}
