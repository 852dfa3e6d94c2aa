/** Runs that need a person, and receivers of messages that behave as receivers do. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import type { Notice } from '../../src/workers/notifying.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { wait } from '../workers/small.ts';

const config = loadConfig(
  `belay: 1
agent: shop
tools:
  pay: { effect: irreversible, gate: { expires: 2h }, redact: [args.card] }
skeletons: {}
`,
  { file: 'shop.yaml' },
).config as never;

/** Begins a run that asks for an approval of its payment, and is left by its process. @param price says which payment. */
export async function asking(store: JournalStore, run: string, price = 4900): Promise<void> {
  let onGate: () => void = () => {};
  const asked = new Promise<void>((resolve) => {
    onGate = resolve;
  });
  const sidecar = await attach(machineOf(price), { run, journal: store, config, onGate });
  sidecar.actor.start();
  await asked;
  await sidecar.close();
}

/** Takes the run up until it has ended, or waits; it takes what was left for it. */
export async function goesOn(store: JournalStore, run: string, price = 4900): Promise<void> {
  const sidecar = await resume(machineOf(price), { run, journal: store, config });
  sidecar.actor.start();
  await Promise.race([sidecar.finished(), wait(30)]);
  await sidecar.close();
}

function machineOf(cents: number) {
  const pay = tool(async (_: { input: { cents: number; card: string } }) => 'paid');
  return setup({ actors: { pay } }).createMachine({
    id: 'shop',
    initial: 'paying',
    states: {
      paying: { invoke: { src: 'pay', input: { cents, card: '4111 1111' } as never, onDone: 'paid' } },
      paid: { type: 'final' },
    },
  });
}

/** A message as a receiver was sent it. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly notice: Omit<Notice, 'id'>;
}

/** What a receiver does with a message: answers with a status, drops the connection, or takes the message and answers too late. */
type Behaviour = number | 'drop' | 'late';

/** A receiver that behaves as it is told, in this order, and then answers 200. */
export class Receiver {
  readonly all: Received[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async listening(behaviours: Behaviour[], headers: Record<string, string> = {}): Promise<Receiver> {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      receiver.all.push({ headers: request.headers, body, notice: JSON.parse(body) });
      const next = behaviours.shift() ?? 200;
      if (next === 'drop') request.socket.destroy();
      else if (typeof next === 'number') response.writeHead(next, headers).end('thanks');
    });
    const receiver = new Receiver(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/belay`;
  }

  /** The messages by their ids, each once. */
  get ids(): string[] {
    return [...new Set(this.all.map(({ headers }) => String(headers['webhook-id'])))];
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
