/** A provider of sandboxes in memory whose starts are slow, get lost and fail, and the edits in its rooms. */
import type { SandboxAsk, SandboxProvider, SandboxState } from '../../src/effects/sandbox.ts';
import type { Scenario } from './scenario.ts';

const SECOND = 1_000;

/** One sandbox as it is in the world. */
interface Room {
  readonly run: string;
  readonly key: string;
  is: 'up' | 'stopped' | 'gone' | 'destroyed';
  /** When it is ready, in milliseconds. */
  ready: number;
  /** The edits by the keys of their calls. */
  readonly edits: Map<string, string>;
  /** The keys of all edits that it ever had. */
  readonly had: Set<string>;
}

/** The rooms of one world, and what is wrong about how they were used. */
export class Rooms implements SandboxProvider {
  readonly all: Room[] = [];
  readonly wrong: string[] = [];
  /** The number of edits and looks under way. */
  acting = 0;
  /** The time until which nothing can be asked, in milliseconds. */
  dark = 0;
  /** The stops that were not answered. */
  unstopped = 0;
  /** True once a sweep has destroyed what the run had left: nothing is started or used any more. */
  isSwept = false;
  /** The rooms that were destroyed, each time. */
  readonly destroyed: string[] = [];
  /** The edits that lie beyond every room. */
  readonly beyond = new Map<string, string>();
  readonly #snapshots = new Map<string, { readonly key: string; readonly edits: ReadonlyMap<string, string> }>();
  #taken = 0;
  readonly #scenario: Scenario;
  readonly #now: () => number;
  readonly #happens: Set<string>;

  constructor(scenario: Scenario, now: () => number) {
    this.#scenario = scenario;
    this.#now = now;
    this.#happens = new Set(scenario.happens.map(({ is }) => is));
    if (scenario.snapshot) return;
    Object.assign(this, { snapshot: undefined, restore: undefined });
  }

  #of(key: string): Room | undefined {
    return this.all.findLast((room) => room.key === key && room.is !== 'gone' && room.is !== 'destroyed');
  }

  /** The rooms of the run that are there, running or not. */
  get there(): readonly Room[] {
    return this.thereOf('r');
  }

  thereOf(run: string): readonly Room[] {
    return this.all.filter((room) => room.run === run && (room.is === 'up' || room.is === 'stopped'));
  }

  /** The snapshots of a run that are there. */
  keptOf(run: string): number {
    return [...this.#snapshots.values()].filter(({ key }) => key.startsWith(`${run}/`)).length;
  }

  #refuseInTheDark(what: string, run: string): void {
    if (run === 'r' && this.#now() < this.dark) throw new Error(`${what}: the provider does not answer`);
  }

  async start({ key, run }: SandboxAsk): Promise<unknown> {
    this.#refuseInTheDark('start', run);
    if (this.isSwept && run === 'r') this.wrong.push(`${key} is started, and a sweep took it for over`);
    if (run === 'r' && this.#happens.delete('unstarted')) throw new Error('the request is lost');
    const isNever = run === 'r' && this.#happens.delete('never');
    const known = this.#of(key);
    const ready =
      this.#now() + (isNever ? Number.POSITIVE_INFINITY : (known === undefined ? this.#scenario.cold : 1) * SECOND);
    if (known === undefined) {
      if (this.thereOf(run).length > 0) this.wrong.push(`a second room is made, ${key}`);
      this.all.push({ run, key, is: 'up', ready, edits: new Map(), had: new Set() });
    } else if (known.is === 'stopped') Object.assign(known, { is: 'up', ready });
    if (run === 'r' && this.#happens.delete('lost')) throw new Error('the answer is lost');
    return { room: key };
  }

  async probe({ key, run }: SandboxAsk): Promise<SandboxState> {
    this.#refuseInTheDark('probe', run);
    const room = this.#of(key);
    if (room === undefined) return { is: 'gone' };
    if (room.is === 'stopped') return { is: 'stopped' };
    return room.ready <= this.#now() ? { is: 'running', handle: { room: key } } : { is: 'starting' };
  }

  async stop({ key, run }: SandboxAsk): Promise<void> {
    if (run === 'r' && this.#now() < this.dark) this.unstopped += 1;
    this.#refuseInTheDark('stop', run);
    const room = this.#of(key);
    if (room !== undefined) room.is = 'stopped';
  }

  /** Destroys a room with its snapshots. */
  async destroy({ key }: SandboxAsk): Promise<void> {
    for (const [name, snapshot] of this.#snapshots) if (snapshot.key === key) this.#snapshots.delete(name);
    const room = this.#of(key);
    if (room === undefined) return;
    room.is = 'destroyed';
    this.destroyed.push(key);
  }

  async snapshot({ key }: SandboxAsk): Promise<unknown> {
    const room = this.#of(key);
    if (room === undefined) throw new Error('there is no room');
    const name = `s${this.#taken++}`;
    this.#snapshots.set(name, { key, edits: new Map(room.edits) });
    return name;
  }

  async restore({ key }: SandboxAsk, snapshot: unknown): Promise<void> {
    const room = this.#of(key);
    if (room === undefined) throw new Error('there is no room');
    if (room.is !== 'up') this.wrong.push(`${key} is restored while it is ${room.is}`);
    const kept = this.#snapshots.get(String(snapshot));
    if (kept === undefined) throw new Error('there is no such snapshot');
    room.edits.clear();
    for (const [call, edit] of kept.edits) {
      room.edits.set(call, edit);
      room.had.add(call);
    }
  }

  /** An act in a room is over. */
  leave(): void {
    this.acting -= 1;
  }

  /** What runs is gone, with all that it held. */
  lose(): void {
    for (const room of this.there) Object.assign(room, { is: 'gone' });
  }

  /** The room of a handle, for an act in it. @throws where it is gone. */
  enter(handle: unknown, what: string): Room {
    const key = (handle as { room?: string } | undefined)?.room;
    const room = this.all.findLast((each) => each.key === key);
    if (room === undefined) this.wrong.push(`${what} is handed no room`);
    else if (room.is === 'stopped' || room.is === 'destroyed' || room.ready > this.#now())
      this.wrong.push(`${what} acts in ${key}, which is ${room.is}`);
    if (room === undefined || room.is !== 'up') throw new Error(`${what}: ${key} is not there`);
    return room;
  }

  /** Puts an edit where it belongs. */
  edit(handle: unknown, key: string, text: string): void {
    this.edits(handle, 'edit').set(key, text);
    this.enter(handle, 'edit').had.add(key);
  }

  /** Takes an edit back. */
  undo(handle: unknown, key: string): void {
    const edits = this.edits(handle, 'undo');
    if (edits !== this.beyond && !this.enter(handle, 'undo').had.has(key))
      this.wrong.push(`${key} is undone in a room that never had it`);
    edits.delete(key);
  }

  /** The edits that an act in a room deals with. */
  edits(handle: unknown, what: string): Map<string, string> {
    const room = this.enter(handle, what);
    return this.#scenario.class === 'beyond' || this.#scenario.class === 'irreversible' ? this.beyond : room.edits;
  }
}
