/** Processes that are killed in the middle of an adapter's work. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Bundle } from '../bundled.ts';

/** How one process went: how far it says it came, and whether it was killed. */
export interface Life {
  readonly killed: boolean;
  readonly said: string;
  readonly errors: string;
}

/** The scripts that are killed. */
export class Lives {
  readonly #scripts: Bundle;

  /** @param scripts those of this folder that are run. */
  constructor(...scripts: readonly string[]) {
    this.#scripts = new Bundle(scripts.map((script) => `test/adapters/${script}`));
  }

  /** Runs the script until it has ended or killed itself. */
  async live(script: string, task: unknown): Promise<Life> {
    const child = spawn(process.execPath, [this.#scripts.path(script), JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
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
    this.#scripts.close();
  }
}
