/**
 * A decision asked again under suppositions: a call settled or undone, a commitment that may be crossed. The history is rebuilt from the run's
 * trace up to the failure, and `decide` answers. Where the trace without suppositions does not lead to the journaled decision, nothing is
 * supposed: an answer about another question would mislead.
 */
import { TracedControl } from '../../history/control-trace.ts';
import { History } from '../../history/history.ts';
import { traceReader } from '../../history/trace.ts';
import type { StoredRow } from '../../journal/journal.ts';
import type { Decision, Rules } from '../../model/decision.ts';
import type { Effect, EffectStatus } from '../../model/effect.ts';
import type { Failure } from '../../model/failure.ts';
import { instanceName } from '../../model/instance.ts';
import type { Veto } from '../../model/veto.ts';
import { decide, knownOf } from '../../recovery/decide.ts';
import { Effort, REPORTED_IN_RUN } from '../../recovery/effort.ts';
import { effectName, type PlaceText, quoted } from '../../recovery/explain.ts';
import { vetoes } from '../../recovery/vetoes.ts';
import type { Decided } from '../../reports/timeline.ts';
import { traceOf } from '../../reports/trace.ts';
import type { WireToggle } from '../page-data.ts';
import type { Read } from '../reading.ts';

type Supposition =
  | { readonly is: 'effect'; readonly effect: Effect; readonly status: EffectStatus }
  | { readonly is: 'allow'; readonly skeleton: string };

interface Toggle extends WireToggle {
  readonly supposes: Supposition;
}

/** A supposed answer, and the history that it is about. */
export interface Supposed {
  readonly history: History;
  readonly decision: Decision;
}

/** Toggles that are offered at most. */
const MOST = 60;

/** The suppositions that one decision allows, and the answers under them. */
export class WhatIf {
  readonly toggles: readonly Toggle[];
  /** The reason why nothing can be supposed; null where it can. */
  readonly fixed: string | null;
  /** True where the trace numbers its events as the run does. */
  readonly sameNumbers: boolean;
  readonly #lines: readonly string[];
  readonly #rules: Rules;
  /** The key of the call that is held; null where none is. */
  readonly #held: string | null;

  constructor({ rows, summary, timeline }: Read, decided: Decided) {
    const { decision, call } = decided.entry;
    this.#lines = questionOf(summary.run, rows, decided.seq);
    const held =
      call === null ? undefined : [...timeline.runState.ledger.all()].find(({ intent }) => intent.actor === call);
    this.#held = held?.key ?? null;
    const base = this.#lines.length === 0 ? null : this.#base(decision);
    this.#rules = base?.rules ?? { policy: decision.policy, joint: 'none' };
    this.sameNumbers = base?.decision.at === decision.at;
    this.fixed = base !== null ? null : fixedText(this.#lines.length, decision);
    this.toggles =
      base === null
        ? []
        : togglesOf(base.decision, this.sameNumbers ? timeline.eventRows.texts(decided.seq) : undefined);
  }

  /** The answer under some of the toggles, by their ids; those that are not known are left out. */
  suppose(ids: ReadonlySet<string>): Supposed {
    const chosen = this.toggles.flatMap(({ id, supposes }) => (ids.has(id) ? [supposes] : []));
    const allowed = chosen.flatMap((each) => (each.is === 'allow' ? [each.skeleton] : []));
    const { joint } = this.#rules;
    const rules: Rules = { ...this.#rules, joint: [...(Array.isArray(joint) ? joint : []), ...allowed] };
    const supposed = asked(this.#lines, rules, chosen);
    return { ...supposed, decision: this.#settled(chosen, supposed) ?? supposed.decision };
  }

  /** A held call whose outcome is known is answered, or made again, before any line is asked for (semantics.md §8.0). */
  #settled(chosen: readonly Supposition[], { decision }: Supposed): Decision | null {
    for (const each of chosen) {
      if (each.is !== 'effect' || each.effect.id === null || each.effect.id !== this.#held) continue;
      if (each.status !== 'confirmed' && each.status !== 'failed') continue;
      const { failed, at, policy } = decision;
      const effect = { ...each.effect, status: each.status };
      return { verdict: 'settle', failed, at, policy, refusals: [], undo: [], line: null, effect };
    }
    return null;
  }

  /** The same question without suppositions, and the rules that lead to the journaled answer; null where none do. */
  #base(recorded: Decision): { readonly decision: Decision; readonly rules: Rules } | null {
    const strict: Rules = { policy: recorded.policy, joint: 'none', exits: hasExits(recorded) ? 'all' : 'none' };
    const { decision } = asked(this.#lines, strict, []);
    // The journal has no rules of the config: what it allowed to cross is what it was not refused for.
    const refused = new Set(consumers(recorded));
    const joint = [...new Set(consumers(decision))].filter((skeleton) => !refused.has(skeleton));
    const rules: Rules = { ...strict, joint };
    const found = joint.length === 0 ? decision : asked(this.#lines, rules, []).decision;
    return signature(found) === signature(recorded) ? { decision: found, rules } : null;
  }
}

/** True for a decision that was made where exits may be restored: it restores one, or refuses one for another reason than the policy. */
function hasExits({ line, refusals }: Decision): boolean {
  const isKept = line?.moves.some(({ keep }) => keep !== 'none' && keep.kind === 'exit') ?? false;
  return isKept || refusals.some((refusal) => 'why' in refusal && refusal.code === 'exit_not_restorable');
}

/** The lines of the trace that ends with the question of a decision; none where the decision answers no question about a line. */
function questionOf(run: string, rows: readonly StoredRow[], seq: number): string[] {
  let lines: string[] = [];
  let isAsked = false;
  for (const { text, decision } of traceOf(
    run,
    rows.filter((row) => row.seq <= seq),
  )) {
    if (text.startsWith('{"do":"trace"')) lines = [];
    lines.push(text);
    isAsked = decision !== undefined;
  }
  return isAsked ? lines : [];
}

/** Asks the last question of a trace. */
function asked(lines: readonly string[], rules: Rules, suppositions: readonly Supposition[]): Supposed {
  const read = traceReader();
  const history = new History();
  const control = new TracedControl(history);
  let failure: Failure | null = null;
  for (const [index, text] of lines.entries()) {
    const line = read(text);
    if (line.do === 'knows') control.take(line.of);
    if (line.do === 'event') {
      if (line.event.do === 'enter') control.enter(line.event.in, line.region);
      history.apply(line.event);
    }
    if (line.do === 'fail' && index < lines.length - 1) knownOf(control, history, line.failure);
    if (line.do === 'fail') failure = line.failure;
  }
  for (const each of suppositions) {
    if (each.is !== 'effect') continue;
    const { instance, id, class: kind } = each.effect;
    history.apply({ do: 'effect', in: instance, id, class: kind, status: each.status, undo: null });
  }
  if (failure === null) throw new TypeError('the trace of a decision asks nothing');
  // As in the run: what it did not judge for the report, no supposition is told of.
  const around = { ...knownOf(control, history, failure), effort: new Effort(REPORTED_IN_RUN) };
  return { history, decision: decide(history, failure, rules, around) };
}

function togglesOf(decision: Decision, place?: PlaceText): Toggle[] {
  const toggles = new Map<string, Toggle>();
  const groups = new Map<string, string>();
  const group = (name: string) => {
    const known = groups.get(name) ?? `g${groups.size}`;
    groups.set(name, known);
    return known;
  };
  const add = (of: string, kind: string, text: string, supposes: Supposition) => {
    const id = `${group(of)}-${kind}`;
    if (toggles.size < MOST) toggles.set(id, { id, group: group(of), text, supposes });
  };
  for (const veto of vetoes(decision)) {
    if (veto.code === 'committed_consumers_present') {
      const { skeleton } = veto.dependence.consumer;
      const text = `the policy let a line cross what ${quoted(skeleton)} has committed`;
      add(`allow ${skeleton}`, 'allowed', text, { is: 'allow', skeleton });
    }
    if (!isOfEffect(veto) || veto.effect.id === null) continue;
    const { effect } = veto;
    const name = effectName(effect, place);
    const suppose = (kind: string, status: EffectStatus, text: string) =>
      add(`effect ${effect.id}`, kind, text, { is: 'effect', effect, status });
    if (veto.code === 'effect_outcome_unknown') {
      suppose('confirmed', 'confirmed', `${name} had happened`);
      suppose('failed', 'failed', `${name} had not happened`);
    }
    suppose('undone', 'compensated', `${name} were undone in the world`);
  }
  return [...toggles.values()];
}

function isOfEffect(
  veto: Veto,
): veto is Extract<Veto, { effect: Effect }> & { readonly candidate: NonNullable<Veto['candidate']> } {
  return (
    veto.code === 'effect_outcome_unknown' ||
    veto.code === 'irreversible_effect_policy' ||
    veto.code === 'compensation_missing'
  );
}

function consumers(decision: Decision): string[] {
  return [...vetoes(decision)].flatMap((veto) =>
    veto.code === 'committed_consumers_present' ? [veto.dependence.consumer.skeleton] : [],
  );
}

/** A text that two answers share where they are the same, though the numbers of their events differ. */
function signature(decision: Decision): string {
  const candidates = new Map<number | null, number>();
  const against = [...vetoes(decision)].map((veto) => {
    const at = veto.candidate?.at ?? null;
    const index = candidates.get(at) ?? candidates.size;
    candidates.set(at, index);
    if (veto.code === 'committed_consumers_present')
      return `${index} ${veto.code} ${instanceName(veto.dependence.consumer)}`;
    return 'effect' in veto ? `${index} ${veto.code} ${veto.effect.id}` : `${index} ${veto.code}`;
  });
  const moves =
    decision.line?.moves.map(
      ({ instance, keep }) => `${instanceName(instance)} ${keep === 'none' ? keep : keep.kind}`,
    ) ?? [];
  const level = decision.line?.level ?? null;
  return JSON.stringify([decision.verdict, level, moves.sort(), against.sort()]);
}

function fixedText(lines: number, { verdict }: Decision): string {
  if (verdict === 'settle')
    return 'Nothing was asked about a line: the outcome of the call was known, and it was answered.';
  return lines === 0
    ? 'This decision answers no question about a line, so there is nothing to suppose about it.'
    : 'The journal alone does not lead to this decision again (its config, or what the process knew, is not in it), so nothing is supposed.';
}
