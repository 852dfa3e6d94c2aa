/** The verb `compact`: its options, its help, and its call. */
import { statSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import type { Command } from 'commander';
import { type Compacted, type CompactTotals, compact } from '../archive/compact.ts';
import { JOURNAL } from '../reading/place.ts';
import { finish, terminal } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';
import { count } from '../terminal/wording.ts';

const NO_ERROR = { throwIfNoEntry: false } as const;

interface Given {
  journal: string;
  archive?: string;
  by?: string;
  dryRun?: boolean;
  json?: boolean;
}

/** Adds `belay compact`. */
export function addCompact(program: Command): void {
  program
    .command('compact')
    .argument('[run]', 'the name of one run, or a SQLite file of runs; left out, every run of the store')
    .option('--archive <folder>', 'the folder in which each is kept first, a file a run')
    .option('--by <name>', 'the name of the person who says so')
    .option('--dry-run', 'change nothing, and tell what would go')
    .option('--journal <file>', 'the SQLite file of the runs', JOURNAL)
    .option('--json', 'one JSON object a run, then one with the sums')
    .addHelpText(
      'after',
      `
A run goes where it has ended or was cancelled, no commit of it is owed, and it is
known what became of each of its calls: nothing of it can be restored any more.
Its archive is durable first (docs/archive-format.md), and belay show reads it:
--store FOLDER/order-1.0a1b2c3d4e5f.jsonl.

Of every other run in a SQLite file, the rows go that its base stands for, into a
folder beside the file (belay.sqlite-rows): first they are held against the base,
from which each decision and each resume is answered as before. While the folder
is there they are read as before, too; without it the run goes on, and what reads
it from its beginning says rows_archived. The rest stays, with the reason.

The file gets shorter by what went; in PostgreSQL the space of deleted runs is
used again.

Examples:
  belay compact --dry-run
  belay compact --archive kept --by ada
  belay compact order-1 --archive kept --by ada --json
  belay compact other.sqlite --dry-run

Exit code: 0, also where every run stays; 2 when there is no such run, the store
or the folder cannot be read or written, or the command is misused.`,
    )
    .action(async (named: string | undefined, given: Given) => {
      const { archive, by, dryRun = false, json = false } = given;
      // Where no other file is named, the word may name one.
      const isFile = named !== undefined && given.journal === JOURNAL && statSync(named, NO_ERROR)?.isFile() === true;
      const [run, journal] = isFile ? [null, named] : [named ?? null, given.journal];
      if (!dryRun && (archive === undefined || by === undefined))
        return finish(
          '',
          'name the folder of the archives and who says so: --archive FOLDER --by NAME, or --dry-run',
          2,
        );
      const reading = terminal('rows');
      let earlier = 0;
      const counting = (rows: number) => reading.progress(earlier + rows);
      const onRun = (told: Compacted) => {
        earlier += told.rows;
        reading.done();
        process.stdout.write(json ? `${JSON.stringify(told)}\n` : textOf(told, dryRun));
      };
      const done = await compact({ journal, run, into: archive ?? '', dryRun, counting, onRun });
      reading.done();
      if ('problem' in done) return finish('', done.problem, 2);
      if (json) return finish(`${JSON.stringify({ ...done, dryRun, ...(by !== undefined && { by }) })}\n`, null, 0);
      return finish(`${sums(done, dryRun)}\n`, null, 0);
    });
}

function textOf({ run, rows, why, of }: Compacted, dryRun: boolean): string {
  const name = `${printable(run)} (${count(rows, 'row')})`;
  if (why === null) return `${name} ${dryRun ? 'would be archived and deleted' : 'is archived and deleted'}\n`;
  const stays = `${name} stays: ${printable(why)}`;
  if (of === null || rows === 0) return `${stays}\n`;
  const went = of.moved === 0 ? 'are archived' : dryRun ? 'would be archived' : 'are archived now';
  const rest = of.archived === 0 ? 'its rows' : `its first ${count(of.archived, 'row')} ${went}, the others`;
  return `${stays}; ${rest} stay: ${printable(of.rest)}\n`;
}

function sums(totals: CompactTotals, dryRun: boolean): string {
  const { gone, goneRows, stayed, stayedRows, movedRows, folder, bytes } = totals;
  if (gone + stayed === 0) return 'no runs yet';
  const went = `${count(gone, 'run')} (${count(goneRows, 'row')}) ${dryRun ? 'would go' : 'went'}`;
  const stay = `${count(stayed, 'run')} (${count(stayedRows, 'row')}) ${stayed === 1 ? 'stays' : 'stay'}`;
  const into = `${count(movedRows, 'row')} of ${stayed === 1 ? 'it' : 'them'} ${dryRun ? 'would go' : 'went'} to ${printable(here(folder ?? ''))}`;
  const moved = movedRows === 0 ? [] : [into];
  const shorter = bytes === null || bytes <= 0 ? [] : [`the file is ${count(bytes, 'byte')} shorter`];
  return [went, stay, ...moved, ...shorter].join('; ');
}

/** A path as a person would type it here. */
function here(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') || isAbsolute(near) ? path : near;
}
