/** A real SMTP server on loopback with a mailbox in memory, and moments at which it can fail. */
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** Where an error strikes. `lost`: the message is delivered, and the connection torn before the 250. */
export type Trouble =
  | { readonly at: 'connect' | 'sender' | 'recipient' | 'data'; readonly code: number }
  | { readonly at: 'data'; readonly torn: true }
  | { readonly at: 'lost' };

function refusal(code: number): Error {
  return Object.assign(new Error('refused by the post office'), { responseCode: code });
}

export class PostOffice {
  /** Everything that was delivered. */
  readonly mailbox: { readonly to: readonly string[]; readonly raw: string; readonly mail: Email }[] = [];
  trouble: Trouble | null = null;
  readonly #sockets = new Set<Socket>();
  readonly #server: SMTPServer;

  constructor(auth = false) {
    this.#server = new SMTPServer({
      disableReverseLookup: true,
      authOptional: !auth,
      disabledCommands: auth ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
      allowInsecureAuth: true,
      onAuth: (_, __, callback) => callback(refusal(535)),
      onConnect: (_, callback) => callback(this.#at('connect')),
      onMailFrom: (_, __, callback) => callback(this.#at('sender')),
      onRcptTo: (_, __, callback) => callback(this.#at('recipient')),
      onData: (stream, { envelope }, callback) => {
        const to = envelope.rcptTo.map(({ address }) => address);
        this.#take(text(stream), to).then(() => {
          if (this.trouble !== null && (this.trouble.at === 'lost' || 'torn' in this.trouble)) this.#tear();
          else callback(this.#at('data'));
        }, callback);
      },
    });
    this.#server.server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    // A torn connection is what is wanted here.
    this.#server.on('error', () => {});
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get port(): number {
    return (this.#server.server.address() as { port: number }).port;
  }

  has(messageId: string): boolean {
    return this.mailbox.some(({ mail }) => mail.messageId === messageId);
  }

  async close(): Promise<void> {
    this.#tear();
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }

  async #take(arriving: Promise<string>, to: readonly string[]): Promise<void> {
    const raw = await arriving;
    if (this.trouble?.at === 'data') return;
    this.mailbox.push({ to, raw, mail: await PostalMime.parse(raw) });
  }

  #at(place: Trouble['at']): Error | null {
    return this.trouble?.at === place && 'code' in this.trouble ? refusal(this.trouble.code) : null;
  }

  #tear(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
