/**
 * The choice that a person makes among branches (semantics.md AL11 to AL14): what the person is shown, and whether the answer is about the branches as they
 * are now. It changes nothing.
 */
import { argsDigest } from '../../effects/digest.ts';
import type { ApprovalRequest } from '../../effects/gates.ts';
import type { GateEntry } from '../../model/call-entries.ts';
import { choiceKey, type Shown } from '../../model/choice-entries.ts';
import type { RunState } from '../../projection/run-state.ts';
import { callsOfBranch } from '../../reports/choices.ts';

/** A question about branches as they are now. */
export type ChoiceQuestion = Omit<GateEntry, 'do' | 'gate' | 'expires'>;

/** The question which of these branches is chosen. The digest is over everything that the request shows, and over the acts of the branches that may be chosen. */
export function questionOf(runState: RunState, alternatives: string, candidates: readonly Shown[]): ChoiceQuestion {
  const { secret, codecs } = runState;
  const did = candidates.map(({ actor, is }) =>
    is === 'over' ? callsOfBranch(runState, actor).map(({ key, intent, status }) => [key, intent.digest, status]) : [],
  );
  const digest = argsDigest([candidates, did], secret, codecs);
  return { asks: 'branch', key: choiceKey(alternatives, candidates), digest, epoch: 0, candidates };
}

/**
 * What a person has said of these branches: the branch that is chosen; `none`; `asked` where the request waits; null where the branches were not shown as they are.
 */
export function saidOf(
  gate: ApprovalRequest | undefined,
  { digest }: ChoiceQuestion,
): { readonly is: 'chosen'; readonly branch: unknown } | { readonly is: 'none' | 'asked' } | null {
  if (gate === undefined || gate.digest !== digest) return null;
  switch (gate.status) {
    case 'pending':
      return { is: 'asked' };
    case 'approved':
      return { is: 'chosen', branch: gate.with };
    case 'denied':
    case 'expired':
      return { is: 'none' };
    default:
      return null;
  }
}
