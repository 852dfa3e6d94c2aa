/**
 * The decision: a pure function of a history and a failure (semantics.md §8). It asks the four questions in order, which
 * instance, which checkpoints, which line, which rung, and keeps every reason against every candidate on the way.
 */
import type { History } from '../history/history.ts';
import { type Checkpoint, isPosition } from '../model/checkpoint.ts';
import type { Decision, Policy, Rules } from '../model/decision.ts';
import { crossing, type EffectVeto } from '../model/effect.ts';
import type { Failure } from '../model/failure.ts';
import type { Abstention, Reason, Refusal } from '../model/veto.ts';
import { candidates } from './candidates.ts';
import type { Crossed, Proposal } from './crossings.ts';
import { dartLines } from './dart.ts';
import { climb } from './ladder.ts';
import { greatestLines } from './line.ts';
import { localize } from './localize.ts';
import { staticLines } from './static.ts';

const lines: Record<Policy, typeof greatestLines> = { line: greatestLines, static: staticLines, dart: dartLines };

/** The default rules: the line from journal order, and no commitment of others is crossed. */
const DEFAULT_RULES: Rules = { policy: 'line', joint: 'none' };

/**
 * Decides from which point a failed instance may be redone. Reads the history as it stands and leaves it so. Costs the
 * dependencies that the answer lowers, not the size of the history.
 * @param failure the instance, and the key of the suspect write where there is one.
 * @returns the verdict with its line, level and refusals; a refusal is a value, too. Never throws on a well-formed history.
 */
export function decide(history: History, failure: Failure, rules: Rules = DEFAULT_RULES): Decision {
  const located = localize(history, failure);
  if (typeof located === 'string') return climb(history, failure, rules, located, [abstention(failure, located)]);
  const asked = candidates(located);
  const restorable = asked.filter((checkpoint) => isPosition(checkpoint.kind));
  const proposal = lines[rules.policy](history, located.failed, restorable);
  return climb(history, failure, rules, proposal, refusals(asked, proposal, failure, rules));
}

function abstention(failure: Failure, why: Abstention): Refusal {
  return { code: 'ambiguous_instance', candidate: null, instance: failure.in, key: failure.key?.text ?? null, why };
}

/** What stands against each candidate, newest first; those against which nothing stands are left out. */
function refusals(asked: readonly Checkpoint[], proposal: Proposal, failure: Failure, rules: Rules): Refusal[] {
  const forbidden = rules.joint === 'none' || !proposal.crossable;
  const adds = new Map(proposal.crossed.map((crossed) => [crossed.candidate, reasons(crossed, forbidden)]));
  const refused: Refusal[] = [];
  let standing = 0;
  for (const candidate of asked) {
    const added = adds.get(candidate);
    standing += added?.length ?? 0;
    if (added === undefined) refused.push({ code: 'exit_not_restorable', candidate, instance: failure.in });
    else if (standing > 0) refused.push({ candidate, adds: added });
  }
  return refused;
}

/** One reason per consumer, where crossing its promise is forbidden, and one per effect (§8.3). */
function reasons({ consumers, blocked }: Crossed, forbidden: boolean): Reason[] {
  return [
    ...(forbidden ? consumers : []).map((consumer): Reason => ({ code: 'committed_consumers_present', ...consumer })),
    ...blocked.map((effect): Reason => ({ code: crossing(effect) as EffectVeto, effect })),
  ];
}
