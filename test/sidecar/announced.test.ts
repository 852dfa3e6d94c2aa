/** SP1 to SP4, each once: what commits say, and who is told of them, in flows, loops over graphs and machines, over files, and beside other features. */
import { rmSync } from 'node:fs';
import { END, START, StateGraph } from '@langchain/langgraph';
import { afterAll, describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { flow } from '../../src/flow/flow.ts';
import { type JournalStore, ledgersOf, memoryStore } from '../../src/index.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { attachGraph, graphTool, resumeGraph } from '../../src/langgraph/index.ts';
import type { Commit } from '../../src/sidecar/report.ts';
import { attach, resume } from '../../src/xstate/index.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { State } from '../langgraph/toys.ts';
import { until } from '../poll.ts';
import { scratchFolder } from '../scratch.ts';
import { calls, machineOf, World } from '../semantics/little.ts';
import { MortalStore } from '../simulation/mortal-store.ts';
import { loaded } from './loaded.ts';
import { Told } from './told-program.ts';

const folder = scratchFolder('announced');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const STEPS = ['pick', 'pack', 'send'] as const;
const FLOW = loaded(`
belay: 1
agent: parcels
tools:
${STEPS.map((name) => `  ${name}: { reads: [], writes: [steps/${name}, 'stock:${name}'], effect: compensable, undo: un, reconcile: find }`).join('\n')}
skeletons:
${STEPS.map(
  (name, nth) => `  ${name.toUpperCase()}:
    entity: '"it"'
    states: [${name}]
    entry: [${name}]
    outputs: [steps/${name}]
    exit: [{ id: done, at: ${name} -> ${STEPS[nth + 1] ?? 'end'}, when: memory.steps.?${name}.hasValue(), message: '"did " + memory.steps.${name}' }]
    rollback: { anchors: [done], resume: ${name} }`,
).join('\n')}
`);

const GRAPH = loaded(`
belay: 1
agent: rounds
tools:
  work: { reads: [], writes: [], effect: idempotent }
keys: { append: [list] }
skeletons:
  WORK:
    entity: '"it"'
    states: [work]
    entry: [work]
    outputs: ['n', 'vals/work', 'list']
    exit: [{ id: worked, at: work -> end, when: 'true', outputs: [n], message: '"round " + string(int(memory.n))' }]
    rollback: { anchors: [worked], resume: work, joint: [WORK] }
`);

type Process = { finished(): Promise<{ readonly status: string }>; close(): Promise<unknown> };

/** Runs something to its end, killed at each append. @returns what was told wrong. */
async function killed(
  texts: readonly string[],
  open: (told: Told, isFirst: boolean, journal: JournalStore) => Promise<Process>,
) {
  const wrong: string[] = [];
  let again = 0;
  for (let append = 2; append < 40; append += 1) {
    const told = new Told();
    const store = new MortalStore([{ append, when: 'after' }]);
    store.onDeath = () => {
      told.isDead = true;
    };
    const first = await open(told, true, await store.next('r'));
    const end = await Promise.race([
      first.finished(),
      until(
        () => told.isDead,
        () => 'dead',
      ).then(() => null),
    ]);
    if (end === null) {
      void first.close().catch(() => {});
      told.isDead = false;
      const second = await open(told, false, await store.next('r'));
      if ((await second.finished()).status !== 'done') wrong.push(`${append} does not end`);
      await second.close();
    }
    if (JSON.stringify(told.texts) !== JSON.stringify(texts)) wrong.push(`${append}: ${JSON.stringify(told.texts)}`);
    again += told.commits.length - told.texts.length;
    if (told.commits.length - told.texts.length > 1) wrong.push(`${append}: told again`);
    if (end !== null) return { wrong, again, appends: append };
  }
  return { wrong: [...wrong, 'never ended alive'], again, appends: 40 };
}

describe('a program is told of each commit, and again after a crash', () => {
  test('of a flow, killed at each append', async () => {
    const world = new Map<string, string>();
    const parcels = flow<string>('parcels', async (step) => {
      for (const name of STEPS)
        await step(name, {}, async ({ key }) => {
          world.set(key ?? '', name);
          return name;
        });
    });
    const find = ({ key }: { key: string }) =>
      world.has(key) ? ({ is: 'applied', output: world.get(key) } as const) : ({ is: 'not_applied' } as const);
    const options = { run: 'r', config: FLOW, input: 'it', undo: { un: () => {} }, reconcilers: { find } };
    const { wrong, appends } = await killed(['did pick', 'did pack', 'did send'], (told, isFirst, journal) => {
      const how = { ...options, journal, onCommit: told.onCommit };
      return isFirst ? parcels.attach(how) : parcels.resume(how);
    });
    expect(wrong).toEqual([]);
    expect(appends).toBeGreaterThan(10);
  });

  test('of a graph that goes round three times, killed at each append', async () => {
    const graph = () =>
      new StateGraph(State)
        .addNode('work', async ({ n }) => ({ vals: { work: await graphTool('work', async () => n)({ n }) }, n: n + 1 }))
        .addEdge(START, 'work')
        .addConditionalEdges('work', ({ n }) => (n < 3 ? 'work' : END))
        .compile({ name: 'rounds' });
    const { wrong, appends } = await killed(['round 1', 'round 2', 'round 3'], async (told, isFirst, journal) => {
      const how = { run: 'r', config: GRAPH, journal, onCommit: told.onCommit, input: { go: 'now', n: 0 } };
      const run = await (isFirst ? attachGraph(graph(), how) : resumeGraph(graph(), how));
      const ended = run.invoke().then(() => ({ status: 'done' }));
      return { finished: () => ended, close: () => run.close() };
    });
    expect(wrong).toEqual([]);
    expect(appends).toBeGreaterThan(10);
  });
});

const MACHINE = (says: string, more = '') =>
  loaded(`
belay: 1
agent: m
${more}
tools:
  pay: { reads: [], writes: [receipt, 'bank:{entity}'], effect: irreversible, buffer: true }
  note: { reads: [], writes: [noted], effect: idempotent }
skeletons:
  PAY:
    entity: '"it"'
    states: [pay]
    entry: [pay]
    outputs: [receipt]
    commit: [{ id: paid, at: pay -> note, when: memory.?receipt.hasValue(), message: ${JSON.stringify(says)} }]
    rollback: { anchors: [paid], resume: pay }
`);

const paying = (world: World, receipt: unknown = 'r1', note: () => unknown = () => 'n') =>
  machineOf(
    { pay: world.tool('pay', () => 'staged'), note: world.tool('note', note) },
    {
      initial: 'pay',
      states: {
        pay: {
          invoke: { src: 'pay', onDone: { target: 'note', actions: assign({ receipt: () => receipt } as never) } },
        },
        note: calls('note', 'noted', 'end'),
        end: { type: 'final' },
      },
    },
  );

async function opened(how: typeof attach | typeof resume, machine: ReturnType<typeof paying>, options: object) {
  const sidecar = await how(machine, { run: 'r', ...options } as never);
  sidecar.actor.start();
  return sidecar;
}

describe('what a commit says', () => {
  test('SP1: one line of the ledger has it, with what the commit made visible', async () => {
    const world = new World();
    const journal = memoryStore();
    const sidecar = await opened(attach, paying(world), {
      config: MACHINE('"paid " + entity + ": " + memory.receipt'),
      journal,
    });
    expect((await sidecar.finished()).status).toBe('done');
    const { decisions } = ledgersOf(await journal.read('r'), 0);
    const commits = decisions.filter(({ is }) => is === 'commit');
    expect(commits).toMatchObject([
      { boundary: 'paid', message: 'paid it: r1', things: ['bank:it'], keys: world.keys('pay'), undone: false },
    ]);
  });

  test('SP1: a message without a value is told, and stops no commit', async () => {
    const world = new World();
    const found: string[] = [];
    const told = new Told();
    const options = {
      ...{ config: MACHINE('"paid " + memory.nothing'), journal: memoryStore(), onCommit: told.onCommit },
      onFinding: ({ code, text }: { code: string; text: string }) => void found.push(`${code}: ${text}`),
    };
    const sidecar = await opened(attach, paying(world), options);
    expect((await sidecar.finished()).status).toBe('done');
    expect(found.filter((text) => text.startsWith('no_message'))).toEqual([
      expect.stringMatching(/^no_message: the commit paid of PAY::it::0 has no message: .*nothing/),
    ]);
    expect([world.count('pay'), told.texts]).toEqual([1, [null]]);
  });

  test('SP1: a long message is cut, a redacted value is not in it, and no half of a character', async () => {
    const world = new World();
    const told = new Told();
    const journal = memoryStore();
    const long = `secret-4711 \u202e${'\u{1F600}'.repeat(500_000)}`;
    const more = { onCommit: told.onCommit, journal };
    const config = MACHINE('memory.receipt', 'redact: [noted, hidden]');
    const machine = paying(world, long);
    const sidecar = await opened(attach, machine, { config, ...more });
    expect((await sidecar.finished()).status).toBe('done');
    const text = told.texts[0] ?? '';
    expect([text.length <= 1_003, text.isWellFormed(), text.endsWith('...')]).toEqual([true, true, true]);
    const [line] = ledgersOf(await journal.read('r'), 0).decisions.filter(({ is }) => is === 'commit');
    expect(line).toMatchObject({ message: text });
  });

  test('SP1: what the config redacts is in no message', async () => {
    const told = new Told();
    const journal = memoryStore();
    const config = MACHINE('"paid by " + memory.receipt', 'redact: [receipt]');
    const sidecar = await opened(attach, paying(new World(), 'card-4711-0815'), {
      config,
      journal,
      onCommit: told.onCommit,
    });
    expect((await sidecar.finished()).status).toBe('done');
    expect(told.texts).toEqual(['paid by [redacted]']);
    const entries = entriesOf(journal.read('r')).filter((entry) => entry.do === 'committed');
    expect(JSON.stringify(entries)).not.toContain('4711');
  });
});

describe('who is told', () => {
  test('SP3: a throw is told again, and the run goes on meanwhile', async () => {
    const world = new World();
    const told: string[] = [];
    const onCommit = async ({ id }: Commit) => {
      told.push(id);
      await until(() => world.count('note') === 1);
      if (told.length < 3) throw new Error('not now');
    };
    const sidecar = await opened(attach, paying(world), { config: MACHINE('"p"'), journal: memoryStore(), onCommit });
    const ending = await sidecar.finished();
    expect(ending).toEqual({ status: 'done', output: undefined });
    expect([told.length, new Set(told).size]).toEqual([3, 1]);
  });

  test('SP4: a process without the function names the commits that it could not tell of, over a file', async () => {
    const world = new World();
    const file = `${folder}/runs.db`;
    let isHeld = true;
    const machine = paying(world, 'r1', () => (isHeld ? new Promise(() => {}) : 'n'));
    const refuses = () => {
      throw new Error('never');
    };
    const first = await opened(attach, machine, {
      config: MACHINE('"p"'),
      journal: sqliteStore(file),
      onCommit: refuses,
    });
    await until(() => world.count('note') === 1);
    await first.close();
    isHeld = false;
    const journal = sqliteStore(file);
    const second = await opened(resume, machine, { config: MACHINE('"p"'), journal });
    const ending = await second.finished();
    expect(ending).toMatchObject({
      status: 'done',
      unannounced: [{ boundary: 'paid', instance: { skeleton: 'PAY' } }],
    });
    expect(entriesOf(await journal.read('r')).some((entry) => entry.do === 'announced')).toBe(false);
    await second.close();
  });

  test('SP4: a function that never returns holds the end up for ten seconds, and no longer', async () => {
    const options = { config: MACHINE('"p"'), journal: memoryStore(), onCommit: () => new Promise<void>(() => {}) };
    const sidecar = await opened(attach, paying(new World()), options);
    const before = Date.now();
    expect(await sidecar.finished()).toMatchObject({ status: 'done', unannounced: [{ boundary: 'paid' }] });
    expect(Date.now() - before).toBeGreaterThan(9_000);
  });

  test('SP4: a run that a person ends names them, too', async () => {
    const world = new World();
    const waits = machineOf(
      { pay: world.tool('pay', () => 'staged') },
      {
        initial: 'pay',
        states: {
          pay: {
            invoke: { src: 'pay', onDone: { target: 'note', actions: assign({ receipt: () => 'r1' } as never) } },
          },
          note: { on: { GO: 'end' } },
          end: { type: 'final' },
        },
      },
    );
    const onCommit = () => Promise.reject(new Error('never'));
    const sidecar = await opened(attach, waits, { config: MACHINE('"p"'), journal: memoryStore(), onCommit });
    await until(() => world.count('pay') === 1);
    await sidecar.cancel({ by: 'ann' } as never);
    expect(await sidecar.finished()).toMatchObject({ status: 'cancelled', unannounced: [{ boundary: 'paid' }] });
  });

  test('SP2: two runs are told of their own commits, under names of their own', async () => {
    const told = new Told();
    const journal = memoryStore();
    const options = { config: MACHINE('"p"'), journal, onCommit: told.onCommit };
    const [a, b] = [
      await opened(attach, paying(new World()), options),
      await opened(attach, paying(new World()), { ...options, run: 's' }),
    ];
    await Promise.all([a.finished(), b.finished()]);
    expect(told.commits.map(({ run }) => run).sort()).toEqual(['r', 's']);
    expect(new Set(told.commits.map(({ id }) => id)).size).toBe(2);
  });

  test('SP3: nothing is journaled of commits that say nothing and that no program is told of', async () => {
    const journal = memoryStore();
    const config = loaded(`
belay: 1
agent: m
tools: { pay: { reads: [], writes: [receipt], effect: idempotent }, note: { reads: [], writes: [noted], effect: idempotent } }
skeletons:
  PAY:
    { entity: '"it"', states: [pay], entry: [pay], outputs: [receipt], rollback: { anchors: [paid], resume: pay },
      commit: [{ id: paid, at: pay -> note, when: memory.?receipt.hasValue() }] }
`);
    const sidecar = await opened(attach, paying(new World()), { config, journal });
    expect((await sidecar.finished()).status).toBe('done');
    expect(entriesOf(await journal.read('r')).some((entry) => entry.do === 'committed')).toBe(false);
  });
});
