/** Processes that are killed in the middle of an adapter's work: the adapters and the scripts as plain JavaScript, so that one starts quickly. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** How one process went: how far it says it came, and whether it was killed. */
export interface Life {
  readonly killed: boolean;
  readonly said: string;
  readonly errors: string;
}

/** The compiled scripts. They lie inside the repository, so that their packages are found. */
export class Lives {
  readonly #folder = join(ROOT, 'reports', `lives-${process.pid}-${Math.random().toString(36).slice(2)}`);

  constructor() {
    const adapters = readdirSync(join(ROOT, 'src/adapters'), { recursive: true, encoding: 'utf8' });
    const files = adapters.filter((name) => name.endsWith('.ts')).map((name) => `src/adapters/${name}`);
    const scripts = readdirSync(join(ROOT, 'test/adapters')).filter((name) => /^[a-z-]+\.ts$/.test(name));
    for (const file of [...files, 'src/effects/signals.ts', ...scripts.map((name) => `test/adapters/${name}`)])
      this.#compile(file);
  }

  /** Runs the script until it has ended or killed itself. */
  async live(script: string, task: unknown): Promise<Life> {
    const file = join(this.#folder, 'test/adapters', script.replace(/\.ts$/, '.js'));
    const child = spawn(process.execPath, [file, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [said, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      errors += part;
    });
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    if (signal !== 'SIGKILL' && code !== 0) throw new Error(`the process ended with ${code ?? signal}: ${errors}`);
    return { killed: signal === 'SIGKILL', said, errors };
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #compile(file: string): void {
    const { outputText } = ts.transpileModule(readFileSync(join(ROOT, file), 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
    });
    const to = join(this.#folder, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, outputText);
  }
}
