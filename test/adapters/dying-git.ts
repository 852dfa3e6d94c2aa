/** Edits of the git adapter in a process that is killed at some moment. Each call is asked about before it is made. */
import { readFileSync } from 'node:fs';
import { gitAdapter } from '../../src/adapters/git/adapter.ts';

const { root, run, edits } = JSON.parse(process.argv[2] as string) as { root: string; run: string; edits: number };
const git = gitAdapter({ root, run });
const signal = new AbortController().signal;
process.stdout.write('ready\n');
for (let nth = 0; nth < edits; nth += 1) {
  const path = `${run}-${nth % 3}.txt`;
  const key = JSON.stringify(['r', 'Edit', `${nth}`, 0, 'edit', 0]);
  const found = await git.reconcile({ key, tool: 'edit', args: {} });
  if (found.is === 'applied') continue;
  // A life before may have undone the third already; whoever counts the commits sees if it was never made.
  if (found.is === 'unknown' && nth === 2) continue;
  if (found.is === 'unknown') throw new Error(`edit ${nth} is of unknown outcome`);
  const content = readFileSync(`${root}/${path}`, 'utf8').split('\n');
  content[nth] += ` edit ${nth}`;
  await git.edit({ input: { path, content: content.join('\n'), cost: { cents: 1 } }, key, signal });
}
const third = JSON.stringify(['r', 'Edit', '2', 0, 'edit', 0]);
await git.inverse.undo({ key: third, undoKey: `${third} undo`, tool: 'edit', args: {}, output: {} });
git.close();
