/** The obligations that a call takes on: asked before the call leaves, and written with its intent (semantics.md OB1, OB5). */
import { takenOn } from '../../boundaries/obligations.ts';
import type { Misfit } from '../../effects/guarded-call.ts';
import type { IntentEntry } from '../../model/call-entries.ts';
import type { Entry } from '../../model/entry.ts';
import type { RunParts } from '../parts.ts';

type Needs = Pick<RunParts, 'config' | 'runState' | 'now'>;

/** Says why a call may not take on the obligations in its arguments; null if it may. */
export function badObligations(
  { config, now }: Pick<Needs, 'config' | 'now'>,
  tool: string,
  args: unknown,
): Misfit | null {
  const rule = config.tools.get(tool)?.obligations ?? null;
  if (rule === null) return null;
  const taken = takenOn(rule, args, now());
  if ('code' in taken) return taken;
  const past = taken.due.findIndex((due) => due !== null && due <= now());
  return past < 0 ? null : { code: 'obligation_past_due', reason: `the obligation ${past + 1} is due already` };
}

/** Puts what calls take on beside their intents: one commit has both. A call that has left before under its key says nothing new. */
export function withObligations(parts: Needs, entries: readonly Entry[]): readonly Entry[] {
  return entries.flatMap((entry) => [entry, ...(entry.do === 'intent' ? takenOnBy(parts, entry) : [])]);
}

function takenOnBy({ config, runState, now }: Needs, { key, tool, args, repeats }: IntentEntry): readonly Entry[] {
  const rule = config.tools.get(tool)?.obligations ?? null;
  const status = runState.ledger.get(key)?.status ?? 'failed';
  if (rule === null || repeats !== undefined || status !== 'failed') return [];
  const taken = takenOn(rule, args, now());
  if ('code' in taken || taken.due.length === 0) return [];
  const { each, keptBy, as, until } = rule;
  return [
    {
      ...{ do: 'obligation', is: 'owed', key, each, due: taken.due, keptBy },
      ...(as !== null && { as: as.text }),
      ...(until !== null && { until: until.text }),
    },
  ];
}
