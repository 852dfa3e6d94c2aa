/**
 * Edits of the git adapter in a process that is killed at some moment. Each call is asked about before it is made. Prints `ready`, and once it
 * is through, what became of each edit.
 */
import { type GitEdit, GitRefused, gitAdapter } from '../../src/adapters/index.ts';

const { root, run, edits, undone } = JSON.parse(process.argv[2] as string) as {
  root: string;
  run: string;
  edits: GitEdit[];
  undone: number[];
};
const git = gitAdapter({ root, run });
const signal = new AbortController().signal;
const keyOf = (nth: number) => JSON.stringify(['r', 'Edit', `${nth}`, 0, 'edit', 0]);
process.stdout.write('ready\n');
const fates: string[] = [];
for (const [nth, input] of edits.entries()) {
  const key = keyOf(nth);
  const found = await git.reconcile({ key, tool: 'edit', args: {} });
  // A life before may have undone it already; whoever counts the commits sees if it was never made.
  if (found.is === 'not_applied')
    await git.edit({ input: { ...input, cost: { cents: 1 } }, key, signal }).then(
      () => fates.push('applied'),
      (error: unknown) => {
        if (!(error instanceof GitRefused)) fates.push(`unknown: ${String(error)}`);
        else if (error.code === 'moved') fates.push('moved');
        else throw error;
      },
    );
  else fates.push(found.is);
}
const left: string[] = [];
for (const nth of undone) {
  const call = { key: keyOf(nth), undoKey: `${keyOf(nth)} undo`, tool: 'edit', args: {}, output: {} };
  const why = await git.inverse.moved?.(call);
  if (why === null) await git.inverse.undo(call);
  else left.push(`${nth}: ${why}`);
}
git.close();
process.stdout.write(JSON.stringify({ fates, left }));
