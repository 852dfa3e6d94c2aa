/**
 * A proxy between a store and its server that cuts the connection at an append or a post: before it reaches the server, in the midst
 * of it, or after the server has carried it out and before the answer is back; or that holds it back.
 */
import { connect, createServer, type Socket } from 'node:net';

export const CUTS = ['before', 'during', 'after'] as const;
type Cut = (typeof CUTS)[number];

export interface CuttingProxy {
  readonly port: number;
  /** The cut at the next statement that calls one of the store's functions; null for none. */
  cut: Cut | 'hold' | null;
  /** The number of cuts so far. */
  readonly cuts: number;
  /** Lets go what was held back. */
  letGo(): void;
  close(): Promise<void>;
}

export async function proxyTo(target: number, statement: RegExp): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let held: (() => void)[] = [];
  let cuts = 0;
  const proxy = { cut: null as Cut | 'hold' | null };
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    let isSilent = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (data) => {
      const { cut } = proxy;
      if (cut === null || !statement.test(data.toString('latin1'))) return void upstream.write(data);
      proxy.cut = null;
      cuts += 1;
      if (cut === 'before') return end();
      if (cut === 'hold') return void held.push(() => upstream.write(data));
      if (cut === 'during') return void upstream.write(data.subarray(0, data.length >> 1), () => setTimeout(end, 5));
      isSilent = true;
      return void upstream.write(data);
    });
    // The server answers once its transaction is over.
    upstream.on('data', (data) => (isSilent ? end() : client.write(data)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return Object.defineProperties(proxy, {
    port: { value: (server.address() as { port: number }).port },
    cuts: { get: () => cuts },
    letGo: {
      value: () => {
        for (const go of held) go();
        held = [];
      },
    },
    close: {
      value: async () => {
        for (const socket of sockets) socket.destroy();
        await new Promise((resolve) => server.close(resolve));
      },
    },
  }) as unknown as CuttingProxy;
}
