/** A server that lacks something: a connection, an answer, room on its disk. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../postgres-server.ts';
import { failing, row, told } from '../rows-of.ts';
import { deskOf } from './desk.ts';

const server = await startServer();

/** Sends a signal to a process. @returns false where it has ended. */
function signalled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

describe.skipIf(server === null || !server.own)('a server of its own', () => {
  if (server === null) return void test.skip('needs a server');
  const desk = deskOf(server);

  /** Takes every connection that is left. */
  async function crowd(): Promise<pg.Client[]> {
    const clients: pg.Client[] = [];
    for (;;) {
      const client = new pg.Client({ connectionString: server?.address() });
      client.on('error', () => {});
      try {
        await client.connect();
        clients.push(client);
      } catch {
        return clients;
      }
    }
  }

  test('whose connections are spent refuses who comes, with a reason, and keeps who is there', async () => {
    const schema = desk.schema();
    const store = desk.store({ schema, connections: 1 });
    const journal = await desk.journal(store, 'a', 'create');
    const clients = await crowd();
    journal.append([row(1)]);
    expect(await journal.flush()).toBe(1);
    const late = desk.store({ schema });
    await expect(late.run('a')).rejects.toThrow(/53300/);
    await Promise.all(clients.map((client) => client.end()));
    expect(await late.run('a')).toMatchObject({ head: 1, held: true });
  });

  test('whose backend is stopped in the midst of an append has the append once', async () => {
    const schema = desk.schema();
    // The tables are made with the usual patience: a machine at work takes longer over them than over an append.
    await desk.journal(desk.store({ schema }), 'ready', 'create');
    const store = desk.store({ schema, connections: 2, queryMs: 1_000 });
    const journal = await desk.journal(store, 'a', 'create');
    const stopped: number[] = [];
    const goOn = () => {
      for (const pid of stopped.splice(0)) signalled(pid, 'SIGCONT');
    };
    onTestFinished(goOn);
    for (let each = 1; each <= 3; each += 1) {
      const { rows } = await server.query(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'belay' AND query LIKE $1",
        [`%"${schema}"%`],
      );
      // A backend that its client has left may end in between.
      for (const { pid } of rows) if (signalled(pid, 'SIGSTOP')) stopped.push(pid);
      expect(stopped.length).toBeGreaterThan(0);
      journal.append([row(each)]);
      const flushed = journal.flush();
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      goOn();
      expect(await flushed).toBe(each);
    }
    expect(await told(store.read('a'))).toEqual([1, 2, 3]);
  });

  test('whose disk is full appends nothing in part, says why, and goes on once there is room', async ({ skip }) => {
    const full = fullDisk(4);
    if (full === null) return skip('it takes root, and a machine that lets it mount');
    onTestFinished(() => full.remove());
    await server.query(`CREATE TABLESPACE small LOCATION '${full.path}'`);
    await server.query('ALTER DATABASE postgres SET default_tablespace = small');
    const store = desk.store({ schema: desk.schema() });
    const journal = await desk.journal(store, 'a', 'create');
    let acknowledged = 0;
    const filled = (async () => {
      for (let each = 0; each < 1_000; each += 1) {
        journal.append([row(randomBytes(100_000).toString('hex')), row('more')]);
        acknowledged = await journal.flush();
      }
    })();
    await expect(filled).rejects.toEqual(failing('journal_cannot_write'));
    await expect(filled).rejects.toThrow(/Free space on the disk of the server/);
    expect(acknowledged).toBeGreaterThan(0);
    await journal.close().catch(() => {});
    full.grow(16);
    const again = await desk.journal(store, 'a', 'resume');
    expect((await told(again.read())).length).toBe(acknowledged);
    again.append([row('after')]);
    expect(await again.flush()).toBe(acknowledged + 1);
  });
});

/** A disk of so many megabytes, in memory; null where this process may mount none. */
function fullDisk(megabytes: number) {
  const path = mkdtempSync(join(tmpdir(), 'belay-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0777`, 'tmpfs', path]).status === 0;
  if (!mounted) {
    console.warn('SKIPPED: a full disk is not tested here. It takes root, and a machine that lets it mount.');
    rmSync(path, { recursive: true });
    return null;
  }
  const owner = spawnSync('chown', ['postgres', path]);
  if (owner.status !== 0) spawnSync('chown', ['65534', path]);
  return {
    path,
    grow: (to: number) => spawnSync('mount', ['-o', `remount,size=${to}m`, path]),
    remove: () => {
      spawnSync('umount', ['-l', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}
