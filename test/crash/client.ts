/** Speaks with the counterparty: one request, one connection, no second try. */
import { request } from 'node:http';
import type { Call, Fault, Log } from './counterparty.ts';

/** One world of the counterparty. */
export class Client {
  readonly #port: number;
  readonly world: string;

  constructor(port: number, world: string) {
    this.#port = port;
    this.world = world;
  }

  async begin(faults: readonly Fault[]): Promise<void> {
    await this.#post('/world', { faults });
  }

  /** Acts, and answers with what the counterparty answers. @throws Error when the reply does not come. */
  async act(site: string, key: string | null, value: unknown): Promise<string> {
    const call: Omit<Call, 'world'> = { site, key, value, pid: process.pid };
    return ((await this.#post('/act', call)) as { value: string }).value;
  }

  async ask(key: string): Promise<{ applied: boolean; value: unknown }> {
    return (await this.#post('/ask', { key })) as { applied: boolean; value: unknown };
  }

  async log(): Promise<Log> {
    return (await this.#post('/log', {})) as Log;
  }

  #post(path: string, said: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: this.#port, path, method: 'POST', agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('error', reject).on('end', () => {
          if (response.statusCode === 200) resolve(JSON.parse(text));
          else reject(new Error(text));
        });
      });
      sent.on('error', reject).end(JSON.stringify({ ...said, world: this.world }));
    });
  }
}
