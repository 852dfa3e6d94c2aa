/**
 * The state of the files at one moment: the time of the file system, and the contents of the files about to be read. A
 * later check compares the files with this state and finds every file that has changed since (semantics.md E4).
 */
import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { PROCESS } from '../../clock/clock.ts';
import type { Desk } from './change.ts';
import { contentOf, isThere } from './durable.ts';

/** The most looks at the clock of the file system before it has moved on. */
const LOOKS = 50;

interface Position {
  readonly at: string;
  /** The contents of the files that the keys name, by path; null for a file that did not exist. */
  readonly held: Readonly<Record<string, string | null>>;
}

/** Names the present state of the files. Waits for the next tick of the file system's clock, some milliseconds. */
export async function positionOf(desk: Desk, reads: readonly string[]): Promise<string> {
  const before = desk.aside.touch();
  let at = before;
  // Changes before this tick are older than its reading, and later changes are not.
  for (let looks = 0; at === before && looks < LOOKS; looks += 1) {
    await PROCESS.pause(1);
    at = desk.aside.touch();
  }
  const held = reads.flatMap((key) => {
    const path = pathIn(key);
    const content = path === null ? undefined : digestAt(desk, path);
    return path === null || content === undefined ? [] : [[path, content] as const];
  });
  return JSON.stringify({ at: String(at), held: Object.fromEntries(held) } satisfies Position);
}

/** True where a file may have changed since a position. */
export function changedSincePosition(desk: Desk, path: string, position: string): boolean {
  const { at, held } = JSON.parse(position) as Position;
  if (Object.hasOwn(held, path)) return held[path] !== digestAt(desk, path);
  let place = desk.root.place(path);
  // For a missing file, its folder tells whether one was removed.
  while (!isThere(place)) place = dirname(place);
  return lstatSync(place, { bigint: true }).ctimeNs >= BigInt(at);
}

/** The path that a key names if keys of files are written as in the config; null for a pattern. */
function pathIn(key: string): string | null {
  const path = key.replace(/^[a-z][a-z0-9+.-]*:/, '');
  return path.includes('*') || path.includes('%') ? null : path;
}

function digestAt({ root }: Desk, path: string): string | null | undefined {
  try {
    return contentOf(root.place(path))?.digest ?? null;
  } catch {
    return undefined;
  }
}
