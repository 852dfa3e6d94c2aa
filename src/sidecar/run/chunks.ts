/**
 * The chunks of a run: events that sources, its callbacks and observables, have sent their machines. Those that a restore takes back are handed on
 * again while their source lives, in order, before later ones of the same regions (semantics.md CH8). They wait in this process alone: the next one
 * begins every source anew.
 */
import { lifeOf } from '../../history/sources.ts';
import { type Region, regionName } from '../../model/region.ts';
import type { Kept } from '../../projection/rollback.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { ActorHandle, RuntimeEvent } from '../../runtime/microstep.ts';
import type { Origin, Runtime } from '../../runtime/runtime.ts';
import type { Actors } from './actors.ts';
import { receiptsIn } from './receipts.ts';

/** A chunk that waits. The end of a source waits as its last chunk does. */
export interface Chunk {
  readonly ref: ActorHandle;
  readonly event: RuntimeEvent;
  readonly source: ActorHandle;
  /** The regions that took it, or would have. */
  readonly regions: readonly Region[];
  /** True if a restore took back the receipt of the chunk: it waits until the same regions take it again. */
  readonly isBack: boolean;
}

/** The surroundings of the chunks of a run. */
interface ChunkPort {
  readonly runState: RunState;
  readonly runtime: Runtime;
  readonly actors: Actors;
  /** True while nothing may be handed on. */
  isHeld(): boolean;
  /** Tells a finding. */
  finds(code: string, text: string): void;
}

/** The chunks of one run. */
export class Chunks {
  readonly #port: ChunkPort;
  /** The number of the first step of this process: chunks that came before are of lives that are over. */
  readonly #first: number;
  /** Those that wait for their regions, in order. */
  #waiting: Chunk[] = [];
  /** The chunk that is being handed on past those that wait. */
  #passing: Chunk | null = null;

  constructor(port: ChunkPort) {
    this.#port = port;
    this.#first = port.runState.places.next;
  }

  /** True while a chunk waits. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** An event as a chunk; null where no source sent it. */
  of(ref: ActorHandle, event: RuntimeEvent, from: Origin | undefined): Chunk | null {
    const source = from?.source() ?? this.#port.runtime.teller(ref, event) ?? null;
    const number = source === null ? undefined : this.#port.actors.numberOf(source);
    if (source === null || number === undefined || this.#isCall(number)) return null;
    return { ref, event, source, regions: this.#takers(ref, event), isBack: false };
  }

  #isCall(number: number): boolean {
    return this.#port.runState.actor(number).started?.kind !== 'other';
  }

  /** True where an event is a chunk and waits behind others of its source. */
  keeps(ref: ActorHandle, event: RuntimeEvent, from: Origin | undefined): boolean {
    if (!this.isWaiting) return false;
    if (this.#isPassing(event, from)) return false;
    const chunk = this.of(ref, event, from);
    if (chunk === null || !this.#isBehind(chunk, this.#waiting)) return false;
    this.#waiting.push({ ...chunk, isBack: true });
    return true;
  }

  #isPassing({ type }: RuntimeEvent, from: Origin | undefined): boolean {
    const passing = this.#passing;
    if (passing?.event.type !== type || (from?.source() ?? passing.source) !== passing.source) return false;
    this.#passing = null;
    return true;
  }

  /** True where a chunk has to wait behind others of its source. */
  holdsBack(chunk: Chunk): boolean {
    return this.#isBehind(chunk, this.#waiting);
  }

  /** Hands a chunk on, or has it wait for its regions. */
  handOn(chunk: Chunk): void {
    if (!chunk.isBack && !this.holdsBack(chunk)) {
      this.#deliver(chunk);
      return;
    }
    const isFirst = this.#waiting.every(({ source }) => source !== chunk.source);
    const own = { ...chunk, isBack: true };
    this.#waiting.push(own);
    this.offer();
    if (isFirst && this.#waiting.includes(own))
      this.#port.finds(
        'source_waits',
        `${chunk.event.type} of ${this.#nameOf(chunk)} was taken back. It is handed on once the run comes to a state that takes it; what ${this.#nameOf(chunk)} sends the same regions waits behind it.`,
      );
  }

  /** Hands on the chunks that their regions take by now. */
  offer(): void {
    for (let next = this.#next(); next !== undefined && !this.#port.isHeld(); next = this.#next()) {
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      if (this.#lives(next)) this.#deliver(next);
      else if (!this.#isEnd(next))
        this.#port.finds(
          'source_lost',
          `${next.event.type} of ${this.#nameOf(next)} was taken back, and ${this.#nameOf(next)} was over before a state took it again.`,
        );
    }
  }

  /** The chunks of lives that go on. */
  living(chunks: readonly Chunk[]): Chunk[] {
    return chunks.filter((chunk) => this.#lives(chunk));
  }

  /** The first chunk that is to be handed on now, or given up. */
  #next(): Chunk | undefined {
    return this.#waiting.find((chunk, index) => {
      if (!this.#lives(chunk)) return true;
      if (this.#isBehind(chunk, this.#waiting.slice(0, index))) return false;
      // What no region had taken is dropped by the machine, as it would have been.
      if (chunk.regions.length === 0) return true;
      const takers = this.#takers(chunk.ref, chunk.event);
      return takers.some((region) => chunk.regions.includes(region));
    });
  }

  /**
   * True if a chunk is behind another chunk of its source for the same regions; a chunk that no region would take is
   * behind every chunk.
   */
  #isBehind({ source, regions }: Chunk, others: readonly Chunk[]): boolean {
    return others.some(
      (other) =>
        other.source === source && (regions.length === 0 || other.regions.some((region) => regions.includes(region))),
    );
  }

  #deliver(chunk: Chunk): void {
    const { ref, event, source } = chunk;
    const { runtime } = this.#port;
    this.#passing = chunk;
    if (this.#isEnd(chunk)) runtime.deliver(ref, event);
    else runtime.machines?.relay(source, ref, event);
    this.#passing = null;
  }

  #isEnd({ ref, event }: Chunk): boolean {
    return this.#port.runtime.teller(ref, event) !== null;
  }

  /** True while the life goes on that a chunk belongs to. */
  #lives({ source }: Chunk): boolean {
    const { actors, runState } = this.#port;
    const number = actors.numberOf(source);
    return number !== undefined && actors.at(number) === source && runState.actor(number).ended === null;
  }

  #takers(ref: ActorHandle, event: RuntimeEvent): Region[] {
    const { runtime, actors } = this.#port;
    const number = actors.numberOf(ref) ?? 0;
    return (runtime.machines?.takers(ref, event) ?? []).map((path) => regionName(number, path));
  }

  #nameOf({ source }: Pick<Chunk, 'source'>): string {
    const { actors, runState } = this.#port;
    return runState.actor(actors.numberOf(source) ?? 0).started?.id ?? 'a source';
  }

  /**
   * The chunks whose receipt a restore is about to take back. Call it before the restore.
   * @returns a function that puts these chunks before the waiting ones after the restore; chunks of a life that is over
   * are void.
   */
  takingBack(kept: readonly Kept[], aside: Parameters<typeof receiptsIn>[2]): (later: readonly Chunk[]) => Chunk[] {
    const { runState, actors } = this.#port;
    const receipts = receiptsIn(runState, kept, aside);
    const back = receipts.flatMap((receipt): Chunk[] => {
      const [source, ref] = [actors.at(receipt.source), actors.at(receipt.actor)];
      if (source === undefined || ref === undefined || receipt.nth < this.#first) return [];
      return [{ ref, source, event: receipt.event, regions: receipt.regions, isBack: true }];
    });
    const refs = new Map(
      [...new Set(receipts.map(({ source }) => source))].map((source) => [source, actors.at(source)]),
    );
    return (later) => {
      for (const [source, ref] of refs) {
        const old = receipts.filter((receipt) => receipt.source === source && receipt.nth < this.#first).length;
        const isSame = ref !== undefined && actors.at(source) === ref && runState.actor(source).ended === null;
        if (isSame && old > 0) this.#tellOfDead(ref, old);
      }
      const waited = this.#waiting;
      this.#waiting = [];
      const all = [...back, ...waited, ...later.map((chunk) => ({ ...chunk, isBack: true }))];
      return this.living(all);
    };
  }

  #tellOfDead(source: ActorHandle, count: number): void {
    this.#port.finds(
      'source_lost',
      `${count} ${count === 1 ? 'event' : 'events'} of ${this.#nameOf({ source })} that came before the run was taken up ${count === 1 ? 'was' : 'were'} taken back: the process that had them is over, and they do not come again.`,
    );
  }

  /** Tells of sources that another process had and this one cannot make again: their machine spawned them as values, without a name. */
  tellLost(sources: readonly number[]): void {
    for (const number of sources) {
      const { started } = this.#port.runState.actor(number);
      if (started?.kind === 'other' && started.src === null)
        this.#port.finds(
          'source_lost',
          `${started.id} is gone with the process that had it: it was spawned without a name. Provide it under a name: setup({ actors }).`,
        );
    }
  }

  /** Tells of sources that were begun anew and that kept steps have told something: no step tells it again. */
  tellAnew(sources: Iterable<number>): void {
    const { actors, runState } = this.#port;
    for (const number of sources) {
      const now = actors.at(number);
      if (now === undefined || this.#isCall(number)) continue;
      const chain = runState.places.chain(lifeOf(number)).slice(0);
      const count = chain.filter(({ entry }) => entry?.tells?.includes(number) === true).length;
      if (count > 0)
        this.#port.finds(
          'source_begun_anew',
          `${this.#nameOf({ source: now })} was begun anew, and does not know what ${count === 1 ? 'a step' : `${count} steps`} had told it before: no step tells it again.`,
        );
    }
  }
}
