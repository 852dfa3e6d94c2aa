/**
 * The port of the service: an HTTP server in this process that answers from the present files and rows, or refuses the
 * connection while it is down. Every caller gets the same answer.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { fieldOf, portOf, there } from '../there.ts';

/** The error that an endpoint reports; null where all is well. */
export type Answers = (endpoint: string) => string | null;

/** The answer of a port without a listener. */
export const REFUSED = 'refused';

/** A listener on a port of its own, which it keeps while it is down. */
export class Listener {
  readonly #answers: Answers;
  /** Tells this service from another that may have been given the port meanwhile. */
  readonly #id = randomUUID();
  #server: Server | null = null;
  #port = 0;

  private constructor(answers: Answers) {
    this.#answers = answers;
  }

  /** Takes a port, and listens on it if it is up. */
  static async open(answers: Answers, up: boolean): Promise<Listener> {
    const listener = new Listener(answers);
    await listener.#start();
    if (!up) await listener.close();
    return listener;
  }

  /** Starts anew; it stays down where it cannot start. */
  async restart(up: boolean): Promise<void> {
    await this.close();
    if (up) await this.#start();
  }

  /** The answer of an endpoint to any caller: null where all is well, `refused` where no server listens. */
  async ask(endpoint: string, signal: AbortSignal): Promise<string | null> {
    const request = get({ host: '127.0.0.1', port: this.#port, path: endpoint, agent: false, signal });
    try {
      const [first]: IncomingMessage[] = await once(request, 'response');
      const response = there(first, 'response');
      const body = await text(response);
      if (response.headers['x-service'] !== this.#id) return REFUSED;
      return response.statusCode === 200 ? null : body;
    } catch (error) {
      if (fieldOf(error, 'code') === 'ECONNREFUSED') return REFUSED;
      throw error;
    }
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  async #start(): Promise<void> {
    const server = createServer((request, response) => {
      const says = this.#answers(request.url ?? '/');
      response.writeHead(says === null ? 200 : 503, { 'x-service': this.#id, connection: 'close' });
      response.end(says ?? 'ok');
    });
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening').catch(() => once(server.listen(0, '127.0.0.1'), 'listening'));
    this.#port = portOf(server);
    this.#server = server;
  }
}
