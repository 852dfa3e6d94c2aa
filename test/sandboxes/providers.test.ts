/** The providers of sandboxes that Belay brings hold to one contract; containers only where docker or podman answers. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { containerSandboxes } from '../../src/adapters/sandboxes/container.ts';
import { type FolderHandle, folderSandboxes } from '../../src/adapters/sandboxes/folder.ts';
import { type ProcessHandle, processSandboxes } from '../../src/adapters/sandboxes/process.ts';
import { PROCESS } from '../../src/clock/clock.ts';
import { type SandboxUnderTest, sandboxCases } from '../../src/testing/sandbox-contract.ts';

const folders: string[] = [];
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'boxes-'));
  folders.push(made);
  return made;
};
afterAll(() => {
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await is())) await PROCESS.pause(10);
}

/** True for a process that has not ended: one that nobody has waited for yet has. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

const inFolders = async (): Promise<SandboxUnderTest> => {
  const file = (handle: unknown) => join((handle as FolderHandle).folder, 'text');
  return {
    provider: folderSandboxes(folder()),
    write: async (handle, text) => writeFileSync(file(handle), text),
    read: async (handle) => (existsSync(file(handle)) ? readFileSync(file(handle), 'utf8') : null),
    lose: async (handle) => rmSync((handle as FolderHandle).folder, { recursive: true }),
  };
};

/** A process that keeps one text in its memory, and is slow to start. Its socket comes to its place once it listens. */
const KEEPER = `let text = '';
const at = process.env.BELAY_SANDBOX;
setTimeout(() => require('node:net').createServer({ allowHalfOpen: true }, (socket) => {
  let said = '';
  socket.on('data', (data) => { said += data; });
  socket.on('end', () => { if (said !== '') text = said; socket.end(text); });
}).listen(at + '.new', () => require('node:fs').renameSync(at + '.new', at)), 150);
setTimeout(() => process.exit(), 600000);`;

const say = (handle: unknown, text: string) =>
  new Promise<string>((resolve, reject) => {
    let heard = '';
    const socket = createConnection({ path: (handle as ProcessHandle).ready, allowHalfOpen: true }, () =>
      socket.end(text),
    );
    socket.on('data', (data) => {
      heard += String(data);
    });
    socket.on('end', () => resolve(heard));
    socket.on('error', reject);
  });

const inProcesses = async (): Promise<SandboxUnderTest> => ({
  provider: processSandboxes({ folder: folder(), command: process.execPath, args: ['-e', KEEPER] }),
  write: async (handle, text) => void (await say(handle, text)),
  read: async (handle) => (await say(handle, '')) || null,
  lose: async (handle) => void process.kill((handle as ProcessHandle).pid, 'SIGKILL'),
});

describe('folders', () => {
  for (const { name, run } of sandboxCases(inFolders)) test(name, run);
});

describe('processes', () => {
  for (const { name, run } of sandboxCases(inProcesses)) test(name, run);

  const begun = async () => {
    const noted = folder();
    const provider = processSandboxes({ folder: noted, command: process.execPath, args: ['-e', KEEPER] });
    const ask = { key: 'r/box', run: 'r', name: 'box', handle: undefined };
    const { pid } = (await provider.start(ask)) as ProcessHandle;
    const note = join(noted, readdirSync(noted)[0] as string, 'process');
    const rewrite = (more: object) => {
      const text = readFileSync(note, 'utf8');
      writeFileSync(note, JSON.stringify({ ...JSON.parse(text), ...more }));
      return text;
    };
    const restore = (text: string) => {
      mkdirSync(dirname(note), { recursive: true });
      writeFileSync(note, text);
    };
    return { provider, ask, pid, rewrite, restore };
  };

  test.skipIf(process.platform !== 'linux')(
    'a process that has the pid of one that ended is none, and is left alone',
    async () => {
      const { provider, ask, pid, rewrite, restore } = await begun();
      const text = rewrite({ started: '1' });
      expect(await provider.probe(ask)).toEqual({ is: 'gone' });
      await provider.destroy(ask);
      expect(process.kill(pid, 0)).toBe(true);
      restore(text);
      await provider.destroy(ask);
      expect(await provider.probe(ask)).toEqual({ is: 'gone' });
    },
  );

  test('of a process on another host nothing can be told from here', async () => {
    const { provider, ask, rewrite, restore } = await begun();
    const text = rewrite({ host: 'elsewhere' });
    await expect(provider.probe(ask)).rejects.toThrow(/its process is on the host elsewhere/);
    await expect(provider.destroy(ask)).rejects.toThrow(/on the host elsewhere/);
    restore(text);
    await provider.destroy(ask);
  });
});

/**
 * A sidecar that is killed while the process that it has started notes itself: `ln` of that process waits for a file. The
 * program says each of its starts.
 */
const overAStart = async () => {
  const noted = folder();
  const at = (name: string) => join(noted, name);
  mkdirSync(at('slow'));
  const ln = `#!/bin/sh\necho $PPID >'${at('noting.new')}' && mv '${at('noting.new')}' '${at('noting')}'
while [ ! -e '${at('go')}' ]; do sleep 0.02; done\nexec /bin/ln "$@"\n`;
  writeFileSync(at('slow/ln'), ln, { mode: 0o755 });
  const options = {
    folder: at('boxes'),
    command: 'sh',
    args: ['-c', `echo $$ >>'${at('born')}'; touch "$BELAY_SANDBOX"; exec sleep 60`],
  };
  const ask = { key: 'r/box', run: 'r', name: 'box', handle: undefined };
  const module = JSON.stringify(new URL('../../src/adapters/sandboxes/process.ts', import.meta.url).href);
  const starts = `import { processSandboxes } from ${module};
await processSandboxes(${JSON.stringify(options)}).start(${JSON.stringify(ask)});`;
  writeFileSync(at('start.mts'), starts);
  const env = { ...process.env, PATH: `${at('slow')}:${process.env.PATH}` };
  const sidecar = spawn(process.execPath, ['--import', 'tsx', at('start.mts')], { env, stdio: 'ignore', cwd: ROOT });
  await until(() => existsSync(at('noting')));
  sidecar.kill('SIGKILL');
  await once(sidecar, 'exit');
  const orphan = Number(readFileSync(at('noting'), 'utf8'));
  return {
    ...{ provider: processSandboxes(options), ask, orphan },
    goOn: () => writeFileSync(at('go'), ''),
    born: () => (existsSync(at('born')) ? readFileSync(at('born'), 'utf8').trim().split('\n').map(Number) : []),
  };
};

describe('a sidecar is killed over the start of a process', () => {
  test('the process that comes late to its note ends, and the next start has the only one', async () => {
    const { provider, ask, orphan, goOn, born } = await overAStart();
    expect(await provider.probe(ask)).toEqual({ is: 'gone' });
    const { pid } = (await provider.start(ask)) as ProcessHandle;
    await until(() => born().length > 0);
    goOn();
    await until(() => !lives(orphan));
    expect(born()).toEqual([pid]);
    await provider.destroy(ask);
  });

  test('the process that has noted itself is the one that the next start answers', async () => {
    const { provider, ask, orphan, goOn, born } = await overAStart();
    goOn();
    await until(() => born().length > 0);
    expect(await provider.start(ask)).toMatchObject({ pid: orphan });
    await until(async () => (await provider.probe(ask)).is === 'running');
    expect(born()).toEqual([orphan]);
    await provider.destroy(ask);
  });

  test('a process whose sandbox is destroyed meanwhile ends', async () => {
    const { provider, ask, orphan, goOn, born } = await overAStart();
    await provider.destroy(ask);
    goOn();
    await until(() => !lives(orphan));
    expect(born()).toEqual([]);
    expect(await provider.probe(ask)).toEqual({ is: 'gone' });
  });
});

test('a command that is not there is named', async () => {
  const provider = processSandboxes({ folder: folder(), command: 'no-such-command' });
  const ask = { key: 'r/box', run: 'r', name: 'box', handle: undefined };
  await expect(provider.start(ask)).rejects.toThrow('there is no command no-such-command');
});

const engine = ['docker', 'podman'].find((command) => {
  try {
    execFileSync(command, ['info'], { stdio: 'ignore', timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
});
if (engine === undefined) console.warn('SKIPPED: containers, as neither docker nor podman answers here');

describe.skipIf(engine === undefined)('containers', () => {
  const exec = (handle: unknown, ...of: string[]) =>
    execFileSync(engine as string, ['exec', (handle as { container: string }).container, ...of], { encoding: 'utf8' });
  const inContainers = async (): Promise<SandboxUnderTest> => ({
    provider: containerSandboxes({ image: 'busybox', command: engine as string }),
    write: async (handle, text) => void exec(handle, 'sh', '-c', `printf %s ${text} > /text`),
    read: async (handle) => exec(handle, 'sh', '-c', 'cat /text 2>/dev/null || true') || null,
    lose: async (handle) =>
      void execFileSync(engine as string, ['rm', '-f', (handle as { container: string }).container]),
  });
  for (const { name, run } of sandboxCases(inContainers)) test(name, run);
});

test('the contract refuses a provider that forgets what was written', async () => {
  const made = await inFolders();
  const forgets = { ...made, provider: { ...made.provider, start: async () => ({ folder: folder() }) } };
  const [cases] = [sandboxCases(async () => forgets)];
  const failed = await Promise.all(
    cases.map(({ run }) =>
      run().then(
        () => 0,
        () => 1,
      ),
    ),
  );
  expect(failed.reduce<number>((sum, each) => sum + each, 0)).toBeGreaterThan(3);
});
