/**
 * The folder that a tool may write into. Paths come from outside, so a path that leads out of the folder, by whatever
 * means, is refused before anything happens. A second name for a file is refused too: a rule about paths would not see
 * that it is the same file.
 */

import { accessSync, type BigIntStats, constants, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { CommitRefused, errorMessage, NotApplied } from '../../effects/signals.ts';
import { ArgumentError } from '../../model/argument.ts';
import { isThere, syncFolder } from './durable.ts';

/** A root and the folder aside of it, which tools may not write into. */
export class Root {
  readonly folder: string;
  readonly aside: string;

  /** @throws ArgumentError where the root is no folder, or the two folders cannot be used together. */
  constructor(root: string, aside: string) {
    if (!(statSync(root, { throwIfNoEntry: false })?.isDirectory() ?? false))
      throw new ArgumentError(`${root} is no folder`);
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    this.folder = realpathSync(root);
    this.aside = realpathSync(aside);
    if (!relative(this.aside, this.folder).startsWith('..')) throw new ArgumentError('the root lies inside of `aside`');
    // A rename cannot cross file systems.
    if (statSync(this.folder).dev !== statSync(this.aside).dev)
      throw new ArgumentError('`aside` is on another file system than the root');
  }

  /** The full path of a file that may be written. @throws NotApplied where there is none. */
  place(path: string): string {
    const refuse = (why: string) => new NotApplied(`${JSON.stringify(path)} ${why}`);
    const segments = path.split('/');
    if (path.includes('\0') || !path.isWellFormed() || isAbsolute(path) || (sep === '\\' && /[\\:]/.test(path)))
      throw refuse('is no relative path');
    if (segments.some((segment) => segment === '' || segment === '.' || segment === '..'))
      throw refuse('has an empty, `.` or `..` segment');
    const own = lstatSync(this.aside, { bigint: true });
    let here = this.folder;
    for (const [index, segment] of segments.entries()) {
      here = join(here, segment);
      const stat = look(here, refuse);
      if (stat === undefined) {
        // Missing folders are made here. Names and paths that their file system does not accept are refused before.
        for (const below of segments.slice(index + 1)) look(join(dirname(here), below), refuse);
        look(join(this.folder, ...segments), refuse);
        break;
      }
      const why = objectionTo(stat, own, index === segments.length - 1);
      if (why !== null) throw refuse(why);
    }
    return join(this.folder, ...segments);
  }

  /** @throws CommitRefused where the folder of a place, or of its first missing folder, cannot be written. */
  checkWritable(place: string): void {
    let folder = dirname(place);
    while (!isThere(folder)) folder = dirname(folder);
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new CommitRefused(`${relative(this.folder, place)} cannot be written: ${errorMessage(error)}`);
    }
  }

  /** Makes the folders on the way to a place. */
  makeWay(place: string): void {
    const missing: string[] = [];
    for (let folder = dirname(place); lstatSync(folder, { throwIfNoEntry: false }) === undefined; ) {
      missing.unshift(folder);
      folder = dirname(folder);
    }
    for (const folder of missing) {
      mkdirSync(folder);
      syncFolder(dirname(folder));
    }
  }
}

/** The reason why an entry on the way to a file, or the file itself, cannot be used; null where it can. */
function objectionTo(stat: BigIntStats, aside: BigIntStats, isFile: boolean): string | null {
  if (stat.isSymbolicLink()) return 'leads through a symbolic link';
  if (stat.ino === aside.ino && stat.dev === aside.dev) return 'lies in the folder that is kept aside';
  if (isFile) return stat.isFile() ? null : 'is no regular file';
  return stat.isDirectory() ? null : 'leads through a file';
}

function look(path: string, refuse: (why: string) => NotApplied): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    throw refuse(`cannot be looked at: ${errorMessage(error)}`);
  }
}
