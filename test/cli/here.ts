/**
 * Runs the command within this process: what it prints, reads and ends with is caught where a process would have it. Only for verbs
 * that end by themselves and run no code of the user; `here.test.ts` holds them against the built command.
 */
import { Readable } from 'node:stream';
import { runCommand } from '../../src/cli/program.ts';

/** What a command printed, and the code that it ended with. */
export interface Ran {
  code: number | null;
  out: string;
  err: string;
}

/** The verbs that read a journal, a trace or pages, or leave a word for a run. */
export const HERE: ReadonlySet<string> = new Set([
  ...['decide', 'review', 'runs', 'show', 'ledger', 'explain', 'export', 'approvals', 'gates', 'approve', 'deny'],
  ...['init', 'check', 'verify', 'store', 'reconcile'],
  ...['settle', 'start', 'send', 'fail', 'cancel', 'delete', 'compact', 'claims', 'release'],
]);

/** The end of a command that ends its process. */
class Exited extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`ended with ${code}`);
    this.code = code;
  }
}

let last: Promise<unknown> = Promise.resolve();

/** Runs one command after the other: each has the streams, the folder and the variables of the process to itself. */
export function here(args: readonly string[], input: string | Uint8Array, env: NodeJS.ProcessEnv, cwd: string) {
  const ran = last.then(() => runHere(args, input, env, cwd));
  last = ran.catch(() => {});
  return ran;
}

async function runHere(
  args: readonly string[],
  input: string | Uint8Array,
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<Ran> {
  const own = { env: process.env, exit: process.exit, exitCode: process.exitCode, cwd: process.cwd() };
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor;
  const [out, err] = [caught(process.stdout), caught(process.stderr)];
  const variables = { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined, ...env };
  process.env = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));
  process.exitCode = undefined;
  process.exit = (code) => {
    throw new Exited(Number(code ?? process.exitCode ?? 0));
  };
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
  process.chdir(cwd);
  let code: number;
  try {
    await runCommand(args);
    code = Number(process.exitCode ?? 0);
  } catch (error) {
    if (!(error instanceof Exited)) throw error;
    code = error.code;
  } finally {
    process.chdir(own.cwd);
    Object.defineProperty(process, 'stdin', stdin);
    process.exit = own.exit;
    process.env = own.env;
    process.exitCode = own.exitCode;
    out.restore();
    err.restore();
  }
  return { code, out: out.text(), err: err.text() };
}

/** Takes what is written to a stream, until it is restored. */
function caught(stream: NodeJS.WriteStream): { text(): string; restore(): void } {
  const { write } = stream;
  let all = '';
  const take = (chunk: string | Uint8Array, ...more: readonly unknown[]): boolean => {
    all += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    const done = more.find((each) => typeof each === 'function') as (() => void) | undefined;
    if (done !== undefined) queueMicrotask(done);
    return true;
  };
  stream.write = take as typeof stream.write;
  return {
    text: () => all,
    restore: () => {
      stream.write = write;
    },
  };
}
