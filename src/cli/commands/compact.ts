/** The verb `compact`: its options, its help, and its call. */
import type { Command } from 'commander';
import { type Compacted, type CompactTotals, compact } from '../archive/compact.ts';
import { JOURNAL } from '../reading/reading.ts';
import { finish } from '../terminal/console.ts';
import { printable } from '../terminal/terminal.ts';
import { count } from '../terminal/wording.ts';

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
    .description('archive the runs that are over, delete them, and say why the others stay')
    .argument('[run]', 'the name of one run; left out, every run of the store')
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
--store FOLDER/order-1.0a1b2c3d4e5f.jsonl. Every other run stays whole, with the
reason: any step of it may still be one to restore. The file gets shorter by what
went; in PostgreSQL the space is used again.

Examples:
  belay compact --dry-run
  belay compact --archive kept --by ada
  belay compact order-1 --archive kept --by ada --json

Exit code: 0, also where every run stays; 2 when there is no such run, the store
or the folder cannot be read or written, or the command is misused.`,
    )
    .action(async (run: string | undefined, given: Given) => {
      const { journal, archive, by, dryRun = false, json = false } = given;
      if (!dryRun && (archive === undefined || by === undefined))
        return finish(
          '',
          'name the folder of the archives and who says so: --archive FOLDER --by NAME, or --dry-run',
          2,
        );
      const onRun = (told: Compacted) =>
        process.stdout.write(json ? `${JSON.stringify(told)}\n` : textOf(told, dryRun));
      const done = await compact({ journal, run: run ?? null, into: archive ?? '', dryRun, onRun });
      if ('problem' in done) return finish('', done.problem, 2);
      if (json) return finish(`${JSON.stringify({ ...done, dryRun, ...(by !== undefined && { by }) })}\n`, null, 0);
      return finish(`${sums(done, dryRun)}\n`, null, 0);
    });
}

function textOf({ run, rows, why }: Compacted, dryRun: boolean): string {
  const name = `${printable(run)} (${count(rows, 'row')})`;
  if (why !== null) return `${name} stays: ${printable(why)}\n`;
  return `${name} ${dryRun ? 'would be archived and deleted' : 'is archived and deleted'}\n`;
}

function sums({ gone, goneRows, stayed, stayedRows, bytes }: CompactTotals, dryRun: boolean): string {
  if (gone + stayed === 0) return 'no runs yet';
  const went = `${count(gone, 'run')} (${count(goneRows, 'row')}) ${dryRun ? 'would go' : 'went'}`;
  const stay = `${count(stayed, 'run')} (${count(stayedRows, 'row')}) ${stayed === 1 ? 'stays' : 'stay'}`;
  const shorter = bytes === null || bytes <= 0 ? [] : [`the file is ${count(bytes, 'byte')} shorter`];
  return [went, stay, ...shorter].join('; ');
}
