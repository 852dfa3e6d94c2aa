/** What a writer does to its files in a run of twelve edits, drawn from a seed, and how the files are to be in the end. */
import type { GitEdit } from '../../src/adapters/index.ts';
import { LINES } from './git-at-work.ts';

/** A file as it is to be: its text, and if it is a program. */
export interface Wanted {
  readonly text: string;
  readonly isProgram: boolean;
}

/** The twelve edits of a writer, the numbers of those that it undoes in the end, newest first, and its files before and after. */
export interface Plan {
  readonly run: string;
  readonly edits: readonly GitEdit[];
  readonly undone: readonly number[];
  readonly before: Readonly<Record<string, string>>;
  readonly after: ReadonlyMap<string, Wanted | null>;
}

/** Draws numbers below a limit. */
export type Draw = (below: number) => number;

/** A source of numbers, the same for a seed. */
export function drawFrom(seed: number): Draw {
  let state = (seed * 2_654_435_761 + 12_345) % 2_147_483_647 || 1;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state;
  };
  for (let spin = 0; spin < 8; spin += 1) next();
  return (below) => next() % below;
}

const DOS = LINES.join('\r\n');

/** The acts on a file that no other edit of the writer touches. `undoable`: its undo has no later edit in its way. */
const ALONE: Readonly<
  Record<string, (run: string) => { readonly edit: GitEdit; readonly leaves: [string, Wanted | null][] }>
> = {
  create: (run) => ({
    edit: { path: `${run}/deep/new.txt`, content: 'new\n' },
    leaves: [[`${run}/deep/new.txt`, { text: 'new\n', isProgram: false }]],
  }),
  delete: (run) => ({ edit: { path: `${run}/gone.txt`, content: null }, leaves: [[`${run}/gone.txt`, null]] }),
  rename: (run) => ({
    edit: { from: `${run}/old.txt`, path: `${run}/named/anew.txt` },
    leaves: [
      [`${run}/old.txt`, null],
      [`${run}/named/anew.txt`, { text: 'old\n', isProgram: false }],
    ],
  }),
  program: (run) => ({
    edit: { path: `${run}/tool.sh`, content: 'echo\n', executable: true },
    leaves: [[`${run}/tool.sh`, { text: 'echo\n', isProgram: true }]],
  }),
  ignored: (run) => ({
    edit: { path: `out/${run}.log`, content: 'ignored\n' },
    leaves: [[`out/${run}.log`, { text: 'ignored\n', isProgram: false }]],
  }),
  bytes: (run) => ({
    edit: { path: `${run}/bytes`, content: 'a\0\r\nb' },
    leaves: [[`${run}/bytes`, { text: 'a\0\r\nb', isProgram: false }]],
  }),
};

/** The files of a writer before its run. */
function filesOf(run: string): Record<string, string> {
  return {
    [`${run}/a.txt`]: LINES.join('\n'),
    [`${run}/dos.txt`]: DOS,
    [`${run}/gone.txt`]: 'gone\n',
    [`${run}/old.txt`]: 'old\n',
    [`${run}/tool.sh`]: 'echo\n',
    [`${run}/bytes`]: 'a\0',
  };
}

/** Twelve edits: six of lines, of which the third edit is one, and six of files of their own, in an order that is drawn. */
export function drawnPlan(run: string, draw: Draw): Plan {
  const before = filesOf(run);
  const kinds: string[] = [...Object.keys(ALONE), 'a', 'a', 'a', 'dos', 'dos'];
  for (let at = kinds.length - 1; at > 0; at -= 1) {
    const other = draw(at + 1);
    [kinds[at], kinds[other]] = [kinds[other] as string, kinds[at] as string];
  }
  kinds.splice(2, 0, 'a');
  const lines = new Map(['a', 'dos'].map((name) => [name, [...LINES]]));
  const after = new Map<string, Wanted | null>(
    Object.entries(before).map(([path, text]) => [path, { text, isProgram: false }]),
  );
  const kept = new Map<string, string[]>([...lines].map(([name, all]) => [name, [...all]]));
  const alone = kinds.flatMap((kind, nth) => (kind in ALONE ? [nth] : []));
  const undone = [alone[draw(alone.length)] as number, 2].sort((one, other) => other - one);
  const edits = kinds.map((kind, nth): GitEdit => {
    const act = ALONE[kind]?.(run);
    if (act !== undefined) {
      if (!undone.includes(nth)) for (const [path, wanted] of act.leaves) after.set(path, wanted);
      return act.edit;
    }
    const [now, end] = [lines.get(kind) as string[], kind === 'dos' ? '\r\n' : '\n'];
    now[nth * 4] += ` edit ${nth}`;
    if (!undone.includes(nth)) (kept.get(kind) as string[])[nth * 4] = now[nth * 4] as string;
    return { path: `${run}/${kind}.txt`, content: now.join(end) };
  });
  for (const [kind, all] of kept)
    after.set(`${run}/${kind}.txt`, { text: all.join(kind === 'dos' ? '\r\n' : '\n'), isProgram: false });
  return { run, edits, undone, before, after };
}
