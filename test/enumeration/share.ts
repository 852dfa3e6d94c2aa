/**
 * Divides the cases into shares, by digest and not by chance. Machines of three tools are divided first, since building one costs more
 * than running a case. Cases of one and two tools are few, so each is in several
 * shares, and no shape is left out of any.
 */
import { digest, type EnumeratedCase } from './failures.ts';
import type { LittleMachine } from './little-machine.ts';

/** One share: its number, and how many there are. */
export interface Share {
  readonly number: number;
  readonly of: number;
}

/** True where a share may have cases of a machine. */
export function hasCasesOf(machine: LittleMachine, { number, of }: Share): boolean {
  const groups = groupsOf(machine, of);
  return remainder(digest(machine.text), groups) === number % groups;
}

/** True where a share has a case. Asked only of machines that it has cases of. */
export function hasCase({ id, machine }: EnumeratedCase, { number, of }: Share): boolean {
  const groups = groupsOf(machine, of);
  const within = Math.min(of / groups, WITHIN[machine.tools.length - 1] ?? of);
  return remainder(id, within) === Math.floor((number % of) / groups) % within;
}

/** Into how many shares the cases of a group of machines are divided at most: those of machines with one tool, and with two. */
const WITHIN = [1, 4];

/** Counts the groups that the machines of a size are divided into: for three tools, so that at least four shares are within each. */
function groupsOf({ tools }: LittleMachine, of: number): number {
  const most = [1, 4][tools.length - 1] ?? Math.floor(of / 4);
  for (let groups = Math.min(most, of); groups > 1; groups -= 1) if (of % groups === 0) return groups;
  return 1;
}

function remainder(hexadecimal: string, of: number): number {
  return Number.parseInt(hexadecimal.slice(0, 8), 16) % of;
}
