/** Runs a share of all cases, machine by machine, and counts how they end. */
import { addCounted, type Counted, noneCounted } from '../control-counters.ts';
import type { ConfigOptions } from './config-page.ts';
import { benchOf, runCase } from './driver.ts';
import { casesOf, caseText, type EnumeratedCase } from './failures.ts';
import { judge, type Verdict } from './judge.ts';
import { legalEndings } from './legal.ts';
import type { LittleMachine } from './little-machine.ts';
import { hasCase, hasCasesOf, type Share } from './share.ts';

export interface EnumerationOptions extends ConfigOptions {
  readonly machines: Iterable<LittleMachine>;
  readonly shares: readonly Share[];
  /** Starts runs over where that is the advice. */
  readonly reruns?: boolean;
  /** Told of each case before it is run. */
  readonly onCase?: (one: EnumeratedCase) => void;
}

/** How many cases ended how. */
export interface Counts {
  cases: number;
  same: number;
  needed: number;
  needless: number;
  unsafe: number;
  hang: number;
}

/** A case that is worth a look. */
export interface Told {
  readonly id: string;
  readonly text: string;
  readonly shape: string;
  readonly is: 'unsafe' | 'hang' | 'needless';
  readonly cause: string;
}

export interface Enumeration {
  readonly shapes: Readonly<Record<string, Counts>>;
  readonly totals: Counts;
  readonly told: readonly Told[];
  /** How often the rules of control were needed. */
  readonly counted: Counted;
  readonly seconds: number;
}

/** Runs the cases one after the other. */
export async function enumerate(options: EnumerationOptions): Promise<Enumeration> {
  const began = performance.now();
  const shapes: Record<string, Counts> = {};
  const totals = none();
  const told: Told[] = [];
  const counted = noneCounted();
  for (const machine of options.machines) {
    shapes[machine.shape] ??= none();
    const counts = shapes[machine.shape] as Counts;
    for (const [one, verdict] of await runMachine(machine, options, counted)) {
      count(counts, verdict);
      count(totals, verdict);
      const is = verdict.is === 'parked' && !verdict.isNeeded ? 'needless' : verdict.is;
      if (is === 'same' || is === 'parked') continue;
      told.push({
        id: one.id,
        text: caseText(one),
        shape: machine.shape,
        is,
        cause: (verdict as { cause: string }).cause,
      });
    }
  }
  return { shapes, totals, told, counted, seconds: (performance.now() - began) / 1000 };
}

async function runMachine(
  machine: LittleMachine,
  options: EnumerationOptions,
  counted: Counted,
): Promise<readonly (readonly [EnumeratedCase, Verdict])[]> {
  const shares = options.shares.filter((share) => hasCasesOf(machine, share));
  if (shares.length === 0) return [];
  const cases = [...casesOf(machine)].filter((one) => shares.some((share) => hasCase(one, share)));
  if (cases.length === 0) return [];
  const bench = benchOf(machine, options, options.reruns);
  const legal = legalEndings(machine);
  const judged: (readonly [EnumeratedCase, Verdict])[] = [];
  for (const one of cases) {
    options.onCase?.(one);
    const result = await runCase(one, bench);
    addCounted(counted, result.counts);
    judged.push([one, judge(one, result, legal, options.reconciles)]);
  }
  return judged;
}

function none(): Counts {
  return { cases: 0, same: 0, needed: 0, needless: 0, unsafe: 0, hang: 0 };
}

function count(counts: Counts, verdict: Verdict): void {
  counts.cases += 1;
  if (verdict.is === 'parked') counts[verdict.isNeeded ? 'needed' : 'needless'] += 1;
  else counts[verdict.is] += 1;
}
