/** Runs commands that run an agent in one process for all tests of a worker: what takes a process of its own so long is to start. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Given, Ran } from './caught.ts';

const PROCESS = fileURLToPath(new URL('./warm-process.ts', import.meta.url));

/** The verbs that run an agent, and end where it has nothing left to do. */
export const WARM: ReadonlySet<string> = new Set(['run', 'resume']);

let started: Promise<ChildProcess> | null = null;
let last: Promise<unknown> = Promise.resolve();

/** Runs one command after the other. A process that has ended in one is followed by another. */
export function warm(given: Given): Promise<Ran> {
  const ran = last.then(() => runWarm(given));
  last = ran.catch(() => {});
  return ran;
}

async function runWarm(given: Given): Promise<Ran> {
  started ??= start();
  const child = await started;
  // Who waits for a command stays until it is over, also where nothing else keeps the process.
  child.ref();
  child.channel?.ref();
  child.send(given);
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => {
      started = null;
      reject(new Error(`the process of belay ${given.args.join(' ')} has ended with ${code}`));
    };
    child.once('exit', onExit).once('message', (ran: Ran) => {
      child.off('exit', onExit);
      child.unref();
      child.channel?.unref();
      resolve(ran);
    });
  });
}

async function start(): Promise<ChildProcess> {
  const child = fork(PROCESS, {
    execArgv: ['--import', import.meta.resolve('tsx')],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  child.unref();
  child.channel?.unref();
  return child;
}
