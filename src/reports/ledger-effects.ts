/** The ledger of effects: the acts of a run on the world, call by call, and their cost. */
import type { LedgerCall } from '../effects/ledger-call.ts';
import type { IntentEntry } from '../model/call-entries.ts';
import type { EffectClass, EffectStatus } from '../model/effect.ts';
import type { Entry } from '../model/entry.ts';
import type { InstanceId } from '../model/instance.ts';
import { isLeft } from '../projection/left-calls.ts';
import type { RunState } from '../projection/run-state.ts';

/** A call of a tool that may change the world, as the ledger of effects has it. Times are wall clocks, in milliseconds. */
export interface LedgerEffect {
  readonly key: string;
  readonly tool: string;
  readonly instance: InstanceId;
  readonly class: EffectClass;
  readonly status: EffectStatus;
  /** When it was first intended, and how often: a replay, or a further try, intends it again under its key. */
  readonly time: number;
  readonly intents: number;
  readonly args: unknown;
  /** What the machine asked for, and who had other arguments sent in approving the call (PE2); null where the machine's were sent. */
  readonly instead: { readonly args: unknown; readonly by: string } | null;
  /** The person who made its act by hand (PE5); null for a call of the tool. */
  readonly byHand: string | null;
  /** The mandate that it left under; null for a run that needs none. */
  readonly under: string | null;
  readonly output: unknown;
  readonly error: string | null;
  /** The key of the act that it repeats: it was answered or refused for that act, and never left (ON2, ON3); null for an act. */
  readonly repeats: string | null;
  /** `buffer` or `gate`: it waits, or has waited, before it leaves; null for any other. */
  readonly held: 'gate' | 'buffer' | null;
  /** True where a restore has taken its place in the history back, and no replay has claimed it since. */
  readonly undone: boolean;
  /** True where it has happened and the machine went on without its answer: it stands, and no step has it (PA11). */
  readonly left: boolean;
  /** The reason why it stands though its work was discarded; null where it was not, or was undone (PA11). */
  readonly stands: string | null;
  /** True where it may still be undone in the world; the reason why not any more, if it was demoted. */
  readonly undo: boolean;
  readonly demoted: string | null;
  /** The approval that it used, and who gave it. */
  readonly gate: { readonly gate: string; readonly by: string | null } | null;
  /** The commit that it became visible with. */
  readonly publication: string | null;
  /** The amounts that the call took of the budgets; the admitted amounts while the real ones are unknown. */
  readonly spent: Readonly<Record<string, number>>;
}

/** The amount that was spent of a budget, calls under way included with what they were admitted for. Limits are the config's to say. */
export interface SpentBudget {
  readonly budget: string;
  readonly spent: number;
}

/** The lines that the standing calls of one tool have changed, by `added` and `removed` of their answers. */
export interface ChangedLines {
  readonly tool: string;
  readonly calls: number;
  readonly added: number;
  readonly removed: number;
}

/** The lines that an answer says a call has changed; null where it says none. */
export function linesOf(output: unknown): { readonly added: number; readonly removed: number } | null {
  if (typeof output !== 'object' || output === null) return null;
  const { added, removed } = output as { readonly added?: unknown; readonly removed?: unknown };
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
  return isCount(added) && isCount(removed) ? { added, removed } : null;
}

/** The lines that were changed in all, by tool. */
export function changedBy(effects: readonly LedgerEffect[]): ChangedLines[] {
  const sums = new Map<string, ChangedLines>();
  for (const { tool, output, status, repeats } of effects) {
    const lines = status === 'confirmed' && repeats === null ? linesOf(output) : null;
    if (lines === null) continue;
    const { calls, added, removed } = sums.get(tool) ?? { calls: 0, added: 0, removed: 0 };
    sums.set(tool, { tool, calls: calls + 1, added: added + lines.added, removed: removed + lines.removed });
  }
  return [...sums.values()];
}

/** The arguments of a call, as people may see them. */
export function shownArgs(intent: IntentEntry, runState: RunState): unknown {
  return runState.redaction.args(intent.tool, intent.args);
}

/** The arguments that a machine asked for, as people may see them, where a person had others sent; null elsewhere (PE2). */
function insteadOf({ tool, instead }: IntentEntry, { redaction }: RunState): LedgerEffect['instead'] {
  return instead === undefined ? null : { args: redaction.args(tool, instead.args), by: instead.by };
}

/** The facts that the journal has of calls beyond their outcome. */
export class Acts {
  /** When each call was last intended, by its key. */
  readonly since = new Map<string, number>();
  readonly #first = new Map<string, { time: number; intents: number }>();
  readonly #gates = new Map<string, string>();
  readonly #publications = new Map<string, string>();
  readonly #demoted = new Map<string, string>();
  readonly #stands = new Map<string, string>();
  readonly #names = new Set<string>();

  take(entry: Entry, time: number): void {
    switch (entry.do) {
      case 'intent': {
        const { key } = entry;
        const { time: first, intents } = this.#first.get(key) ?? { time, intents: 0 };
        this.#first.set(key, { time: first, intents: intents + 1 });
        this.since.set(key, time);
        return;
      }
      case 'leave':
        this.#gates.set(entry.key, entry.gate);
        return;
      case 'publish':
        for (const key of entry.keys) this.#publications.set(key, entry.id);
        return;
      case 'demoted':
        this.#demoted.set(entry.key, entry.why);
        return;
      case 'stands':
        this.#stands.set(entry.key, entry.why);
        return;
      case 'spend':
        for (const name of Object.keys(entry.amounts)) this.#names.add(name);
        return;
      default:
        return;
    }
  }

  effect(call: LedgerCall, runState: RunState): LedgerEffect {
    const { key, intent, status, output, error, undo, at } = call;
    const { time, intents } = this.#first.get(key) as { time: number; intents: number };
    const gate = this.#gates.get(key);
    return {
      key,
      tool: intent.tool,
      instance: intent.instance,
      class: intent.class,
      status,
      time,
      intents,
      args: shownArgs(intent, runState),
      instead: insteadOf(intent, runState),
      byHand: intent.byHand ?? null,
      under: intent.under ?? null,
      output: runState.redaction.output(intent.tool, output),
      error: error === null ? null : runState.redaction.text(error),
      repeats: call.repeats,
      held: intent.held ?? null,
      undone: at === null,
      left: isLeft(runState, call),
      stands: call.stands ? runState.redaction.text(this.#stands.get(key) ?? '') : null,
      undo,
      demoted: this.#demoted.get(key) ?? null,
      gate: gate === undefined ? null : { gate, by: runState.asked.get(gate)?.by ?? null },
      publication: this.#publications.get(key) ?? null,
      spent: runState.budgets.spentBy(key),
    };
  }

  budgets(runState: RunState): SpentBudget[] {
    return [...this.#names].map((budget) => ({ budget, spent: runState.budgets.spent(budget) }));
  }
}
