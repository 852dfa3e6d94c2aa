/** Acts on events as messages: an event is revised, retracted or confirmed (semantics.md ST2). They are untrusted. */
import { encode } from '../../journal/codec.ts';
import { INPUT, type SteeredEntry, type SteerFrom } from '../../model/message-entries.ts';
import { PERSON, REASON, readerOf, text } from './reading.ts';
import { ID } from './sent-events.ts';

/** An act as it travels. */
export interface SentSteer {
  readonly act: SteeredEntry['act'];
  /** The name of the event that it is about. */
  readonly of: string;
  /** The members of the event in its new version, without its type; only where it is revised. */
  readonly to?: Readonly<Record<string, unknown>>;
  /** `here`: it is a new event, and nothing of the past moves; left out where the config says it for the type of the event. */
  readonly from?: SteerFrom;
  /** The names of later events of the same sender that hold although what was there before is changed. */
  readonly later?: readonly string[];
  /** The keys of the calls that a person has undone by hand for the act (ST7). */
  readonly undone?: readonly string[];
  /** The version that its sender has seen; left out where the sender takes any. */
  readonly base?: number;
  /** The name that its sender gives the act: the same act under the same name is one. */
  readonly id?: string;
  readonly by: string | null;
  readonly why: string | null;
}

/** An act on an event, as programs and clients say it. */
export type SteerAct = {
  /** The version of the event that was seen: where it is another by now, the act is refused. */
  readonly base?: number;
  /** The name of the act: said twice under one name, it is one. */
  readonly id?: string;
} & (
  | {
      readonly revise: string;
      readonly to: Readonly<Record<string, unknown>>;
      /** `here`: it is sent as a new event that names the old one, and nothing of the past moves. */
      readonly from?: SteerFrom;
      /** Later events of the same sender that hold, although the act changes the situation before them. */
      readonly later?: { readonly confirm: readonly string[] };
      /** The keys of the calls that a person has undone by hand for the act. With the act they count as undone; where it is refused, they do not. */
      readonly undoneByHand?: readonly string[];
    }
  | {
      readonly retract: string;
      readonly later?: { readonly confirm: readonly string[] };
      readonly undoneByHand?: readonly string[];
    }
  | { readonly confirm: string }
);

/** An act with who says so; left out for the program itself. */
export type SaidSteer = SteerAct & { readonly by?: string; readonly why?: string };

/** An act in the form in which a message brings it. @throws TypeError where it has none. */
export function sentSteer(said: SaidSteer): SentSteer {
  const { by = null, why = null, base, id } = said;
  const more = { by, why, ...(base !== undefined && { base }), ...(id !== undefined && { id }) };
  const later = 'confirm' in said ? {} : besides(said);
  const from = 'revise' in said && said.from !== undefined ? { from: said.from } : {};
  const sent: SentSteer =
    'revise' in said
      ? { act: 'revise', of: said.revise, to: said.to, ...from, ...later, ...more }
      : {
          act: 'retract' in said ? 'retract' : 'confirm',
          of: 'retract' in said ? said.retract : said.confirm,
          ...later,
          ...more,
        };
  steerMessage(sent);
  return sent;
}

/** The later events and the undone calls that an act names. */
function besides({ later, undoneByHand: undone }: Exclude<SteerAct, { readonly confirm: string }>) {
  return { ...(later !== undefined && { later: later.confirm }), ...(undone !== undefined && { undone }) };
}

interface Message {
  readonly steer: Omit<SentSteer, 'by' | 'why'>;
  readonly by: string | null;
  readonly why: string | null;
}

const read = readerOf<Message>({
  type: 'object',
  additionalProperties: false,
  required: ['steer', 'by', 'why'],
  properties: {
    steer: {
      type: 'object',
      additionalProperties: false,
      required: ['act', 'of'],
      properties: {
        act: { enum: ['revise', 'retract', 'confirm'] },
        of: text(200),
        to: { type: 'object' },
        from: { enum: ['beginning', 'here'] },
        later: { type: 'array', minItems: 1, maxItems: 100, items: text(200) },
        undone: { type: 'array', minItems: 1, maxItems: 100, items: text(500) },
        base: { type: 'integer', minimum: 0 },
        id: ID,
      },
    },
    by: { ...PERSON, type: ['string', 'null'] },
    why: REASON,
  },
});

/** An act as a message. @throws TypeError where it is none, or has no form that a journal could hold. */
export function steerMessage({ by, why, ...steer }: SentSteer): string {
  const encoded = encode({ steer, by, why });
  if (!('text' in encoded))
    throw new TypeError(`no journal can hold it: ${encoded.reason} at ${encoded.path.join('.')}`);
  if (steerIn(encoded.text) !== null) return encoded.text;
  throw new TypeError(
    'an act on an event is revise, retract or confirm, names the event (1 to 200 characters), and says what it says now, as an object without a type, where it is revised and nowhere else; only a revision is from here on, and then no later events hold with it, and no calls were undone for it',
  );
}

/** Reads a message; null where it is no act on an event. */
export function steerIn(message: string): SentSteer | null {
  const sent = read(message);
  if (sent === null || !isWhole(sent.steer)) return null;
  return { ...sent.steer, by: sent.by, why: sent.why };
}

/** True where an act has the members of its kind, and no other. */
function isWhole({ act, of, to, from, later, undone }: Message['steer']): boolean {
  // The type of an event stays; an input has members of its own alone.
  if (of !== INPUT && to !== undefined && 'type' in to) return false;
  if ((act === 'revise') !== (to !== undefined) || (from !== undefined && act !== 'revise')) return false;
  return (later ?? undone) === undefined || (act !== 'confirm' && from !== 'here');
}
