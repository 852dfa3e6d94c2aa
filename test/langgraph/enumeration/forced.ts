/** Says by which rule a park is forced: whose irreversible act stands in the way, and how far its work was when the failure was told. */
import type { StoredRow } from '../../../src/journal/journal.ts';
import type { Decision } from '../../../src/model/decision.ts';
import { type InstanceId, instanceName } from '../../../src/model/instance.ts';
import { traceOf } from '../../../src/reports/trace.ts';

/**
 * The rules that forced the park of a decision, by the effects that block its candidates.
 * @param log everything that happened in the world.
 */
export function forcedBy(decision: Decision, log: readonly string[], rows: Iterable<StoredRow>): readonly string[] {
  const before = log.slice(
    0,
    log.findLastIndex((line) => line.startsWith('fail(')),
  );
  const closed = closedIn(rows);
  const reasons = decision.refusals.flatMap((refusal) => ('adds' in refusal ? refusal.adds : []));
  const rules = reasons.flatMap((reason) => {
    if (!('effect' in reason)) return [];
    const { instance, id } = reason.effect;
    if (decision.failed !== null && instanceName(instance) === instanceName(decision.failed)) return [OWN];
    if (closed.has(text(instance))) return [RESTS];
    return [isAnswered(before, id) ? WAITS : UNDER_WAY];
  });
  return [...new Set(rules)].sort();
}

const OWN = 'it paid itself (C12)';
const RESTS = 'a payment rests on what goes back (C2: it read that)';
const UNDER_WAY = 'a payment beside it is under way (C2: open)';
const WAITS = 'a payment beside it waits for its superstep (C2: not closed)';

/** The instances that are over, as the last trace of a run has them. */
function closedIn(rows: Iterable<StoredRow>): ReadonlySet<string> {
  const closed = new Set<string>();
  for (const line of traceOf('r', rows)) {
    const { do: does, in: of } = JSON.parse(line.text) as { readonly do: string; readonly in?: unknown };
    if (does === 'trace') closed.clear();
    if (does === 'closed') closed.add(JSON.stringify(of));
  }
  return closed;
}

function text({ skeleton, entity, ordinal }: InstanceId): string {
  return JSON.stringify([skeleton, entity, ordinal]);
}

function isAnswered(log: readonly string[], key: string | null): boolean {
  const call = log.find((line) => line.startsWith('call ') && line.endsWith(` key ${key}`))?.split(' ')[1];
  return log.includes(`${call} answers`);
}

/** The instance of a skeleton that was entered last, as the last trace of a run has it. */
export function lastEntered(name: string, rows: Iterable<StoredRow>): InstanceId | null {
  let found: InstanceId | null = null;
  for (const line of traceOf('r', rows)) {
    const { do: does, in: of } = JSON.parse(line.text) as { readonly do: string; readonly in?: unknown };
    if (does !== 'enter' || !Array.isArray(of) || of[0] !== name) continue;
    const [skeleton, entity, ordinal] = of as [string, string, number];
    found = { skeleton, entity, ordinal };
  }
  return found;
}
