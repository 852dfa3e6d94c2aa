/**
 * The ways of doing the same work under the same faults: Belay, a plain retry of whatever fails, and a checkpoint to which everything
 * goes back. The last two act at once, as most agents do.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig, type ToolCall } from 'belay-sidecar';
import { fileAdapter, mailAdapter } from 'belay-sidecar/adapters';
import { attach } from 'belay-sidecar/xstate';
import { createTransport } from 'nodemailer';
import type { Fault } from './draw.ts';
import { reportMachine, WORK } from './machine.ts';
import type { Delivered } from './server.ts';

/** One run, and the world that it acts upon. */
export interface Trial {
  readonly run: string;
  /** True if the work is confirmed at its end, false if it is given up. */
  readonly confirms: boolean;
  /** The folder that it writes its files into. */
  readonly folder: string;
  /** The port of the mail server. */
  readonly smtp: number;
  /** The fault at a write. */
  readonly fault: () => Fault;
  /** The content of the mail server, where it may be asked. */
  mails(): readonly Delivered[];
}

/** Every mode. */
export const MODES = ['belay', 'retry', 'checkpoint'] as const;
export type Mode = (typeof MODES)[number];

/** The number of attempts of a plain mode before it gives up. */
const TRIES = 60;

/** Runs a trial in a mode. */
export const run: Record<Mode, (trial: Trial) => Promise<void>> = { belay, retry, checkpoint };

const CONFIG = fileURLToPath(new URL('../../../audit/mails/report.yaml', import.meta.url));
const SOURCE = fileURLToPath(new URL('./report.yaml', import.meta.url));

async function belay({ run: name, confirms, folder, smtp, fault, mails }: Trial): Promise<void> {
  const files = fileAdapter({ root: folder });
  const mail = mailAdapter(createTransport({ host: '127.0.0.1', port: smtp, ignoreTLS: true }), {
    from: 'agent@report.invalid',
    domain: 'report.invalid',
    lookup: async (messageId) => (mails().some((each) => each.messageId === messageId) ? 'there' : 'not_there'),
  });
  const write = async (call: ToolCall<{ path: string; content: string }>) => {
    const failing = fault();
    if (failing === 'before') throw new Error('the disk did not answer');
    const staged = await files.stage(call);
    if (failing === 'after') throw new Error('the disk answered too late');
    return staged;
  };
  const { config, findings } = readConfig(existsSync(SOURCE) ? SOURCE : CONFIG);
  if (config === null) throw new Error(findings.map(({ message }) => message).join('\n'));
  const sidecar = await attach(reportMachine({ write, send: mail.send }), {
    run: name,
    config,
    input: { run: name, confirms },
    buffers: { files: files.buffer },
    undo: { restore_file: files.inverse },
    reconcilers: { find_mail: mail.reconcile },
  });
  sidecar.actor.start();
  for (;;) {
    const ending = await sidecar.finished();
    if (ending.status === 'done') break;
    if (ending.status !== 'parked') throw new Error(`${name} is ${ending.status}`);
    // The person on call looks at it, and has it tried again.
    await sidecar.reconcile();
  }
  await sidecar.close();
}

/** The steps as a plain agent takes them: each acts at once. */
function steps({ run: name, folder, smtp, fault }: Trial): (() => Promise<void>)[] {
  const transport = createTransport({ host: '127.0.0.1', port: smtp, ignoreTLS: true });
  const write =
    ({ path, content }: { path: string; content: string }) =>
    async () => {
      const failing = fault();
      if (failing === 'before') throw new Error('the disk did not answer');
      const { writeFile } = await import('node:fs/promises');
      await writeFile(join(folder, path), content);
      if (failing === 'after') throw new Error('the disk answered too late');
    };
  const send = (message: { to: string; subject: string; text: string }) => async () => {
    await transport.sendMail({ from: 'agent@report.invalid', ...message });
  };
  return [write(WORK.draft(name)), send(WORK.reviewer(name)), write(WORK.final(name)), send(WORK.board(name))];
}

/** Repeats every failed step until it succeeds. */
async function retry(trial: Trial): Promise<void> {
  for (const step of steps(trial)) {
    for (let tried = 1; ; tried += 1) {
      try {
        await step();
        break;
      } catch {
        if (tried === TRIES) return;
      }
    }
  }
}

/** Returns to the checkpoint before each failure, and also where work is given up. */
async function checkpoint(trial: Trial): Promise<void> {
  const restore = () => {
    for (const file of readdirSync(trial.folder)) rmSync(join(trial.folder, file), { recursive: true });
    mkdirSync(trial.folder, { recursive: true });
  };
  for (let tried = 1; tried <= TRIES; tried += 1) {
    try {
      for (const step of steps(trial)) await step();
      if (!trial.confirms) restore();
      return;
    } catch {
      restore();
    }
  }
}
