/** The git adapter under a sidecar: the third of seven edits is found wrong, and the rest stands; killed anywhere, each edit is made once. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AnyStateMachine, assign, setup } from 'xstate';
import { type GitAdapter, type GitEdit, gitAdapter } from '../../src/adapters/index.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { wrapJournals } from '../../src/testing/wrap-journals.ts';
import { resume } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { wait } from '../workers/small.ts';
import { LINES, repository, usersView } from './git-at-work.ts';

let root: string;
let remove: () => void;
let git: GitAdapter;

beforeEach(() => {
  ({ root, remove } = repository({ 'src/a.ts': `${LINES.join('\n')}\n` }));
  git = gitAdapter({ root, run: 'r1' });
});
afterEach(() => {
  git.close();
  remove();
});

const { config } = loadConfig(
  `belay: 1
agent: coder
tools:
  plan: { writes: ['plans/{args.nth}'], effect: none }
  edit: { reads: ['plans/{args.nth}'], writes: ['edits/{args.nth}'], effect: reversible, undo: take_out, reconcile: find }
skeletons:
  Plan: { entity: args.nth, states: [planning], entry: [planning], outputs: ['plans/{entity}'], exit: [{ id: planned, at: planning -> editing, when: 'true' }], rollback: { anchors: [planned], joint: [Plan, Edit] } }
  Edit: { entity: args.nth, states: [editing], entry: [editing], inputs: ['plans/{entity}'], outputs: ['edits/{entity}'], exit: [{ id: edited, at: editing -> planning, when: 'true' }, { id: over, at: editing -> rests, when: 'true' }], rollback: { anchors: [edited, over], joint: [Plan, Edit] } }
`,
  { file: 'coder.yaml' },
);

interface Memory {
  readonly nth: string;
  readonly plans: Record<string, string>;
  readonly edits: Record<string, string>;
}

/** The line that each edit changes; two of them may change one line. */
function machineOf(places: readonly number[], says: (nth: string) => string, calls: string[]) {
  const plan = tool(async ({ input }: ToolCall<{ nth: string }>) => says(input.nth));
  const edit = tool(async ({ input, key, signal }: ToolCall<{ nth: string; text: string }>) => {
    calls.push(input.nth);
    const lines = readFileSync(join(root, 'src/a.ts'), 'utf8').split('\n');
    lines[places[Number(input.nth) - 1] as number] = input.text;
    const given: GitEdit = { path: 'src/a.ts', content: lines.join('\n'), decision: `plan#${input.nth}` };
    return git.edit({ input: given, signal, key });
  });
  const outputOf = (event: object) => (event as { output: never }).output;
  const actions = {
    planned: assign(({ context, event }) => {
      const { nth, plans } = context as Memory;
      return { plans: { ...plans, [nth]: outputOf(event) } };
    }),
    edited: assign(({ context, event }) => {
      const { nth, edits } = context as Memory;
      return { edits: { ...edits, [nth]: (outputOf(event) as { commit: string }).commit } };
    }),
    next: assign(({ context }) => ({ nth: String(Number((context as Memory).nth) + 1) })),
  };
  const states = {
    planning: {
      invoke: {
        src: 'plan',
        input: (({ context }: { context: Memory }) => ({ nth: context.nth })) as never,
        onDone: {
          target: 'editing',
          actions: 'planned',
        },
      },
    },
    editing: {
      invoke: {
        src: 'edit',
        input: (({ context }: { context: Memory }) => ({
          nth: context.nth,
          text: context.plans[context.nth],
        })) as never,
        onDone: [
          {
            guard: (({ context }: { context: Memory }) => Number(context.nth) < places.length) as never,
            target: 'planning',
            actions: ['edited', 'next'],
          },
          {
            target: 'rests',
            actions: 'edited',
          },
        ],
      },
    },
    rests: { on: { GO: 'over' } },
    over: { type: 'final' },
  };
  return setup({ actors: { plan, edit }, actions: actions as never }).createMachine({
    id: 'coder',
    context: { nth: '1', plans: {}, edits: {} } as Memory,
    initial: 'planning',
    states: states as never,
  });
}

async function opened(store: JournalStore, places: readonly number[], says: (nth: string) => string, calls: string[]) {
  const run = await resume(machineOf(places, says, calls) as unknown as AnyStateMachine, {
    run: 'r1',
    journal: store,
    config: config as never,
    undo: { take_out: git.inverse },
    reconcilers: { find: git.reconcile },
  });
  run.actor.start();
  const settled = async () => {
    for (let turn = 0; turn < 2_000; turn += 1) {
      await wait(5);
      if (run.status === 'parked' || run.status === 'done') return;
      if ((run.actor.getSnapshot() as { value: unknown }).value === 'rests' && run.status === 'running') return;
    }
    throw new Error('it did not come to rest');
  };
  return { run, settled };
}

const SEVEN = [3, 10, 20, 30, 40, 50, 55];

test('the third of seven edits is found wrong: it alone is undone, and made anew by another plan', async () => {
  const calls: string[] = [];
  let isRight = false;
  const says = (nth: string) => (nth === '3' && isRight ? 'right' : `by ${nth}`);
  const before = usersView(root);
  const { run, settled } = await opened(memoryStore(), SEVEN, says, calls);
  await settled();
  expect(calls).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  isRight = true;
  await run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Plan', entity: '3', ordinal: 0 } });
  await settled();
  const lines = readFileSync(join(root, 'src/a.ts'), 'utf8').split('\n');
  expect([run.status, SEVEN.map((at) => lines[at])]).toEqual([
    'running',
    ['by 1', 'by 2', 'right', 'by 4', 'by 5', 'by 6', 'by 7'],
  ]);
  expect(usersView(root)).toBe(before);
  await run.close();
});

test('edits of the same line go back newest first, and are made anew in their order', async () => {
  const calls: string[] = [];
  let isRight = false;
  const says = (nth: string) => (nth === '2' && isRight ? 'right' : `by ${nth}`);
  const { run, settled } = await opened(memoryStore(), [3, 10, 10], says, calls);
  await settled();
  isRight = true;
  await run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Plan', entity: '2', ordinal: 0 } });
  await settled();
  const lines = readFileSync(join(root, 'src/a.ts'), 'utf8').split('\n');
  expect([run.status, lines[3], lines[10], calls]).toEqual(['running', 'by 1', 'by 3', ['1', '2', '3', '2', '3']]);
  await run.close();
});

test('killed at each append, each edit is there once', async () => {
  let deaths = 0;
  for (let at = 1; at <= 18; at += 1) {
    remove();
    git.close();
    ({ root, remove } = repository({ 'src/a.ts': `${LINES.join('\n')}\n` }));
    git = gitAdapter({ root, run: 'r1' });
    const store = memoryStore();
    let appends = 0;
    let isOver = false;
    const dying = wrapJournals(store, (journal) => ({
      append: (rows, note) => {
        appends += 1;
        if (appends === at) throw new Error('killed');
        return journal.append(rows, note);
      },
    }));
    const calls: string[] = [];
    const first = await opened(dying, [3, 10, 20], (nth) => `by ${nth}`, calls).catch(() => null);
    const isDead = async () => {
      while (appends < at && !isOver) await wait(5);
      await wait(30);
    };
    await Promise.race([first?.settled().catch(() => {}), isDead()]);
    isOver = true;
    await first?.run.close().catch(() => {});
    if (appends >= at) deaths += 1;
    const second = await opened(store, [3, 10, 20], (nth) => `by ${nth}`, calls);
    await second.settled();
    const lines = readFileSync(join(root, 'src/a.ts'), 'utf8').split('\n');
    expect([at, second.run.status, [3, 10, 20].map((place) => lines[place])]).toEqual([
      at,
      'running',
      ['by 1', 'by 2', 'by 3'],
    ]);
    await second.run.close();
  }
  expect(deaths).toBeGreaterThan(12);
});
