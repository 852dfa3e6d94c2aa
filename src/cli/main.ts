#!/usr/bin/env node
/** The command `belay`: adds its verbs, and turns errors into exit codes. */
import { Command, CommanderError } from 'commander';
import { addReconcile, addResume, addRun } from './commands/agents.ts';
import { addCheck, addInit, addReview, addTypes } from './commands/configs.ts';
import { addDecide } from './commands/decide.ts';
import { addInspect } from './commands/inspect.ts';
import { addExplain, addExport, addLedger, addRuns, addShow } from './commands/journals.ts';
import { addApprovals, addApprove, addSettle } from './commands/people.ts';
import { addRehearse } from './commands/rehearse.ts';
import { addStore } from './commands/store.ts';
import { addVerify } from './commands/verify.ts';
import { addSend, addStart, addWork } from './commands/workers.ts';
import { KEY_FILE, useKeyFile } from './reading/journal-key.ts';
import { placeOf, STORE } from './reading/place.ts';
import { JOURNAL } from './reading/reading.ts';
import { version } from './terminal/console.ts';
import { printable } from './terminal/terminal.ts';

const program = new Command('belay')
  .description('From which point may failed work be redone, so that everything already promised stays true?')
  .version(version)
  .configureOutput({
    outputError: (text, write) => write(text.trimEnd().split('\n').map(printable).join('\n').concat('\n')),
  })
  .exitOverride()
  .showHelpAfterError('(belay --help lists the verbs, belay VERB --help the options of one)');

const verbs = [
  ...[addInit, addCheck, addReview, addTypes, addRehearse, addRun, addResume, addRuns, addShow, addLedger, addExplain],
  addInspect,
  ...[addApprovals, addApprove, addSettle, addReconcile, addExport, addDecide],
  ...[addStart, addSend, addWork],
  ...[addVerify, addStore],
];
for (const add of verbs) add(program);
for (const verb of program.commands)
  for (const each of [verb, ...verb.commands])
    if (each.options.some(({ long }) => long === '--journal')) each.option(...STORE).option(...KEY_FILE);
program.hook('preAction', (_, verb) => {
  const { keyFile, store, journal } = verb.opts<{ keyFile?: string; store?: string; journal?: string }>();
  useKeyFile(keyFile ?? null);
  if (journal === undefined) return;
  const typed = verb.getOptionValueSource('journal') === 'cli' ? journal : null;
  if (typed !== null && store !== undefined) verb.error('error: --store and --journal name the same thing: give one');
  verb.setOptionValue('journal', placeOf(store ?? typed, JOURNAL));
});

// A reader that has seen enough, such as `head`, closes the pipe: that is no error. A full disk is one to report.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`belay: cannot_write ${printable(error.message)}\n`);
  process.exit(2);
});

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}
