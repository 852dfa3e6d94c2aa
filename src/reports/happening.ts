/**
 * An entry of a journal as telemetry tells it: names, classes, codes and outcomes, and values kept apart from them.
 * Spans and metrics share this reading.
 */
import type { AnswerEntry, GateEntry } from '../model/call-entries.ts';
import type { Policy, Verdict } from '../model/decision.ts';
import type { EffectClass, EffectStatus } from '../model/effect.ts';
import type { DecisionEntry, Entry } from '../model/entry.ts';
import type { Cause, Signal } from '../model/failure.ts';
import { ROOT } from '../model/instance.ts';
import type { EndEntry } from '../model/message-entries.ts';
import { answeringChild } from '../model/reply-event.ts';
import type { StepEntry } from '../model/step-entry.ts';
import type { RunState } from '../projection/run-state.ts';
import { named, none, shown, skeletonOf, skeletonsOf, type Values } from './shown-values.ts';
import { stateText } from './timeline.ts';

/** Something that happened in a run; `values` is asked only where they are wanted. */
export type Happening = { values(): Values } & (
  | { readonly is: 'begun' | 'resumed'; readonly agent: string }
  | {
      readonly is: 'stepped';
      /** The id of the machine that took the step; null for the root. */
      readonly machine: string | null;
      readonly state: string;
      readonly event: string;
      readonly outside: boolean;
      readonly skeletons: readonly string[];
      /** The ids of the boundaries that it certified. */
      readonly boundaries: readonly string[];
    }
  /** A call was made, and came back or was given up. */
  | {
      readonly is: 'called';
      readonly tool: string;
      readonly class: EffectClass;
      readonly key: string | null;
      readonly outcome: CallOutcome;
      readonly signal: Signal | null;
      readonly skeleton: string | null;
      readonly seconds: number;
    }
  /** It became known what became of a call that was not under way: its counterparty told it, a person, a commit or an undo. */
  | {
      readonly is: 'settled';
      readonly tool: string;
      readonly class: EffectClass;
      readonly key: string;
      readonly outcome: EffectStatus;
      readonly skeleton: string | null;
    }
  | {
      readonly is: 'decided';
      /** The number of the actor whose call failed; null where none did. */
      readonly call: number | null;
      readonly signal: Cause;
      readonly verdict: Verdict;
      readonly policy: Policy;
      readonly level: number | null;
      readonly skeleton: string | null;
      /** The codes of the refusals, each once. */
      readonly refusals: readonly string[];
      readonly moved: number;
      readonly aside: number;
      readonly undone: number;
    }
  | { readonly is: 'restored'; readonly skeletons: readonly string[]; readonly aside: number }
  | { readonly is: 'stuck'; readonly tool: string | null }
  | { readonly is: 'asked'; readonly about: GateEntry['asks']; readonly tool: string | null; readonly key: string }
  | {
      readonly is: 'answered';
      readonly about: GateEntry['asks'];
      readonly tool: string | null;
      readonly key: string;
      readonly verdict: AnswerEntry['verdict'];
    }
  | { readonly is: 'found'; readonly code: string; readonly skeleton: string | null }
  | { readonly is: 'ended'; readonly status: EndEntry['status'] }
);

/**
 * The outcome of a call: `answered` for a call that changes nothing, `abandoned` if nothing waits for the call any
 * more.
 */
export type CallOutcome = EffectStatus | 'answered' | 'abandoned';

/** The kinds of entries that tell nothing of their own: a new kind is told above, or listed here. */
type Silent =
  | 'begin'
  | 'config'
  | 'migrated'
  | 'forked'
  | 'tried'
  | 'kept'
  | 'overtaken'
  | 'turn'
  | 'branch'
  | 'choice'
  | 'idled'
  | 'verified'
  | 'given_back'
  | 'returned'
  | 'voided'
  | 'intent'
  | 'leave'
  | 'discarded'
  | 'stands'
  | 'demoted'
  | 'released'
  | 'reclaimed'
  | 'promised'
  | 'committed'
  | 'judging'
  | 'judged'
  | 'announced'
  | 'obligation'
  | 'mandate'
  | 'freed'
  | 'asked'
  | 'publish'
  | 'retracted'
  | 'retried'
  | 'withdrawn'
  | 'position'
  | 'spend'
  | 'sandbox'
  | 'timer'
  | 'claimed'
  | 'dismissed'
  | 'late'
  | 'held'
  | 'message'
  | 'complaint'
  | 'cancel'
  | 'pause'
  | 'settled'
  | 'steered';

function silent(_: Silent): null {
  return null;
}

/** Tells an entry that a run's state has folded in; null for entries that tell nothing of their own. */
export function happeningOf(entry: Entry, runState: RunState): Happening | null {
  const { ledger } = runState;
  const toolOf = (key: string) => ledger.get(key)?.intent.tool ?? null;
  switch (entry.do) {
    case 'step':
      return stepped(entry, runState);
    case 'outcome':
      return settled(entry, runState);
    case 'decision':
      return decided(entry, runState);
    case 'restored': {
      const moved = entry.kept.map(([id]) => id);
      const values = () => named(moved, runState);
      return { is: 'restored', skeletons: skeletonsOf(moved), aside: entry.aside?.length ?? 0, values };
    }
    case 'phase':
      return stuck(entry, runState);
    case 'gate':
      return { is: 'asked', about: entry.asks, tool: toolOf(entry.key), key: entry.key, values: none };
    case 'answer':
      return answered(entry, runState);
    case 'finding':
      return found(entry, runState);
    case 'end':
      return { is: 'ended', status: entry.status, values: none };
    default:
      return silent(entry.do);
  }
}

function found({ code, instance, text }: Extract<Entry, { do: 'finding' }>, runState: RunState): Happening {
  const values = () => ({ ...named([instance], runState), why: runState.redaction.text(text) });
  return { is: 'found', code, skeleton: skeletonOf(instance), values };
}

function stuck({ phase, effect, error }: Extract<Entry, { do: 'phase' }>, runState: RunState): Happening | null {
  if (phase !== 'STUCK') return null;
  const values = () => (error === undefined ? {} : { error: runState.redaction.text(error) });
  return { is: 'stuck', tool: runState.ledger.get(effect ?? '')?.intent.tool ?? null, values };
}

function stepped(entry: StepEntry, runState: RunState): Happening {
  const { redaction, actors } = runState;
  const { type, output } = entry.event as { readonly type?: unknown; readonly output?: unknown };
  const parties = entry.parties.map(({ instance }) => instance);
  const id = answeringChild(type);
  const child =
    id === null ? undefined : actors.findLast(({ parent, started }) => parent === entry.actor && started?.id === id);
  const tool = child?.started?.src ?? null;
  // Only once the machine has taken an answer is it known which parts of it the config redacts: then it stands here and nowhere else.
  const answer = () =>
    tool === null || !redaction.isActive ? {} : { output: shown(redaction.output(tool, output), runState) };
  return {
    is: 'stepped',
    machine: actors[entry.actor]?.started?.id ?? null,
    state: stateText(entry.value),
    event: String(type),
    outside: entry.outside,
    skeletons: skeletonsOf(parties),
    boundaries: entry.boundaries.filter((boundary) => boundary !== ''),
    values: () => ({ ...named(parties, runState), ...answer() }),
  };
}

function settled(entry: Extract<Entry, { do: 'outcome' }>, runState: RunState): Happening | null {
  const call = runState.ledger.get(entry.key);
  if (call === undefined) return null;
  const { tool, class: kind, instance } = call.intent;
  const { redaction } = runState;
  const values = (): Values => ({
    ...named([instance], runState),
    ...('output' in entry && !redaction.isActive && { output: shown(entry.output, runState) }),
    ...(entry.error !== undefined && { error: redaction.text(entry.error) }),
  });
  return {
    is: 'settled',
    tool,
    class: kind,
    key: entry.key,
    outcome: entry.status,
    skeleton: skeletonOf(instance),
    values,
  };
}

function decided({ decision, call, signal, error }: DecisionEntry, runState: RunState): Happening {
  const codes = decision.refusals.flatMap((each) => ('code' in each ? [each.code] : each.adds.map(({ code }) => code)));
  return {
    is: 'decided',
    call,
    signal,
    verdict: decision.verdict,
    policy: decision.policy,
    level: decision.line?.level ?? null,
    skeleton: skeletonOf(decision.failed),
    refusals: [...new Set(codes)],
    moved: decision.line?.moves.filter(({ instance }) => instance.skeleton !== ROOT).length ?? 0,
    aside: decision.aside?.length ?? 0,
    undone: decision.undo.length,
    values: () => ({ ...named([decision.failed], runState), error: runState.redaction.text(error) }),
  };
}

function answered({ gate, verdict, by, why }: AnswerEntry, { asked, ledger, redaction }: RunState): Happening | null {
  const question = asked.get(gate);
  if (question === undefined) return null;
  const { asks, key } = question;
  const values = () => ({
    ...(by !== null && { by: redaction.text(by) }),
    ...(why !== null && { why: redaction.text(why) }),
  });
  return { is: 'answered', about: asks, tool: ledger.get(key)?.intent.tool ?? null, key, verdict, values };
}
