/** Sandboxes that are folders: nothing runs in a folder, and its files stay until the sandbox is destroyed. */
import { createHash } from 'node:crypto';
import { cp, mkdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { SandboxAsk, SandboxProvider } from '../../effects/sandbox.ts';
import { NAME, refuseOther } from '../../model/argument.ts';

/** The handle of a sandbox that is a folder. */
export interface FolderHandle {
  readonly folder: string;
}

/**
 * Makes each sandbox a folder of its own below `root`. What a run that has failed has left can be looked at there, until the sandbox is
 * swept.
 * @param root the folder of all of them; it is made where it is not there.
 * @example
 * import { mkdtempSync } from 'node:fs';
 * import { folderSandboxes } from 'belay-sidecar/adapters';
 *
 * const folders = folderSandboxes(mkdtempSync('boxes-'));
 * const ask = { key: 'r/box', run: 'r', name: 'box', handle: undefined };
 * await folders.start(ask);
 * assert.equal((await folders.probe(ask)).is, 'running');
 * await folders.destroy(ask);
 * assert.equal((await folders.probe(ask)).is, 'gone');
 */
export function folderSandboxes(root: string): Required<SandboxProvider> {
  refuseOther('folderSandboxes', { root: [root, NAME] });
  const top = resolve(root);
  const folderOf = ({ key }: SandboxAsk) => join(top, nameOf(key), 'box');
  const isThere = (path: string) =>
    stat(path).then(
      (found) => found.isDirectory(),
      (error: { code?: string }) => {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
        throw error;
      },
    );
  return {
    start: async (ask): Promise<FolderHandle> => {
      await mkdir(folderOf(ask), { recursive: true });
      return { folder: folderOf(ask) };
    },
    probe: async (ask) =>
      (await isThere(folderOf(ask))) ? { is: 'running', handle: { folder: folderOf(ask) } } : { is: 'gone' },
    stop: async () => {},
    destroy: (ask) => rm(join(top, nameOf(ask.key)), { recursive: true, force: true }),
    snapshot: async (ask) => {
      const kept = join(nameOf(ask.key), `kept-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`);
      await cp(folderOf(ask), join(top, kept), { recursive: true, verbatimSymlinks: true });
      return kept;
    },
    restore: async (ask, snapshot) => {
      const kept = join(top, String(snapshot));
      if (!(await isThere(kept))) throw new Error(`${kept} is not there`);
      await rm(folderOf(ask), { recursive: true, force: true });
      await cp(kept, folderOf(ask), { recursive: true, verbatimSymlinks: true });
    },
  };
}

/** A name for a folder, which tells the key and is no path. */
export function nameOf(key: string): string {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 12);
  return `${key.replace(/[^\w-]+/g, '-').slice(0, 60)}-${hash}`;
}
