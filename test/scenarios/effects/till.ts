/**
 * A till: a row and a file that hold an amount each, and agents that read one, think, and stage a larger one. Every adapter is the real
 * one, on a real database and a real folder.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { assign, setup } from 'xstate';
import { type FileAdapter, fileAdapter, type RowAdapter, rowAdapter } from '../../../src/adapters/index.ts';
import type { BoundaryConfig } from '../../../src/boundaries/config.ts';
import { loadConfig } from '../../../src/boundaries/load.ts';
import type { JournalStore } from '../../../src/journal/journal.ts';
import type { Report } from '../../../src/sidecar/report.ts';
import { attach, resume, type Sidecar } from '../../../src/xstate/attach.ts';
import { tool } from '../../../src/xstate/tool.ts';

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** How the amount is kept. */
export type Where = 'file' | 'row';

/** What an agent does between its steps. */
export interface Course {
  readonly where: Where;
  /** The row or the file; `a` if left out. */
  readonly of?: string;
  /** Between reading the amount and staging the new one, and between staging and the end of the unit. */
  think?(): Promise<void>;
  rest?(): Promise<void>;
  /** Reads in a unit of its own, before the one that stages. */
  readonly apart?: boolean;
  /** Thinking is a call that stands in the ledger, and of which nobody has said what it changes. */
  readonly notes?: boolean;
  /** How often the unit may be done again. */
  readonly tries?: number;
}

/** The database and the folder. */
export class Till {
  readonly folder = mkdtempSync(join(tmpdir(), 'belay-till-'));
  readonly root = join(this.folder, 'root');
  readonly db = new Database(join(this.folder, 'till.sqlite'));
  readonly files: FileAdapter;
  readonly rows: RowAdapter;
  /** What each run was told of its decisions. */
  readonly told: string[] = [];

  constructor() {
    mkdirSync(this.root);
    this.db.exec('CREATE TABLE acc (id TEXT PRIMARY KEY, cents INTEGER NOT NULL CHECK (cents < 1000000))');
    this.files = fileAdapter({ root: this.root });
    this.rows = rowAdapter(this.db, { tables: { acc: { key: ['id'], columns: ['cents'] } } });
  }

  set(where: Where, cents: number, of = 'a'): void {
    if (where === 'file') writeFileSync(join(this.root, of), String(cents));
    else this.db.prepare('INSERT OR REPLACE INTO acc VALUES (?, ?)').run(of, cents);
  }

  get(where: Where, of = 'a'): number {
    if (where === 'file') return Number(readFileSync(join(this.root, of), 'utf8'));
    return (this.db.prepare('SELECT cents FROM acc WHERE id = ?').get(of) as { cents: number }).cents;
  }

  /** An agent that adds ten. */
  async agent(run: string, course: Course, journal?: JournalStore): Promise<Sidecar> {
    const open = journal === undefined ? attach : resume;
    return (await open(this.#machine(course) as never, {
      run,
      config: configOf(course),
      ...(journal !== undefined && { journal }),
      undo: { files: this.files.inverse, rows: this.rows.inverse },
      reconcilers: { files: this.files.reconcile, rows: this.rows.reconcile },
      buffers: { files: this.files.buffer, rows: this.rows.buffer },
      onDecision: ({ decision, error }: Report) => void this.told.push(`${run} ${decision.verdict}: ${error}`),
    })) as unknown as Sidecar;
  }

  /** Runs an agent to its end. */
  async add(run: string, course: Course): Promise<string> {
    const sidecar = await this.agent(run, course);
    sidecar.actor.start();
    const end = await sidecar.finished();
    await sidecar.close();
    return end.status;
  }

  #machine({ where, of = 'a', think = async () => {}, rest = async () => {} }: Course) {
    const input = ({ context }: { context: { v: number } }) => {
      const cents = context.v + 10;
      return where === 'file'
        ? { path: of, content: String(cents) }
        : { table: 'acc', key: { id: of }, set: { cents } };
    };
    return setup({
      actors: {
        get: tool(async () => this.get(where, of)),
        think: tool(async () => think()),
        put: tool(async (call) =>
          where === 'file' ? this.files.stage(call as never) : this.rows.stage(call as never),
        ),
        rest: tool(async () => rest()),
      },
    }).createMachine({
      id: 'till',
      context: {} as { v: number },
      initial: 'reading',
      states: {
        reading: {
          invoke: {
            src: 'get',
            onDone: { target: 'thinking', actions: assign({ v: ({ event }) => event.output as number }) },
          },
        },
        thinking: { invoke: { src: 'think', onDone: 'putting' } },
        putting: {
          invoke: {
            src: 'put',
            input: input as never,
            onDone: { target: 'resting', actions: assign({ p: true } as never) },
          },
        },
        resting: { invoke: { src: 'rest', onDone: { target: 'over', actions: assign({ k: true } as never) } } },
        over: { type: 'final' },
      },
    });
  }

  close(): void {
    this.db.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function configOf({ where, of = 'a', apart = false, notes = false, tries = 20 }: Course): BoundaryConfig {
  const key = where === 'file' ? `file:${of}` : `rows:acc/${of}`;
  const buffer = where === 'file' ? 'files' : 'rows';
  const add = (states: string, entry: string, outputs: string) =>
    `{ entity: '"${of}"', states: [${states}], entry: [${entry}], outputs: [${outputs}], exit: [{ id: done, at: resting -> over, when: 'memory.?k.hasValue()' }], rollback: { anchors: [done], resume: ${entry}, tries: ${tries} } }`;
  const read = `{ entity: '"${of}"', states: [reading], entry: [reading], outputs: [v], exit: [{ id: read, at: reading -> thinking, when: 'memory.?v.hasValue()' }], rollback: { anchors: [read], resume: reading, tries: ${tries}, joint: [Read, Add] } }`;
  const { config, findings } = loadConfig(
    `belay: 1
agent: till
tries: 1000
tools:
  get: { reads: ['${key}'], writes: [v], effect: none }
  think: { effect: ${notes ? 'idempotent' : 'none'} }
  put: { reads: [v], writes: ['${key}', p], effect: reversible, undo: ${buffer}, reconcile: ${buffer}, buffer: ${buffer} }
  rest: { writes: [k], effect: none }
skeletons:
${apart ? `  Read: ${read}\n  Add: ${add('thinking, putting, resting', 'thinking', 'p, k')}` : `  Add: ${add('reading, thinking, putting, resting', 'reading', 'v, p, k')}`}`,
    { file: 'till.yaml' },
  );
  if (config === null) throw new Error(JSON.stringify(findings));
  return config;
}
