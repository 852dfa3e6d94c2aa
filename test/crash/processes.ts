/** Starts the processes of the crash tests: the counterparty, and the agents that are killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Bundle } from '../bundled.ts';
import type { End, Task } from './agent.ts';
import type { Said } from './deadly.ts';

/** How long a process may live, in milliseconds: one that lives longer hangs. */
const PATIENCE = 300_000;

/** How one agent process went. */
export interface Life {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly said: readonly Said[];
  readonly end: End | null;
  readonly errors: string;
}

/** The scripts, and a counterparty that runs. */
export class Stage {
  readonly folder = mkdtempSync(join(tmpdir(), 'belay-crash-'));
  readonly #scripts = new Bundle(['test/crash/agent.ts', 'test/crash/counterparty.ts']);
  #counterparty: ChildProcess | null = null;
  port = 0;

  async open(): Promise<void> {
    const child = spawn(process.execPath, [this.#scripts.path('counterparty')], {
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
    this.#scripts.close();
  }

  /**
   * Starts an agent and waits until it is gone.
   * @param killAfter it is killed from outside so many milliseconds later.
   * @param onSaid is told how many lines it has said: each says that rows of it are durable.
   */
  async live(task: Task, killAfter: number | null = null, onSaid: (lines: number) => void = () => {}): Promise<Life> {
    const child = spawn(process.execPath, [this.#scripts.path('agent'), JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      out += part;
      onSaid(out.split('\n').length - 1);
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
