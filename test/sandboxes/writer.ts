/** An agent of workers whose tools work in a sandbox that is a folder. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FolderHandle } from '../../src/adapters/sandboxes/folder.ts';
import type { SandboxProvider } from '../../src/effects/sandbox.ts';
import { all, small } from '../workers/small.ts';

/** An agent that writes a file in its sandbox, waits for GO, looks at the file, and ends. */
export function writer(sandboxes: Readonly<Record<string, SandboxProvider>>, grace = '1s', name = 'writer') {
  const fileIn = (sandbox: unknown) => join((sandbox as FolderHandle).folder, 'text');
  const agent = small({
    name,
    config: `sandboxes: { box: { grace: ${grace}, snapshot: true } }
tools:
  write: { in: box, writes: [text], effect: reversible, undo: erase }
  look: { in: box, reads: [text], writes: [seen], effect: none }
skeletons:
  Text: { entity: '"text"', states: [writing, waiting, looking], entry: [writing], outputs: [text, seen] }
`,
    initial: 'writing',
    states: {
      writing: { invoke: { src: 'write', input: all, onDone: 'waiting' } },
      waiting: { on: { GO: 'looking' } },
      looking: { invoke: { src: 'look', input: all, onDone: 'over' } },
      over: { type: 'final' },
    },
    acts: {
      write: async ({ sandbox }) => writeFileSync(fileIn(sandbox), 'a'),
      look: async ({ sandbox }) => existsSync(fileIn(sandbox)),
    },
    more: { undo: { erase: async ({ sandbox }) => rmSync(fileIn(sandbox), { force: true }) } },
  });
  return { ...agent, sandboxes };
}
