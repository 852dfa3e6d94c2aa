/**
 * The holder of a lease, and its life. A process is known by host, pid and start, because a pid is used again. Where
 * the start cannot be known (no /proc) a living pid counts as the holder: waiting for the expiry is safe, taking over
 * is not.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process, as a lease names it. */
export interface Holder {
  /** The host name, and on Linux also the boot and the pid namespace, as a pid has a meaning only within these. */
  readonly host: string;
  readonly pid: number;
  /** The start of the process, in ticks since the boot; null where it is unknown. */
  readonly started: string | null;
}

/** This process. */
export function thisProcess(): Holder {
  const boot = tried(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
  const namespace = tried(() => readlinkSync('/proc/self/ns/pid'));
  const host = [hostname(), boot, namespace].filter((part) => part !== null).join(' ');
  return { host, pid: process.pid, started: statOf(process.pid)?.started ?? null };
}

/** A name for one opening of one run, which tells two holders in one process apart. */
export function ownerNonce(): string {
  return randomUUID();
}

/** True if a holder is known to be gone. One on another host never is. */
export function isGone(holder: Holder, here: Holder): boolean {
  if (holder.host !== here.host) return false;
  if (!exists(holder.pid)) return true;
  const stat = statOf(holder.pid);
  if (stat === null) return false;
  return stat.dead || (holder.started !== null && holder.started !== stat.started);
}

/** True if a holder is known to be gone wherever it ran. Hosts that have only a name may share it, so that nothing is known of those. */
export function isGoneAnywhere(holder: Holder, here: Holder): boolean {
  return holder.host.split(' ').length === 3 && isGone(holder, here);
}

/**
 * True if a holder whose lease ran out may still act. The log of a file lies in memory that only processes of one
 * machine share, and a reboot ends all of them.
 */
export function mayLive(holder: Holder, here: Holder): boolean {
  const [host, boot] = holder.host.split(' ');
  const [ownHost, ownBoot] = here.host.split(' ');
  if (host === ownHost && boot !== undefined && ownBoot !== undefined && boot !== ownBoot) return false;
  return !isGone(holder, here);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process lives, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * State and start from /proc/<pid>/stat: fields 3 and 22, counted after the name, which may hold anything but ends with the last
 * `)`.
 */
function statOf(pid: number): { dead: boolean; started: string | null } | null {
  const stat = tried(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { dead: fields[0] === 'Z' || fields[0] === 'X', started: fields[19] ?? null };
}

function tried(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
