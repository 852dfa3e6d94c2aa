/**
 * Ninety days of a run on a driven clock, in processes that end at random: delays, approval windows and the waits of counterparties fire
 * when they are due on the world's clock, or as soon as a process is there again (semantics.md, "Beyond the model").
 */
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { ApprovalRequest } from '../../src/effects/gates.ts';
import { EntryDecoder } from '../../src/journal/entry-codec.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import type { Entry } from '../../src/model/entry.ts';
import { resume, type SidecarOptions } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { freshPath } from '../journal/files.ts';
import { Chance } from '../simulation/chance.ts';
import { VirtualTime } from '../virtual-time.ts';

const [SECOND, HOUR, DAY] = [1_000, 3_600_000, 86_400_000];
/** How late something may be that was due while a process was there: a look at the clock, and a commit. */
const SOON = SECOND;
const sleep = (wait: number) => new Promise((resolve) => setTimeout(resolve, wait));

const { config } = loadConfig(
  `
belay: 1
agent: quarter
tools:
  order: { writes: [order], effect: irreversible, reconcile: { ask: findOrder, tries: 50, wait: 1h } }
  sign: { reads: [order], writes: [signed], effect: irreversible, gate: { expires: 40d } }
  offer: { reads: [signed], effect: irreversible, gate: { expires: 35d } }
skeletons:
  Order:
    entity: '"it"'
    states: [nap, ordering]
    entry: [nap]
    outputs: [order]
    exit: [{ id: ordered, at: ordering -> cooling, when: 'memory.?order.hasValue()' }]
    rollback: { anchors: [ordered], resume: nap }
`,
  { file: 'quarter.yaml' },
);

/** One run of the machine in some processes, and when what happened. */
class Quarter {
  readonly #time: VirtualTime;
  readonly #chance: Chance;
  readonly #path = freshPath();
  /** When a process was there. */
  readonly lives: { from: number; to: number }[] = [];
  readonly states: [state: string, at: number][] = [];
  readonly questions: number[] = [];
  readonly gates: (ApprovalRequest & { at: number })[] = [];
  #ordered = Number.NaN;

  constructor(time: VirtualTime, chance: Chance) {
    this.#time = time;
    this.#chance = chance;
  }

  get #now(): number {
    return this.#time.now();
  }

  #machine() {
    const order = tool(async () => {
      this.#ordered = this.#now;
      throw new Error('the line went dead');
    });
    return setup({
      actors: { order, sign: tool(async () => 'signed'), offer: tool(async () => 'taken') },
    }).createMachine({
      id: 'quarter',
      context: {},
      initial: 'nap',
      states: {
        nap: { after: { [2 * SECOND]: 'ordering' } },
        ordering: {
          invoke: {
            src: 'order',
            onDone: { target: 'cooling', actions: assign({ order: ({ event }) => event.output }) },
          },
        },
        cooling: { after: { [30 * DAY]: 'signing' } },
        signing: {
          invoke: {
            src: 'sign',
            onDone: { target: 'offering', actions: assign({ signed: ({ event }) => event.output }) },
          },
        },
        offering: { invoke: { src: 'offer', onDone: 'taken', onError: 'lapsed' } },
        taken: { type: 'final' },
        lapsed: { type: 'final' },
      },
    });
  }

  #options(store: ReturnType<typeof sqliteStore>): SidecarOptions<never> {
    return {
      run: 'r',
      journal: store,
      config,
      now: this.#time.now,
      reconcilers: {
        findOrder: () => {
          this.questions.push(this.#now);
          return this.#now < this.#ordered + 30 * HOUR ? { is: 'unknown' } : { is: 'applied', output: 'o1' };
        },
      },
      onGate: (gate: ApprovalRequest) => {
        // A gate that waits is told of again by each process that takes the run up.
        const isNew = !this.gates.some((known) => known.gate === gate.gate);
        if (gate.asks === 'approval' && isNew) this.gates.push({ ...gate, at: this.#now });
      },
    } as never;
  }

  get state(): string {
    return this.states.at(-1)?.[0] ?? '';
  }

  entered(state: string): number {
    return this.states.find(([name]) => name === state)?.[1] ?? Number.NaN;
  }

  /** Lives in processes until the end, or for half a year. */
  async live(): Promise<{ entry: Entry; time: number }[]> {
    const until = this.#now + 180 * DAY;
    while (this.#now < until && this.state !== 'lapsed' && this.state !== 'taken') {
      await this.#process();
      await sleep(this.#chance.pick([0, SECOND, HOUR, this.#chance.int(0, 3) * DAY]));
    }
    const store = sqliteStore(this.#path, { now: this.#time.now });
    const reader = new EntryDecoder();
    const entries = [...store.read('r')].flatMap((row) => {
      const entry = reader.entry(row);
      return entry === null ? [] : [{ entry, time: row.time }];
    });
    store.close();
    return entries;
  }

  async #process(): Promise<void> {
    const store = sqliteStore(this.#path, { now: this.#time.now, leaseMs: 365 * DAY });
    const sidecar = await resume(this.#machine() as never, this.#options(store));
    const life = { from: this.#now, to: Number.POSITIVE_INFINITY };
    this.lives.push(life);
    sidecar.actor.subscribe((snapshot: unknown) => {
      const { value } = snapshot as { value: string };
      if (value !== this.state) this.states.push([value, this.#now]);
    });
    sidecar.actor.start();
    const ends = this.#now + this.#chance.pick([SECOND, 10 * HOUR, this.#chance.int(1, 20) * DAY]);
    while (this.#now < ends && this.state !== 'lapsed') {
      const asked = this.gates.find(({ at }) => at + 31 * DAY <= this.#now);
      if (asked !== undefined && this.state === 'signing') await sidecar.answer(asked.gate, 'approved', { by: 'Ada' });
      await sleep(Math.min(HOUR, Math.max(1, ends - this.#now)));
    }
    life.to = this.#now;
    await sidecar.close();
    store.close();
  }

  /** The moment by which something that was due has to have happened: a process has to be there. */
  latest(due: number): number {
    const life = this.lives.find(({ to }) => due + SOON < to);
    return life === undefined ? Number.POSITIVE_INFINITY : Math.max(due, life.from) + SOON;
  }

  isOnTime(happened: number, due: number): boolean {
    return happened >= due && happened <= this.latest(due);
  }
}

describe('ninety days of a run, in processes that end at random', () => {
  test.each([1, 2, 3])('fire what is due when it is due: %i', async (seed) => {
    const time = new VirtualTime();
    const quarter = new Quarter(time, new Chance(seed, 0));
    const began = time.now();
    const entries = await time.during(() => quarter.live());
    const at = (state: string) => quarter.entered(state);
    expect(quarter.states.map(([state]) => state)).toEqual([
      'nap',
      'ordering',
      'cooling',
      'signing',
      'offering',
      'lapsed',
    ]);
    expect(at('lapsed') - began).toBeGreaterThan(90 * DAY);
    // Two seconds, and longer than a timer of the platform can wait.
    expect(quarter.isOnTime(at('ordering'), at('nap') + 2 * SECOND)).toBe(true);
    expect(quarter.isOnTime(at('signing'), at('cooling') + 30 * DAY)).toBe(true);
    // An approval after 31 days opens a gate of 40; nobody's within 35 days closes the next.
    const [sign, offer] = quarter.gates as [ApprovalRequest & { at: number }, ApprovalRequest & { at: number }];
    expect(quarter.gates).toHaveLength(2);
    expect(at('offering')).toBeGreaterThanOrEqual(sign.at + 31 * DAY);
    expect(offer.at + 35 * DAY - (offer.expires ?? 0)).toBeLessThan(SOON);
    expect(quarter.isOnTime(at('lapsed'), offer.expires ?? 0)).toBe(true);
    // A counterparty is asked when the journal says so, and by each process that takes the run up.
    const asks = entries.flatMap(({ entry, time: said }) =>
      entry.do === 'asked' ? [{ next: entry.next ?? 0, said }] : [],
    );
    const nexts = asks.map(({ next }) => next);
    const isNear = (a: number, b: number) => a >= b && a <= b + SOON;
    const starts = [at('ordering'), ...quarter.lives.map(({ from }) => from)];
    for (const asked of quarter.questions) expect([...nexts, ...starts].some((due) => isNear(asked, due))).toBe(true);
    for (const [index, next] of nexts.entries()) {
      // A process that took the run up has asked before that, and set another time.
      if ((asks[index + 1]?.said ?? next) < next) continue;
      const waits = next < at('cooling') && quarter.lives.some(({ from, to }) => from < next && next + SOON < to);
      if (waits) expect(quarter.questions.some((asked) => isNear(asked, next))).toBe(true);
    }
  });
});
