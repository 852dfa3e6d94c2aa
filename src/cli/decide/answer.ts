/** A decision as one line of JSON, the shape that docs/trace-format.md fixes. Every entered instance stands in its line. */
import type { History } from '../../history/history.ts';
import type { Act, Decision, Keep } from '../../model/decision.ts';
import type { Effect } from '../../model/effect.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import type { Veto } from '../../model/veto.ts';
import { vetoes } from '../../recovery/vetoes.ts';

/** The length of a piece: vetoes are candidates times reasons, and a line of JSON may outgrow one string. */
const PIECE = 64 * 1024;

/** Formats a decision for a program, as one line of JSON in pieces. `id` names the trace. */
export function* answer(id: string, history: History, decision: Decision): Generator<string> {
  const entered = [...history.registry.all()].map((record) => record.id);
  const head = JSON.stringify({ id, ...verdictFields(entered, decision) });
  const tail = JSON.stringify(actsFields(decision));
  let piece = `${head.slice(0, -1)},"vetoes":[`;
  let separator = '';
  for (const veto of vetoes(decision)) {
    piece += separator + JSON.stringify(vetoFields(veto));
    separator = ',';
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]${tail === '{}' ? '' : ','}${tail.slice(1)}\n`;
}

/** The same as one object; `entered` are the instances of the run. */
export function answerFields(entered: readonly InstanceId[], decision: Decision): object {
  return {
    ...verdictFields(entered, decision),
    vetoes: Array.from(vetoes(decision), vetoFields),
    ...actsFields(decision),
  };
}

function verdictFields(entered: readonly InstanceId[], { at, verdict, line }: Decision): object {
  const whole = line === null ? null : wholeLine(entered, line.moves);
  return { at, verdict, level: line?.level ?? null, line: whole };
}

function vetoFields(veto: Veto): object {
  const { code, candidate } = veto;
  return { code, candidate, witness: witness(veto) };
}

function actsFields(decision: Decision): object {
  const { undo } = decision;
  return {
    ...(undo.length > 0 && { undo: undo.map(effectFields) }),
    ...(decision.aside !== undefined && { aside: decision.aside.map(({ instance }) => instanceName(instance)) }),
    ...(decision.dropped !== undefined && { dropped: decision.dropped }),
    ...(decision.verdict === 'settle' && { effect: effectFields(decision.effect) }),
    ...('unblock' in decision && {
      unblock: { leadsTo: decision.unblock.leadsTo, acts: decision.unblock.acts.map(actFields) },
    }),
  };
}

function wholeLine(
  entered: readonly InstanceId[],
  moves: readonly { instance: InstanceId; keep: Keep }[],
): Record<string, Keep | 'all'> {
  const line: Record<string, Keep | 'all'> = {};
  for (const id of entered) line[instanceName(id)] = 'all';
  for (const { instance, keep } of moves) line[instanceName(instance)] = keep;
  return line;
}

function witness(veto: Veto): object {
  switch (veto.code) {
    case 'ambiguous_instance':
      return { instance: veto.instance && instanceName(veto.instance), key: veto.key, why: veto.why };
    case 'exit_not_restorable': {
      const { instance, why, behind } = veto;
      return {
        instance: instanceName(instance),
        ...(why !== undefined && { why }),
        ...(behind !== undefined && { behind: instanceName(behind) }),
      };
    }
    case 'no_stable_checkpoint':
      return { instance: instanceName(veto.instance) };
    case 'checkpoint_stale':
      return { instance: instanceName(veto.instance), changed: veto.changed };
    case 'no_codec':
      return { instance: instanceName(veto.instance), tool: veto.tool, path: veto.path, reason: veto.reason };
    case 'sandbox_failed':
      return { instance: veto.instance && instanceName(veto.instance), sandbox: veto.sandbox, reason: veto.reason };
    case 'graph_refused':
      return { instance: veto.instance && instanceName(veto.instance), reason: veto.reason };
    case 'said_to_person':
      return { instance: veto.instance && instanceName(veto.instance), turn: veto.turn, step: veto.step };
    case 'choice_stands': {
      const { alternatives, winner } = veto;
      return { instance: veto.instance && instanceName(veto.instance), alternatives, winner };
    }
    case 'obligation_owed':
      return { instance: instanceName(veto.instance), obligation: veto.obligation, tool: veto.tool, due: veto.due };
    case 'mandate_over':
      return { instance: null, mandate: veto.mandate, why: veto.why, tool: veto.tool };
    case 'effect_gone':
      return { instance: instanceName(veto.instance), call: veto.call };
    case 'never_still':
      return { instance: instanceName(veto.instance), spent: veto.spent };
    case 'read_moved':
      return { instance: instanceName(veto.instance), tool: veto.tool, before: veto.before };
    case 'recovery_budget_spent':
      return { instance: instanceName(veto.instance), of: veto.of, spent: veto.spent };
    case 'replay_escapes_instance':
      return { instance: instanceName(veto.instance), step: veto.step };
    case 'unclaimed_effect':
    case 'key_expired':
      return effectFields(veto.effect);
    case 'run_finished':
      return { instance: veto.instance && instanceName(veto.instance) };
    case 'effect_diverged':
      return {
        effect: effectFields(veto.effect),
        recorded: veto.recorded,
        asked: veto.asked,
        recordedArgs: veto.recordedArgs,
        askedArgs: veto.askedArgs,
      };
    case 'committed_consumers_present': {
      const { consumer, producer, ...rest } = veto.dependence;
      return { consumer: instanceName(consumer), producer: instanceName(producer), ...rest, committed: veto.committed };
    }
    case 'irreversible_effect_policy':
    case 'effect_outcome_unknown':
    case 'compensation_missing':
      return effectFields(veto.effect);
  }
}

function actFields(act: Act): object {
  switch (act.act) {
    case 'name_suspect':
    case 'register_codec':
    case 'look_again':
    case 'start_sandbox':
    case 'fix_and_retry':
    case 'raise_limit':
    case 'change_graph':
    case 'correct_in_turn':
    case 'cancel_run':
    case 'settle_obligation':
    case 'give_mandate':
      return act;
    case 'allow_joint':
    case 'end_instances':
      return { act: act.act, instances: act.instances.map(instanceName) };
    case 'allow_exit':
      return { act: act.act, instance: instanceName(act.instance) };
    case 'settle_outcome':
      return { act: act.act, effect: effectFields(act.effect), ...(act.ask !== undefined && { ask: act.ask }) };
    case 'undo_by_hand':
    case 'register_undo':
      return { act: act.act, effect: effectFields(act.effect) };
  }
}

function effectFields({ instance, ...rest }: Effect): object {
  return { instance: instanceName(instance), ...rest };
}
