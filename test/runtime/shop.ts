/**
 * A shop that every runtime runs: it quotes a price, reserves goods, charges a card and ships. Quoting and reserving have nothing to do
 * with each other; charging reads the quote, and shipping what was charged and reserved.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { Journal, JournalStore } from '../../src/journal/journal.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import type { RunCommands } from '../../src/sidecar/opening/commands.ts';
import type { RunOptions } from '../../src/sidecar/opening/options.ts';
import type { Report } from '../../src/sidecar/report.ts';
import { wrapJournals } from '../../src/testing/wrap-journals.ts';

/** A step of the shop: its tool, its state and its instance have the same name. */
export type ShopStep = 'quote' | 'reserve' | 'charge' | 'ship';

/** The tools of the shop, as its steps call them. */
export type Act = (step: ShopStep, call: ToolCall<unknown>) => Promise<unknown>;

/** A runtime under test. A run of the shop that it has opened goes on at once. */
export interface RuntimeUnderTest {
  readonly name: string;
  /** The state that control comes to behind a step; the next one, if left out. */
  readonly behind?: string;
  /** The state that the control of a step stands for; itself, if left out. */
  stateOf?(value: unknown): unknown;
  open(how: 'attach' | 'resume', act: Act, options: RunOptions & { readonly input: string }): Promise<RunCommands>;
}

const skeleton =
  (step: ShopStep, next: string, joint = '') =>
  (behind = next) =>
    `
  ${step.toUpperCase()}:
    entity: '"it"'
    states: [${step}]
    entry: [${step}]
    outputs: [steps/${step}]
    exit:
      - { id: ${step}-done, at: ${step} -> ${behind}, when: 'memory.steps.?${step}.hasValue()' }
    rollback: { anchors: [${step}-done], resume: ${step}, compensable: undo, joint: [${joint}] }`;

const text = (behind?: string) => `
belay: 1
agent: shop
tools:
  quote: { reads: [input], writes: [steps/quote], effect: none }
  reserve: { reads: [input], writes: [steps/reserve], effect: reversible, undo: unreserve }
  charge: { reads: [steps/quote], writes: [steps/charge], effect: reversible, undo: refund }
  ship: { reads: [steps/reserve, steps/charge], writes: [steps/ship], effect: none }
skeletons:${skeleton('quote', 'reserve', 'CHARGE')(behind)}${skeleton('reserve', 'charge')(behind)}${skeleton('charge', 'ship')(behind)}${skeleton('ship', 'end')(behind)}
`;

function config(behind?: string): BoundaryConfig {
  const { config: loaded, findings } = loadConfig(text(behind), { file: 'shop.yaml' });
  if (loaded === null) throw new Error(findings.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return loaded;
}

/** A shop in a world of its own: what was done there stays done, whatever becomes of a process. */
export class Shop {
  /** The acts in the world, in order. */
  readonly acts: string[] = [];
  readonly keys: string[] = [];
  readonly decisions: string[] = [];
  /** Called when something was undone in the world, before the run hears of it. */
  onUndo: () => unknown = () => {};
  readonly #runtime: RuntimeUnderTest;
  readonly #folder = mkdtempSync(join(tmpdir(), 'belay-runtime-'));
  readonly #does: Partial<Record<ShopStep, (nth: number) => unknown>>;
  readonly #opened: (() => Promise<void>)[] = [];

  /** @param does the answer of a step, by how often it was called before; its name and that number, if left out. */
  constructor(runtime: RuntimeUnderTest, does: Partial<Record<ShopStep, (nth: number) => unknown>> = {}) {
    this.#runtime = runtime;
    this.#does = does;
  }

  /** The number of times that a step has acted. */
  count(step: ShopStep): number {
    return this.acts.filter((act) => act === step).length;
  }

  /** The idempotency key of the last call of a step. */
  keyOf(step: ShopStep): string {
    return this.keys.findLast((each) => each.startsWith(`${step} `))?.slice(step.length + 1) ?? '';
  }

  /** Opens the run in the one file of the shop, as a process of its own would. */
  async open(how: 'attach' | 'resume'): Promise<RunCommands & { kill(): Promise<void> }> {
    const process = new Process(join(this.#folder, 'runs.db'));
    const undo = (name: string) => async () => {
      this.acts.push(name);
      await this.onUndo();
    };
    const commands = await this.#runtime.open(how, (step, call) => this.#act(process, step, call), {
      run: 'r',
      config: config(this.#runtime.behind),
      journal: process.store,
      input: 'goods',
      undo: { unreserve: undo('unreserve'), refund: undo('refund') },
      onDecision: ({ decision }: Report) => void this.decisions.push(decision.verdict),
    });
    const kill = () => process.kill();
    this.#opened.push(() => commands.close().catch(() => {}), kill);
    return Object.assign(commands, { kill });
  }

  async #act(process: Process, step: ShopStep, { key }: ToolCall<unknown>): Promise<unknown> {
    const nth = this.count(step);
    this.acts.push(step);
    if (key !== undefined) this.keys.push(`${step} ${key}`);
    const answer = await (this.#does[step] ?? (() => `${step} ${nth}`))(nth);
    return process.isDead ? new Promise(() => {}) : answer;
  }

  /** The rows of the run, when no process has it open. */
  async rows() {
    const store = sqliteStore(join(this.#folder, 'runs.db'), { readonly: true });
    try {
      return [...(await store.read('r'))];
    } finally {
      await store.close();
    }
  }

  async close(): Promise<void> {
    for (const close of this.#opened) await close();
    rmSync(this.#folder, { recursive: true });
  }
}

/** A process that can be killed without killing ours: from then on it writes nothing, and hears nothing. */
class Process {
  isDead = false;
  readonly store: JournalStore;
  readonly #file: JournalStore;
  #journal: Journal | null = null;

  constructor(file: string) {
    const store = sqliteStore(file);
    this.#file = store;
    this.store = wrapJournals(store, (journal) => {
      this.#journal = journal;
      return {
        append: (rows) => (this.isDead ? journal.head : journal.append(rows)),
        flush: () => (this.isDead ? new Promise(() => {}) : journal.flush()),
      };
    });
  }

  async kill(): Promise<void> {
    if (this.isDead) return;
    this.isDead = true;
    await this.#journal?.close().catch(() => {});
    await this.#file.close();
  }
}
