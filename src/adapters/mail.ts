/**
 * Mail, which cannot be taken back. The id of a message is made of its call's key, so the owner of the mailbox can be
 * asked whether the message arrived. SMTP itself has no such question, and most servers deliver a repeated message
 * again.
 */

import type { ReconcileResult, Reconciler, StagedCall, StagingArea } from '../effects/counterparty.ts';
import { CommitRefused, errorMessage, NotApplied } from '../effects/signals.ts';
import { ArgumentError, CODE, having, NAME, optional, refuseOther, shape, TEXT } from '../model/argument.ts';
import type { ToolCall } from '../runtime/tool-call.ts';
import { keyOf, nameOf } from './call.ts';

/** A message as a transport gets it. */
export interface OutgoingMail {
  readonly messageId: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly disableFileAccess: true;
  readonly disableUrlAccess: true;
}

/** The part of a nodemailer transport that the adapter uses. */
export interface MailTransport {
  sendMail(message: OutgoingMail): Promise<unknown>;
}

/** The mailbox owner's knowledge about a message. `not_there` is final: the message will not arrive later either. */
export type MailPresence = 'there' | 'not_there' | 'unknown';

/** The sender, and the function that asks about a message. */
export interface MailOptions {
  readonly from: string;
  /** The domain of message ids, after the @: one that you own. */
  readonly domain: string;
  /** Asks whether a message arrived. Without it, an unknown outcome stays unknown. */
  readonly lookup?: (messageId: string) => Promise<MailPresence> | MailPresence;
}

/** A message to one address, which is sent to its recipient or not at all. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Names the message that was sent. */
export interface SentMail {
  readonly messageId: string;
}

/** The functions to register. */
export interface MailAdapter {
  /** The tool that sends at once. */
  readonly send: (call: ToolCall<Mail>) => Promise<SentMail>;
  /** The tool that only checks the message and returns its future id, for `buffer`. */
  readonly stage: (call: ToolCall<Mail>) => Promise<SentMail>;
  /**
   * Sends what was staged once its instance commits. A message with an address that no server accepts is refused before
   * the commit is decided.
   */
  readonly buffer: StagingArea;
  readonly reconcile: Reconciler;
}

/** Mail publishes last: it cannot be taken back, and its reader must find everything that it mentions. */
const ORDER = 40;

/**
 * Errors of nodemailer that occur before the text of a message has left. `ECONNECTION` and `ETIMEDOUT` can occur at any
 * time.
 */
const BEFORE_THE_TEXT = new Set(['EENVELOPE', 'EAUTH', 'ENOAUTH', 'EDNS', 'ETLS', 'EREQUIRETLS']);

/** One address without a name, a comment, quotes, or a character that could end it: it is used exactly as it stands. */
const ADDRESS = /^[^\s\p{Cc}@<>()[\]\\,;:"]+@[^\s\p{Cc}@<>()[\]\\,;:"]+$/u;

/**
 * The id of the message that a call sends: the same for the same key.
 * @example
 * import { messageIdOf } from 'belay-sidecar/adapters';
 *
 * assert.match(messageIdOf('belay-abc', 'shop.example'), /@shop\.example>$/);
 */
export function messageIdOf(key: string, domain: string): string {
  refuseOther('messageIdOf', { key: [key, TEXT], domain: [domain, NAME] });
  return `<${nameOf(key)}@${domain}>`;
}

/**
 * Makes a tool and its reconciler of a transport.
 * @throws ArgumentError on a domain that cannot stand in a message id.
 * @example
 * import { mailAdapter, type OutgoingMail } from 'belay-sidecar/adapters';
 *
 * const sent: OutgoingMail[] = [];
 * const transport = { sendMail: async (mail: OutgoingMail) => ({ accepted: [mail.to], rejected: [], messageId: mail.messageId }) };
 * const mail = mailAdapter(transport, { from: 'shop@shop.example', domain: 'shop.example' });
 * assert.deepEqual([sent, typeof mail.send], [[], 'function']);
 */
export function mailAdapter(transport: MailTransport, options: MailOptions): MailAdapter {
  const sends = having('a transport, which has sendMail()', 'sendMail');
  refuseOther('mailAdapter', { transport: [transport, sends], options: [options, MAIL_OPTIONS] });
  const { from, domain, lookup } = options;
  if (!/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(domain)) throw new ArgumentError(`${domain} is no domain`);
  const send = async (key: string, input: Mail): Promise<SentMail> => {
    const messageId = messageIdOf(key, domain);
    const { to, subject, text } = checked(input);
    const message: OutgoingMail = {
      messageId,
      from,
      to,
      subject,
      text,
      disableFileAccess: true,
      disableUrlAccess: true,
    };
    try {
      await transport.sendMail(message);
    } catch (error) {
      throw wasRefused(error) ? new NotApplied(`the message was not taken: ${errorMessage(error)}`) : error;
    }
    return { messageId };
  };
  return {
    send: async (call) => send(keyOf(call), call.input),

    async stage(call) {
      checked(call.input);
      return { messageId: messageIdOf(keyOf(call), domain) };
    },

    buffer: {
      order: ORDER,
      prepare: (calls) => {
        for (const call of calls) checkedCall(call);
        return undefined;
      },
      async publish(calls) {
        const [call, other] = calls;
        // Two messages cannot be sent at one moment, and a message that was sent must not be sent again with the other.
        if (other !== undefined)
          throw new NotApplied('a tool that sends mail has the effect `irreversible`, so that each is sent by itself');
        if (call !== undefined) await send(call.key, call.args as Mail);
      },
      // A staged message leaves no record here.
      discard() {},
    },

    async reconcile({ key }): Promise<ReconcileResult> {
      if (lookup === undefined) return { is: 'unknown' };
      const messageId = messageIdOf(key, domain);
      const presence = await lookup(messageId);
      if (presence === 'there') return { is: 'applied', output: { messageId } satisfies SentMail };
      return presence === 'not_there' ? { is: 'not_applied' } : { is: 'unknown' };
    },
  };
}

/** @throws CommitRefused where the message of a staged call cannot be sent. */
function checkedCall({ key, args }: StagedCall): void {
  try {
    checked(args as Mail);
  } catch (error) {
    throw new CommitRefused(errorMessage(error), { call: key });
  }
}

/**
 * The input, if it is three texts, each safe in its field. Nodemailer would read an object as a file or a URL to send.
 */
function checked(input: Mail): Mail {
  const { to, subject, text } = (input ?? {}) as { readonly [field in keyof Mail]?: unknown };
  if (typeof to !== 'string' || !ADDRESS.test(to)) throw new NotApplied('`to` is not one plain address');
  if (typeof subject !== 'string' || /\p{Cc}/u.test(subject)) {
    throw new NotApplied('`subject` is not one line of text without control characters');
  }
  if (typeof text !== 'string') throw new NotApplied('`text` is no text');
  return { to, subject, text };
}

/** True if the server has certainly not taken the message: it was never handed over, or was refused for good. */
function wasRefused(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, syscall, responseCode } = error as { code?: unknown; syscall?: unknown; responseCode?: unknown };
  if (typeof responseCode === 'number' && responseCode >= 500 && responseCode < 600) return true;
  return syscall === 'connect' || syscall === 'getaddrinfo' || BEFORE_THE_TEXT.has(String(code));
}

/** The options, as they are held against what is given. */
const MAIL_OPTIONS = shape<MailOptions>('an object: { from, domain }', {
  from: NAME,
  domain: NAME,
  lookup: optional(CODE),
});
