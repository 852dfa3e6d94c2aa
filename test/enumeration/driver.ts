/**
 * Runs one case for real: attaches the sidecar, has the calls return in the order of the case, tells the failure, and has everything
 * return that is still held, until the run is done, parked, or nothing can happen any more.
 */
import { type BoundaryConfig, type Decision, loadConfig, memoryStore, type StoredRow } from 'belay-sidecar';
import { attach, type Sidecar } from 'belay-sidecar/xstate';
import { type Counted, Counters, noneCounted } from '../control-counters.ts';
import { VirtualTime } from '../virtual-time.ts';
import { type ConfigOptions, configPage } from './config-page.ts';
import type { EnumeratedCase } from './failures.ts';
import { callText, type LittleMachine, type Memory } from './little-machine.ts';
import { type RealMachine, realMachine } from './real-machine.ts';
import { suspectOf } from './suspect.ts';
import { World } from './world.ts';

/** A machine with its config, ready for any number of cases. */
export interface Bench {
  readonly real: RealMachine;
  readonly page: string;
  readonly config: BoundaryConfig;
  /** Starts a run over where that is the advice that it is parked with. */
  readonly reruns: boolean;
}

/** How a run came to rest. */
type Rest =
  | { readonly is: 'done' }
  | { readonly is: 'parked'; readonly verdict: string; readonly codes: readonly string[] }
  | { readonly is: 'hang'; readonly why: string };

export interface RunResult {
  readonly rest: Rest;
  readonly memory: Memory;
  readonly world: World;
  readonly decisions: readonly Decision[];
  /** How often the rules of control were needed. */
  readonly counts: Counted;
  /** The journal of the run, as it was before the process gave it back. */
  readonly rows: readonly StoredRow[];
}

/** The config or the run does not fit the little machine: a mistake of this test, or of the sidecar before anything failed. */
class DriverError extends Error {
  override readonly name = 'DriverError';
}

/** Builds the real machine and its config. */
export function benchOf(machine: LittleMachine, options: ConfigOptions, reruns = false): Bench {
  const real = realMachine(machine);
  const page = configPage(machine, real, options);
  const { config, findings } = loadConfig(page, { file: 'page.yaml' });
  if (config === null)
    throw new DriverError(`the config has errors: ${findings.map(({ message }) => message)}\n${page}`);
  return { real, page, config, reruns };
}

/** Runs one case. */
export async function runCase(one: EnumeratedCase, bench: Bench): Promise<RunResult> {
  const time = new VirtualTime();
  time.hold();
  const crashes: unknown[] = [];
  const noteCrash = (error: unknown) => void crashes.push(error);
  process.on('unhandledRejection', noteCrash);
  process.on('uncaughtException', noteCrash);
  try {
    const drive = await Drive.begin(one, bench, time, crashes);
    return await drive.whole(bench.reruns);
  } catch (error) {
    const world = bench.real.world ?? new World(one);
    return {
      rest: { is: 'hang', why: `crashed: ${String(error)}` },
      memory: {},
      world,
      decisions: [],
      counts: noneCounted(),
      rows: [],
    };
  } finally {
    process.off('unhandledRejection', noteCrash);
    process.off('uncaughtException', noteCrash);
    time.release();
  }
}

/** Calls that may return, timers that may fire and events that may be sent before a run counts as never coming to rest. */
const PATIENCE = 60;
/** Turns of the event loop in which a run may be busy with itself. */
const LONGEST = 2_000;

interface Parts {
  readonly case: EnumeratedCase;
  readonly sidecar: Sidecar;
  readonly time: VirtualTime;
  readonly world: World;
  readonly decisions: Decision[];
  /** How often the rules of control were needed. */
  readonly counts: Counted;
  readonly crashes: unknown[];
  /** Counts what the journal has taken and made durable. */
  readonly journaled: () => number;
  readonly rows: () => readonly StoredRow[];
}

class Drive {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  static async begin(
    one: EnumeratedCase,
    { real, config }: Bench,
    time: VirtualTime,
    crashes: unknown[],
  ): Promise<Drive> {
    const world = new World(one);
    real.world = world;
    const decisions: Decision[] = [];
    const counters = new Counters();
    const store = memoryStore({ now: time.now });
    const open = store.open.bind(store);
    let journaled = () => 0;
    let rows = (): readonly StoredRow[] => [];
    store.open = async (run, mode) => {
      const journal = await open(run, mode);
      journaled = () => journal.head + journal.durable;
      rows = () => [...journal.read()];
      const append = journal.append.bind(journal);
      journal.append = (rows) => {
        counters.appended(rows);
        return append(rows);
      };
      return journal;
    };
    const sidecar = await attach(real.machine, {
      run: 'r',
      config,
      journal: store,
      now: time.now,
      reconcilers: { find: world.find },
      undo: { undo: world.undo },
      onDecision: ({ decision, takenBack }) => {
        decisions.push(decision);
        counters.decided(decision, takenBack);
        world.log.push(`decision ${decision.verdict} ${codesOf(decision).join(' ')}`);
      },
    });
    sidecar.actor.subscribe({ error: (error) => crashes.push(error) });
    const counts = counters.counts;
    return new Drive({
      case: one,
      sidecar,
      time,
      world,
      decisions,
      counts,
      crashes,
      journaled: () => journaled(),
      rows: () => rows(),
    });
  }

  async whole(reruns: boolean): Promise<RunResult> {
    this.#parts.sidecar.actor.start();
    await this.#quiet();
    for (const name of this.#parts.case.heard) await this.#hear(name);
    await this.#failure();
    const rest = await this.#toRest(reruns);
    const { context } = this.#parts.sidecar.actor.getSnapshot() as { context: Memory };
    const rows = this.#parts.rows();
    await this.#parts.sidecar.close().catch(() => {});
    const { world, decisions, counts } = this.#parts;
    return { rest, memory: context, world, decisions, counts, rows };
  }

  /** Waits until promises and flushes have nothing more to do. */
  async #quiet(): Promise<void> {
    for (let idle = 0, before = -1, turns = 0; idle < 3; turns += 1) {
      if (turns > LONGEST) return void this.#parts.crashes.push('it is busy with itself for ever');
      await new Promise((resolve) => setImmediate(resolve));
      const now = this.#parts.journaled() + this.#parts.world.log.length;
      idle = now === before ? idle + 1 : 0;
      before = now;
    }
  }

  async #hear(name: string): Promise<void> {
    if (name === 'X') return this.#sendX();
    const held = this.#parts.world.calls.find((call) => call.name === name && call.isOpen);
    if (held === undefined) throw new DriverError(`before the failure, ${name} is not in flight`);
    held.return('answers');
    await this.#quiet();
  }

  async #sendX(): Promise<void> {
    if (!this.#waitsForX()) throw new DriverError('the machine does not wait for X');
    this.#parts.world.log.push('event X');
    this.#parts.sidecar.actor.send({ type: 'X' });
    await this.#quiet();
  }

  #waitsForX(): boolean {
    return (this.#parts.sidecar.actor.getSnapshot() as { can(event: { type: string }): boolean }).can({ type: 'X' });
  }

  async #failure(): Promise<void> {
    const { kind, call } = this.#parts.case;
    if (kind === 'nothing') return;
    const name = callText(call);
    this.#parts.world.log.push(`failure: ${name} ${kind}`);
    const held = this.#parts.world.calls.find((one) => one.name === name && one.isOpen);
    this.#parts.world.isTold = true;
    if (kind === 'lost reply') held?.return('loses its reply');
    else if (kind === 'throws before acting') held?.return('throws before acting');
    else
      void this.#parts.sidecar
        .fail('CONTRACT_VIOLATION', suspectOf(this.#parts.case))
        .catch((error) => this.#refused(error));
    await this.#quiet();
  }

  #refused(error: unknown): void {
    this.#parts.world.log.push(`fail() was refused: ${String(error)}`);
    this.#parts.crashes.push(`fail() was refused: ${String(error)}`);
  }

  async #toRest(reruns: boolean): Promise<Rest> {
    for (let turn = 0; turn < PATIENCE; turn += 1) {
      const [crash] = this.#parts.crashes;
      if (crash !== undefined) return { is: 'hang', why: String(crash) };
      if (await this.#step()) continue;
      const ended = await this.#ending();
      if (reruns && ended?.is === 'parked' && ended.verdict === 'rerun') {
        this.#parts.world.log.push('starts over, as advised');
        void this.#parts.sidecar.rerun().catch((error) => this.#parts.crashes.push(error));
        await this.#quiet();
        continue;
      }
      if (ended !== null) return ended;
      if (!this.#waitsForX() || this.#parts.sidecar.status === 'parked' || this.#parts.sidecar.status === 'recovering')
        return {
          is: 'hang',
          why: `at rest in ${JSON.stringify(this.#parts.sidecar.actor.getSnapshot().value)}, ${this.#parts.sidecar.status}`,
        };
      await this.#sendX();
    }
    return { is: 'hang', why: 'never comes to rest' };
  }

  /** Has the next call return, or the next timer fire. @returns false where there is none. */
  async #step(): Promise<boolean> {
    const open = this.#parts.world.calls.filter(({ isOpen }) => isOpen);
    const call = this.#parts.case.next === 'oldest' ? open[0] : open.at(-1);
    if (call !== undefined) call.return('answers');
    else {
      try {
        if (!this.#parts.time.fireNext()) return false;
      } catch (error) {
        this.#parts.crashes.push(error);
      }
    }
    await this.#quiet();
    return true;
  }

  async #ending(): Promise<Rest | null> {
    const none = Symbol('none');
    const nothing = new Promise<typeof none>((resolve) => setImmediate(() => resolve(none)));
    const ending = await Promise.race([this.#parts.sidecar.finished(), nothing]).catch((error) => ({
      status: 'broken' as const,
      error,
    }));
    if (ending === none || typeof ending === 'symbol') return null;
    if (ending.status === 'broken') return { is: 'hang', why: `crashed: ${String(ending.error)}` };
    if (ending.status === 'done') return { is: 'done' };
    if (ending.status === 'cancelled' || ending.status === 'compensated' || ending.status === 'paused')
      return { is: 'hang', why: `it was ${ending.status}` };
    if (ending.status === 'stuck') return { is: 'parked', verdict: 'stuck', codes: [ending.error] };
    return { is: 'parked', verdict: ending.decision.verdict, codes: codesOf(ending.decision) };
  }
}

/** Collects every refusal code in a decision, each once. */
function codesOf(decision: Decision): readonly string[] {
  const codes = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'code' && typeof inner === 'string') codes.add(inner);
      walk(inner);
    }
  };
  walk(decision.refusals);
  return [...codes].sort();
}
