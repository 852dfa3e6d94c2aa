/** The agent's side of the mail: it starts the server of its world, sends by SMTP, and asks whether a message is there. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createTransport } from 'nodemailer';
import { type Serving, serve } from './mail-server.ts';

/** An invitation. `to` are addresses. */
export interface Mail {
  readonly messageId: string;
  readonly meeting: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly body: string;
}

/** A message in the mailbox of one recipient. */
export interface Delivered extends Omit<Mail, 'to'> {
  readonly recipient: string;
}

/** The mail server of a world. */
export class MailServer {
  readonly #smtp: number;
  readonly #http: number;
  readonly #close: () => Promise<void>;

  private constructor({ smtp, http, close }: Serving) {
    this.#smtp = smtp;
    this.#http = http;
    this.#close = close;
  }

  /** Serves the mailbox of a folder from this process, and ends with it: for callers that open many worlds. */
  static async here(folder: string): Promise<MailServer> {
    return new MailServer(await serve(folder));
  }

  /** Starts a server on the mailbox of a folder, in a process of its own, once the one before it has let go of it. */
  static async start(folder: string): Promise<MailServer> {
    const compiled = import.meta.url.endsWith('.js');
    const script = fileURLToPath(new URL(compiled ? './mail-process.js' : './mail-process.ts', import.meta.url));
    const loader = compiled ? [] : ['--import', import.meta.resolve('tsx')];
    const child = spawn(process.execPath, [...loader, script, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
    const failed = once(child, 'exit').then(([code]) => {
      throw new Error(`the mail server ended with ${code} before it had begun`);
    });
    const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), failed]);
    failed.catch(() => {});
    return new MailServer({ ...JSON.parse(line), close: () => ended(child) });
  }

  /** Sends a message to all of its recipients, or to none. A signal breaks the connection off. */
  async send({ messageId, meeting, to, subject, body }: Mail, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const socket = connect(this.#smtp, '127.0.0.1');
    const transport = createTransport({ connection: socket, ignoreTLS: true });
    const stop = () => void socket.destroy();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await once(socket, 'connect', { signal });
      await transport.sendMail({
        messageId,
        from: 'schedule@form.invalid',
        to: [...to],
        subject,
        text: body,
        headers: { 'X-Meeting': meeting },
      });
    } finally {
      signal.removeEventListener('abort', stop);
      socket.destroy();
    }
  }

  /** To whom a message was delivered; null where it was not, and is not on its way either. @throws where that is not known. */
  async find(messageId: string): Promise<readonly string[] | null> {
    const response = await fetch(`http://127.0.0.1:${this.#http}/messages/${encodeURIComponent(messageId)}`);
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`the mail server answers ${response.status}`);
    const { recipients }: { recipients: string[] } = JSON.parse(await response.text());
    return recipients;
  }

  /** Everything in the mailbox, in the order of its arrival. */
  async all(): Promise<readonly Delivered[]> {
    const response = await fetch(`http://127.0.0.1:${this.#http}/messages`);
    if (!response.ok) throw new Error(`the mail server answers ${response.status}`);
    return JSON.parse(await response.text());
  }

  /** Lets the server deliver what it has and go. */
  close(): Promise<void> {
    return this.#close();
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, 'exit');
  child.stdin?.end();
  await gone;
}
