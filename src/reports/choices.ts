/** The choices of a run as people read them: the candidates, why each lost, and what of it is undone, owed or standing (semantics.md AL5–AL7). */
import type { LedgerCall } from '../effects/ledger-call.ts';
import { isOpen } from '../model/effect.ts';
import type { RunState } from '../projection/run-state.ts';

/** A call of a branch that was not chosen. */
interface LoserCall {
  readonly tool: string;
  readonly key: string;
  /** `never left`: it was held, or known not to have happened. */
  readonly is: 'undone' | 'owed' | 'unknown' | 'stands' | 'never left';
  /** The error of its undo, or why it stands; left out where there is none. */
  readonly why?: string;
}

/** A candidate of a choice. */
interface ShownCandidate {
  /** The id of its invocation. */
  readonly branch: string;
  readonly is: string;
  readonly score?: number;
  readonly why?: string;
  /** The calls of a branch that was not chosen; none for the winner. */
  readonly calls: readonly LoserCall[];
}

/** A choice that was made. */
interface ShownChoice {
  readonly alternatives: string;
  /** The event that led to it. */
  readonly by: string;
  /** The branch that was chosen; null for none. */
  readonly winner: string | null;
  /** The person who was asked and has answered; left out where none has. */
  readonly person?: { readonly by: string; readonly why: string | null };
  readonly candidates: readonly ShownCandidate[];
}

/** Lists the choices of a run, in their order. */
export function choicesOf({ asked, choices, ledger, actors, aborted, redaction }: RunState): ShownChoice[] {
  return choices.all.map(({ alternatives, by, branches, gate = '' }) => {
    const candidates = branches.map(({ actor, branch, is, score, why }): ShownCandidate => {
      const own = [...ledger.all()].filter(
        ({ intent, discarded }) => discarded && choices.branchOf(actors, intent.actor)?.is.actor === actor,
      );
      const calls = own.map((call): LoserCall => {
        const { key, intent } = call;
        const reason = aborted.owed.get(key) ?? aborted.stands.get(key)?.why;
        const shown = reason === undefined ? {} : { why: redaction.text(reason) };
        return { tool: intent.tool, key, is: outcomeOf(call, aborted.owed.has(key)), ...shown };
      });
      const facts = { ...(score !== undefined && { score }), ...(why !== undefined && { why: redaction.text(why) }) };
      return { branch, is, ...facts, calls };
    });
    const winner = branches.find(({ is }) => is === 'won')?.branch ?? null;
    const said = asked.get(gate);
    const why = said?.why == null ? null : redaction.text(said.why);
    const person = said?.by == null ? {} : { person: { by: redaction.text(said.by), why } };
    return { alternatives, by, winner, ...person, candidates };
  });
}

/** The calls of a branch, in their order. @param actor the number of its machine. */
export function callsOfBranch({ ledger, actors }: Pick<RunState, 'ledger' | 'actors'>, actor: number): LedgerCall[] {
  const isOwn = (of: number): boolean => {
    for (let at: number | null = of; at !== null; at = actors[at]?.parent ?? null) if (at === actor) return true;
    return false;
  };
  return [...ledger.all()].filter(({ intent }) => isOwn(intent.actor));
}

function outcomeOf(
  { status, stands }: { readonly status: Parameters<typeof isOpen>[0]; readonly stands: boolean },
  isOwed: boolean,
): LoserCall['is'] {
  if (status === 'compensated') return 'undone';
  if (isOpen(status)) return 'unknown';
  if (status !== 'confirmed') return 'never left';
  return stands ? 'stands' : isOwed ? 'owed' : 'unknown';
}

/** The sentences about a choice, one for each candidate. */
export function choiceSentences({ candidates }: ShownChoice): string[] {
  return candidates.map(({ branch, is, score, why, calls }) => {
    const said = [score === undefined ? null : `score ${score}`, why ?? null].filter((one) => one !== null);
    const acts = calls.map((call) => `${call.tool} ${call.is}${call.why === undefined ? '' : ` (${call.why})`}`);
    return `${branch}: ${[is, ...said].join(', ')}${acts.length === 0 ? '' : `; ${acts.join('; ')}`}`;
  });
}
