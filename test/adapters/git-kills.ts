/** Runs of edits over git that are killed again and again, and what is left of them when they have ended. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bundle } from '../bundled.ts';
import { LINES, repository, userGit, usersView } from './git-at-work.ts';

const EDITS = 12;

/** What was counted; `wrong` says of each fault what it was. */
export interface Killed {
  readonly runs: number;
  readonly kills: number;
  readonly wrong: readonly string[];
}

/** Kills so many processes at random moments, two runs on one checkout at a time. */
export async function killRuns(kills: number, random: () => number): Promise<Killed> {
  const scripts = new Bundle(['test/adapters/dying-git.ts']);
  const wrong: string[] = [];
  let [runs, killed] = [0, 0];
  const names = ['p', 'q'];
  const files = Object.fromEntries(
    names.flatMap((run) => [0, 1, 2].map((nth) => [`${run}-${nth}.txt`, LINES.join('\n')])),
  );
  try {
    while (killed < kills) {
      const { root, remove } = repository({ ...files, 'user.txt': 'mine' });
      writeFileSync(join(root, 'user.txt'), 'mine, staged');
      userGit(root, 'add', 'user.txt');
      const before = usersView(root);
      await Promise.all(
        names.map(async (run) => {
          for (let life = 0; ; life += 1) {
            const task = JSON.stringify({ root, run, edits: EDITS });
            const child = spawn(process.execPath, [scripts.path('dying-git.ts'), task], {
              stdio: ['ignore', 'pipe', 'pipe'],
            });
            let errors = '';
            child.stderr.on('data', (part: Buffer) => {
              errors += part.toString();
            });
            if (life < 8) child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), random() * 250));
            const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
            if (signal === 'SIGKILL') killed += 1;
            else if (code !== 0) wrong.push(`${run}: ${errors}`);
            if (signal !== 'SIGKILL') break;
          }
          runs += 1;
          wrong.push(...faults(root, run));
        }),
      );
      if (usersView(root) !== before) wrong.push('the view of the user has changed');
      remove();
    }
  } finally {
    scripts.close();
  }
  return { runs, kills: killed, wrong };
}

/** The faults of a run that has ended: each edit once, the third undone, and the ref as the files. */
function faults(root: string, run: string): string[] {
  const found: string[] = [];
  const count = Number(userGit(root, 'rev-list', '--count', `main..refs/belay/${run}`));
  if (count !== EDITS + 1) found.push(`${run}: ${count} commits`);
  for (const nth of [0, 1, 2]) {
    const path = `${run}-${nth}.txt`;
    const held = readFileSync(join(root, path), 'utf8');
    const wanted = LINES.map((line, at) => (at < EDITS && at % 3 === nth && at !== 2 ? `${line} edit ${at}` : line));
    if (held !== wanted.join('\n')) found.push(`${path} is ${held}`);
    if (userGit(root, 'show', `refs/belay/${run}:${path}`) !== held) found.push(`${path} is not as the ref has it`);
  }
  return found;
}
