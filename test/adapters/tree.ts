/** What can be seen below a folder. Links are shown and not followed. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a folder by their paths, without what is kept aside in it. */
export function tree(folder: string, at = ''): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(folder, at))
      .sort()
      .flatMap((name) => {
        const path = at === '' ? name : `${at}/${name}`;
        const full = join(folder, path);
        const stat = lstatSync(full);
        if (name === '.belay') return [];
        if (stat.isSymbolicLink()) return [[path, `-> ${readlinkSync(full)}`]];
        return stat.isDirectory() ? Object.entries(tree(folder, path)) : [[path, readFileSync(full, 'latin1')]];
      }),
  );
}

/** The files that are kept aside, by their names without those of the calls. */
export function keptAside(aside: string): string[] {
  return readdirSync(aside, { recursive: true, encoding: 'utf8' })
    .filter((name) => lstatSync(join(aside, name)).isFile())
    .map((name) => name.replace(/[0-9a-f]{64}/, '*'))
    .sort();
}
