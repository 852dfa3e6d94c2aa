/** Runs the agents of the fixtures at the terminal, each test in a folder of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { belay, built, MAIN } from './belay.ts';

/** The module of the agents. */
export const AGENTS = fileURLToPath(new URL('fixtures/agents.mjs', import.meta.url));

/** The module of the agents that ask before they act. */
export const OFFICE = fileURLToPath(new URL('fixtures/office/agents.mjs', import.meta.url));

/** A folder that somebody works in. */
export class Desk {
  readonly folder = mkdtempSync(join(tmpdir(), 'belay-run-'));

  constructor(agents = AGENTS) {
    const machines = relative(this.folder, agents);
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify({ belay: { machines } }));
  }

  /** Runs a command there. */
  ask(...args: string[]) {
    return belay(args, '', {}, this.folder);
  }

  /** Runs a command there in a process of its own, where that is what a test is about. */
  askApart(...args: string[]) {
    return built(args, '', {}, this.folder);
  }

  /** What a command says to a program, each line parsed. */
  async json(...args: string[]) {
    const { out } = await this.ask(...args, '--json');
    return out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  /** Begins a command that runs an agent, and lets it run. */
  begin(...args: string[]) {
    const env = { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined };
    const child = spawn(process.execPath, [MAIN, ...args], { cwd: this.folder, env });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
    });
    const closed = once(child, 'close').then(([code]) => ({ code: code as number | null, out }));
    return { kill: (signal: NodeJS.Signals) => child.kill(signal), closed };
  }

  /** Resolves once `belay show` says something of a run. */
  async until(run: string, holds: (shown: { effects: { tool: string; status: string }[] }) => boolean): Promise<void> {
    for (;;) {
      const { out } = await this.ask('show', run, '--json');
      if (out !== '' && holds(JSON.parse(out))) return;
      await setTimeout(20);
    }
  }

  clear(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The longest line of a text, in characters. */
export function widest(text: string): number {
  return Math.max(...text.split('\n').map((line) => [...line].length));
}
