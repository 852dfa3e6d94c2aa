/** A real HTTP service on loopback that acts once for each key, and that can be told to answer badly after it has acted. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a service does with the next call. */
export type Manner = (response: ServerResponse, answer: () => void, request: IncomingMessage) => void;

/** Answers as a service should. */
const well: Manner = (_, answer) => answer();

export class Service {
  /** What was done, by the name of its key. */
  readonly done = new Map<string, unknown>();
  /** Every request as it came. */
  readonly requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  /** Before it acts: true if that was all. */
  refuse: (response: ServerResponse) => boolean = () => false;
  /** After it has acted. */
  manner: Manner = well;
  /** How its status answers. */
  told: ((response: ServerResponse) => void) | null = null;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { method = '', url = '', headers } = request;
    this.requests.push({ method, url, headers, body });
    const name = String(headers['idempotency-key']);
    const say = (status: number, what: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(what));
    };
    if (method === 'GET') {
      if (this.told !== null) return this.told(response);
      return this.done.has(name) ? say(200, this.done.get(name)) : say(404, { problem: 'no such order' });
    }
    if (this.refuse(response)) return;
    if (!this.done.has(name)) this.done.set(name, { order: this.done.size + 1, of: JSON.parse(body) });
    this.manner(response, () => say(201, this.done.get(name)), request);
  }
}
