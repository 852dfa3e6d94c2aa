/**
 * The workshop against a model: random commands, crashes among them, and after each what must hold whatever happened. The model
 * knows nothing of recovery: it holds what was acknowledged, and what the world and the disk say for themselves.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StoredRow } from '../../src/journal/journal.ts';
import { readRun } from '../../src/sidecar/opening/read-run.ts';
import type { Sidecar } from '../../src/xstate/attach.ts';
import { Shop, type Told } from './model-based-driver.ts';
import { BEGUN, calmly, found, told } from './model-based-told.ts';
import { comparedNone, compareWithTrace } from './model-based-trace.ts';
import { workshopConfig } from './model-based-workshop.ts';

/** A failure is told as it was drawn: making it smaller takes longer than a test may. */
const RUNS = { numRuns: Number(process.env.BELAY_RUNS ?? 30), endOnFailure: true };

/** What was acknowledged as durable, and under how many configs the run went on. */
interface Model {
  acknowledged: readonly StoredRow[];
  configs: number;
}

const compared = comparedNone();
const seen = { crashes: 0, undone: 0, stale: 0, crashedInRecovery: 0 };

/** A command: something to do, after which every promise is looked at. */
abstract class Command implements fc.AsyncCommand<Model, Shop> {
  check(): boolean {
    return true;
  }

  async run(model: Model, shop: Shop): Promise<void> {
    await this.act(model, shop);
    await shop.quiet();
    this.#promises(model, shop);
  }

  abstract act(model: Model, shop: Shop): Promise<void>;
  abstract toString(): string;

  #promises(model: Model, shop: Shop): void {
    // No act without a durable intent: the world looks for it at every act.
    expect(shop.world.wrong).toEqual([]);
    // At most one effective act for a key.
    expect(shop.world.repeated()).toEqual([]);
    // Acknowledged implies durable: nothing that was is gone, and nothing of it is another.
    expect(shop.disk.rows.slice(0, model.acknowledged.length)).toEqual(model.acknowledged);
    expect(shop.disk.rows.map(({ seq }) => seq)).toEqual(shop.disk.rows.map((_, index) => index + 1));
    if (!shop.disk.crashed) model.acknowledged = [...shop.disk.rows];
    // What the journal says is what the machine says.
    const { value, memory } = shop.digest as { value: unknown; memory: unknown };
    const snapshot = (shop.sidecar as Sidecar).actor.getSnapshot();
    expect({ value, memory }).toEqual({ value: snapshot.value, memory: snapshot.context });
  }
}

class Tell extends Command {
  readonly told: Told;

  constructor(one: Told) {
    super();
    this.told = one;
  }

  override act(_: Model, shop: Shop): Promise<void> {
    return shop.tell(this.told);
  }

  override toString(): string {
    return JSON.stringify(this.told);
  }
}

/** The process dies in the nth append from now on, or at the end of what it was told, and is taken up. */
class CrashAt extends Command {
  readonly appends: number;
  readonly told: Told;

  constructor(appends: number, one: Told) {
    super();
    this.appends = appends;
    this.told = one;
  }

  override async act(_: Model, shop: Shop): Promise<void> {
    seen.crashes += 1;
    shop.disk.left = this.appends;
    const before = shop.reports.length;
    await shop.tell(this.told);
    if (shop.reports.length > before && shop.disk.crashed) seen.crashedInRecovery += 1;
    await shop.crash();
  }

  override toString(): string {
    return `crash at append ${this.appends} of ${JSON.stringify(this.told)}`;
  }
}

class Restart extends Command {
  override act(_: Model, shop: Shop): Promise<void> {
    return shop.restart();
  }

  override toString(): string {
    return 'restart';
  }
}

class Late extends Command {
  override async act(_: Model, shop: Shop): Promise<void> {
    shop.world.speak();
    await shop.quiet();
  }

  override toString(): string {
    return 'late answers';
  }
}

/** The run goes on under another config: everything certified so far is stale, and no later decision restores it. */
class ChangeConfig extends Command {
  /** Whether something certified before is found wrong at once. */
  readonly probe: boolean;

  constructor(probe: boolean) {
    super();
    this.probe = probe;
  }

  override async act(model: Model, shop: Shop): Promise<void> {
    model.configs += 1;
    shop.config = workshopConfig(40 + model.configs);
    await shop.restart();
    const [instance] = shop.instances();
    if (!this.probe || instance === undefined || shop.sidecar?.status === 'parked') return;
    const before = shop.reports.length;
    await shop.fail('CONTRACT_VIOLATION', { instance: instance.id });
    const report = shop.reports[before];
    expect(report?.decision.verdict).toMatch(/^(?:rerun|escalate)$/);
    expect(report?.decision.refusals.filter((refusal) => 'code' in refusal).map(({ code }) => code)).toContain(
      'checkpoint_stale',
    );
    seen.stale += 1;
  }

  override toString(): string {
    return 'another config';
  }
}

class Jump extends Command {
  readonly by: number;

  constructor(by: number) {
    super();
    this.by = by;
  }

  override async act(_: Model, shop: Shop): Promise<void> {
    shop.jump(this.by);
  }

  override toString(): string {
    return `the clock jumps by ${this.by}`;
  }
}

/** Whether the counterparties answer when they are asked. */
class Answering extends Command {
  readonly now: boolean;

  constructor(now: boolean) {
    super();
    this.now = now;
  }

  override async act(_: Model, shop: Shop): Promise<void> {
    shop.world.answering = this.now;
  }

  override toString(): string {
    return `counterparties ${this.now ? 'answer' : 'are silent'}`;
  }
}

class Unblock extends Command {
  override act(_: Model, shop: Shop): Promise<void> {
    return shop.unblock();
  }

  override toString(): string {
    return 'a person unblocks it';
  }
}

const commands = fc.commands(
  [
    ...Array.from({ length: 9 }, () => told.map((one) => new Tell(one))),
    fc.tuple(fc.nat({ max: 8 }), told).map(([appends, one]) => new CrashAt(appends, one)),
    fc.tuple(fc.nat({ max: 6 }), found).map(([appends, one]) => new CrashAt(appends, one)),
    fc.constant(new Restart()),
    fc.constant(new Late()),
    fc.nat({ max: 5 }).map((draw) => new ChangeConfig(draw === 0)),
    fc.constantFrom(-3_600_000, -1, 3_600_000).map((by) => new Jump(by)),
    fc.boolean().map((now) => new Answering(now)),
    fc.constant(new Unblock()),
    fc.constant(new Unblock()),
  ],
  { maxCommands: 40, size: 'max' },
);

describe('whatever happens, in whatever order', () => {
  test('no act without an intent, one act for a key, nothing acknowledged is lost', async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (all) => {
        const shop = new Shop();
        await shop.open();
        for (const each of BEGUN) await shop.tell(each);
        const model: Model = { acknowledged: [], configs: 0 };
        await fc.asyncModelRun(() => ({ model, real: shop }), all);
        compareWithTrace(shop.disk.rows, shop.config, compared);
        seen.undone += shop.world.undone.length;
        await shop.sidecar?.close();
      }),
      RUNS,
    );
    expect(seen.crashes).toBeGreaterThan(RUNS.numRuns / 2);
    expect(seen.stale).toBeGreaterThan(0);
    expect(compared.exactly).toBeGreaterThan(RUNS.numRuns / 2);
    expect(compared.pieces).toBeGreaterThan(compared.exactly);
  });

  test('a crash anywhere in a recovery ends where the recovery would have ended', async () => {
    let restores = 0;
    let crashes = 0;
    const runs = fc.record({
      tolds: fc.array(calmly, { minLength: 6, maxLength: 20, size: 'max' }),
      wrong: found,
      flushed: fc.boolean(),
    });
    const until = async (tolds: readonly Told[]) => {
      const shop = new Shop();
      await shop.open();
      for (const each of tolds) await shop.tell(each);
      return shop;
    };
    const recoveries = ({ disk }: Shop) => readRun(disk.rows).runState.recoveries;
    // Each run has keys of its own: they are compared by the order in which they come.
    const ending = ({ digest, world }: Shop) => {
      const keys: string[] = [];
      const told = JSON.stringify({ acts: world.acts, undone: world.undone, digest });
      return told.replace(/belay-[\w-]{43}/g, (key) => {
        if (!keys.includes(key)) keys.push(key);
        return `key ${keys.indexOf(key)}`;
      });
    };
    await fc.assert(
      fc.asyncProperty(runs, async ({ tolds, wrong, flushed }) => {
        const before = [...BEGUN, ...tolds];
        const whole = await until(before);
        // What a parked run has not heard of yet is nobody's promise, and is gone with its process.
        if (whole.sidecar?.status !== 'running') return;
        const appends = whole.disk.appends;
        await whole.tell(wrong);
        const verdict = whole.reports.at(-1)?.decision.verdict;
        if (verdict !== 'restore' && verdict !== 'restore_joint') return;
        restores += 1;
        const expected = ending(whole);
        const decided = recoveries(whole);
        for (let at = 0; at < whole.disk.appends - appends; at += 1) {
          const shop = await until(before);
          shop.disk.left = at;
          shop.disk.keepsTail = flushed;
          await shop.tell(wrong);
          expect(shop.disk.crashed).toBe(true);
          await shop.crash();
          crashes += 1;
          // What nobody wrote down was never said: the person says it again.
          if (recoveries(shop) < decided) await shop.tell(wrong);
          // Regions side by side act in any order: what they did is compared, and not in which order.
          expect(unordered(ending(shop))).toEqual(unordered(expected));
          await shop.sidecar?.close();
        }
        await whole.sidecar?.close();
      }),
      RUNS,
    );
    expect(restores).toBeGreaterThan(RUNS.numRuns / 2);
    expect(crashes).toBeGreaterThan(RUNS.numRuns);
  });
});

/** An ending whose lists are sorted. */
function unordered(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) =>
    Array.isArray(value) ? value.map((one) => JSON.stringify(one)).sort() : value,
  );
}
