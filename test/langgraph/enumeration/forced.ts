/** Says by which rule a park is forced: whose irreversible act stands in the way, and how far its work was when the failure was told. */
import type { Decision } from '../../../src/model/decision.ts';
import { instanceName } from '../../../src/model/instance.ts';

/**
 * The rules that forced the park of a decision, by the effects that block every candidate.
 * @param log everything that happened in the world.
 */
export function forcedBy(decision: Decision, log: readonly string[]): readonly string[] {
  const told = log.findLastIndex((line) => line.startsWith('fail('));
  const rules = decision.refusals.flatMap((refusal) => ('adds' in refusal ? refusal.adds : []));
  return [
    ...new Set(
      rules.flatMap((reason) => {
        if (!('effect' in reason)) return [];
        const { instance, id } = reason.effect;
        const isOwn = decision.failed !== null && instanceName(instance) === instanceName(decision.failed);
        return [isOwn ? OWN : isAnswered(log.slice(0, told), id) ? WAITS : UNDER_WAY];
      }),
    ),
  ].sort();
}

const OWN = 'it paid itself (C12)';
const UNDER_WAY = 'a payment beside it is under way (C2: open)';
const WAITS = 'a payment beside it waits for its superstep (C2: not closed)';

function isAnswered(log: readonly string[], key: string | null): boolean {
  const call = log.find((line) => line.startsWith('call ') && line.endsWith(` key ${key}`))?.split(' ')[1];
  return log.includes(`${call} answers`);
}
