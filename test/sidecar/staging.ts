/** A book in which calls are staged and then visible, and stations that stage in it. */
import type { StagingArea } from '../../src/effects/counterparty.ts';
import type { LocalStore } from '../../src/journal/journal.ts';
import type { Entry } from '../../src/model/entry.ts';
import { entriesOf } from '../journal/entries-of.ts';
import type { Line, Station } from './stations.ts';

/** A book in which a call is staged, and then visible. */
export class Book {
  readonly staged = new Set<string>();
  readonly visible: string[] = [];
  readonly publications: string[] = [];
  readonly discarded: string[] = [];
  fails: (() => void) | null = null;

  readonly buffer: StagingArea = {
    publish: async (calls, { id, boundary }) => {
      this.fails?.();
      if (this.publications.includes(id)) return;
      this.publications.push(id);
      for (const { key, args } of calls) {
        this.staged.delete(key);
        this.visible.push(`${boundary} ${JSON.stringify(args)}`);
      }
    },
    discard: (calls) => {
      for (const { key } of calls) {
        this.staged.delete(key);
        this.discarded.push(key);
      }
    },
  };

  stage(key: string | undefined): string {
    this.staged.add(key as string);
    return 'staged';
  }
}

export const staged = (more = ''): string => `effect: reversible, undo: un, buffer: book${more}`;

/** The entries of one kind in a journal. */
export function entries(journal: LocalStore, kind: Entry['do']): Entry[] {
  return entriesOf(journal.read('r')).filter((entry) => entry.do === kind);
}

/** One instance that stages twice and then commits, and one after it. */
export const twice: Station[] = [
  { name: 'a', reads: ['wanted'], tool: staged() },
  { name: 'b', reads: ['a'] },
];

/** The same line, whose boundary asks for nothing that the buffered call would have to answer. */
export function withCommit(line: Line): Line {
  const { config } = line;
  for (const skeleton of config.skeletons.values()) {
    for (const boundary of skeleton.boundaries) {
      Object.assign(boundary, { outputs: [], when: { text: 'true', ask: () => ({ is: 'yes' }) } });
    }
  }
  return line;
}
