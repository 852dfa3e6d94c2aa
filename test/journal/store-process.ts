/**
 * A store in a process of its own. It does what the lines on its standard input say, one JSON command each, and answers each with
 * a line: `{ ok }`, or the code and message of what was thrown. Started by `startOther`.
 */
import { createInterface } from 'node:readline';
import type { RowArchive } from '../../src/journal/base/row-archive.ts';
import { gathered } from '../../src/journal/gathered.ts';
import type { Journal, JournalStore } from '../../src/journal/journal.ts';
import { type PostgresOptions, postgresStore } from '../../src/journal/postgres/store.ts';
import { type SqliteOptions, sqliteStore } from '../../src/journal/sqlite/store.ts';

export type Command =
  | { do: 'store'; path: string; options?: Omit<SqliteOptions, 'now'> }
  | { do: 'postgres'; options: Omit<PostgresOptions, 'now' | 'pool'> }
  | { do: 'open'; run: string; mode: 'create' | 'resume' | 'either' }
  | { do: 'append'; bodies: unknown[] }
  | { do: 'flush' | 'close' | 'closeStore' | 'runs' }
  | { do: 'read' | 'posts'; run: string }
  | { do: 'post'; run: string; body: string }
  /** Archives the rows before one, as far as they go. */
  | { do: 'archive'; run: string; at: number }
  /** Moves the clock of this process. */
  | { do: 'jump'; ms: number };

export interface Answer {
  ok?: unknown;
  code?: string;
  message?: string;
}

async function serve(): Promise<void> {
  let skew = 0;
  let store: JournalStore | undefined;
  let journal: Journal | undefined;
  const opened = () => store as JournalStore;
  const act = async (command: Command): Promise<unknown> => {
    switch (command.do) {
      case 'store':
        store = sqliteStore(command.path, { ...command.options, now: () => Date.now() + skew });
        return null;
      case 'postgres':
        store = postgresStore({ ...command.options, now: () => Date.now() + skew });
        return null;
      case 'open':
        journal = await opened().open(command.run, command.mode);
        return journal.head;
      case 'append':
        return journal?.append(command.bodies.map((body) => ({ kind: 1, body: JSON.stringify(body) })));
      case 'flush':
        return journal?.flush();
      case 'close':
        return (await journal?.close()) ?? null;
      case 'closeStore':
        return (await opened().close()) ?? null;
      case 'runs':
        return opened().runs();
      case 'read':
        return [...(await gathered(opened().read(command.run)))].map(({ body }) => JSON.parse(body));
      case 'post':
        return opened().post(command.run, command.body);
      case 'posts':
        return opened().posts(command.run);
      case 'archive': {
        const archive = opened().archive as RowArchive;
        archive.moveUpTo(command.run, archive.couldReach(command.run, command.at));
        return archive.upTo(command.run);
      }
      case 'jump':
        skew += command.ms;
        return skew;
    }
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = await act(JSON.parse(line)).then(
      (ok): Answer => ({ ok }),
      (error): Answer => ({ code: error.code ?? error.name, message: error.message }),
    );
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}

await serve();
