/**
 * Calls of tools that decide (semantics.md WH3): they do nothing to the world, but what they were asked and what they answered is history. A replay that
 * asks the same is answered as before, until that answer is found wrong; another question is asked anew. The tool is given no key.
 */
import { encode } from '../journal/codec.ts';
import { isSame } from '../journal/value-codec.ts';
import type { IntentEntry } from '../model/call-entries.ts';
import { takesVersion } from '../model/tool-version.ts';
import { plainCall } from './acting.ts';
import { argsDigest } from './digest.ts';
import type { GuardedCall, GuardPort, Reply } from './guarded-call.ts';
import { isDistrusted, type LedgerCall } from './ledger-call.ts';

/** Answers a question to a tool that decides: with the answer that is kept, or by asking. The journal has both in one commit. */
export async function decision(port: GuardPort, call: GuardedCall): Promise<Reply> {
  const lost = encode(call.args, { codecs: port.codecs });
  if (!('text' in lost)) return { is: 'unwritten', path: lost.path.join('/'), reason: lost.reason };
  const kept = keptAnswer(port, call);
  if (kept !== null) {
    // In its place already: the process ended between the answer and the step that takes it.
    if (kept.at === null) record(port, call, kept.key, kept.output);
    return { is: 'done', output: kept.output };
  }
  const reply = await plainCall(port, call);
  if (reply.is !== 'done') return reply;
  // What a plan takes back is aborted by it, and kept for no replay (C11).
  if (call.signal.aborted || port.cancelled() || port.stopping()) return { is: 'dropped' };
  const key = keyOfAnswer(port, call);
  const wrong = port.ledger.get(key)?.wrong ?? null;
  record(port, call, key, reply.output);
  if (wrong?.isSure !== true || !isSame(wrong.output, reply.output)) return reply;
  const error = new Error(`${call.name} gives the answer again that was found wrong`);
  return { is: 'failed', signal: 'CONTRACT_VIOLATION', error, key: null, held: true };
}

/** The answer that is kept for a question; null where it has to be asked. */
export function keptAnswer(port: GuardPort, call: GuardedCall): LedgerCall | null {
  const recorded = port.ledger.get(keyOfAnswer(port, call));
  if (recorded === undefined || recorded.status !== 'confirmed' || recorded.discarded) return null;
  return isDistrusted(recorded) || !takesVersion(call.version, recorded.intent.version) ? null : recorded;
}

function keyOfAnswer({ ledger, run, secret, codecs }: GuardPort, call: GuardedCall): string {
  const { actor, instance, keyedAs, place, name: tool, args } = call;
  const digest = argsDigest(args, secret, codecs);
  const own = ledger.ofActor(actor);
  return own?.decides && own.intent.digest === digest
    ? own.key
    : ledger.answerKey(run, { instance, keyedAs, place, tool, digest });
}

/** Writes a question with its answer: there is no moment at which it is open. */
function record(port: GuardPort, call: GuardedCall, key: string, output: unknown): void {
  const { actor, instance, keyedAs, place, name: tool, args, version } = call;
  const intent: IntentEntry = {
    do: 'intent',
    key,
    actor,
    tool,
    instance,
    class: 'none',
    undo: false,
    digest: argsDigest(args, port.secret, port.codecs),
    args,
    ...(keyedAs.entity !== instance.entity && { keyedAs: keyedAs.entity }),
    ...(place !== null && { place }),
    ...(version !== undefined && { version: version.version }),
  };
  port.append([intent, { do: 'outcome', key, status: 'confirmed', output }]);
}
