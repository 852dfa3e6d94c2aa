/** Restate: a handler whose every step is journaled by a server beside it, on ports and in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import * as restate from '@restatedev/restate-sdk';
import { FIRST, type Opener, type Pace } from '../runtimes/work.ts';

// The SDK uses a function of Node 22.
(Promise as { withResolvers?: unknown }).withResolvers ??= function withResolvers<T>() {
  let [resolve, reject]: [(value: T | PromiseLike<T>) => void, (reason?: unknown) => void] = [() => {}, () => {}];
  const promise = new Promise<T>((resolved, rejected) => {
    [resolve, reject] = [resolved, rejected];
  });
  return { promise, resolve, reject };
};

function serviceOf(pace: Pace) {
  const run = async (context: restate.Context) => {
    let state = FIRST;
    while (pace.more()) {
      const { count } = state;
      const update = await context.run('work', async () => pace.step(count as number));
      state = { ...state, ...update };
    }
    return state;
  };
  return restate.service({ name: 'chain', handlers: { run } });
}

/** The server's program, which its package has for some systems. */
function program(): string {
  const { resolve } = createRequire(import.meta.url);
  return resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function started(folder: string): Promise<{ server: ChildProcess; ingress: string; admin: string }> {
  const [node, ingress, admin] = [await freePort(), await freePort(), await freePort()];
  const env = {
    ...process.env,
    DO_NOT_TRACK: '1',
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_BIND_IP: '127.0.0.1',
    RESTATE_BIND_PORT: String(node),
    RESTATE_INGRESS__BIND_PORT: String(ingress),
    RESTATE_ADMIN__BIND_PORT: String(admin),
  };
  const server = spawn(program(), ['--no-logo', '--base-dir', folder], { env, stdio: 'ignore' });
  process.on('exit', () => server.kill('SIGKILL'));
  return { server, ingress: `http://127.0.0.1:${ingress}`, admin: `http://127.0.0.1:${admin}` };
}

async function until(answers: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    if (await answers().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the Restate server does not answer');
}

const json = { 'content-type': 'application/json' };

/** Its log and its tables are allocated ahead, so that no bytes a step are told. */
export const handler: Opener = async ({ folder }, pace) => {
  const { server, ingress, admin } = await started(folder);
  const port = await restate.serve({ services: [serviceOf(pace)], port: 0 });
  const body = JSON.stringify({ uri: `http://127.0.0.1:${port}` });
  await until(async () => (await fetch(`${admin}/deployments`, { method: 'POST', headers: json, body })).ok);
  return {
    chain: async () => {
      const answer = await fetch(`${ingress}/chain/run`, { method: 'POST' });
      if (!answer.ok) throw new Error(`Restate answers ${answer.status}: ${await answer.text()}`);
    },
    servers: async () => [server.pid as number],
    close: async () => {
      const gone = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGKILL');
      await gone;
    },
  };
};
