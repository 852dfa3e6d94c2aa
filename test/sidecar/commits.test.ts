/** Commits: all of them or none, also across a crash, if the invariants hold and nothing they rely on may go back (semantics.md E4, E7). */
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { StagingArea } from '../../src/effects/counterparty.ts';
import { NotApplied } from '../../src/effects/signals.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { attach } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { calm, until } from '../poll.ts';
import { Book, entries, staged } from './staging.ts';
import { held, Line, type Station } from './stations.ts';

describe('a commit', () => {
  test('that is not visible yet when the process ends is finished by the next one, under the same name', async () => {
    const book = new Book();
    const journal = memoryStore();
    const names: string[] = [];
    const stuck: StagingArea = {
      ...book.buffer,
      publish: (_, { id }) => {
        names.push(id);
        return new Promise(() => {});
      },
    };
    const line = new Line([{ name: 'a', tool: staged() }], { a: ({ key }) => book.stage(key) });
    const first = await line.begin({ journal, buffers: { book: stuck } });
    first.send('go');
    await until(() => names.length === 1);
    await first.close();
    expect(book.visible).toEqual([]);
    const second = await line.resume({ journal, buffers: { book: book.buffer } });
    await until(() => book.visible.length === 1);
    expect([book.publications, line.called('a')]).toEqual([names, 1]);
    await second.close();
  });

  test('that was visible when the process ended, and was not written down, changes nothing more', async () => {
    const book = new Book();
    const journal = memoryStore();
    const lost: StagingArea = {
      ...book.buffer,
      publish: async (calls, publication) => {
        await book.buffer.publish(calls, publication);
        await new Promise(() => {});
      },
    };
    const line = new Line([{ name: 'a', tool: staged() }], { a: ({ key }) => book.stage(key) });
    const first = await line.begin({ journal, buffers: { book: lost } });
    first.send('go');
    await until(() => book.visible.length === 1);
    await first.close();
    const second = await line.resume({ journal, buffers: { book: book.buffer } });
    await second.at('rest');
    await calm();
    expect([book.visible.length, entries(journal, 'publish').length]).toEqual([1, 1]);
    await second.close();
  });

  test('whose buffer says again and again that nothing is visible parks the run, and is made once it can be', async () => {
    const book = new Book();
    book.fails = () => {
      throw new NotApplied('locked');
    };
    const line = new Line([{ name: 'a', tool: staged() }, { name: 'b' }], { a: ({ key }) => book.stage(key) });
    const run = await line.begin({ buffers: { book: book.buffer } });
    run.send('go');
    const ending = await run.finished();
    expect([ending.status, line.called('b'), book.visible]).toEqual(['parked', 0, []]);
    book.fails = null;
    await run.sidecar.reconcile();
    await run.at('rest');
    expect([book.visible.length, line.called('b')]).toEqual([1, 1]);
    await run.close();
  });

  test('waits for whoever wrote what it has read: until they commit, they may be rolled back, and it with them', async () => {
    const book = new Book();
    const committing = held<string>();
    // a writes x and goes on with a second call before it commits; b reads x and commits at once.
    const line = new Line(
      [{ name: 'a', also: () => ({ x: 1 }) }, { name: 'b', reads: ['x'], tool: staged() }, { name: 'c' }],
      { b: ({ key }) => book.stage(key), c: () => committing.promise },
    );
    const { config } = line;
    // What a promises comes only with c.
    const [a] = [...config.skeletons.values()];
    Object.assign(a as object, { boundaries: [] });
    const run = await line.begin({ buffers: { book: book.buffer } });
    run.send('go');
    await run.at('c');
    await calm();
    expect(book.visible).toEqual([]);
    committing.resolve('c');
    await run.at('rest');
    run.send('end');
    // The end of the run is the end of all rolling back.
    expect((await run.finished()).status).toBe('done');
    expect(book.visible).toHaveLength(1);
    await run.close();
  });
});

interface Books {
  readonly cents: readonly number[];
}

describe('invariants', () => {
  const machine = (lines: readonly number[], post: (call: ToolCall<unknown>) => Promise<unknown>) =>
    setup({ actors: { debit: tool(post), credit: tool(post) } }).createMachine({
      id: 'books',
      context: { cents: lines, posted: 0 },
      initial: 'idle',
      states: {
        idle: { on: { go: 'debiting' } },
        debiting: {
          invoke: {
            src: 'debit',
            input: ({ context }: { context: Books }) => ({ cents: context.cents[0] }),
            onDone: 'crediting',
          },
        },
        crediting: {
          invoke: {
            src: 'credit',
            input: ({ context }: { context: Books }) => ({ cents: context.cents[1] }),
            onDone: { target: 'posted', actions: assign({ posted: 1 }) },
          },
        },
        posted: {},
      },
    });
  const { config } = loadConfig(
    `belay: 1
agent: books
tools:
  debit: { writes: ["book:**"], effect: reversible, undo: un, buffer: book }
  credit: { writes: [posted, "book:**"], effect: reversible, undo: un, buffer: book }
skeletons:
  Post:
    entity: '"it"'
    states: [debiting, crediting]
    entry: [debiting]
    outputs: [posted, "book:**"]
    exit:
      - id: posted
        at: crediting -> posted
        when: memory.posted == 1
        outputs: [posted]
        invariants: [{ id: balanced, sum: { debit: args.cents, credit: -args.cents }, is: 0 }]
    rollback: { anchors: [posted], resume: debiting, tries: 1 }`,
    { file: 'books.yaml' },
  );

  async function post(...lines: number[]) {
    const book = new Book();
    const journal = memoryStore();
    const verdicts: string[] = [];
    const sidecar = await attach(
      machine(lines, async ({ key }) => book.stage(key)),
      {
        run: 'r',
        config: config as BoundaryConfig,
        journal,
        buffers: { book: book.buffer },
        onDecision: ({ decision, signal, error }) => void verdicts.push(`${signal} ${decision.verdict} ${error}`),
      },
    );
    sidecar.actor.start();
    sidecar.actor.send({ type: 'go' });
    return { book, journal, verdicts, sidecar };
  }

  test('that hold make all writes visible in one commit, with one entry that names them', async () => {
    const { book, journal, sidecar, verdicts } = await post(50, 50);
    await until(() => book.visible.length === 2);
    expect(entries(journal, 'publish')).toMatchObject([{ boundary: 'posted', invariants: ['balanced'] }]);
    expect([book.publications.length, verdicts]).toEqual([1, []]);
    await sidecar.close();
  });

  test('that do not hold let nothing through: the instance has failed, is done again, and then a person has to look', async () => {
    const { book, sidecar, verdicts } = await post(50, 49);
    expect((await sidecar.finished()).status).toBe('parked');
    const what = 'balanced does not hold: what is held back comes to 1 and not to 0';
    expect(verdicts).toEqual([
      `CONTRACT_VIOLATION restore exit posted of Post::it::0: ${what}`,
      `CONTRACT_VIOLATION rerun exit posted of Post::it::0: ${what}`,
    ]);
    expect(book.visible).toEqual([]);
    await sidecar.close();
  });

  test('of which nobody can tell let nothing through either', async () => {
    const { book, sidecar, verdicts } = await post(50, 0.5);
    expect((await sidecar.finished()).status).toBe('parked');
    expect(verdicts[0]).toContain('it is unknown whether balanced holds: -args.cents of credit is no whole number');
    expect(book.visible).toEqual([]);
    await sidecar.close();
  });
});

describe('a call that cannot be taken back', () => {
  const relying: Station[] = [{ name: 'a' }, { name: 'b', reads: ['a'], tool: 'effect: irreversible' }];

  test('over what somebody has not committed is a finding', async () => {
    const line = new Line(relying);
    Object.assign([...line.config.skeletons.values()][0] as object, { boundaries: [] });
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    expect(line.findings).toEqual(['uncovered_read']);
    await run.close();
  });

  test('over what is committed is none', async () => {
    const line = new Line(relying);
    const run = await line.begin();
    run.send('go');
    await run.at('rest');
    expect(line.findings).toEqual([]);
    await run.close();
  });
});
