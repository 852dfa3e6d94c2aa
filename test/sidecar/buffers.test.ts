/** Calls that stay invisible until their instance commits: all of them or none, also across a crash (semantics.md E4, E7). */
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { StagingArea } from '../../src/effects/counterparty.ts';
import { NotApplied } from '../../src/effects/signals.ts';
import { EntryDecoder } from '../../src/journal/entry-codec.ts';
import type { LocalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { Entry } from '../../src/model/entry.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { attach } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { calm, held, Line, of, type Station, until } from './stations.ts';

/** A book in which a call is staged, and then visible. */
class Book {
  readonly staged = new Set<string>();
  readonly visible: string[] = [];
  readonly publications: string[] = [];
  readonly discarded: string[] = [];
  fails: (() => void) | null = null;

  readonly buffer: StagingArea = {
    publish: async (calls, { id, boundary }) => {
      this.fails?.();
      if (this.publications.includes(id)) return;
      this.publications.push(id);
      for (const { key, args } of calls) {
        this.staged.delete(key);
        this.visible.push(`${boundary} ${JSON.stringify(args)}`);
      }
    },
    discard: (calls) => {
      for (const { key } of calls) {
        this.staged.delete(key);
        this.discarded.push(key);
      }
    },
  };

  stage(key: string | undefined): string {
    this.staged.add(key as string);
    return 'staged';
  }
}

const staged = (more = ''): string => `effect: reversible, undo: un, buffer: book${more}`;

function entries(journal: LocalStore, kind: Entry['do']): Entry[] {
  const reader = new EntryDecoder();
  return [...journal.read('r')].flatMap((row) => {
    const entry = reader.entry(row);
    return entry?.do === kind ? [entry] : [];
  });
}

/** One instance that stages twice and then commits, and one after it. */
const twice: Station[] = [
  { name: 'a', reads: ['wanted'], tool: staged() },
  { name: 'b', reads: ['a'] },
];

describe('what an instance holds back', () => {
  test('is invisible until its boundary certifies, and then there under one entry', async () => {
    const book = new Book();
    const journal = memoryStore();
    const line = new Line(twice, { a: ({ key }) => book.stage(key), b: () => [...book.visible] });
    const run = await line.begin({ journal, buffers: { book: book.buffer }, undo: { un: () => {} } });
    run.send('go');
    await run.at('rest');
    // Whoever goes on from the commit sees it.
    expect(run.context.b).toEqual(['done {"wanted":"x"}']);
    expect(entries(journal, 'publish')).toHaveLength(1);
    expect([book.staged.size, line.findings]).toEqual([0, []]);
    await run.close();
  });

  test('is gone without a trace where its instance is rolled back before that', async () => {
    const book = new Book();
    // The boundary of a cannot certify: it never writes what it promises.
    const never = new Line([{ name: 'a', tool: staged(), also: () => ({ a: undefined }) }, { name: 'b' }], {
      a: ({ key }) => book.stage(key),
    });
    const run = await never.begin({ buffers: { book: book.buffer } });
    run.send('go');
    await run.at('rest');
    expect([book.visible, book.staged.size]).toEqual([[], 1]);
    await run.fail('CONTRACT_VIOLATION', { instance: of('a') });
    await run.at('rest');
    expect([book.visible, book.discarded.length, book.staged.size, never.called('a')]).toEqual([[], 1, 1, 2]);
    await run.close();
  });

  test('is removed also where it was being staged when its instance went back', async () => {
    const book = new Book();
    const slow = held<void>();
    const line = new Line([{ name: 'a', tool: staged(), onError: 'handled' }], {
      a: async ({ key, nth }) => {
        if (nth > 0) throw new NotApplied('not again');
        await slow.promise;
        return book.stage(key);
      },
    });
    const run = await line.begin({ buffers: { book: book.buffer } });
    run.send('go');
    await until(() => line.called('a') === 1);
    const back = run.fail('CONTRACT_VIOLATION', { instance: of('a') });
    await calm();
    slow.resolve();
    await back;
    await run.at('handled');
    expect([book.staged.size, book.visible]).toEqual([0, []]);
    await run.close();
  });

  test('that was never committed is removed at the end of the run, and told', async () => {
    const book = new Book();
    const never = new Line([{ name: 'a', tool: staged(), also: () => ({ a: undefined }) }], {
      a: ({ key }) => book.stage(key),
    });
    const run = await never.begin({ buffers: { book: book.buffer }, undo: { un: () => {} } });
    run.send('go');
    await run.at('rest');
    run.send('end');
    const ending = await run.finished();
    expect(ending).toMatchObject({ status: 'done', unpublished: [never.calls[0]?.key] });
    expect([book.visible, book.staged.size, never.findings]).toEqual([[], 0, ['not_certified', 'never_published']]);
    await run.close();
  });

  test('is not staged twice by a replay, and what fails while it is staged has not happened', async () => {
    const book = new Book();
    const line = new Line([{ name: 'a', tool: staged() }], {
      a: ({ key, nth }) => {
        if (nth === 0) throw new Error('disk full');
        return book.stage(key);
      },
    });
    const run = await line.begin({ buffers: { book: book.buffer } });
    run.send('go');
    await run.at('rest');
    await until(() => book.visible.length === 1);
    expect([line.verdicts, line.called('a'), book.discarded.length]).toEqual([['settle'], 2, 1]);
    await run.close();
  });
});

describe('a whole call that waits', () => {
  const mail: Station[] = [
    { name: 'a', reads: ['wanted'], tool: 'effect: irreversible, buffer: true, reconcile: ask' },
    { name: 'b' },
  ];

  test('is made at the commit, without an output, and before anybody goes on from there', async () => {
    const order: string[] = [];
    const line = withCommit(new Line(mail, { a: () => void order.push('a'), b: () => void order.push('b') }));
    const run = await line.begin({});
    run.send('go');
    await run.at('rest');
    expect([order, run.context.a]).toEqual([['a', 'b'], undefined]);
    await run.close();
  });

  test('is made once where its answer was lost and its counterparty has it', async () => {
    const sent: string[] = [];
    const line = new Line([{ ...(mail[0] as Station), more: '' }], {
      a: ({ key }) => {
        sent.push(key as string);
        throw new Error('connection reset');
      },
    });
    const committed = withCommit(line);
    const run = await committed.begin({
      reconcilers: { ask: ({ key }) => ({ is: sent.includes(key) ? 'applied' : 'not_applied' }) },
    });
    run.send('go');
    await run.at('rest');
    await until(() => sent.length > 0);
    await calm(50);
    expect(sent).toHaveLength(1);
    await run.close();
  });

  test('is made again where its counterparty has not got it: a commit is not lost', async () => {
    const sent: string[] = [];
    const committed = withCommit(
      new Line([mail[0] as Station], {
        a: ({ key, nth }) => {
          if (nth < 2) throw new Error('connection reset');
          sent.push(key as string);
        },
      }),
    );
    const run = await committed.begin({
      reconcilers: { ask: ({ key }) => ({ is: sent.includes(key) ? 'applied' : 'not_applied' }) },
    });
    run.send('go');
    await until(() => sent.length > 0);
    await calm(50);
    expect(sent).toHaveLength(1);
    await run.close();
  });

  test('is tried as often as its work may have recoveries, where that is more than a few times', async () => {
    const line = new Line([{ ...(mail[0] as Station), rollback: 'tries: 5' }], {
      a: ({ nth }) => {
        if (nth < 5) throw new Error('connection reset');
      },
    });
    const run = await withCommit(line).begin({ reconcilers: { ask: () => ({ is: 'not_applied' }) } });
    run.send('go');
    await until(
      () => line.called('a') === 6,
      () => `${line.called('a')} calls`,
    );
    await calm(50);
    expect([line.verdicts, run.status]).toEqual([[], 'running']);
    await run.close();
  });

  test('parks the run where nobody can tell, and a person settles it', async () => {
    const committed = withCommit(
      new Line([{ ...(mail[0] as Station), tool: 'effect: irreversible, buffer: true' }], {
        a: () => {
          throw new Error('connection reset');
        },
      }),
    );
    const run = await committed.begin({});
    run.send('go');
    const ending = await run.finished();
    expect(ending.status).toBe('parked');
    const [gate] = run.sidecar.gates();
    expect(gate?.asks).toBe('outcome');
    await run.sidecar.settle(gate?.key as string, 'confirmed');
    await run.at('rest');
    run.send('end');
    expect((await run.finished()).status).toBe('done');
    expect([committed.called('a'), run.sidecar.gates()]).toEqual([1, []]);
    await run.close();
  });
});

/** The same line, whose boundary asks for nothing that the buffered call would have to answer. */
function withCommit(line: Line): Line {
  const { config } = line;
  for (const skeleton of config.skeletons.values()) {
    for (const boundary of skeleton.boundaries) {
      Object.assign(boundary, { outputs: [], when: { text: 'true', ask: () => ({ is: 'yes' }) } });
    }
  }
  return line;
}

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
