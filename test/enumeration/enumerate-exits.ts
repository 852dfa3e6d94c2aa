/** Runs a share of the complaints about finished work, and of all other failures under the policy that has exits restored. */
import { type Bench, benchOf, runCase } from './driver.ts';
import { difference, type ExitCase, exitCasesOf, expectedExit } from './exits.ts';
import { casesOf, caseText, digest } from './failures.ts';
import { judge } from './judge.ts';
import { legalEndings } from './legal.ts';
import type { LittleMachine } from './little-machine.ts';
import type { Share } from './share.ts';

/** How a share ended. */
export interface ExitCounts {
  cases: number;
  /** Ended as a run in which nothing failed. */
  same: number;
  parked: number;
  /** An exit with nobody behind it, under the policy. */
  alone: number;
  /** The same with work of no unit behind it, which was made again. */
  again: number;
  /** An exit with somebody behind it, under the policy. */
  behind: number;
  /** No policy. */
  without: number;
  /** Failures of any other kind, under the policy. */
  others: number;
  /** What ended unsafe or hung, or was answered otherwise than expected; each with its case. */
  readonly told: string[];
}

/** The groups that the machines are divided into first, since to build one costs more than to run a case. */
const GROUPS = 60;

function isOf(hexadecimal: string, number: number, of: number): boolean {
  return Number.parseInt(hexadecimal.slice(0, 8), 16) % Math.floor(of) === number % Math.floor(of);
}

/** Runs the share. */
export async function enumerateExits(machines: Iterable<LittleMachine>, share: Share): Promise<ExitCounts> {
  const counts = { cases: 0, same: 0, parked: 0, alone: 0, again: 0, behind: 0, without: 0, others: 0, told: [] };
  for (const machine of machines)
    if (isOf(digest(machine.text), share.number, GROUPS)) await runMachine(machine, share, counts);
  return counts;
}

async function runMachine(machine: LittleMachine, share: Share, counts: ExitCounts): Promise<void> {
  const legal = legalEndings(machine);
  const benches = new Map<string, Bench>();
  for (const drawn of drawnOf(machine)) {
    const { one, exits, bare } = drawn;
    if (!isOf(one.id, share.number, Math.max(1, share.of / GROUPS))) continue;
    const name = `${bare} ${exits}`;
    const bench = benches.get(name) ?? benchOf(machine, { reconciles: true, lies: false, exits, bare });
    benches.set(name, bench);
    const result = await runCase(one, bench);
    const verdict = judge(one, result, legal, true);
    const why = one.kind === 'finished work' ? answered(drawn, result, counts) : null;
    counts.cases += 1;
    if (one.kind !== 'finished work') counts.others += 1;
    if (verdict.is === 'same') counts.same += 1;
    else if (verdict.is === 'parked') counts.parked += 1;
    else counts.told.push(`${one.id} ${verdict.is}: ${verdict.cause} (${textOf(drawn)})`);
    if (why !== null) counts.told.push(`${one.id} ${why} (${textOf(drawn)})`);
  }
}

function answered(drawn: ExitCase, result: Awaited<ReturnType<typeof runCase>>, counts: ExitCounts): string | null {
  const expected = expectedExit(drawn);
  const group = !drawn.exits ? 'without' : expected.behind.size > 0 ? 'behind' : 'alone';
  counts[group] += 1;
  if (group === 'alone' && !expected.isHeld && expected.again.length > 0) counts.again += 1;
  return difference(drawn, expected, result);
}

/**
 * Every complaint about finished work, and every other failure under the policy. Wrong work without a key is left out where nobody is behind its
 * exit: the policy says that the complaint is then about what followed.
 */
function* drawnOf(machine: LittleMachine): Generator<ExitCase> {
  yield* exitCasesOf(machine);
  for (const one of casesOf(machine)) {
    const drawn = { one, exits: true, bare: null };
    if (one.kind !== 'wrong work' || expectedExit(drawn).behind.size > 0) yield drawn;
  }
}

function textOf({ one, exits, bare }: ExitCase): string {
  return `${caseText(one)}; exits ${exits ? 'restorable' : 'refused'}, ${bare ?? 'no tool'} in no skeleton`;
}
