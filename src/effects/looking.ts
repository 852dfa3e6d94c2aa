/** The first look of a tool whose reads are revalidated (semantics.md RV1): what it was asked and answered is journaled, with the time. */
import { encode, revive } from '../journal/codec.ts';
import type { ValueCodec } from '../journal/value-codec.ts';
import { plainCall } from './acting.ts';
import { failed, type GuardedCall, type GuardPort, type Reply } from './guarded-call.ts';

/** Makes the call. Its age counts from when it was asked. */
export async function firstLook(port: GuardPort, call: GuardedCall): Promise<Reply> {
  const { actor, name: tool, args } = call;
  const lost = encode(args, { codecs: port.codecs });
  if (!('text' in lost)) return { is: 'unwritten', path: lost.path.join('/'), reason: lost.reason };
  const at = port.now();
  const reply = await plainCall(port, call);
  if (reply.is !== 'done' || call.signal.aborted) return reply;
  const { output } = reply;
  const unread = encode(output, { codecs: port.codecs });
  if (!('text' in unread)) {
    const what = `no journal holds what ${tool} answers at ${unread.path.join('/')}: it could not be compared`;
    return failed('INVALID_OUTPUT', new TypeError(what), null);
  }
  // What the machine makes of its answer later is no part of it. Values with a codec of their own never change.
  const kept = port.codecs.length === 0 ? revive(JSON.parse(unread.text)) : output;
  port.append([{ do: 'verified', key: null, reads: [{ actor, at, first: { tool, args, output: kept } }] }]);
  return reply;
}

/** A value as a journal holds it; the value itself where none does. Two answers are compared in that form. */
export function asHeld(value: unknown, codecs: readonly ValueCodec[]): unknown {
  const encoded = encode(value, { codecs });
  return 'text' in encoded ? revive(JSON.parse(encoded.text)) : value;
}
