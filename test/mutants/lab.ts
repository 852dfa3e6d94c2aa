/**
 * Runs the check of a mutant on a copy of the package. The copy is not made below node_modules: neither vitest nor tsx would take what
 * lies there for source.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Check, Mutant } from './mutant.ts';

/** The package itself. */
const HOME = fileURLToPath(new URL('../../', import.meta.url));
const COPIED = ['src', 'test', 'audit', 'domains', 'boundaries', 'package.json', 'tsconfig.json', 'vitest.config.ts'];
/** How long a check may run: one that does not end is red. */
const PATIENCE = 240_000;

/** What a check has said. */
export interface Outcome {
  /** What went wrong; null where all is well. */
  readonly red: string | null;
  readonly seconds: number;
}

/** A copy of the package, for one mutant after the other. */
export class Lab {
  readonly #at = mkdtempSync(join(tmpdir(), 'belay-mutants-'));

  constructor() {
    for (const name of COPIED) cpSync(join(HOME, name), join(this.#at, name), { recursive: true });
    symlinkSync(join(HOME, 'node_modules'), join(this.#at, 'node_modules'));
  }

  /** Runs a check on a mutant; null: on the package as it is. */
  async run(mutant: Mutant | null, by: Check): Promise<Outcome> {
    const began = performance.now();
    const path = mutant === null ? null : join(this.#at, 'src', mutant.file);
    const text = path === null ? '' : readFileSync(path, 'utf8');
    if (path !== null && mutant !== null) writeFileSync(path, mutated(text, mutant));
    try {
      const red = redOf(by, await this.#output(commandOf(by)));
      return { red, seconds: (performance.now() - began) / 1000 };
    } finally {
      if (path !== null) writeFileSync(path, text);
    }
  }

  close(): void {
    rmSync(this.#at, { recursive: true, force: true });
  }

  #output([bin, ...args]: readonly [string, ...string[]]): Promise<Said> {
    const child = spawn(join(this.#at, 'node_modules/.bin', bin), args, { cwd: this.#at, timeout: PATIENCE });
    let [out, err] = ['', ''];
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.stderr.on('data', (data) => {
      err += data;
    });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      // A runner that is told to end may still end with a code of its own.
      child.on('close', (code) => resolve({ out, err, code: child.killed ? null : code }));
    });
  }
}

interface Said {
  readonly out: string;
  readonly err: string;
  /** Null where it was ended from outside. */
  readonly code: number | null;
}

/** The text of a mutant's file. @throws where the text to be replaced is not there exactly once. */
export function mutated(text: string, { rule, file, find, replace }: Mutant): string {
  const [before, after, ...more] = text.split(find);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${rule}: src/${file} does not have exactly once: ${find}`);
  return `${before}${replace}${after}`;
}

/** A check, as it is shown. */
export function checkText(by: Check): string {
  const [, ...args] = commandOf(by);
  return args.filter((arg) => arg !== '--json' && arg !== 'run').join(' ');
}

function commandOf(by: Check): [string, ...string[]] {
  switch (by.run) {
    case 'cases':
      return ['tsx', 'test/enumeration/main.ts', '--family', by.family, '--case', by.ids.join(',')];
    case 'simulation': {
      const { runs, from, seed } = by;
      return [
        'tsx',
        'test/simulation/main.ts',
        '--seed',
        `${seed}`,
        '--from',
        `${from}`,
        '--runs',
        `${runs}`,
        '--json',
      ];
    }
    case 'tests':
      return ['vitest', 'run', by.file, ...(by.name === undefined ? [] : ['-t', by.name])];
  }
}

/** What is red in what a check has printed. @throws where it says nothing of the kind that it should: then the check itself is broken. */
function redOf(by: Check, { out, err, code }: Said): string | null {
  if (code === null) return 'hang: no end';
  if (by.run === 'tests') {
    const failed = /Tests\s+(\d+) failed/.exec(plain(out))?.[1];
    if (failed !== undefined) return `${failed} failed`;
    if (code === 0 && /Tests\s+\d+ passed/.test(plain(out))) return null;
    throw new Error(`${checkText(by)} did not run: ${(err || out).slice(-2000)}`);
  }
  if (by.run === 'cases') {
    const verdicts = [...out.matchAll(/^Judged\n\s+\{"is":"(\w+)"/gm)].map(([, is]) => is as string);
    if (verdicts.length !== by.ids.length)
      throw new Error(`${checkText(by)}: ${verdicts.length} verdicts. ${err.slice(-2000)}`);
    return told(verdicts.filter((is) => (by.ends === 'same' ? is !== 'same' : is === 'unsafe' || is === 'hang')));
  }
  const { harm, hang } = JSON.parse(out) as { harm: number; hang: number };
  return told([...Array<string>(harm).fill('harm'), ...Array<string>(hang).fill('hang')]);
}

function told(bad: readonly string[]): string | null {
  const kinds = [...new Set(bad)].map((kind) => `${bad.filter((one) => one === kind).length} ${kind}`);
  return kinds.length === 0 ? null : kinds.join(', ');
}

function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours.
  return text.replace(/\u001b\[[0-9;]*m/g, '');
}
