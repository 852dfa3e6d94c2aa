/** The inverse of one call: its difference, taken out of the files as the run left them, by a three-way merge. */
import type { Change, History, Step } from './history.ts';
import type { Entry, Objects } from './objects.ts';

/** The changes that undo a call; `conflict` names the path where they meet a later change. */
interface Inverse {
  readonly changes: readonly Change[];
  readonly conflict: string | null;
}

/**
 * The changes that take one call out.
 * @param file the file as it is, by path.
 */
export async function inverseOf(objects: Objects, step: Step, file: (path: string) => Entry | null): Promise<Inverse> {
  const changes: Change[] = [];
  for (const { path, before, after } of step.changes) {
    const ours = file(path);
    const back = await merged(objects, ours, after, before);
    if (back === undefined) return { changes: [], conflict: path };
    if (back?.oid !== ours?.oid || back?.mode !== ours?.mode) changes.push({ path, before: ours, after: back });
  }
  return { changes, conflict: null };
}

/** The entry of a three-way merge, or undefined for a conflict. */
async function merged(
  objects: Objects,
  ours: Entry | null,
  base: Entry | null,
  theirs: Entry | null,
): Promise<Entry | null | undefined> {
  const is = (one: Entry | null, other: Entry | null) => one?.oid === other?.oid && one?.mode === other?.mode;
  if (is(ours, base)) return theirs;
  if (is(base, theirs) || is(ours, theirs)) return ours;
  if (ours === null || base === null || theirs === null) return undefined;
  const mode = ours.mode === base.mode ? theirs.mode : ours.mode;
  if (ours.oid === base.oid) return { mode, oid: theirs.oid };
  if (base.oid === theirs.oid || ours.oid === theirs.oid) return { mode, oid: ours.oid };
  const bytes = await objects.merged(ours.oid, base.oid, theirs.oid);
  return bytes === null ? undefined : { mode, oid: await objects.stored(bytes) };
}

/**
 * The reason why a call cannot be taken out, or null. Any later call that stands may be in the way, and the reason names the first one.
 * @param undoneBefore the keys of later calls that are undone before it, the newest first.
 */
export async function blockerOf(
  objects: Objects,
  history: History,
  step: Step,
  undoneBefore: readonly string[],
): Promise<string | null> {
  const later = history.steps.slice(history.steps.indexOf(step) + 1);
  const standing = later.filter(({ key, undoes }) => key !== null && undoes === undefined && !history.isUndone(key));
  const files = new Map<string, Entry | null>();
  const file = (path: string) => (files.has(path) ? (files.get(path) ?? null) : (history.file(path) ?? null));
  const before = standing.filter(({ key }) => undoneBefore.includes(key ?? '')).reverse();
  for (const one of [...before, step]) {
    const { changes, conflict } = await inverseOf(objects, one, file);
    for (const { path, after } of changes) files.set(path, after);
    if (conflict === null) continue;
    const others = standing.filter((other) => !before.includes(other) && touches(other, conflict));
    const first = (await firstInTheWay(objects, history, step, others, conflict)) ?? others[0];
    return `${conflict}: the same lines were changed by ${first?.key ?? 'a later undo'}`;
  }
  return null;
}

/** The first of some later calls behind which a call cannot be taken out any more. */
async function firstInTheWay(
  objects: Objects,
  history: History,
  step: Step,
  others: readonly Step[],
  path: string,
): Promise<Step | null> {
  for (const other of others) {
    const upTo = history.steps.slice(0, history.steps.indexOf(other) + 1);
    const at = (name: string) =>
      upTo.flatMap(({ changes }) => changes.filter((one) => one.path === name)).at(-1)?.after ?? null;
    if ((await inverseOf(objects, step, at)).conflict === path) return other;
  }
  return null;
}

function touches({ changes }: Step, path: string): boolean {
  return changes.some((one) => one.path === path);
}
