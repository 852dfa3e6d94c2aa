/**
 * A workshop: a machine that does nothing by itself and everything that it is told, region by region, so that a test can drive
 * any history through the real sidecar. Around it a world that logs what is done to it, and a store whose process can crash.
 */
import { type AnyStateMachine, assign, fromPromise, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { Reconciler, Undo } from '../../src/effects/counterparty.ts';
import { NotApplied } from '../../src/effects/signals.ts';
import { EntryDecoder } from '../../src/journal/entry-codec.ts';
import {
  type Journal,
  JournalError,
  type JournalStore,
  type Row,
  type RunSummary,
  type StoredRow,
} from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { instanceName } from '../../src/model/instance.ts';
import { readRun } from '../../src/sidecar/opening/read-run.ts';
import { tool } from '../../src/xstate/tool.ts';

/** The regions of the workshop. */
export const REGIONS = ['r0', 'r1', 'r2'] as const;
export type RegionName = (typeof REGIONS)[number];

/** The tools that act, by what they do to the world. */
export const ACTS = ['idempotent', 'compensable', 'irreversible'] as const;
export type ActName = (typeof ACTS)[number];

/** How the first try of a call goes wrong. */
export const FAULTS = ['none', 'before', 'after', 'refused', 'silence', 'nonsense'] as const;
export type Fault = (typeof FAULTS)[number];

/** The reviewed config. `tries` is a part of its digest and nothing else here. */
export function workshopConfig(tries = 40, joint: readonly string[] = []): BoundaryConfig {
  const skeletons = REGIONS.map(
    (region) => `
  ${region.toUpperCase()}:
    entity: memory.who.${region}
    states: [${region}.working]
    entry: [${region}.working]
    outputs: ["cells/**", "asked/${region}"]
    commit:
      - { id: kept, at: ${region}.working.committing, when: 'true', outputs: ["cells/**"] }
    exit:
      - { id: left, at: ${region}.working.open -> ${region}.idle, when: 'true', outputs: ["cells/**"] }
    rollback: { anchors: [kept, left], resume: ${region}.working.open, compensable: undo, tries: 5, joint: ${JSON.stringify(joint)} }`,
  );
  const acts = ACTS.map(
    (name) =>
      `  ${name}: { reads: [], writes: ["cells/{args.at}"], effect: ${name}, reconcile: ask, timeout: 40, output: { type: string }${name === 'compensable' ? ', undo: take_back' : ''} }`,
  );
  const text = `belay: 1
agent: workshop
tries: ${tries}
tools:
  look: { reads: ["cells/{args.key}"], writes: [], effect: none }
${acts.join('\n')}
skeletons:${skeletons.join('')}
`;
  const { config, findings } = loadConfig(text, { file: 'workshop.yaml' });
  if (config === null) throw new Error(JSON.stringify(findings));
  return config;
}

interface Asked {
  readonly tag: string;
  readonly at: string;
  readonly key: string;
}

interface Told {
  readonly type: string;
  readonly entity?: string;
  readonly key?: string;
  readonly tag?: string;
}

interface Context {
  readonly who: Record<string, string>;
  readonly cells: Record<string, string>;
  readonly asked: Record<string, Asked>;
}

/** The machine, in a world. */
export function workshop(world: Workworld): AnyStateMachine {
  const set = (part: keyof Context, name: string, value: (told: Told) => unknown) =>
    assign(({ context, event }) => ({
      [part]: { ...(context as Context)[part], [name]: value(event as unknown as Told) },
    }));
  const region = (name: RegionName) => {
    const asking = set('asked', name, ({ tag = '', key = '' }) => ({ tag, key, at: `t-${name}` }));
    const input = ({ context }: { context: Context }) => context.asked[name];
    const acting = (src: string) => ({
      invoke: {
        src,
        input,
        onDone: {
          target: 'open',
          actions: assign(({ context, event }) => ({
            cells: { ...(context as Context).cells, [`t-${name}`]: (event as unknown as { output: string }).output },
          })),
        },
      },
    });
    return {
      initial: 'idle',
      states: {
        idle: {
          on: { [`begin.${name}`]: { target: 'working', actions: set('who', name, ({ entity }) => entity) } },
        },
        working: {
          initial: 'open',
          states: {
            open: {
              on: {
                [`write.${name}`]: {
                  actions: assign(({ context, event }) => {
                    const { key = '', tag = '' } = event as unknown as Told;
                    return { cells: { ...(context as Context).cells, [key]: tag } };
                  }),
                },
                [`read.${name}`]: { target: 'looking', actions: asking },
                ...Object.fromEntries(
                  ACTS.map((act) => [`${act}.${name}`, { target: `acting_${act}`, actions: asking }]),
                ),
                [`break.${name}`]: {
                  actions: assign(() => {
                    world.trip();
                    return {};
                  }),
                },
                [`commit.${name}`]: 'committing',
                [`exit.${name}`]: { target: `#workshop.${name}.idle` },
              },
            },
            looking: { invoke: { src: 'look', input, onDone: 'open' } },
            ...Object.fromEntries(ACTS.map((act) => [`acting_${act}`, acting(act)])),
            committing: { on: { [`go.${name}`]: 'open' } },
          },
        },
      },
    };
  };
  const acts = ACTS.map((name) => [
    name,
    tool(({ input, key }: { input: Asked; key: string | undefined }) => world.act(name, key, input.tag)),
  ]);
  return setup({
    actors: { look: fromPromise(async () => 'seen'), ...Object.fromEntries(acts) } as never,
  }).createMachine({
    id: 'workshop',
    context: { who: {}, cells: {}, asked: {} },
    type: 'parallel',
    states: Object.fromEntries(REGIONS.map((name) => [name, region(name)])),
  } as never) as never;
}

/** What is done to the world, and what it was told beforehand. */
export class Workworld {
  /** Every act that took effect, with its key, as often as it did. */
  readonly acts: { readonly name: string; readonly key: string }[] = [];
  readonly undone: string[] = [];
  /** What a person took back by hand. */
  readonly takenBack: string[] = [];
  /** What was found to be against the rules while it happened. */
  readonly wrong: string[] = [];
  /** How a call with a tag goes wrong at its first try. */
  readonly faults = new Map<string, Fault>();
  /** Whether the counterparties answer when they are asked. */
  answering = true;
  /** Asked at every act, for what is durable by then. */
  durable: () => Iterable<StoredRow> = () => [];
  #busy = 0;
  readonly #applied = new Map<string, string>();
  /** How often it was said of a call that it had not happened. */
  readonly #denied = new Map<string, number>();
  readonly #silent: (() => void)[] = [];
  #tripping = false;

  /** How many calls are under way whose answer, or whose deadline, is still to come. */
  get busyNow(): number {
    return this.#busy;
  }

  /** Lets the next assign of a `break` throw. */
  tripNext(): void {
    this.#tripping = true;
  }

  trip(): void {
    if (!this.#tripping) return;
    this.#tripping = false;
    throw new Error('tripped');
  }

  async act(name: ActName, key: string | undefined, tag: string): Promise<unknown> {
    this.#busy += 1;
    const asked = this.#denied.get(key ?? '') ?? 0;
    try {
      await new Promise((resolve) => setImmediate(resolve));
      // Who has said that a call did not happen sees to it that it does not happen later either.
      if ((this.#denied.get(key ?? '') ?? 0) > asked) throw new NotApplied('denied meanwhile');
      return await this.#act(name, key, tag);
    } finally {
      this.#busy -= 1;
    }
  }

  async #act(name: ActName, key: string | undefined, tag: string): Promise<unknown> {
    const fault = this.faults.get(tag) ?? 'none';
    this.faults.delete(tag);
    if (key === undefined) {
      this.wrong.push(`${name} ${tag} came without a key`);
      return '';
    }
    if (!this.#hasIntent(key)) this.wrong.push(`${name} acts under ${key}, and its intent is not durable`);
    if (fault === 'before') throw new Error('connection refused');
    if (fault === 'refused') throw new NotApplied('refused');
    const answer = `${name} ${tag}`;
    // An idempotent counterparty answers from memory; the others would act again.
    if (name !== 'idempotent' || !this.#applied.has(key)) this.acts.push({ name, key });
    this.#applied.set(key, answer);
    if (fault === 'after') throw new Error('connection reset');
    if (fault === 'nonsense') return 7;
    if (fault === 'silence') await this.#keepBack();
    return answer;
  }

  /** Nobody waits for an answer that is kept back, once its deadline is over. */
  async #keepBack(): Promise<void> {
    const spoken = new Promise<void>((resolve) => this.#silent.push(resolve));
    await new Promise((resolve) => setTimeout(resolve, 60));
    this.#busy -= 1;
    await spoken;
    this.#busy += 1;
  }

  #hasIntent(key: string): boolean {
    const reader = new EntryDecoder();
    for (const row of this.durable()) {
      const entry = reader.entry(row);
      if (entry?.do === 'intent' && entry.key === key) return true;
    }
    return false;
  }

  /** Lets the answers come that were kept back: late, all of them. */
  speak(): void {
    for (const resolve of this.#silent.splice(0)) resolve();
  }

  readonly ask: Reconciler = ({ key }) => {
    if (!this.answering) return { is: 'unknown' };
    return this.#has(key) ? { is: 'applied', output: this.#applied.get(key) } : { is: 'not_applied' };
  };

  /** What became of a call, for a person who looks. */
  truth(key: string): { status: 'confirmed' | 'failed'; output?: unknown } {
    return this.#has(key) ? { status: 'confirmed', output: this.#applied.get(key) } : { status: 'failed' };
  }

  #has(key: string): boolean {
    if (this.#applied.has(key)) return true;
    this.#denied.set(key, (this.#denied.get(key) ?? 0) + 1);
    return false;
  }

  readonly takeBack: Undo = ({ undoKey }) => {
    if (!this.undone.includes(undoKey)) this.undone.push(undoKey);
  };

  /** The keys under which something irrevocable happened more than once. */
  repeated(): string[] {
    const keys = this.acts.map(({ key }) => key);
    return keys.filter((key, index) => keys.indexOf(key) !== index);
  }
}

/** A disk that outlives its processes: what was flushed is there, what was not is gone. */
export class Disk {
  readonly rows: StoredRow[] = [];
  now: () => number = () => 1_000_000;
  /** How many appends the process at work still makes; it dies in the one after. */
  left = Number.POSITIVE_INFINITY;
  appends = 0;
  /** Whether what was appended before it dies has reached the disk by then. */
  keepsTail = false;
  #process: Process | null = null;

  /** The process that has this disk now, as a store. Whoever had it before is dead. */
  boot(): JournalStore {
    this.crash();
    this.left = Number.POSITIVE_INFINITY;
    this.#process = new Process(this);
    return this.#process;
  }

  get crashed(): boolean {
    return this.#process === null || this.#process.dead;
  }

  crash(): void {
    if (this.#process !== null) this.#process.dead = true;
    this.#process = null;
  }
}

class Process implements JournalStore {
  readonly work = memoryStore().work;
  dead = false;
  readonly disk: Disk;
  readonly #tail: StoredRow[] = [];

  constructor(disk: Disk) {
    this.disk = disk;
  }

  async open(run: string): Promise<Journal> {
    const own = this;
    const { disk } = this;
    return {
      run,
      get head() {
        return disk.rows.length + own.#tail.length;
      },
      get durable() {
        return disk.rows.length;
      },
      append: (rows) => this.#append(rows),
      flush: () => this.#flush(),
      read: (after = 0) => [...disk.rows, ...this.#tail].slice(after),
      posted: () => [],
      confirm: () => null,
      close: async () => {
        if (!this.dead) await this.#flush();
        this.dead = true;
      },
    };
  }

  #append(rows: readonly Row[]): number {
    const { disk } = this;
    if (!this.dead && disk.left <= 0) {
      this.dead = true;
      if (disk.keepsTail) disk.rows.push(...this.#tail.splice(0));
    }
    if (this.dead) throw new JournalError('journal_closed', 'the process is dead');
    disk.left -= 1;
    disk.appends += 1;
    for (const row of rows) {
      this.#tail.push({ ...row, seq: disk.rows.length + this.#tail.length + 1, time: disk.now() });
    }
    return disk.rows.length + this.#tail.length;
  }

  /** What a dead process waits for never comes. */
  async #flush(): Promise<number> {
    if (this.#tail.length > 0 || this.dead) await new Promise((resolve) => setImmediate(resolve));
    if (this.dead) return new Promise(() => {});
    this.disk.rows.push(...this.#tail.splice(0));
    return this.disk.rows.length;
  }

  *read(): Generator<StoredRow> {
    yield* this.disk.rows;
  }

  /** Nobody leaves this run a message. */
  post(): number {
    throw new JournalError('journal_cannot_write', 'no messages here');
  }

  posts(): readonly [] {
    return [];
  }

  run(): null {
    return null;
  }

  runs(): readonly RunSummary[] {
    return [];
  }

  async close(): Promise<void> {}
}

/** Where a run stands, by what its durable rows say: the same for two runs that differ only in how they came there. */
export function digest(rows: readonly StoredRow[]): unknown {
  const { runState: fold } = readRun(rows);
  const [root] = fold.actors;
  const committed = [...fold.history.registry.all()].flatMap(({ id, checkpoints }) => {
    const kinds = checkpoints.map(({ kind }) => kind);
    return id.skeleton.startsWith('(') ? [] : [[instanceName(id), kinds]];
  });
  return {
    value: root?.value,
    memory: root?.context,
    // A key is the run's own: calls are told by what it is made of, and by its generation.
    ledger: [...fold.ledger.all()]
      .map(({ key, intent, status }) => [instanceName(intent.instance), intent.tool, key.split('~')[1] ?? '', status])
      .sort(),
    live: [...fold.live.keys()].sort(),
    records: [...fold.records.keys()].sort(),
    committed: Object.fromEntries(committed.sort()),
  };
}
