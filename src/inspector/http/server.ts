/**
 * The server of the inspector: on the loopback interface alone, with a token that only the person at the terminal is given. Requests are admitted
 * by their line and headers (`admission.ts`) before anything else is looked at, and every limit is set here.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { JournalError } from '../../journal/journal.ts';
import { InspectorError } from '../inspector-error.ts';
import type { Inspected } from '../port.ts';
import { Runs } from '../reading.ts';
import { routes } from '../routes.ts';
import { type Admitted, admitted } from './admission.ts';
import { beginLines, refuse, send, sendJson } from './answering.ts';
import { objectIn } from './body.ts';
import { pageFiles } from './files.ts';
import { Stream } from './stream.ts';

/** Options of the server. */
export interface ServingOptions {
  readonly port: Inspected;
  /** The folder of the page's files. */
  readonly page: string;
  /** The number of the port to listen at; 0 for any that is free. */
  readonly at: number;
  /** The wall clock, in milliseconds. */
  readonly now?: () => number;
  /** The time that a request may take to arrive, in milliseconds. */
  readonly patience?: number;
}

/** A server that listens. */
export interface Serving {
  /** The address with the token in its fragment, which no browser sends to any server. */
  readonly url: string;
  readonly token: string;
  readonly at: number;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
/** The time for the headers and for the whole of a request, in milliseconds. */
const PATIENCE = 5_000;
const MOST_CONNECTIONS = 64;
const LARGEST_HEADERS = 8 * 1_024;

/** Starts the server. @throws Error where the port is taken; JournalError where the file cannot be read. */
export async function serve({ port, page, at, now = Date.now, patience = PATIENCE }: ServingOptions): Promise<Serving> {
  const files = pageFiles(page);
  const runs = new Runs(() => port.open());
  // A file that cannot be read is said at once, and not by the page.
  await runs.summaries();
  const token = randomBytes(32).toString('base64url');
  const answer = routes(port, runs, now);
  const stream = new Stream(runs, now);
  let hosts: readonly string[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', rawHeaders } = request;
    const asked: Admitted = admitted({ method, url, rawHeaders }, { hosts, token, files: new Set(files.keys()) });
    if (asked.is === 'file') {
      const file = files.get(asked.path);
      if (file === undefined) throw new InspectorError('not_found', 'There is no such file.');
      return send(response, 200, file.type, file.bytes);
    }
    if (asked.path === '/api/events') {
      if (asked.method !== 'GET') throw new InspectorError('wrong_method', 'Events are read with GET.');
      return stream.open(response, () => beginLines(response));
    }
    const body = asked.method === 'POST' ? await objectIn(request) : null;
    sendJson(response, await answer(asked, body));
  };
  const server = createServer(
    {
      maxHeaderSize: LARGEST_HEADERS,
      headersTimeout: patience,
      requestTimeout: patience,
      keepAliveTimeout: patience,
      connectionsCheckingInterval: Math.max(50, Math.min(1_000, patience / 4)),
      // `admission.ts` says what is wrong with a host.
      requireHostHeader: false,
    },
    (request, response) => {
      request.on('error', () => response.destroy());
      response.on('error', () => {});
      handle(request, response).catch((error: unknown) => refuse(response, refusalOf(error)));
    },
  );
  server.maxConnections = MOST_CONNECTIONS;
  server.maxHeadersCount = 100;
  const drop = (_request: IncomingMessage, socket: { destroy(): void }) => void socket.destroy();
  server.on('upgrade', drop).on('connect', drop);
  // A client that asks first whether it may send a body is told what everybody is told.
  server.on('checkContinue', (_request: IncomingMessage, response: ServerResponse) =>
    refuse(response, new InspectorError('bad_request', 'No request is asked for its body.')),
  );
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) =>
    refuse(response, new InspectorError('bad_request', 'No expectation is met.')),
  );
  server.on('clientError', (_error: Error, socket: Socket) => refuseMalformed(socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port: at, exclusive: true }, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  hosts = [`${LOOPBACK}:${taken}`, `localhost:${taken}`];
  return {
    url: `http://${LOOPBACK}:${taken}/#token=${token}`,
    token,
    at: taken,
    close: async () => {
      stream.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await runs.close();
    },
  };
}

/** Answers bytes that are no HTTP with one line, and no word of why. */
function refuseMalformed(socket: Socket): void {
  if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  socket.destroySoon();
}

/** An error as a refusal. What is no refusal of ours is not told to the client: it may hold anything. */
function refusalOf(error: unknown): InspectorError {
  if (error instanceof InspectorError) return error;
  if (error instanceof JournalError) return new InspectorError('journal_refused', `${error.code} ${error.message}`);
  return new InspectorError('failed', 'The inspector has failed at this request. Nothing was changed by it.');
}
