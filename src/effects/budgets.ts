/**
 * Budgets: the amounts that a run may spend, admitted before a call leaves and charged when they are known. Spending is
 * history: a restart goes on from it, and a rollback gives nothing back. A call with an unknown outcome has spent its
 * admitted amounts.
 */
import type { Spend } from '../boundaries/config.ts';
import type { SpendEntry } from '../model/call-entries.ts';

/** The spending of a run. */
export class Budgets {
  readonly #spent = new Map<string, number>();
  readonly #admitted = new Map<string, SpendEntry['amounts']>();
  readonly #by = new Map<string, SpendEntry['amounts']>();
  /** The amounts that each call has spent since the last look, by budget; null in a run without pools. */
  #moved: Map<string, Record<string, number>> | null = null;

  /** The parts that a base holds. */
  get parts() {
    return { spent: this.#spent, admitted: this.#admitted, by: this.#by };
  }

  /** The spent amount of a budget, with the admitted amounts that are not charged yet. */
  spent(name: string): number {
    return this.#spent.get(name) ?? 0;
  }

  /** The amount that a call was admitted for, and is not charged for yet. */
  admitted(of: string): SpendEntry['amounts'] {
    return this.#admitted.get(of) ?? {};
  }

  /** The amount that a call has spent in all of its tries, by its key. */
  spentBy(of: string): SpendEntry['amounts'] {
    return this.#by.get(of) ?? {};
  }

  /** Notes changes from here on, for the pools of a store. */
  watch(): void {
    this.#moved = new Map();
  }

  /** The calls whose amounts have moved since the last look, each with what it has spent for good since. */
  moved(): ReadonlyMap<string, Readonly<Record<string, number>>> {
    const moved = this.#moved ?? new Map<string, Record<string, number>>();
    if (moved.size > 0) this.#moved = new Map();
    return moved;
  }

  /** Has the next look report a call with an admitted amount again. */
  touch(of: string): void {
    if (this.#admitted.has(of)) this.#move(of, {});
  }

  #move(of: string, spent: SpendEntry['amounts']): void {
    this.#moved?.set(of, { ...sum(this.#moved.get(of) ?? {}, spent) });
  }

  apply({ of, is, amounts }: SpendEntry): void {
    // A call that was under way when its process ended may have spent its admitted amounts: they stay charged.
    if (is === 'charged') this.release(of);
    this.#add(of, amounts, 1);
    const back = Object.entries(amounts).filter(([, amount]) => amount < 0);
    this.#move(of, is === 'charged' ? amounts : times(Object.fromEntries(back), 0));
    if (is !== 'admitted') return;
    const admitted = sum(this.#admitted.get(of) ?? {}, amounts);
    // An amount that was given back whole is no longer charged.
    const gone = new Set(back.flatMap(([name]) => (admitted[name] === 0 ? [name] : [])));
    this.#admitted.set(of, Object.fromEntries(Object.entries(admitted).filter(([name]) => !gone.has(name))));
  }

  /** Releases the admitted amounts of a call. It still counts in `calls` and `time`. */
  release(of: string): void {
    const { calls = 0, time = 0, ...amounts } = this.#admitted.get(of) ?? {};
    if (this.#admitted.has(of)) this.#move(of, { ...times(amounts, 0), calls, time });
    this.#add(of, amounts, -1);
    this.#admitted.delete(of);
  }

  #add(of: string, amounts: SpendEntry['amounts'], sign: 1 | -1): void {
    for (const [name, amount] of Object.entries(amounts)) {
      this.#spent.set(name, this.spent(name) + sign * amount);
      this.#by.set(of, sum(this.#by.get(of) ?? {}, { [name]: sign * amount }));
    }
  }
}

/** Each amount, multiplied: by 0 for none of it, by -1 to give it back. */
export function times(amounts: SpendEntry['amounts'], factor: 0 | -1): SpendEntry['amounts'] {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, factor === 0 ? 0 : -amount]));
}

function sum(a: SpendEntry['amounts'], b: SpendEntry['amounts']): SpendEntry['amounts'] {
  const both: Record<string, number> = { ...a };
  for (const [name, amount] of Object.entries(b)) both[name] = (both[name] ?? 0) + amount;
  return both;
}

/** The pools of a config, by budget, and the call that asks. */
interface Pooled {
  readonly pools: ReadonlyMap<string, string>;
  readonly of: string;
}

/**
 * The amounts that a call may spend and the amounts that this try is admitted for, or the reason why the call may not
 * leave. The store asks pools. A call that leaves again under its key has reserved its most already.
 */
export function admission(
  limits: ReadonlyMap<string, number>,
  budgets: Budgets,
  tool: { readonly spends: ReadonlyMap<string, Spend>; readonly timeout: number | null } | undefined,
  args: unknown,
  { pools, of }: Pooled,
): { readonly amounts: SpendEntry['amounts']; readonly admits: SpendEntry['amounts'] } | { readonly refused: string } {
  const amounts: Record<string, number> = {};
  const admits: Record<string, number> = {};
  for (const [name, limit] of limits) {
    const amount = asked(name, tool, args);
    const spent = budgets.spent(name);
    if (amount === null || amount < 0) return { refused: `budget ${name}: the amount that this call takes is unknown` };
    const isPooled = pools.has(name);
    if ((!isPooled && spent + amount > limit) || (name === 'time' && spent >= limit)) {
      return { refused: `budget ${name}: ${spent} of ${limit} are spent, and this call may take ${amount}` };
    }
    amounts[name] = amount;
    admits[name] = isPooled ? Math.max(0, amount - (budgets.admitted(of)[name] ?? 0)) : amount;
  }
  return { amounts, admits };
}

function asked(
  name: string,
  tool: { readonly spends: ReadonlyMap<string, Spend>; readonly timeout: number | null } | undefined,
  args: unknown,
): number | null {
  if (name === 'calls') return 1;
  if (name === 'time') return tool?.timeout ?? 0;
  // Nobody knows what an undeclared tool spends (E6).
  if (tool === undefined) return null;
  const spend = tool.spends.get(name);
  return spend === undefined ? 0 : spend.atMost.of({ args, output: undefined });
}

/**
 * The charge for a call that came back: the elapsed time and the reported amount, or the admitted amount if none was
 * reported. A failed call is charged its time only: its other amounts are known with its outcome.
 */
export function bill(
  of: string,
  admitted: SpendEntry['amounts'],
  tool: { readonly spends: ReadonlyMap<string, Spend> } | undefined,
  call: { readonly args: unknown; readonly output?: unknown; readonly took: number },
): SpendEntry[] {
  const { calls: _, time, ...rest } = admitted;
  const entries: SpendEntry[] = [];
  if (time !== undefined) entries.push({ do: 'spend', of, is: 'admitted', amounts: { time: call.took - time } });
  if (!('output' in call) || Object.keys(rest).length === 0) return entries;
  const amounts = Object.entries(rest).map(([name, most]) => {
    const said = tool?.spends.get(name)?.charge?.of({ args: call.args, output: call.output }) ?? null;
    return [name, said !== null && said >= 0 ? said : most];
  });
  return [...entries, { do: 'spend', of, is: 'charged', amounts: Object.fromEntries(amounts) }];
}
