/** The verb `project`: its options, its help, and its call. */
import { relative } from 'node:path';
import type { Command } from 'commander';
import { JournalError, type JournalStore } from '../../journal/journal.ts';
import { CodedError } from '../../model/coded-error.ts';
import { findMachines } from '../check/check.ts';
import { openJournal } from '../reading/journal-key.ts';
import { JOURNAL } from '../reading/place.ts';
import { journalProblem, readRun } from '../reading/reading.ts';
import type { Problem } from '../run/run.ts';
import { finish, note } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';
import { count } from '../terminal/wording.ts';

interface Given {
  machines?: string;
  thread?: string;
  journal: string;
}

/** Adds `belay project`. */
export function addProject(program: Command): void {
  program
    .command('project')
    .argument('<run>', 'the name of the run; belay runs lists them')
    .option('--machines <file>', 'the module of the graph (default: of package.json)')
    .option('--thread <id>', 'the thread_id of its checkpoints (default: the name of the run)')
    .option('--journal <file>', 'the SQLite file of the runs', JOURNAL)
    .addHelpText(
      'after',
      `
The checkpoints of the thread are deleted and written anew, by the checkpointer
that the graph was compiled with. Of the journal nothing changes.

Example:
  belay project chat-1 --machines dist/graph.js

Exit code: 0 when they are written; 1 when a process has the run, or the run is
no thread of the graph; 2 when the run, the module or the checkpointer cannot be
read or written, or the command is misused.`,
    )
    .action(async (run: string, { machines, thread, journal }: Given) => {
      const made = await projected(run, machines ?? null, { journal, ...(thread !== undefined && { thread }) });
      if ('problem' in made) return finish('', made.problem, made.code ?? 2);
      return finish(`${printable(run)}: ${count(made.checkpoints, 'checkpoint')} written\n`, null, 0);
    });
}

/** Writes the checkpointer of the graph of a run anew. */
async function projected(
  run: string,
  module: string | null,
  { journal, ...more }: Pick<Given, 'journal' | 'thread'>,
): Promise<{ readonly checkpoints: number } | Problem> {
  const found = await findMachines(module, (file) => note(`running ${relative('', file)} to read its machines`));
  if ('problem' in found) return found;
  let store: JournalStore | undefined;
  try {
    store = await openJournal(journal, { readonly: true });
    const agent = (await readRun(store, run)).runState.agent ?? '';
    const graph = found.graphs.get(agent);
    if (graph === undefined)
      return {
        problem: `no_machine no module has the graph "${agent}": --machines FILE, or belay.machines in package.json`,
      };
    return { checkpoints: await graph.project({ run, journal: store, ...more }) };
  } catch (error) {
    if (error instanceof JournalError) return { problem: journalProblem(journal, error) };
    if (error instanceof CodedError) return { problem: `${error.code} ${error.message}`, code: 1 };
    return { problem: `the checkpointer of the graph was not written: ${(error as Error).message}` };
  } finally {
    await store?.close();
  }
}
