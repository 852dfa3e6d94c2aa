/** What other processes than this one use of the processor. Read from `/proc`; where there is none, nothing is told. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A tick of the kernel, in microseconds. */
const TICK = 10_000;

interface Stat {
  readonly parent: number;
  readonly own: number;
  /** Of its children that have ended. */
  readonly ended: number;
}

function statOf(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may have spaces.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { parent, own: (user + system) * TICK, ended: (endedUser + endedSystem) * TICK };
  } catch {
    return null;
  }
}

/** Microseconds of the processor that processes have used since they began. */
export function cpuOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (statOf(pid)?.own ?? 0), 0);
}

/** Microseconds of a process and all of its children, those that have ended included; null where this machine does not tell. */
export function cpuOfFamily(pid: number): number | null {
  const head = existsSync('/proc') ? statOf(pid) : null;
  if (head === null) return null;
  const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = others.map((name) => statOf(Number(name))).filter((stat) => stat?.parent === pid);
  return children.reduce((sum, stat) => sum + (stat?.own ?? 0), head.own + head.ended);
}
