/** Events from outside as messages: one process leaves them, and the one that has the run sends them. A message is untrusted. */
import { encode } from '../../journal/codec.ts';
import { parseKey } from '../../model/key.ts';
import { INPUT } from '../../model/message-entries.ts';
import { readerOf, text } from './reading.ts';

/** A name that a sender gives: `#12` is the number of a message, `@12` that of a step, and `input` the start of the run. */
export const ID = { ...text(200), pattern: `^(?!${INPUT}$|@\\d)[^#\\s]` };

/** An event as it travels. */
export interface SentEvent {
  readonly event: { readonly type: string; readonly [member: string]: unknown };
  /** The path of the root's state in which the event is sent; null for whatever state it meets. */
  readonly at: string | null;
  /** The sender. */
  readonly by: string | null;
  /** The name that its sender gives it: the same event under the same name is one (CH2). */
  readonly id?: string;
  /** The values that its sender was shown, by their keys in the context: where any is another by then, the event is refused (CH5). */
  readonly seen?: Readonly<Record<string, unknown>>;
  /** The name of the event whose place it takes from here on (ST2). */
  readonly instead?: string;
}

const read = readerOf<SentEvent>({
  type: 'object',
  additionalProperties: false,
  required: ['event', 'at', 'by'],
  properties: {
    event: {
      type: 'object',
      required: ['type'],
      properties: { type: text(200) },
    },
    at: { type: ['string', 'null'], minLength: 1, maxLength: 500 },
    by: { type: ['string', 'null'], minLength: 1, maxLength: 200 },
    id: ID,
    instead: text(200),
    seen: { type: 'object', minProperties: 1, maxProperties: 50, propertyNames: text(500) },
  },
});

/** An event as a message. @throws TypeError where it is none, has a name of a runtime's own, or has no form that a journal could hold. */
export function eventMessage(sent: SentEvent): string {
  const encoded = encode(sent);
  if (!('text' in encoded))
    throw new TypeError(`no journal can hold it: ${encoded.reason} at ${encoded.path.join('.')}`);
  if (isReserved(sent.event.type)) throw new TypeError(`"${sent.event.type}" is a name that only the machine gives`);
  for (const key of Object.keys(sent.seen ?? {})) parseKey(key);
  if (sentIn(encoded.text) === null)
    throw new TypeError(
      'it has no type of 1 to 200 characters, or an id that is none (1 to 200 characters, not # or a blank first, not @ and a digit first, not input), or says of none or more than 50 keys that they were seen',
    );
  return encoded.text;
}

/** Reads a message; null where it is no event that may be sent. */
export function sentIn(message: string): SentEvent | null {
  const sent = read(message);
  if (sent === null || isReserved(sent.event.type)) return null;
  try {
    for (const key of Object.keys(sent.seen ?? {})) parseKey(key);
    return sent;
  } catch {
    return null;
  }
}

/** True for the names of events that runtimes make themselves: from outside they would forge an answer or a restore. */
function isReserved(type: string): boolean {
  return /^(xstate\.|@)/.test(type);
}
