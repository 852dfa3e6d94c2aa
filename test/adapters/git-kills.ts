/** Runs of edits over git that are killed again and again while a user works beside them, and what is left of them when they have ended. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bundle } from '../bundled.ts';
import { repository, userGit } from './git-at-work.ts';
import { type Draw, drawFrom, drawnPlan, type Plan, type Wanted } from './git-plan.ts';

/** What was counted; `wrong` says of each fault which group had it. */
export interface Killed {
  groups: number;
  runs: number;
  kills: number;
  /** Files that the user has changed under a run, between two of its processes. */
  taken: number;
  readonly wrong: string[];
}

/** What is asked for: as many groups of writers as it takes to kill so many processes, from a group on. */
export interface Asked {
  readonly kills: number;
  readonly seed: number;
  readonly from?: number;
  /** Further files of each repository. */
  readonly files?: number;
}

const LIVES = 8;

/** Kills processes of two and of four writers on one checkout until so many have died. */
export async function killRuns({ kills, seed, from = 0, files = 0 }: Asked): Promise<Killed> {
  const scripts = new Bundle(['test/adapters/dying-git.ts']);
  const counted: Killed = { groups: 0, runs: 0, kills: 0, taken: 0, wrong: [] };
  try {
    while (counted.kills < kills) {
      const group = new Group(scripts.path('dying-git.ts'), counted, seed, from + counted.groups, files);
      await group.run();
      counted.groups += 1;
    }
  } finally {
    scripts.close();
  }
  return counted;
}

/** Some writers on one checkout, and its user. */
class Group {
  readonly #script: string;
  readonly #counted: Killed;
  readonly #nth: number;
  readonly #plans: readonly Plan[];
  readonly #draw: Draw;
  readonly #root: string;
  readonly #twin: string;
  readonly #clear: () => void;
  /** The files that the user has changed under a run, as the user left them, and if the run had touched them by then. */
  readonly #taken = new Map<string, { readonly text: string; readonly isTouched: boolean }>();
  #work = 0;

  constructor(script: string, counted: Killed, seed: number, nth: number, files: number) {
    this.#script = script;
    this.#counted = counted;
    this.#nth = nth;
    const draw = drawFrom(seed * 1_000_003 + nth);
    this.#draw = draw;
    const writers = draw(2) === 0 ? ['p', 'q'] : ['p', 'q', 'r', 's'];
    this.#plans = writers.map((run) => drawnPlan(run, draw));
    const held = Object.assign({}, ...this.#plans.map(({ before }) => before)) as Record<string, string>;
    const more = Object.fromEntries(
      Array.from({ length: files }, (_, at) => [`big/${at % 100}/${at}.txt`, `${at}\n`] as const),
    );
    // A twin, on which the user does the same and nobody else anything.
    const all = { ...held, ...more, 'user.txt': 'mine\n', '.gitignore': 'out/\n' };
    const [one, other] = [repository(all), repository(all)];
    [this.#root, this.#twin] = [one.root, other.root];
    this.#clear = () => {
      one.remove();
      other.remove();
    };
    if (draw(2) === 0) for (const root of [this.#root, this.#twin]) userGit(root, 'config', 'core.autocrlf', 'true');
  }

  async run(): Promise<void> {
    const isOver = { is: false };
    const user = this.#userWorks(isOver);
    await Promise.all(this.#plans.map((plan) => this.#write(plan)));
    isOver.is = true;
    await user;
    if (viewOf(this.#root) !== viewOf(this.#twin))
      this.#wrong('the index, the log or the branches of the user have changed');
    execFileSync('git', ['-C', this.#root, 'fsck', '--no-dangling'], { stdio: 'pipe' });
    this.#clear();
  }

  #wrong(what: string): void {
    this.#counted.wrong.push(`group ${this.#nth}: ${what}`);
  }

  /** Edits, stages and commits files of the user's own, and begins branches. */
  async #userWorks(isOver: { readonly is: boolean }): Promise<void> {
    while (!isOver.is && this.#work < 40) {
      this.#work += 1;
      const nth = this.#work;
      for (const root of [this.#root, this.#twin]) {
        writeFileSync(join(root, `user-${nth % 5}.txt`), `mine ${nth}\n`);
        if (nth % 2 === 0) await userDoes(root, 'add', '-f', `user-${nth % 5}.txt`);
        if (nth % 6 === 0) await userDoes(root, 'commit', '-q', '-m', `mine ${nth}`);
        if (nth % 7 === 0) await userDoes(root, 'branch', `mine-${nth}`);
      }
    }
  }

  /** Has a writer make its edits, process after process. */
  async #write(plan: Plan): Promise<void> {
    const { run, edits, undone } = plan;
    const task = JSON.stringify({ root: this.#root, run, edits, undone });
    for (let life = 0; ; life += 1) {
      const child = spawn(process.execPath, [this.#script, task], { stdio: ['ignore', 'pipe', 'pipe'] });
      let [said, errors] = ['', ''];
      child.stdout.on('data', (part: Buffer) => {
        said += part.toString();
      });
      child.stderr.on('data', (part: Buffer) => {
        errors += part.toString();
      });
      const wait = this.#draw(350);
      if (life < LIVES) child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), wait));
      const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
      if (signal === 'SIGKILL') {
        this.#counted.kills += 1;
        if (life > 1 && this.#draw(12) === 0) this.#takeOver(plan);
        continue;
      }
      if (code !== 0) this.#wrong(`${run}: ${errors}`);
      else this.#judge(plan, JSON.parse(said.slice('ready\n'.length)));
      break;
    }
    this.#counted.runs += 1;
  }

  /** While no process of a writer lives, the user changes a file of it by hand. */
  #takeOver({ run, after }: Plan): void {
    const paths = [...after.keys()];
    const path = paths[this.#draw(paths.length)] as string;
    if (!existsSync(join(this.#root, path))) return;
    const text = `taken from ${run}\n`;
    const known = this.#taken.get(path);
    this.#taken.set(path, known ?? { text, isTouched: this.#commitsOf(run, path).length > 0 });
    writeFileSync(join(this.#root, path), text);
    this.#counted.taken += 1;
  }

  /** The commits of a run that changed a file. */
  #commitsOf(run: string, path: string): string[] {
    const ref = userGit(this.#root, 'for-each-ref', '--format=%(objectname)', `refs/belay/${run}`).trim();
    if (ref === '') return [];
    return userGit(this.#root, 'log', '--format=%H', `HEAD..${ref}`, '--', path).split('\n').filter(Boolean);
  }

  /** Holds the end of a run against its plan: each edit once, the ref as the files, and what the user took over as it was left. */
  #judge({ run, edits, undone, after }: Plan, { fates, left }: { fates: string[]; left: string[] }): void {
    const touched = ({ path, from = path }: { path: string; from?: string }) =>
      this.#taken.has(path) || this.#taken.has(from);
    for (const [nth, edit] of edits.entries()) {
      const isUndone = undone.includes(nth) && fates[nth] === 'unknown';
      if (fates[nth] !== 'applied' && !isUndone && !touched(edit)) this.#wrong(`${run}: edit ${nth} is ${fates[nth]}`);
    }
    for (const why of left)
      if (!touched(edits[Number.parseInt(why, 10)] as { path: string })) this.#wrong(`${run}: not undone, ${why}`);
    const shown = userGit(this.#root, 'log', '--format=%(trailers:key=Belay-Call,valueonly)', `refs/belay/${run}`);
    const calls = shown.split('\n').filter(Boolean);
    if (new Set(calls).size !== calls.length) this.#wrong(`${run}: an edit was made twice`);
    const made = fates.filter((fate) => fate === 'applied' || fate === 'unknown').length;
    if (this.#taken.size === 0 && calls.length !== edits.length + undone.length)
      this.#wrong(`${run}: ${calls.length} calls, and ${made} edits were made`);
    for (const [path, wanted] of after)
      this.#judgeFile(
        run,
        path,
        wanted,
        edits.some((edit) => touched(edit) && (edit.path === path || edit.from === path)),
      );
  }

  #judgeFile(run: string, path: string, wanted: Wanted | null, isTaken: boolean): void {
    const place = join(this.#root, path);
    const held = existsSync(place) ? readFileSync(place, 'utf8') : null;
    const taken = this.#taken.get(path);
    const isLost = taken !== undefined && held !== taken.text;
    if (isLost && taken.isTouched) this.#wrong(`${run}: ${path} of the user was overwritten`);
    // A run that touches a file later begins with what it finds, and has kept it.
    const keeps = (commit: string) =>
      spawnSync('git', ['-C', this.#root, 'show', `${commit}:${path}`], { encoding: 'utf8' }).stdout;
    if (isLost && !this.#commitsOf(run, path).some((commit) => keeps(commit) === taken.text))
      this.#wrong(`${run}: ${path} of the user is lost`);
    if (isTaken || taken !== undefined) return;
    if (held !== (wanted?.text ?? null)) this.#wrong(`${run}: ${path} is ${JSON.stringify(held)}`);
    const isProgram = held !== null && (statSync(place).mode & 0o100) !== 0;
    if (isProgram !== (wanted?.isProgram ?? false)) this.#wrong(`${run}: ${path} has another mode`);
    this.#judgeRef(run, path, wanted, held);
  }

  #judgeRef(run: string, path: string, wanted: Wanted | null, held: string | null): void {
    const row = userGit(this.#root, 'ls-tree', `refs/belay/${run}`, '--', path);
    const mode = row === '' ? null : row.slice(0, 6);
    if (mode !== (wanted === null ? null : wanted.isProgram ? '100755' : '100644'))
      this.#wrong(`${run}: ${path} has the mode ${mode} on the ref`);
    else if (held !== null && userGit(this.#root, 'show', `refs/belay/${run}:${path}`) !== held)
      this.#wrong(`${run}: ${path} is not as the ref has it`);
  }
}

/** Has the user run git, beside whatever else happens. */
async function userDoes(root: string, ...args: string[]): Promise<void> {
  const child = spawn('git', ['-C', root, '-c', 'user.name=u', '-c', 'user.email=u@u', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (part: Buffer) => {
    errors += part.toString();
  });
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0 && !errors.includes('nothing')) throw new Error(`git ${args.join(' ')}: ${errors}`);
}

/** What the user sees, but for the names of commits, which hold the time. */
function viewOf(root: string): string {
  const views = [
    'log --format=%T-%s',
    'diff --cached',
    'for-each-ref --format=%(refname) refs/heads refs/tags',
    'ls-files -s',
    'stash list',
  ];
  return views.map((args) => userGit(root, ...args.split(' '))).join('\n');
}
