/**
 * Tools for an HTTP service that takes an idempotency key: a call is a request with its key in a header, and a URL of
 * the service tells afterwards what became of it. The adapter separates what the service certainly did not do from what
 * is unknown.
 */

import type { ReconcileResult, Reconciler } from '../effects/counterparty.ts';
import { errorMessage, NotApplied } from '../effects/signals.ts';
import {
  ArgumentError,
  CODE,
  kind,
  NUMBER,
  namedBy,
  oneOf,
  optional,
  refuseOther,
  shape,
  TEXT,
} from '../model/argument.ts';
import type { ToolCall } from '../runtime/tool-call.ts';
import { keyOf, nameOf } from './call.ts';
import { limitedBody } from './http-body.ts';

/** The part of `fetch` that the adapter uses. */
export type Fetch = (
  url: URL,
  request: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
    readonly redirect: 'manual';
    readonly signal: AbortSignal;
  },
) => Promise<Response>;

/** The address of the service, and the form of its requests. */
export interface HttpOptions {
  readonly url: string | URL;
  /** `POST` if left out. */
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The header that takes the key; `Idempotency-Key` if left out. */
  readonly header?: string;
  /**
   * The address at which the service tells the outcome of a call, by the name that its key has in the header
   * (`keyHeader`). The adapter sends a GET with that header. The service answers 200 with the body of the call's
   * answer, or 404 if the call did not happen and will not happen later. Without this option, an unknown outcome stays
   * unknown.
   */
  readonly status?: (name: string) => string | URL;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The size limit of an answer, in bytes; a mebibyte if left out. */
  readonly limit?: number;
  /** The time limit for the status, in milliseconds; ten seconds if left out. A call has the timeout of its tool. */
  readonly patience?: number;
  /** The global one if left out. */
  readonly fetch?: Fetch;
}

/** The answer of the service. `body` is its JSON, or its text, or null where it is empty. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The functions to register. */
export interface HttpAdapter<TInput> {
  /** The tool: sends its input as JSON. */
  readonly call: (call: ToolCall<TInput>) => Promise<HttpAnswer>;
  readonly reconcile: Reconciler;
}

/**
 * The answers that say that nothing was done, each with its reason. Left out are, among others: 402 (a payment was
 * tried), 408 (the service stopped waiting; it may have read enough), 409 (a call with this key may be under way), 412
 * (the first attempt itself may have broken the condition), 425, and every 5xx: a service that fails may have acted
 * before it failed.
 */
const REFUSALS: Readonly<Record<number, string>> = {
  307: 'the service redirects, and a call follows no redirect',
  308: 'the service redirects, and a call follows no redirect',
  400: 'the service did not understand the request',
  401: 'the service asks for credentials',
  403: 'the request is not allowed',
  404: 'nothing was found at that address',
  405: 'the address does not take that method',
  410: 'nothing is left at that address',
  413: 'the request is too large for the service',
  415: 'the service does not read that format',
  // Also sent for a key that was used for another request. That cannot happen here: equal arguments have equal bytes.
  422: 'the service understood the request and refused it',
  429: 'too many requests came before it',
};

/**
 * The name of a key in the header, which cannot hold all characters of a key.
 * @example
 * import { keyHeader } from 'belay-sidecar/adapters';
 *
 * assert.equal(keyHeader('belay-abc'), keyHeader('belay-abc'));
 */
export function keyHeader(key: string): string {
  refuseOther('keyHeader', { key: [key, TEXT] });
  return nameOf(key);
}

/**
 * Makes a tool and its reconciler of a service.
 * @throws ArgumentError on options from which no request can be made.
 * @example
 * import { httpAdapter } from 'belay-sidecar/adapters';
 *
 * const payments = httpAdapter({ url: 'https://pay.example/charges' });
 * assert.equal(typeof payments.call, 'function');
 * assert.throws(() => httpAdapter({ url: 'ftp://pay.example' }), { code: 'bad_argument' });
 */
export function httpAdapter<TInput = unknown>(options: HttpOptions): HttpAdapter<TInput> {
  refuseOther('httpAdapter', { options: [options, HTTP_OPTIONS] });
  const url = new URL(options.url);
  if (!/^https?:$/.test(url.protocol)) throw new ArgumentError(`${url.protocol} is not http or https`);
  if (url.username !== '' || url.password !== '')
    throw new ArgumentError('credentials belong in a header, not in the URL');
  const { header = 'Idempotency-Key' } = options;
  const service: Service = {
    url,
    method: options.method ?? 'POST',
    status: options.status,
    limit: options.limit ?? 1 << 20,
    patience: options.patience ?? 10_000,
    ask: options.fetch ?? ((url, request) => fetch(url, request)),
    headers(name) {
      const all = new Headers(options.headers);
      all.set(header, name);
      return Object.fromEntries(all);
    },
  };
  try {
    service.headers('');
  } catch (error) {
    throw new ArgumentError(`httpAdapter: options.headers cannot be sent. ${errorMessage(error)}`);
  }
  return { call: (call) => send(service, call), reconcile: ({ key }) => find(service, key) };
}

/** A service with its options settled. */
interface Service {
  readonly url: URL;
  readonly method: string;
  readonly status: HttpOptions['status'];
  readonly limit: number;
  readonly patience: number;
  readonly ask: Fetch;
  headers(name: string): Record<string, string>;
}

async function send({ url, method, limit, ask, headers }: Service, call: ToolCall<unknown>): Promise<HttpAnswer> {
  const name = keyHeader(keyOf(call));
  const request = {
    method,
    headers: { ...headers(name), 'content-type': 'application/json' },
    body: bodyOf(call.input),
    redirect: 'manual',
    signal: call.signal,
  } as const;
  const response = await ask(url, request).catch((error) => {
    throw neverConnected(error)
      ? new NotApplied(`the service could not be reached: ${errorMessage(causeOf(error))}`)
      : error;
  });
  if (response.ok) return { status: response.status, body: await limitedBody(response, limit) };
  await response.body?.cancel().catch(() => {});
  const answered = `${method} ${url.origin}${url.pathname} was answered ${response.status}`;
  const refusal = REFUSALS[response.status];
  if (refusal !== undefined) throw new NotApplied(`${answered}: ${refusal}`);
  throw new Error(`${answered}: what was done is not known`);
}

async function find({ status, patience, limit, ask, headers }: Service, key: string): Promise<ReconcileResult> {
  if (status === undefined) return { is: 'unknown' };
  const name = keyHeader(key);
  const response = await ask(new URL(status(name)), {
    method: 'GET',
    headers: headers(name),
    redirect: 'manual',
    signal: AbortSignal.timeout(patience),
  });
  if (response.status === 200) {
    // The same value as the call's own answer, so that the machine gets what it expects.
    const output: HttpAnswer = { status: 200, body: await limitedBody(response, limit) };
    return { is: 'applied', output };
  }
  await response.body?.cancel().catch(() => {});
  return response.status === 404 ? { is: 'not_applied' } : { is: 'unknown' };
}

/**
 * The input as JSON, the same bytes for the same arguments: services use them to tell whether a key belongs to another
 * request.
 */
function bodyOf(input: unknown): string {
  try {
    return JSON.stringify(input ?? null, (_, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    );
  } catch (error) {
    throw new NotApplied(`the input has no JSON: ${errorMessage(error)}`);
  }
}

/** True if an error of `fetch` came before a connection existed. All addresses that were tried count. */
function neverConnected(error: unknown): boolean {
  const cause = causeOf(error);
  if (cause instanceof AggregateError) return cause.errors.length > 0 && cause.errors.every(neverConnected);
  if (typeof cause !== 'object' || cause === null) return false;
  const { syscall, code } = cause as { syscall?: unknown; code?: unknown };
  return syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT';
}

/** `fetch` wraps the cause. */
function causeOf(error: unknown): unknown {
  return error instanceof TypeError && error.cause !== undefined ? error.cause : error;
}

/** The options, as they are held against what is given. */
const HTTP_OPTIONS = shape<HttpOptions>('an object: { url }', {
  url: kind('an address, https://…', (value) => URL.canParse(String(value))),
  method: optional(oneOf('POST', 'PUT', 'PATCH', 'DELETE')),
  header: optional(
    kind('the name of a header', (value) => typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value)),
  ),
  status: optional(CODE),
  headers: optional(namedBy(TEXT)),
  limit: optional(NUMBER),
  patience: optional(NUMBER),
  fetch: optional(CODE),
});
