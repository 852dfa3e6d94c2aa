/** The example of a coding agent on a repository and a server of its own, over a model that follows a script (examples/coding). */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { codingAgent, type Draft, type Tests, type Workshop } from '../../examples/coding/machine.ts';
import { type GitAdapter, gitAdapter } from '../../src/adapters/index.ts';
import { readConfig } from '../../src/boundaries/directory.ts';
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
  readonly #adapters: GitAdapter[] = [];

  constructor() {
    const { root, remove } = repository({ 'README.md': 'ours\n', 'src/part3.txt': 'old part 3\n' });
    [this.root, this.remove] = [root, remove];
    this.server = join(dirname(root), 'server.git');
    execFileSync('git', ['init', '-q', '--bare', this.server]);
    userGit(root, 'remote', 'add', 'origin', this.server);
  }

  /** Takes the run up, in a process of its own. */
  async up(journal: JournalStore, run = 'r1', onDecision?: (codes: string) => void) {
    const project = gitAdapter({ root: this.root, run });
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
      ...(onDecision && { onDecision: ({ decision }) => onDecision(JSON.stringify(decision)) }),
    });
    sidecar.actor.start();
    const state = () => (sidecar.actor.getSnapshot() as { value: unknown }).value;
    const asks = async () => {
      await until(() => sidecar.requests().length === 1);
      await sidecar.durable();
      return sidecar.requests()[0]?.gate as string;
    };
    return { sidecar, state, asks };
  }

  /** The files of the agent, by their numbers. */
  parts(): string[] {
    const folder = join(this.root, 'src');
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
