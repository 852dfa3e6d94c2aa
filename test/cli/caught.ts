/** Catches what a command prints and ends with, in the process that it is run in. */
import { Readable } from 'node:stream';

/** What a command printed, and the code that it ended with. */
export interface Ran {
  code: number | null;
  out: string;
  err: string;
}

/** The end of a command that ends its process. */
class Exited extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`ended with ${code}`);
    this.code = code;
  }
}

/** A command as it is given: its arguments, what is on its standard input, its variables beside those of the process, and its folder. */
export interface Given {
  readonly args: readonly string[];
  readonly input: string | Uint8Array;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** Runs a command with the streams, the folder and the variables of this process for its own. */
export async function caught(
  runCommand: (args: readonly string[]) => Promise<unknown>,
  { args, input, env, cwd }: Given,
): Promise<Ran> {
  const own = { env: process.env, exit: process.exit, exitCode: process.exitCode, cwd: process.cwd() };
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor;
  const [out, err] = [taken(process.stdout), taken(process.stderr)];
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
function taken(stream: NodeJS.WriteStream): { text(): string; restore(): void } {
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
