/** The example of a coding agent on a repository and a server of its own, over a model that follows a script (examples/coding). */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { liveModel } from '../../examples/coding/live.ts';
import { codingAgent, type Draft, type Tests, type Workshop } from '../../examples/coding/machine.ts';
import { type GitAdapter, gitAdapter } from '../../src/adapters/index.ts';
import { readConfig } from '../../src/boundaries/directory.ts';
import { entriesOf } from '../../src/journal/entries.ts';
import type { JournalStore, StoredRow } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { ledgersOf } from '../../src/reports/index.ts';
import { wrapJournals } from '../../src/testing/wrap-journals.ts';
import { workClient } from '../../src/workers/client.ts';
import type { AnyStateMachine } from '../../src/xstate/actor.ts';
import { resume } from '../../src/xstate/attach.ts';
import { until } from '../poll.ts';
import { wait } from '../workers/small.ts';
import { repository, userGit, usersView } from './git-at-work.ts';

const SEVEN = [1, 2, 3, 4, 5, 6, 7];

/** A repository and its server, and how often the model and the world were asked. */
class Bench {
  readonly root: string;
  readonly server: string;
  readonly remove: () => void;
  readonly drafted: string[] = [];
  readonly edited: string[] = [];
  plans = 0;
  pushes = 0;
  /** What the model writes for a task. */
  says = (nth: string): Draft => ({ content: `part ${nth}\n`, cents: 10 });
  tests = (): Tests => ({ green: true, says: '7 passed' });
  /** A model in place of the one that follows a script. */
  model: ReturnType<typeof liveModel> = null;
  readonly #adapters: GitAdapter[] = [];

  constructor() {
    const { root, remove } = repository({ 'README.md': 'ours\n', 'src/part3.txt': 'old part 3\n' });
    [this.root, this.remove] = [root, remove];
    this.server = join(dirname(root), 'server.git');
    execFileSync('git', ['init', '-q', '--bare', this.server]);
    userGit(root, 'remote', 'add', 'origin', this.server);
  }

  /** Takes the run up, in a process of its own. */
  async up(journal: JournalStore, run = 'r1', root = this.root) {
    const project = gitAdapter({ root, run });
    this.#adapters.push(project);
    const workshop: Workshop = {
      plan: async () => {
        this.plans += 1;
        const tasks = SEVEN.map((nth) => ({ path: `src/part${nth}.txt`, wish: `write part ${nth}` }));
        return { tasks, cents: 12 };
      },
      draft: async ({ input }) => {
        this.drafted.push(input.nth);
        return this.says(input.nth);
      },
      edit: ({ input: { nth, path, content }, ...call }) => {
        this.edited.push(nth);
        return project.edit({ ...call, input: { path, content, decision: `draft#${nth}`, cost: { cents: 10 } } });
      },
      ...this.model,
      test: async () => this.tests(),
      commit: ({ input, ...call }) => project.commit({ ...call, input: { message: input.message } }),
      push: ({ input, ...call }) => {
        this.pushes += 1;
        return project.push({ ...call, input });
      },
    };
    const { config } = readConfig(new URL('../../examples/coding/boundaries.yaml', import.meta.url).pathname);
    const sidecar = await resume(codingAgent(workshop) as unknown as AnyStateMachine, {
      run,
      journal,
      config: config as never,
      undo: { takeOut: project.inverse },
      reconcilers: { findChange: project.reconcile },
    });
    sidecar.actor.start();
    const state = () => (sidecar.actor.getSnapshot() as { value: unknown }).value;
    const asks = async () => {
      await until(() => sidecar.requests().length === 1);
      await sidecar.durable();
      return sidecar.requests()[0]?.gate as string;
    };
    return { sidecar, state, asks, project };
  }

  /** The files of the agent, by their numbers. */
  parts(root = this.root): string[] {
    const folder = join(root, 'src');
    return existsSync(folder) ? readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8').trim()) : [];
  }

  /** What a ref of the server holds, or null. */
  onServer(path: string): string | null {
    try {
      const args = ['-C', this.server, 'show', `opening-hours:${path}`];
      return execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
    } catch {
      return null;
    }
  }

  clear(): void {
    for (const adapter of this.#adapters) adapter.close();
    this.remove();
  }
}

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.clear());

const WRITTEN = SEVEN.map((nth) => `part ${nth}`);
const Write = (entity: string) => ({ instance: { skeleton: 'Write', entity, ordinal: 0 } });

async function rowsOf(store: JournalStore, run = 'r1'): Promise<StoredRow[]> {
  const rows: StoredRow[] = [];
  for await (const row of store.read(run)) rows.push(row);
  return rows;
}

/** Forks the run at the first row that can be forked behind so many edits. @returns the commit of the last of them. */
async function forkedBehind(store: JournalStore, edits: number): Promise<string> {
  const keys = new Set<string>();
  const commits: string[] = [];
  for (const { entry, row } of entriesOf(await rowsOf(store))) {
    if (entry.do === 'intent' && entry.tool === 'edit') keys.add(entry.key);
    if (entry.do === 'outcome' && keys.has(entry.key))
      commits.push((entry as unknown as { output: { commit: string } }).output.commit);
    if (commits.length < edits) continue;
    const fork = await workClient(store)
      .fork('r1', { as: 'r2', at: row.seq, by: 'ada' })
      .catch(() => null);
    if (fork !== null) break;
  }
  expect(commits).toHaveLength(edits);
  return commits.at(-1) as string;
}

test('a live model is asked once for each answer: one that fails or answers what the config refuses is asked again', async () => {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const { model, messages } = JSON.parse(body) as { model: string; messages: { content: string }[] };
    const { nth } = JSON.parse(messages[1]?.content ?? '{}') as { nth?: string };
    const what = nth ?? 'plan';
    asked.push(what);
    const again = asked.filter((one) => one === what).length > 1;
    if (what === '2' && !again) return response.writeHead(503).end();
    const tasks = [1, 2, 3].map((one) => ({ path: `src/live${one}.txt`, wish: `write ${one}` }));
    const file = what === '3' && !again ? { text: 'no content' } : { content: `by ${model}, ${what}\n` };
    const content = JSON.stringify(what === 'plan' ? { tasks } : file);
    const isKnown = request.headers.authorization === 'Bearer secret' && request.url === '/v1/chat/completions';
    response.writeHead(isKnown ? 200 : 401);
    return response.end(JSON.stringify({ choices: [{ message: { content } }], usage: { total_tokens: 1_500 } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const CODING_MODEL_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  const env = { CODING_MODEL_KEY: 'secret', CODING_MODEL_URL, CODING_MODEL: 'tiny', CODING_MODEL_CENTS: '2' };
  expect(liveModel({ ...env, CODING_MODEL_KEY: '' })).toBe(null);
  bench.model = liveModel(env);
  const store = memoryStore();
  const { sidecar, asks } = await bench.up(store);
  await asks();
  expect(asked).toEqual(['plan', '1', '2', '2', '3', '3']);
  expect(bench.parts()).toEqual(expect.arrayContaining(['by tiny, 1', 'by tiny, 2', 'by tiny, 3']));
  // Three cents each for what was answered; of a failure nobody knows what it cost, and the most is charged.
  const spent = ledgersOf(await rowsOf(store), Date.now()).budgets.find(({ budget }) => budget === 'cents')?.spent;
  expect(spent).toBeGreaterThanOrEqual(4 * 3);
  await sidecar.close();
  server.close();
  server.closeAllConnections();
});

test('seven edits, a commit and a push that a person approves: nothing of the user is touched, and the ledger counts lines and money', async () => {
  const before = usersView(bench.root);
  const store = memoryStore();
  const { sidecar, asks, state } = await bench.up(store);
  const gate = await asks();
  expect([state(), bench.onServer('src/part3.txt'), usersView(bench.root)]).toEqual(['pushing', null, before]);
  await workClient(store).approve('r1', gate, { by: 'ada' });
  await sidecar.finished();
  expect([state(), bench.onServer('src/part3.txt'), bench.onServer('README.md')]).toEqual(['pushed', 'part 3', 'ours']);
  const { changed, budgets } = ledgersOf(await rowsOf(store), Date.now());
  expect(changed).toEqual([
    { tool: 'edit', calls: 7, added: 7, removed: 1 },
    { tool: 'commit', calls: 1, added: 7, removed: 1 },
  ]);
  expect(budgets).toContainEqual({ budget: 'cents', spent: 82 });
  await sidecar.close();
});

test('the third of seven edits is found wrong while its push waits: it alone is made anew, and no approval of before holds', async () => {
  const store = memoryStore();
  const { sidecar, asks } = await bench.up(store);
  const gate = await asks();
  bench.says = (nth) => ({ content: `part ${nth}, right\n`, cents: 10 });
  await sidecar.fail('CONTRACT_VIOLATION', { ...Write('3'), key: 'drafts/3' });
  const again = await asks();
  expect(again).not.toBe(gate);
  expect([bench.drafted.slice(7), bench.edited.slice(7)]).toEqual([['3'], ['3']]);
  expect(bench.parts()).toEqual(WRITTEN.with(2, 'part 3, right'));
  await workClient(store).approve('r1', gate, { by: 'ada' });
  await until(async () => (await workClient(store).outcome('r1', 1))?.is === 'refused');
  expect(bench.pushes).toBe(0);
  await workClient(store).approve('r1', again, { by: 'ada' });
  await sidecar.finished();
  expect([bench.pushes, bench.onServer('src/part3.txt'), bench.onServer('src/part7.txt')]).toEqual([
    1,
    'part 3, right',
    'part 7',
  ]);
  expect(execFileSync('git', ['-C', bench.server, 'rev-list', '--count', 'opening-hours'], { encoding: 'utf8' })).toBe(
    '2\n',
  );
  await sidecar.close();
});

test('where the money is out and no test is green, a person abandons the branch: every edit is taken out', async () => {
  const before = usersView(bench.root);
  bench.says = (nth) => ({ content: `part ${nth}\n`, cents: 60 });
  bench.tests = () => ({ green: false, says: 'part 8 is missing' });
  const store = memoryStore();
  const { sidecar, state } = await bench.up(store);
  await until(() => state() === 'red');
  await sidecar.durable();
  const { budgets, changed } = ledgersOf(await rowsOf(store), Date.now());
  // 12 for the plan and 60 for each of six drafts: the seventh may take 40, and would be above 400.
  expect([bench.drafted.length, budgets.find(({ budget }) => budget === 'cents')?.spent]).toEqual([6, 372]);
  expect(changed).toMatchObject([{ tool: 'edit', calls: 6 }]);
  await sidecar.cancel({ by: 'ada', undo: true });
  expect(await sidecar.finished()).toMatchObject({ status: 'compensated', stands: [] });
  expect([bench.parts(), usersView(bench.root), bench.pushes]).toEqual([['old part 3'], before, 0]);
  await sidecar.close();
});

test('a fork writes what is behind the third edit another way, in a worktree of its own, and is discarded', async () => {
  const before = usersView(bench.root);
  const store = memoryStore();
  const first = await bench.up(store);
  const gate = await first.asks();
  const root = join(dirname(bench.root), 'second');
  const third = await forkedBehind(store, 3);
  for (const _ of [1, 2]) await first.project.fork({ run: 'r2', root, commit: third });
  expect(bench.parts(root)).toEqual(['part 1', 'part 2', 'part 3']);
  bench.says = (nth) => ({ content: `part ${nth}, otherwise\n`, cents: 10 });
  const second = await bench.up(store, 'r2', root);
  // Of each path that its parent has written since, and of the commit, a person says that here it is another one (FK4).
  const asked: string[] = [];
  let other = '';
  await until(
    async () => {
      const [request] = second.sidecar.requests();
      if (request?.tool === 'push') other = request.gate;
      if (request === undefined || other !== '') return other !== '';
      await second.sidecar.durable();
      if ((await second.sidecar.answer(request.gate, 'approved', { by: 'ada' })) === null) asked.push(request.tool);
      return false;
    },
    () => `${asked} ${JSON.stringify(second.sidecar.requests())} ${second.sidecar.status}`,
  );
  expect(asked).toEqual(['edit', 'edit', 'edit', 'edit', 'commit']);
  await second.sidecar.durable();
  expect(bench.drafted.slice(7)).toEqual(['4', '5', '6', '7']);
  expect(bench.parts(root)).toEqual(SEVEN.map((nth) => `part ${nth}${nth > 3 ? ', otherwise' : ''}`));
  expect([bench.parts(), usersView(bench.root)]).toEqual([WRITTEN, before]);
  await workClient(store).deny('r2', other, { by: 'ada' });
  await second.sidecar.finished();
  await second.sidecar.close();
  await expect(first.project.discard({ run: 'r3', root })).rejects.toMatchObject({ code: 'bad_path' });
  await expect(first.project.discard({ run: 'r2', root: bench.root })).rejects.toMatchObject({ code: 'bad_path' });
  for (const _ of [1, 2]) await first.project.discard({ run: 'r2', root });
  expect([existsSync(root), userGit(bench.root, 'for-each-ref', '--format=%(refname)', 'refs/belay').trim()]).toEqual([
    false,
    'refs/belay/r1',
  ]);
  await workClient(store).approve('r1', gate, { by: 'ada' });
  await first.sidecar.finished();
  expect([first.state(), bench.pushes, bench.onServer('src/part7.txt'), bench.parts()]).toEqual([
    'pushed',
    1,
    'part 7',
    WRITTEN,
  ]);
  await first.sidecar.close();
});

test('killed at each append, each task is written once, one commit is pushed once, and no answer of the model is asked for again', async () => {
  let deaths = 0;
  for (let at = 1; ; at += 1) {
    bench.clear();
    bench = new Bench();
    const store = memoryStore();
    let appends = 0;
    const dying = wrapJournals(store, (journal) => ({
      append: (rows, note) => {
        appends += 1;
        if (appends >= at) throw new Error('killed');
        return journal.append(rows, note);
      },
    }));
    const approving = async (life: Awaited<ReturnType<Bench['up']>>, isOver: () => boolean) => {
      let gate: string | undefined;
      while (!isOver() && life.state() !== 'pushed') {
        const now = life.sidecar.requests()[0]?.gate;
        if (now !== undefined && now !== gate) {
          gate = now;
          await life.sidecar.durable().catch(() => {});
          await workClient(store)
            .approve('r1', now, { by: 'ada' })
            .catch(() => {});
        }
        await wait(2);
      }
    };
    const first = await bench.up(dying).catch(() => null);
    if (first !== null) {
      await approving(first, () => appends >= at);
      await wait(20);
      await first.sidecar.close().catch(() => {});
    }
    const isDead = appends >= at;
    if (isDead) deaths += 1;
    const second = await bench.up(store);
    await approving(second, () => second.sidecar.status === 'parked');
    await second.sidecar.finished();
    expect([at, second.state(), bench.parts(), bench.onServer('src/part7.txt')]).toEqual([
      at,
      'pushed',
      WRITTEN,
      'part 7',
    ]);
    const onBranch = execFileSync('git', ['-C', bench.server, 'log', '--format=%s', 'opening-hours'], {
      encoding: 'utf8',
    });
    expect([at, onBranch]).toEqual([at, 'say when a shop is open\nstart\n']);
    const edits = userGit(bench.root, 'log', '--first-parent', '--format=%s', 'refs/belay/r1').split('\n');
    expect([at, edits.filter((line) => line.startsWith('write ')).length]).toEqual([at, 7]);
    // An answer that no row holds yet is asked for again; no other is.
    expect([at, bench.drafted.length <= 8, bench.plans <= 2]).toEqual([at, true, true]);
    await second.sidecar.close();
    if (!isDead) break;
  }
  expect(deaths).toBeGreaterThan(20);
});
