#!/usr/bin/env node
/** The command `belay` as a process: what a pipe or a disk that takes no more does to it, and its run. */
import { runCommand } from './program.ts';
import { printable } from './terminal/terminal.ts';

// A reader that has seen enough, such as `head`, closes the pipe: that is no error. A full disk is one to report.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`belay: cannot_write ${printable(error.message)}\n`);
  process.exit(2);
});

await runCommand(process.argv.slice(2));
