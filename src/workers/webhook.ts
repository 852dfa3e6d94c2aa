/**
 * Sends messages to people to a webhook, signed as Standard Webhooks says: `webhook-id`, `webhook-timestamp` and `webhook-signature` over
 * the body. A receiver that is sent a message twice knows it by its id.
 */
import { createHmac } from 'node:crypto';
import { PROCESS } from '../clock/clock.ts';
import { ArgumentError, NUMBER, nullable, optional, refuseOther, shape, TEXT } from '../model/argument.ts';
import type { Notice } from './notifying.ts';

/** Options of a webhook. */
export interface WebhookOptions {
  /** Where messages are posted: http or https. */
  readonly url: string;
  /** The secret of the signatures: `whsec_` and 24 to 64 bytes in base64. Null for messages without a signature, which has to be said. */
  readonly secret: string | null;
  /** The longest wait for an answer, in milliseconds; 10,000. */
  readonly patience?: number;
}

/** A message that a webhook has not taken. */
export class WebhookRefused extends Error {
  /** The name of the class. */
  override readonly name = 'WebhookRefused';
  /** The time after which the receiver wants to be asked again, in milliseconds; null where it names none. */
  readonly retryAfter: number | null;

  constructor(message: string, retryAfter: number | null) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** The longest wait that a receiver is granted, in milliseconds. */
const LONGEST_WAIT = 60 * 60_000;

/**
 * Makes a function that posts messages to a webhook.
 * @returns a function that rejects where the message was not taken: it is then sent again, with the same id.
 * @throws ArgumentError for an address or a secret that cannot be used.
 * @example
 * import { webhook } from 'belay-sidecar/workers';
 *
 * const notify = webhook({ url: 'https://ops.example/belay', secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` });
 * assert.equal(typeof notify, 'function');
 * assert.throws(() => webhook({ url: 'ftp://ops.example', secret: null }), { code: 'bad_argument' });
 */
export function webhook(options: WebhookOptions): (notice: Notice) => Promise<void> {
  refuseOther('webhook', { options: [options, WEBHOOK] });
  const { patience = 10_000, secret } = options;
  const url = urlOf(options.url);
  const key = secret === null ? null : keyOf(secret);
  return async (notice) => {
    const { id, ...message } = notice;
    const body = JSON.stringify(message);
    const seconds = String(Math.floor(PROCESS.now() / 1_000));
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'belay',
      'webhook-id': id,
      'webhook-timestamp': seconds,
      ...(key !== null && { 'webhook-signature': `v1,${signature(key, `${id}.${seconds}.${body}`)}` }),
    };
    const over = new AbortController();
    const late = PROCESS.after(patience, () => over.abort());
    try {
      const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: over.signal });
      // The body of an answer is of no interest, and may never end.
      await answer.body?.cancel().catch(() => {});
      if (answer.ok) return;
      throw new WebhookRefused(`the receiver answered ${answer.status}`, waitOf(answer.headers.get('retry-after')));
    } catch (error) {
      if (error instanceof WebhookRefused) throw error;
      const why = over.signal.aborted ? `no answer within ${patience} ms` : reasonOf(error);
      throw new WebhookRefused(why, null);
    } finally {
      late.cancel();
    }
  };
}

const WEBHOOK = shape<WebhookOptions>('an object', {
  url: TEXT,
  secret: nullable(TEXT),
  patience: optional(NUMBER),
});

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new ArgumentError('webhook: the url is no address of http or https.');
  // An address with a password would stand in every message about it.
  if (url.username !== '' || url.password !== '')
    throw new ArgumentError('webhook: the url has a user or a password. Leave them out.');
  return url;
}

function keyOf(secret: string): Buffer {
  const text = secret.trim().replace(/^whsec_/, '');
  const key = Buffer.from(text, 'base64');
  if (/^[\w+/-]+=*$/.test(text) && key.length >= 24 && key.length <= 64) return key;
  throw new ArgumentError(
    'webhook: the secret is none: whsec_ and 24 to 64 bytes in base64, as openssl rand -base64 32 makes them.',
  );
}

function signature(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64');
}

/** The wait that a receiver asks for, in milliseconds; null where it names no number of seconds. */
function waitOf(header: string | null): number | null {
  return header !== null && /^\d{1,9}$/.test(header) ? Math.min(Number(header) * 1_000, LONGEST_WAIT) : null;
}

/** The reason why a request came to nothing: that of its cause, which names the host or the connection. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown; message?: unknown } };
  return String(cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : error));
}
