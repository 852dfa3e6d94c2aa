/**
 * The refused checkpoints of a decision, each reason with its witness: each read with its time and writer, and the
 * promise.
 */
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { Decision } from '../../model/decision.ts';
import type { Effect } from '../../model/effect.ts';
import { instanceName } from '../../model/instance.ts';
import type { Dependence, Veto } from '../../model/veto.ts';
import type { RunState } from '../../projection/run-state.ts';
import { type PlaceText, reason } from '../../recovery/explain.ts';
import { vetoes } from '../../recovery/vetoes.ts';
import { shownArgs } from '../../reports/ledger-effects.ts';
import { shortOf } from '../http/shown.ts';
import type { WireReason, WireRefusal } from '../page-data.ts';
import type { Moment } from './moment.ts';

/** Reasons that are sent; a decision may have as many as candidates times consumers. */
const MOST = 400;

/** Every refusal, newest checkpoint first. `moment` is null where the numbers of events are not those of the run. */
export function refusalsOf(
  decision: Decision,
  moment: Moment | null,
  runState: RunState,
  place: PlaceText,
): WireRefusal[] {
  const at = placeAt(moment, place);
  const refusals = new Map<string, { readonly checkpoint: string; readonly reasons: WireReason[] }>();
  let count = 0;
  for (const veto of vetoes(decision)) {
    count += 1;
    if (count > MOST) break;
    const { candidate } = veto;
    const name = candidate === null ? '' : `${candidate.kind} ${candidate.at}`;
    const refusal = refusals.get(name) ?? { checkpoint: checkpointText(candidate, decision, moment, at), reasons: [] };
    refusals.set(name, refusal);
    refusal.reasons.push({
      code: veto.code,
      text: reason(veto, place),
      witness: witnessOf(veto, moment, runState, at),
    });
  }
  return [...refusals.values()];
}

function checkpointText(
  candidate: Checkpoint | null,
  { failed }: Decision,
  moment: Moment | null,
  at: PlaceText,
): string {
  if (candidate === null) return 'Of every checkpoint';
  const id = failed === null || moment === null ? null : moment.runState.boundaryAt(failed, candidate.at);
  const boundary = id === null || id === 'entry' || id === '' ? '' : ` ${JSON.stringify(id)}`;
  return `Its ${candidate.kind}${boundary} at ${at(candidate.at)}`;
}

function witnessOf(veto: Veto, moment: Moment | null, runState: RunState, at: PlaceText): WireReason['witness'] {
  switch (veto.code) {
    case 'committed_consumers_present':
      return [...dependenceOf(veto.dependence, at), promiseOf(veto, moment, at)];
    case 'irreversible_effect_policy':
    case 'effect_outcome_unknown':
    case 'compensation_missing':
    case 'unclaimed_effect':
    case 'key_expired':
      return effectOf(veto.effect, at, runState);
    case 'effect_diverged':
      return [
        ...effectOf(veto.effect, at, runState),
        { what: 'recorded', value: runState.redaction.text(veto.recordedArgs) },
        { what: 'asked now', value: runState.redaction.text(veto.askedArgs) },
      ];
    case 'replay_escapes_instance':
      return [
        { what: 'instance', value: instanceName(veto.instance) },
        { what: 'entered', value: at(veto.step) },
      ];
    case 'checkpoint_stale':
      return [{ what: 'changed since', value: veto.changed }];
    case 'no_codec':
      return [
        { what: 'tool', value: veto.tool },
        { what: 'input at', value: veto.path === '' ? '(whole)' : veto.path },
        { what: 'is', value: veto.reason },
      ];
    case 'sandbox_failed':
      return [
        { what: 'sandbox', value: veto.sandbox },
        { what: 'in the way', value: veto.reason },
      ];
    case 'graph_refused':
      return [{ what: 'in the way', value: veto.reason }];
    case 'said_to_person':
      return [
        { what: 'turn', value: String(veto.turn) },
        { what: 'ended at step', value: String(veto.step) },
      ];
    case 'choice_stands':
      return [{ what: 'choice', value: `${veto.alternatives}: ${veto.winner ?? 'none'}` }];
    case 'obligation_owed':
      return [
        { what: 'owed', value: veto.obligation },
        { what: 'kept by', value: veto.tool },
      ];
    case 'mandate_over':
      return [
        { what: 'mandate', value: veto.mandate ?? 'none' },
        { what: 'over', value: veto.why },
        { what: 'waits', value: veto.tool },
      ];
    case 'effect_gone':
      return [{ what: 'call', value: veto.call }];
    case 'never_still':
      return [{ what: 'recoveries', value: String(veto.spent) }];
    case 'read_moved':
      return [
        { what: 'looked at again', value: veto.tool },
        { what: 'before', value: veto.before },
      ];
    case 'recovery_budget_spent':
      return [
        { what: 'budget of', value: veto.of },
        { what: 'recoveries', value: String(veto.spent) },
      ];
    case 'ambiguous_instance':
    case 'no_stable_checkpoint':
    case 'exit_not_restorable':
    case 'run_finished':
      return veto.instance === null ? [] : [{ what: 'instance', value: instanceName(veto.instance) }];
  }
}

function dependenceOf(dependence: Dependence, place: PlaceText): WireReason['witness'][number][] {
  const [consumer, producer] = [instanceName(dependence.consumer), instanceName(dependence.producer)];
  const at = place(dependence.step);
  switch (dependence.kind) {
    case 'read':
      return [
        { what: 'who read', value: consumer },
        { what: 'what it read', value: `${dependence.key}, at ${at}` },
        {
          what: 'who had written that',
          value: `${producer}, ${dependence.wrote}, at ${place(dependence.write)}`,
        },
      ];
    case 'start':
      return [
        { what: 'who was started', value: `${consumer}, at ${at}` },
        { what: 'by whom', value: producer },
      ];
    case 'control':
      return [
        { what: 'whose step', value: `${consumer}, at ${at}` },
        { what: 'whose control goes back', value: producer },
      ];
  }
}

function promiseOf(
  { dependence, committed }: Extract<Veto, { code: 'committed_consumers_present' }>,
  moment: Moment | null,
  at: PlaceText,
): WireReason['witness'][number] {
  const id = moment === null ? '' : moment.runState.boundaryAt(dependence.consumer, committed.at);
  const boundary = id === '' ? '' : ` ${JSON.stringify(id)}`;
  return {
    what: 'what was promised',
    value: `its ${committed.kind}${boundary}, at ${at(committed.at)}`,
  };
}

function effectOf(effect: Effect, at: PlaceText, runState: RunState): WireReason['witness'][number][] {
  const call = effect.id === null ? undefined : runState.ledger.get(effect.id);
  return [
    { what: 'call', value: `${effect.tool ?? 'a tool'} of ${instanceName(effect.instance)}` },
    { what: 'class and status', value: `${effect.class}, ${effect.status}` },
    { what: 'called', value: at(effect.at) },
    ...(call === undefined ? [] : [{ what: 'with', value: shortOf(shownArgs(call.intent, runState)) }]),
    ...(call === undefined || call.error === null
      ? []
      : [{ what: 'what it said', value: runState.redaction.text(call.error) }]),
    ...(effect.id === null ? [] : [{ what: 'key', value: effect.id }]),
  ];
}

/** The words for an event, with the time of its row where it is one of the run. */
function placeAt(moment: Moment | null, place: PlaceText): PlaceText {
  return (event) => {
    const time = moment?.times.get(event);
    return time === undefined ? place(event) : `${place(event)}, ${new Date(time).toISOString().slice(0, 19)}Z`;
  };
}
