/** The verb `store migrate`: its options, its help, and its call. */
import type { Command } from 'commander';
import { openJournal } from '../reading/journal-key.ts';
import { JOURNAL } from '../reading/place.ts';
import { journalProblem } from '../reading/reading.ts';
import { finish } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';

/** Adds `belay store`. */
export function addStore(program: Command): void {
  const store = program.command('store');
  store
    .command('migrate')
    .description('make the tables of a place, or bring them to the format of this release')
    .option('--journal <file>', 'the SQLite file of the runs', JOURNAL)
    .addHelpText(
      'after',
      `
A place that has the format already is left as it is. There is no way back: an
older release refuses what is migrated. In PostgreSQL the tables are
made in the schema "belay", or in the one that the address names.

Examples:
  belay store migrate --store postgres://belay@db.example/belay
  belay store migrate --store 'postgres://db.example/belay?schema=orders'

Exit code: 0 when the place has the format of this release; 2 when it cannot be
opened, is none of Belay's or of another format, or the command is misused.`,
    )
    .action(async ({ journal }: { journal: string }) => {
      try {
        const opened = await openJournal(journal);
        try {
          await opened.runs({ limit: 0 });
        } finally {
          await opened.close();
        }
      } catch (error) {
        return finish('', journalProblem(journal, error), 2);
      }
      return finish(`${printable(journal)} is ready\n`, null, 0);
    });
}
