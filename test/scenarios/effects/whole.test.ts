/** A commit over mail, files and rows is one commit: what one of them refuses shows nothing of the others (semantics.md E4). */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import {
  type FileWrite,
  fileAdapter,
  type Mail,
  mailAdapter,
  type RowWrite,
  rowAdapter,
} from '../../../src/adapters/index.ts';
import type { BoundaryConfig } from '../../../src/boundaries/config.ts';
import { loadConfig } from '../../../src/boundaries/load.ts';
import type { StagedCall } from '../../../src/effects/counterparty.ts';
import { memoryStore } from '../../../src/journal/memory/store.ts';
import type { Report } from '../../../src/sidecar/report.ts';
import { attach, resume, type Sidecar, type SidecarOptions } from '../../../src/xstate/attach.ts';
import { tool } from '../../../src/xstate/tool.ts';
import { callOf } from '../../adapters/calls.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belay-whole-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The four steps of a unit that posts an invoice, by their letters. */
interface Inputs {
  readonly m: Mail;
  readonly f: FileWrite;
  readonly d: RowWrite;
  readonly c: RowWrite;
}

const cents = (id: string, cents: number): RowWrite => ({ table: 'entry', key: { id }, set: { cents } });
const BALANCED: Inputs = {
  m: { to: 'ada@example.com', subject: 'your invoice', text: 't' },
  f: { path: 'invoice.txt', content: 'hello' },
  d: cents('d', 100),
  c: cents('c', -100),
};

/** A desk with a mailbox, a folder and a ledger, and an agent that posts an invoice there. */
class Office {
  readonly root = join(folder, 'root');
  readonly sent: string[] = [];
  readonly db = new Database(':memory:');
  readonly told: string[] = [];
  /** Done when the transport takes a message. */
  sends: () => void = () => {};
  readonly files;
  readonly rows;
  readonly mail;

  constructor() {
    mkdirSync(this.root, { recursive: true });
    this.db.exec('CREATE TABLE entry (id TEXT PRIMARY KEY, cents INTEGER NOT NULL)');
    this.files = fileAdapter({ root: this.root });
    this.rows = rowAdapter(this.db, {
      tables: { entry: { key: ['id'], columns: ['cents'] } },
      invariants: [{ id: 'balanced', sql: 'SELECT coalesce(sum(cents), 0) = 0 FROM entry' }],
    });
    const sendMail = async ({ to, messageId }: { to: string; messageId: string }) => {
      this.sends();
      this.sent.push(messageId);
      return to;
    };
    const lookup = (id: string) => (this.sent.includes(id) ? 'there' : 'not_there');
    this.mail = mailAdapter({ sendMail }, { from: 'desk@example.com', domain: 'example.com', lookup });
  }

  /** How many messages, files and rows anybody sees. */
  get seen(): number[] {
    const files = readdirSync(this.root).filter((name) => !name.startsWith('.'));
    return [this.sent.length, files.length, this.db.prepare('SELECT * FROM entry').all().length];
  }

  async open(
    order: readonly (keyof Inputs)[],
    inputs: Inputs,
    more: Partial<SidecarOptions<never>> = {},
  ): Promise<Sidecar> {
    const states = order.map((name, i) => {
      const onDone = { target: order[i + 1] ?? 'over', actions: assign({ [name]: true } as never) };
      return [name, { invoke: { src: name, input: inputs[name], onDone } }];
    });
    const machine = setup({
      actors: {
        m: tool((call) => this.mail.stage(call as never)),
        f: tool((call) => this.files.stage(call as never)),
        d: tool((call) => this.rows.stage(call as never)),
        c: tool((call) => this.rows.stage(call as never)),
      },
    }).createMachine({
      id: 'books',
      context: {},
      initial: order[0] as string,
      states: { ...Object.fromEntries(states), over: { type: 'final' } },
    } as never);
    const { config } = loadConfig(
      `belay: 1
agent: books
tools:
  f: { writes: ['file:{args.path}', f], effect: reversible, undo: f, reconcile: f, buffer: files }
  d: { writes: ['rows:entry', d], effect: reversible, undo: r, reconcile: r, buffer: rows }
  c: { writes: ['rows:entry', c], effect: reversible, undo: r, reconcile: r, buffer: rows }
  m: { writes: [m], effect: irreversible, reconcile: m, buffer: mail }
skeletons:
  Post: { entity: '"inv"', states: [${order}], entry: [${order[0]}], outputs: [f, d, c, m], exit: [{ id: posted, at: ${order.at(-1)} -> over, when: 'memory.?${order.at(-1)}.hasValue()' }], rollback: { anchors: [posted], resume: ${order[0]}, tries: 1 } }`,
      { file: 'books.yaml' },
    );
    const open = more.journal === undefined ? attach : resume;
    return (await open(
      machine as never,
      {
        run: order.join(''),
        config: config as BoundaryConfig,
        undo: { f: this.files.inverse, r: this.rows.inverse },
        reconcilers: { f: this.files.reconcile, r: this.rows.reconcile, m: this.mail.reconcile },
        buffers: { files: this.files.buffer, rows: this.rows.buffer, mail: this.mail.buffer },
        onDecision: ({ decision, error }: Report) => void this.told.push(`${decision.verdict}: ${error}`),
        ...more,
      } as never,
    )) as unknown as Sidecar;
  }

  async post(order: readonly (keyof Inputs)[], inputs: Inputs): Promise<string> {
    const sidecar = await this.open(order, inputs);
    sidecar.actor.start();
    const { status } = await sidecar.finished();
    await sidecar.close();
    return status;
  }
}

const ORDERS = [
  ['m', 'f', 'd', 'c'],
  ['f', 'd', 'c', 'm'],
  ['d', 'c', 'm', 'f'],
] as const;

describe.each(ORDERS)('a commit staged as %s, %s, %s, %s', (...order) => {
  test('is visible as a whole', async () => {
    const office = new Office();
    expect([await office.post(order, BALANCED), office.seen, office.told]).toEqual(['done', [1, 1, 2], []]);
  });

  test.each<[string, Partial<Inputs>, RegExp]>([
    ['an invariant of the rows does not hold', { c: cents('c', -90) }, /the invariant balanced would not hold/],
    ['a row breaks a constraint', { c: { table: 'entry', key: { id: 'c' }, set: { cents: null } } }, /NOT NULL/],
  ])('shows nothing where %s', async (_, wrong, why) => {
    const office = new Office();
    expect([await office.post(order, { ...BALANCED, ...wrong }), office.seen]).toEqual(['parked', [0, 0, 0]]);
    expect(office.told.at(-1)).toMatch(why);
  });

  test('becomes visible rows first, then files, then mail', async () => {
    const office = new Office();
    const seen: number[][] = [];
    office.sends = () => void seen.push(office.seen);
    await office.post(order, BALANCED);
    expect(seen).toEqual([[0, 1, 2]]);
  });
});

test('a commit whose file is changed once its rows are visible goes on as an obligation that names it', async () => {
  const office = new Office();
  const { publish } = office.rows.buffer;
  Object.assign(office.rows.buffer, {
    publish: (...args: Parameters<typeof publish>) => {
      publish(...args);
      writeFileSync(join(office.root, 'invoice.txt'), 'mine');
    },
  });
  const sidecar = await office.open(['f', 'd', 'c', 'm'], BALANCED);
  sidecar.actor.start();
  expect((await sidecar.finished()).status).toBe('parked');
  expect(office.seen).toEqual([0, 1, 2]);
  expect(office.told.at(-1)).toContain('invoice.txt was changed since its change was staged');
  rmSync(join(office.root, 'invoice.txt'));
  await sidecar.reconcile();
  expect([(await sidecar.finished()).status, office.seen]).toEqual(['done', [1, 1, 2]]);
  await sidecar.close();
});

test('a commit that is refused when the run is taken up is done again before the machine goes on', async () => {
  const office = new Office();
  office.db.exec("INSERT INTO entry VALUES ('d', 0), ('c', 0)");
  const journal = memoryStore();
  const { prepare } = office.rows.buffer;
  let asked: () => void = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const neverAnswers = () => {
    asked();
    return new Promise(() => {});
  };
  Object.assign(office.rows.buffer, { prepare: neverAnswers });
  const first = await office.open(['f', 'd', 'c', 'm'], BALANCED, { journal } as never);
  first.actor.start();
  await isAsked;
  await first.close();
  Object.assign(office.rows.buffer, { prepare });
  office.db.exec("UPDATE entry SET cents = 5 WHERE id = 'd'; UPDATE entry SET cents = -5 WHERE id = 'c'");
  const second = await office.open(['f', 'd', 'c', 'm'], BALANCED, { journal } as never);
  second.actor.start();
  expect([(await second.finished()).status, office.seen]).toEqual(['done', [1, 1, 2]]);
  expect(office.told).toEqual([
    expect.stringContaining('restore: the commit posted of Post::inv::0 was refused: the row ["d"] of entry'),
  ]);
  await second.close();
});

describe('paths of one commit', () => {
  const staged = async (files: ReturnType<typeof fileAdapter>, paths: readonly string[]): Promise<StagedCall[]> => {
    const calls: StagedCall[] = [];
    for (const path of paths) {
      const call = callOf({ path, content: 'new' });
      calls.push({ key: call.key as string, tool: 't', args: call.input, staged: await files.stage(call) });
    }
    return calls;
  };

  test.each([
    ['too long as a whole', `${'x/'.repeat(3000)}y`],
    ['too long in a folder that is not there yet', `new/${'x'.repeat(300)}`],
    ['too long in a segment on the way', `new/${'x'.repeat(300)}/y`],
  ])('that are %s are refused when they are staged', async (_, path) => {
    const files = fileAdapter({ root: folder });
    await expect(staged(files, ['ledger.txt', path])).rejects.toThrow('cannot be looked at');
  });

  test.each([[['a', 'a/b']], [['a/b', 'a']], [['x/a/b/c', 'x/a']]])(
    'that cannot both be there are refused before one is: %s',
    async (paths) => {
      const files = fileAdapter({ root: folder });
      const calls = await staged(files, paths);
      const about = { id: 'p', run: 'r', instance: 'i', boundary: 'b' };
      expect(() => files.buffer.prepare?.(calls, about)).toThrow('cannot both be written');
      expect(() => files.buffer.publish(calls, about)).toThrow('cannot both be written');
      expect(paths.filter((path) => existsSync(join(folder, path)))).toEqual([]);
    },
  );
});
