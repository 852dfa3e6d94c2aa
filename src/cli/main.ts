#!/usr/bin/env node
/** The command `belay` as a process: what a pipe or a disk that takes no more does to it, and its run. */
import { runCommand } from './program.ts';
import { printable } from './terminal/printable.ts';

// A reader that has seen enough, such as `head`, closes the pipe: that is no error. A full disk is one to report.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`belay: cannot_write ${printable(error.message)}\n`);
  process.exit(2);
});

// Node ends with 13, and without a word, where a promise is waited for that nothing settles any more.
process.on('exit', (code) => {
  if (code !== 13) return;
  process.stderr.write(
    'belay: stalled: the command waits for something that never comes, such as a promise of the agent\n',
  );
  process.exitCode = 2;
});

await runCommand(process.argv.slice(2));
