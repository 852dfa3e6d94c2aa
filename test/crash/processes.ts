/** Starts the processes of the crash tests: the counterparty, and the agents that are killed. They run the built package. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { End, Task } from './agent.ts';
import type { Said } from './deadly.ts';

const HERE = fileURLToPath(new URL('./', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SCRIPTS = [
  'agent',
  'client',
  'counterparty',
  'deadly',
  'machine-parts',
  'machine-posting',
  'machine-slots',
  'machines',
];

/** How long a process may live, in milliseconds: one that lives longer hangs. */
const PATIENCE = 30_000;

/** How one agent process went. */
export interface Life {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly said: readonly Said[];
  readonly end: End | null;
  readonly errors: string;
}

/** The scripts as plain JavaScript over `dist`, and a counterparty that runs: a process starts in a third of the time. */
export class Stage {
  readonly folder = mkdtempSync(join(tmpdir(), 'belay-crash-'));
  readonly #scripts = join(ROOT, 'reports', `crash-${process.pid}`);
  #counterparty: ChildProcess | null = null;
  port = 0;

  async open(): Promise<void> {
    if (!existsSync(join(ROOT, 'dist', 'index.js'))) throw new Error('dist is not built: npm run build');
    mkdirSync(this.#scripts, { recursive: true });
    for (const script of SCRIPTS) {
      const source = readFileSync(join(HERE, `${script}.ts`), 'utf8').replaceAll("'../../src/", "'../../dist/");
      const compilerOptions = {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
      };
      const { outputText } = ts.transpileModule(source, { compilerOptions });
      writeFileSync(join(this.#scripts, `${script}.js`), outputText.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
    }
    const child = spawn(process.execPath, [join(this.#scripts, 'counterparty.js')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#counterparty = child;
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    this.port = Number(line);
  }

  async close(): Promise<void> {
    const child = this.#counterparty;
    if (child !== null && child.exitCode === null) {
      child.stdin?.end();
      await once(child, 'close');
    }
    rmSync(this.folder, { recursive: true, force: true });
    rmSync(this.#scripts, { recursive: true, force: true });
  }

  /** Starts an agent and waits until it is gone. `killAfter`: it is killed from outside so many milliseconds later. */
  async live(task: Task, killAfter: number | null = null): Promise<Life> {
    const child = spawn(process.execPath, [join(this.#scripts, 'agent.js'), JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      out += part;
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      errors += part;
    });
    const hangs = setTimeout(() => {
      errors += `it has not ended after ${PATIENCE} ms`;
      child.kill('SIGTERM');
    }, PATIENCE);
    const shot = killAfter === null ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    clearTimeout(hangs);
    clearTimeout(shot);
    const said = out.split('\n').flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as Said] : []));
    const last = said.at(-1);
    return { signal, code, said, end: last !== undefined && 'end' in last ? (last.end as End) : null, errors };
  }
}
