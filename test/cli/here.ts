/**
 * Runs the command within this process: what it prints, reads and ends with is caught where a process would have it. Only for verbs
 * that end by themselves, with agents of the fixtures that leave nothing behind; `here.test.ts` holds them against the built command.
 */
import { runCommand } from '../../src/cli/program.ts';
import { caught, type Ran } from './caught.ts';

/** The verbs that read a journal, a trace or pages, or leave a word for a run, and those that run the agents of the fixtures to an end. */
export const HERE: ReadonlySet<string> = new Set([
  ...['decide', 'review', 'runs', 'show', 'ledger', 'why', 'explain', 'export', 'approvals', 'approve', 'deny'],
  ...['init', 'check', 'verify', 'store', 'reconcile'],
  ...['settle', 'start', 'send', 'fail', 'retry', 'cancel', 'delete', 'compact', 'claims', 'release', 'pools'],
  ...['rehearse', 'types', 'project'],
]);

let last: Promise<unknown> = Promise.resolve();

/** Runs one command after the other: each has the streams, the folder and the variables of the process to itself. */
export function here(
  args: readonly string[],
  input: string | Uint8Array,
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<Ran> {
  const ran = last.then(() => caught(runCommand, { args, input, env, cwd }));
  last = ran.catch(() => {});
  return ran;
}
