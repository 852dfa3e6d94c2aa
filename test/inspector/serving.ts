/** A server of the inspector over a journal in memory, for tests: runs in it, the answers that were given, and requests as raw bytes. */
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Serving, type ServingOptions, serve } from '../../src/inspector/http/server.ts';
import type { Inspected, Saying } from '../../src/inspector/port.ts';
import { idOf } from '../../src/inspector/reading.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { Line, type Station } from '../sidecar/stations.ts';

/** The built files of the page. */
const PAGE = fileURLToPath(new URL('../../dist/inspector/page', import.meta.url));

export interface Given {
  readonly gate: string;
  readonly saying: Saying;
  readonly by: string;
  readonly why: string | null;
}

/** A server, the answers that it handed on, and the verbs that it ran. */
export class Served {
  readonly given: Given[] = [];
  readonly paused: object[] = [];
  readonly retried: object[] = [];
  readonly kept: object[] = [];
  readonly settled: object[] = [];
  readonly cancelled: object[] = [];
  readonly ran: string[][] = [];
  readonly #serving: Serving;

  private constructor(serving: Serving) {
    this.#serving = serving;
  }

  static async over(
    store: JournalStore,
    {
      executes = false,
      readOnly = false,
      ...options
    }: Partial<ServingOptions> & { executes?: boolean; readOnly?: boolean; port?: Inspected } = {},
  ): Promise<Served> {
    const made: { served?: Served } = {};
    const port: Inspected = {
      file: 'runs.sqlite',
      readOnly,
      open: () => reader(store),
      answer: async (gate, saying, by, why) => {
        made.served?.given.push({ gate, saying, by, why });
        return { ok: true, text: 'left' };
      },
      pause: async (run, pause, by, why) => {
        made.served?.paused.push({ run, pause, by, why });
        return { ok: true, text: 'left' };
      },
      settle: async (run, key, status, output, by, why) => {
        made.served?.settled.push({ run, key, status, output, by, why });
        return { ok: true, text: 'left' };
      },
      cancel: async (run, by, why) => {
        made.served?.cancelled.push({ run, by, why });
        return { ok: true, text: 'left' };
      },
      keep: async (run, by, why) => {
        made.served?.kept.push({ run, by, why });
        return { ok: true, text: 'left' };
      },
      retry: async (run, by, why) => {
        made.served?.retried.push({ run, by, why });
        return { ok: true, text: 'left' };
      },
      command: (...words) => ['belay', ...words].join(' '),
      execute: executes
        ? async (...words) => {
            made.served?.ran.push(words);
            return { ok: true, text: 'ran' };
          }
        : null,
      configs: async () => [],
      matrices: [],
      ledger: () => ({ decisions: [], effects: [], obligations: [] }),
    };
    made.served = new Served(await serve({ port, page: PAGE, at: 0, ...options }));
    return made.served;
  }

  get url(): string {
    return this.#serving.url;
  }

  get host(): string {
    return `127.0.0.1:${this.#serving.at}`;
  }

  get token(): string {
    return this.#serving.token;
  }

  /** Asks as the page does. */
  async ask<T>(path: string, body?: object): Promise<{ readonly status: number; readonly body: T }> {
    const response = await fetch(`http://${this.host}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        Authorization: `Bearer ${this.token}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as T };
  }

  /** Sends bytes, and gives all that comes back until the server closes, or nothing more comes for a while. */
  raw(bytes: string, patience = 1_500): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(this.#serving.at, '127.0.0.1');
      let text = '';
      const over = () => {
        socket.destroy();
        resolve(text);
      };
      socket.setTimeout(patience, over);
      socket.setEncoding('latin1').on('data', (chunk) => {
        text += chunk;
      });
      socket.on('error', over).on('close', over);
      socket.write(bytes, 'latin1');
    });
  }

  close(): Promise<void> {
    return this.#serving.close();
  }
}

/** The same store, which stays open for the test. */
function reader(store: JournalStore): JournalStore {
  return {
    open: (run, mode) => store.open(run, mode),
    read: (run) => store.read(run),
    base: (run) => store.base(run),
    post: (run, body) => store.post(run, body),
    posts: (run) => store.posts(run),
    run: (name) => store.run(name),
    runs: (filter) => store.runs(filter),
    delete: (run, seen) => store.delete(run, seen),
    work: store.work,
    claims: store.claims,
    close: async () => {},
  };
}

/** The path of a run. */
export function pathOf(run: string): string {
  return `/api/runs/${idOf(run)}`;
}

export const UNKNOWN: readonly Station[] = [
  { name: 'a', reads: ['wanted'], tool: 'effect: irreversible' },
  { name: 'b', reads: ['a'] },
];

/** A store with a run that is parked: a call of it that cannot be taken back has lost its reply. */
export async function parked(error = 'connection reset', run = 'r'): Promise<JournalStore> {
  const line = new Line(UNKNOWN, {
    a: () => {
      throw new Error(error);
    },
  });
  const journal = memoryStore();
  const begun = await line.begin({ journal, run });
  begun.send('go');
  await begun.finished();
  await begun.close();
  return journal;
}
