/**
 * The calls that a person has undone by hand for an act on an event (semantics.md ST7, E8): they count as undone from the commit of the act on. A refused act
 * takes nothing of it. Only reads the run.
 */

import type { LedgerCall } from '../../effects/ledger-call.ts';
import type { SentSteer } from '../../effects/messages/steers.ts';
import type { Restore } from '../../model/decision.ts';
import type { Entry } from '../../model/entry.ts';
import { instanceName } from '../../model/instance.ts';
import type { RunState } from '../../projection/run-state.ts';

type Ledger = Pick<RunState, 'ledger'>;

/** The whole keys of calls that were named, also by the places of their intents. */
export function keysOf({ ledger }: Ledger, named: readonly string[]): string[] {
  return named.map((key) => ledger.named(key)?.key ?? key);
}

/** The calls that may stand in the world, of those that are said to be undone. */
function standing({ ledger }: Ledger, keys: readonly string[]): LedgerCall[] {
  return [...new Set(keys)].flatMap((key) => {
    const call = ledger.named(key);
    return call?.status === 'confirmed' || call?.status === 'unknown' ? [call] : [];
  });
}

/** The reason why calls cannot count as undone; null where they can. */
export function refusalOfUndone(of: Ledger, { undone = [] }: Pick<SentSteer, 'undone'>): string | null {
  for (const key of undone) {
    const call = of.ledger.named(key);
    const why = call === undefined ? 'no call has that key' : whyNotUndone(call);
    if (why !== null) return `bad_settlement: ${call?.intent.tool ?? 'a call'} (${key}) was not undone by hand: ${why}`;
  }
  return null;
}

function whyNotUndone({ status, repeats, discarded }: LedgerCall): string | null {
  if (repeats !== null) return 'it repeats an act that was made before';
  if (discarded) return 'its work was discarded, and nothing rests on it: settle it by itself';
  if (status === 'intended') return 'it is under way, and its own answer will tell';
  return status === 'buffered' ? 'it is held back, and has not been made' : null;
}

/**
 * The reason against an act that does not take back a call which was undone for it; null where there is none.
 * @param decision `waits` where the act is about an event that waits, and `nothing` where the act moves nothing.
 */
export function keptThoughUndone(
  of: Ledger,
  keys: readonly string[],
  decision: Restore | 'waits' | 'nothing',
): string | null {
  const call = standing(of, keys).find((one) => !isTakenBack(one, decision));
  if (call === undefined) return null;
  return `bad_settlement: ${call.intent.tool} (${call.key}) is no work that the act takes back: settle it by itself, as compensated`;
}

function isTakenBack({ at, intent }: LedgerCall, decision: Restore | 'waits' | 'nothing'): boolean {
  if (at === null || typeof decision === 'string') return at === null && decision !== 'nothing';
  const name = instanceName(intent.instance);
  if (decision.aside?.some(({ instance }) => instanceName(instance) === name)) return false;
  const move = decision.line.moves.find(({ instance }) => instanceName(instance) === name);
  return move !== undefined && (move.keep === 'none' || move.keep.at < at);
}

/** The entries that say so: the outcomes, and who has told them. */
export function undoneEntries(
  of: Ledger,
  keys: readonly string[],
  { by, why }: { readonly by: string | null; readonly why: string | null },
): Entry[] {
  return standing(of, keys).flatMap(({ key }): Entry[] => [
    { do: 'outcome', key, status: 'compensated' },
    ...(by === null
      ? []
      : [{ do: 'settled', post: null, key, status: 'compensated', by, why, refused: null } as const]),
  ]);
}
