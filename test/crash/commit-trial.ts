/**
 * Kills an agent in the middle of a commit over rows, a file and mail, has somebody else write meanwhile, and takes the run up: at the
 * kill a prefix of the fixed order is visible, and in the end all of the commit is, or what cannot go on is named (semantics.md E4).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { PostOffice } from '../adapters/post-office.ts';
import { Bundle } from '../bundled.ts';

/** Who writes between the kill and the next process. */
export const WRITERS = ['nobody', 'a row', 'the file'] as const;
type Writer = (typeof WRITERS)[number];

/** What is visible of the commit, in the fixed order. */
const PREFIXES = ['', 'rows', 'rows file', 'rows file mail'] as const;

/** How one trial went: what was visible at the kill, and what was wrong, if anything. */
export interface Trial {
  readonly visible: string;
  readonly end: string;
  readonly wrong: string | null;
}

interface Life {
  readonly killed: boolean;
  readonly status?: string;
  readonly told?: readonly string[];
  readonly moments?: number;
}

/** A post office for all trials, one folder for each. */
export class CommitTrials {
  readonly #scripts = new Bundle(['test/crash/commit-agent.mjs']);
  readonly #office = new PostOffice();
  readonly #web: Server = createServer(({ url }, response) => {
    const id = new URL(url ?? '/', 'http://localhost').searchParams.get('id') ?? '';
    response.end(this.#office.has(id) ? 'there' : 'not_there');
  });
  readonly #folder = mkdtempSync(join(tmpdir(), 'belay-commit-'));
  #trials = 0;

  async open(): Promise<this> {
    await this.#office.open();
    await new Promise<void>((resolve) => this.#web.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async close(): Promise<void> {
    await this.#office.close();
    this.#web.closeAllConnections();
    await new Promise((resolve) => this.#web.close(resolve));
    rmSync(this.#folder, { recursive: true, force: true });
    this.#scripts.close();
  }

  /** How many moments an undisturbed run has at which it can be killed. */
  async moments(): Promise<number> {
    const desk = this.#desk();
    const { status, moments = 0 } = await this.#live(desk, 0);
    const wrong = status === 'done' ? this.#wrongWith(desk, 110, 'nobody', '') : `it ended ${status}`;
    if (wrong !== null) throw new Error(`undisturbed: ${wrong}`);
    return moments;
  }

  async trial(dieAt: number, writer: Writer): Promise<Trial> {
    const desk = this.#desk();
    const { killed } = await this.#live(desk, dieAt);
    const visible = this.#visible(desk);
    const wrong = (why: string): Trial => ({
      visible,
      end: '',
      wrong: `killed at ${dieAt}, ${writer} written: ${why}`,
    });
    if (!killed) return wrong('it was not killed');
    if (!(PREFIXES as readonly string[]).includes(visible)) return wrong(`"${visible}" is no prefix`);
    this.#write(desk, writer);
    let { status, told = [] } = await this.#live(desk, 0);
    // Its rows are visible, and the file is another by now: that is owed, by name, until somebody puts it right.
    const owes = writer === 'the file' && visible === 'rows';
    if (owes) {
      if (status !== 'parked' || !told.at(-1)?.includes('balance.txt was changed since'))
        return wrong(`it ended ${status}: ${told.at(-1)}`);
      if (this.#visible(desk) !== 'rows') return wrong(`"${this.#visible(desk)}" is visible while it is parked`);
      writeFileSync(join(desk, 'root/balance.txt'), '100');
      ({ status, told = [] } = await this.#live(desk, 0));
    }
    if (status !== 'done') return wrong(`it ended ${status}: ${told.at(-1)}`);
    const amount = writer === 'a row' && visible === '' ? 510 : 110;
    const why = this.#wrongWith(desk, amount, writer, visible);
    return why === null
      ? { visible, end: owes ? 'owed and then done' : told.length > 0 ? 'done again' : 'done', wrong: null }
      : wrong(why);
  }

  #desk(): string {
    this.#trials += 1;
    const desk = join(this.#folder, `run-${this.#trials}`);
    mkdirSync(join(desk, 'root'), { recursive: true });
    writeFileSync(join(desk, 'root/balance.txt'), '100');
    const db = new Database(join(desk, 'books.sqlite'));
    db.exec(
      "CREATE TABLE acc (id TEXT PRIMARY KEY, cents INTEGER NOT NULL); INSERT INTO acc VALUES ('cash', 100), ('rent', -100)",
    );
    db.close();
    return desk;
  }

  async #live(desk: string, dieAt: number): Promise<Life> {
    const smtp = this.#office.port;
    const web = (this.#web.address() as AddressInfo).port;
    const task = JSON.stringify({ run: basename(desk), folder: desk, smtp, web, dieAt });
    const child = spawn(process.execPath, [this.#scripts.path('commit-agent.mjs'), task], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [said, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      errors += part;
    });
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    if (signal === 'SIGKILL') return { killed: true };
    if (code !== 0 || said === '') throw new Error(`the process ended with ${code ?? signal}: ${errors}`);
    return { killed: false, ...JSON.parse(said) };
  }

  #write(desk: string, writer: Writer): void {
    if (writer === 'the file') writeFileSync(join(desk, 'root/balance.txt'), 'mine');
    if (writer !== 'a row') return;
    const db = new Database(join(desk, 'books.sqlite'));
    db.exec(
      "BEGIN; UPDATE acc SET cents = 500 WHERE id = 'cash'; UPDATE acc SET cents = -500 WHERE id = 'rent'; COMMIT",
    );
    db.close();
  }

  #visible(desk: string): string {
    const db = new Database(join(desk, 'books.sqlite'));
    const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'belay_commit'").get() !== undefined;
    const rows = hasTable && db.prepare('SELECT 1 FROM belay_commit').get() !== undefined;
    db.close();
    const file = !['100', 'mine'].includes(readFileSync(join(desk, 'root/balance.txt'), 'utf8'));
    return [rows && 'rows', file && 'file', this.#mails(desk).length > 0 && 'mail'].filter(Boolean).join(' ');
  }

  /** The messages of one run, which it sends to an address of its own. */
  #mails(desk: string): string[] {
    const own = this.#office.mailbox.filter(({ to }) => to[0] === `${basename(desk)}@example.com`);
    return own.map(({ mail }) => mail.text?.trim() ?? '');
  }

  #wrongWith(desk: string, amount: number, writer: Writer, before: string): string | null {
    const mails = this.#mails(desk);
    if (mails.length !== 1 || mails[0] !== String(amount))
      return `the mailbox has ${JSON.stringify(mails)} and not ${amount}`;
    const file = readFileSync(join(desk, 'root/balance.txt'), 'utf8');
    const mine = writer === 'the file' && before.includes('file');
    if (file !== (mine ? 'mine' : String(amount))) return `the file has ${file}`;
    const db = new Database(join(desk, 'books.sqlite'));
    const all = db.prepare('SELECT id, cents FROM acc ORDER BY id').all() as { cents: number }[];
    const commits = db.prepare('SELECT count(*) AS n FROM belay_commit').get() as { n: number };
    db.close();
    const cash = writer === 'a row' && before !== '' ? 500 : amount;
    const [one, other] = all;
    if (one?.cents !== cash || other?.cents !== -cash || commits.n !== 1)
      return `the rows are ${JSON.stringify([all, commits])}`;
    return null;
  }
}
