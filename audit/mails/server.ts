/**
 * The mail server at which everything is counted: it takes mail by SMTP, and drops the connection where a run's faults say so, before
 * it has taken a message or after it. It knows nothing of who sends, or why.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { portOf } from '../../domains/there.ts';
import type { Fault } from './draw.ts';

/** A message that was delivered. */
export interface Delivered {
  readonly messageId: string;
  readonly subject: string;
}

/** A server on loopback, with one mailbox for each run. */
export class MailServer {
  readonly #server: SMTPServer;
  readonly #sockets = new Map<string, Socket>();
  readonly #boxes = new Map<string, { readonly fault: () => Fault; readonly mails: Delivered[] }>();

  constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      disableReverseLookup: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      onData: (stream, session, callback) => {
        const [recipient] = session.envelope.rcptTo;
        this.#take(stream, recipient?.address ?? '').then((dropped) => {
          if (dropped) this.#sockets.get(`${session.remoteAddress}:${session.remotePort}`)?.destroy();
          callback(null);
        }, callback);
      },
    });
    this.#server.on('error', () => {}); // a connection that was dropped, on purpose
    this.#server.server.on('connection', (socket: Socket) => {
      const name = `${socket.remoteAddress}:${socket.remotePort}`;
      socket.setNoDelay(true);
      this.#sockets.set(name, socket);
      socket.once('close', () => this.#sockets.delete(name));
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server.server, 'listening');
    return portOf(this.#server.server);
  }

  /** Opens the mailbox of a run, with what is to go wrong there. */
  open(run: string, fault: () => Fault): void {
    this.#boxes.set(run, { fault, mails: [] });
  }

  /** The mails that were delivered to a run's mailbox. */
  mails(run: string): readonly Delivered[] {
    return this.#boxes.get(run)?.mails ?? [];
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }

  /** True if the sender never receives the reply. */
  async #take(stream: NodeJS.ReadableStream, address: string): Promise<boolean> {
    const raw = await text(stream);
    const box = this.#boxes.get(address.slice(0, address.indexOf('@')));
    if (box === undefined) throw new Error(`nobody is called ${address}`);
    const fault = box.fault();
    if (fault === 'before') return true;
    const { messageId = '', subject = '' } = await PostalMime.parse(raw);
    box.mails.push({ messageId, subject });
    return fault === 'after';
  }
}
