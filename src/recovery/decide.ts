/**
 * The decision: a pure function of a history and a failure (semantics.md §8). It asks the four questions in order, which
 * instance, which checkpoints, which line, which rung, and reports every veto of every candidate on the way.
 */
import type { History } from '../history/history.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Decision, Policy, Rules } from '../model/decision.ts';
import { crossing, type EffectVeto } from '../model/effect.ts';
import type { Failure } from '../model/failure.ts';
import type { Abstention, Veto } from '../model/veto.ts';
import { candidates } from './candidates.ts';
import { dartLines } from './dart.ts';
import { climb } from './ladder.ts';
import { greatestLines } from './line.ts';
import { localize } from './localize.ts';
import { crossed, type Judged } from './proposal.ts';
import { staticLines } from './static.ts';

const lines: Record<Policy, typeof greatestLines> = { line: greatestLines, static: staticLines, dart: dartLines };

/** The default rules: the line from journal order, and no commitment of others is crossed. */
const DEFAULT_RULES: Rules = { policy: 'line', joint: 'none' };

/**
 * Decides from which point a failed instance may be redone. Reads the history as it stands and leaves it so. Costs the
 * dependencies that the answer lowers, not the size of the history.
 * @param failure the instance, and the key of the suspect write where there is one.
 * @returns the verdict with its line, level and vetoes; a refusal is a value, too. Never throws on a well-formed history.
 */
export function decide(history: History, failure: Failure, rules: Rules = DEFAULT_RULES): Decision {
  const located = localize(history, failure);
  if (typeof located === 'string') return climb(history, failure, rules, located, [abstention(failure, located)]);
  const { failed } = located;
  const asked = candidates(located);
  const restorable = asked.filter((checkpoint) => checkpoint.kind !== 'exit');
  const judged = lines[rules.policy](history, failed, restorable).map((proposal) => {
    return { proposal, crossed: crossed(history, proposal.moves) };
  });
  const refusals = new Map(judged.map((each) => [each.proposal.candidate, vetoesOf(each, rules)]));
  const vetoes = asked.flatMap((candidate) => refusals.get(candidate) ?? [exitVeto(candidate, failure)]);
  return climb(history, failure, rules, judged[0] as Judged, vetoes);
}

function abstention(failure: Failure, why: Abstention): Veto {
  return { code: 'ambiguous_instance', candidate: null, instance: failure.in, key: failure.key?.text ?? null, why };
}

/** Every veto of one candidate: one per consumer, unless the policy allows crossing it, and one per effect (§8.3). */
function vetoesOf({ proposal, crossed }: Judged, rules: Rules): Veto[] {
  const { candidate } = proposal;
  const consumers = allowsConsumers(rules) ? [] : proposal.consumers;
  return [
    ...consumers.map((consumer): Veto => ({ code: 'committed_consumers_present', candidate, ...consumer })),
    ...crossed.blocked.map((effect): Veto => ({ code: crossing(effect) as EffectVeto, candidate, effect })),
  ];
}

/** A joint line is the policy's to allow; `dart` knows none. */
function allowsConsumers(rules: Rules): boolean {
  return rules.joint === 'all' && rules.policy !== 'dart';
}

function exitVeto(candidate: Checkpoint, failure: Failure): Veto {
  return { code: 'exit_not_restorable', candidate, instance: failure.in };
}
