/**
 * The parked questions about refusals: a call that did not leave (semantics.md E3), or a graph that cannot go on as
 * built (TH9).
 */
import type { MovedAnswer, Reply } from '../../effects/guarded-call.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { encode } from '../../journal/codec.ts';
import { type Act, type Decision, escalated } from '../../model/decision.ts';
import { type Effect, isOpen } from '../../model/effect.ts';
import type { Failure } from '../../model/failure.ts';
import type { InstanceId } from '../../model/instance.ts';
import type { Refusal } from '../../model/veto.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Call } from '../../runtime/runtime.ts';
import type { RunParts } from '../parts.ts';
import type { Owed } from '../report.ts';
import type { RecoveryQueries } from './recovery-queries.ts';

interface Needs {
  readonly parts: RunParts;
  readonly queries: RecoveryQueries;
}

type Escalation = Extract<Decision, { verdict: 'escalate' | 'rerun' }>;

/** The longest text of arguments that a decision shows. */
const LONGEST_ARGS = 4_000;

/** The question about a call with other arguments than recorded. */
export function diverged(
  { parts, queries }: Needs,
  call: Call,
  instance: InstanceId,
  { recorded, digest }: Extract<Reply, { is: 'diverged' }>,
): Escalation {
  const { redaction, codecs } = parts.runState;
  const effect = queries.effectOf(recorded.key, instance);
  const shown = (args: unknown) => argsText(redaction.args(call.tool, args), codecs);
  const refusal: Refusal = {
    code: 'effect_diverged',
    candidate: null,
    effect,
    recorded: recorded.intent.digest,
    asked: digest,
    recordedArgs: shown(recorded.intent.args),
    askedArgs: shown(call.input),
  };
  return escalation(parts, instance, [refusal], [{ act: 'undo_by_hand', effect }]);
}

/** The question about a call whose arguments no journal and no codec holds. */
export function unwritten(
  { parts }: Needs,
  { tool }: Call,
  instance: InstanceId,
  { path, reason }: Extract<Reply, { is: 'unwritten' }>,
): Escalation {
  const refusal: Refusal = { code: 'no_codec', candidate: null, instance, tool, path, reason };
  return escalation(parts, instance, [refusal], [{ act: 'register_codec', tool, path }]);
}

/** The question about an answer that has changed before a call that rests on it (RV3). */
export function readMoved({ parts }: Needs, { tool, instance }: MovedAnswer, before: string): Escalation {
  const refusal: Refusal = { code: 'read_moved', candidate: null, instance, tool, before };
  return escalation(parts, instance, [refusal], [{ act: 'look_again', tool, instance }]);
}

/** The question about a sandbox that cannot be had (SB3). */
export function sandboxFailed(
  parts: Deciding,
  instance: InstanceId | null,
  { sandbox, why }: { readonly sandbox: string; readonly why: string },
): Escalation {
  const reason = parts.runState.redaction.text(why);
  const refusal: Refusal = { code: 'sandbox_failed', candidate: null, instance, sandbox, reason };
  return escalation(parts, instance, [refusal], [{ act: 'start_sandbox', sandbox }]);
}

/** The question about a call that may not leave again under its key (E3). */
export function keyExpired({ parts, queries }: Needs, { key, status }: LedgerCall, instance: InstanceId): Escalation {
  const effect = queries.effectOf(key, instance);
  const refusal: Refusal = { code: 'key_expired', candidate: null, effect };
  const act: Act = isOpen(status) ? { act: 'settle_outcome', effect } : { act: 'undo_by_hand', effect };
  return queries.withWhomToAsk(escalation(parts, instance, [refusal], [act])) as Escalation;
}

/** The question about a graph that its runtime refuses at the place that it came to. */
export function graphRefused(parts: RunParts, { in: failed }: Failure, reason: string): Escalation {
  const refusal: Refusal = { code: 'graph_refused', candidate: null, instance: failed, reason };
  return escalation(parts, failed, [refusal], [{ act: 'change_graph' }]);
}

/** The question about effects that stand and that a person has to undo by hand. */
export function effectsStand(parts: Deciding, { in: failed }: Failure, effects: readonly Effect[]): Escalation {
  const refusals = effects.map((effect): Refusal => {
    return { code: 'unclaimed_effect', candidate: null, effect, instance: effect.instance };
  });
  return escalation(
    parts,
    failed,
    refusals,
    effects.map((effect) => ({ act: 'undo_by_hand', effect })),
  );
}

/** The question of an aborted run: the calls of which it is not known what became, and the undos that are owed (AB4, AB8). */
export function abortWaits(
  parts: Deciding,
  unknown: readonly Effect[],
  { failed, held }: { readonly failed: readonly Owed[]; readonly held: readonly Owed[] },
): Escalation {
  const standing = failed.map(({ effect }) => effect);
  const waiting = held.map(({ effect }) => effect);
  const [first] = [...standing, ...unknown];
  const refusals = [
    ...unknown.map((effect): Refusal => {
      const { history } = parts.runState;
      const candidate = history.registry.get(effect.instance)?.committed ?? ({ kind: 'commit', at: 0 } as const);
      return { candidate, adds: [{ code: 'effect_outcome_unknown', effect }] };
    }),
    ...[...standing, ...waiting].map((effect): Refusal => {
      return { code: 'unclaimed_effect', candidate: null, effect, instance: effect.instance };
    }),
  ];
  const acts: readonly Act[] = [
    ...unknown.map((effect): Act => ({ act: 'settle_outcome', effect })),
    ...standing.map((effect): Act => ({ act: 'undo_by_hand', effect })),
  ];
  return escalation(parts, first?.instance ?? null, refusals, acts);
}

type Deciding = Pick<RunParts, 'runState' | 'decisionPolicy'>;

function escalation(
  parts: Deciding,
  failed: InstanceId | null,
  refusals: readonly Refusal[],
  acts: readonly Act[],
): Escalation {
  const { runState, decisionPolicy } = parts;
  return escalated({ failed, at: runState.history.head, policy: decisionPolicy.policy }, refusals, acts);
}

/** Arguments as they are shown. */
function argsText(args: unknown, codecs: RunState['codecs']): string {
  const encoded = encode(args, { codecs });
  const text = 'text' in encoded ? encoded.text : `(no text: ${encoded.reason} at ${encoded.path.join('.')})`;
  return text.length > LONGEST_ARGS ? `${text.slice(0, LONGEST_ARGS).toWellFormed()}...` : text;
}
