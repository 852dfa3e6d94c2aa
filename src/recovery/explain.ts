/**
 * The one home of prose: a decision as sentences (semantics.md §8, style.md 8). The result is an outline of plain text
 * that a terminal or a page lays out. Names and keys come from a run and may hold anything: every text that is no plain
 * word is quoted, so that no name reads as a sentence of Belay's. The printer escapes what its medium would obey.
 */

import type { Aftermath, Circumstance } from '../model/aftermath.ts';
import { LIST, nullable, OBJECT, refuseOther, shape, TEXT } from '../model/argument.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Act, Decision, Keep, Move, Unblock } from '../model/decision.ts';
import type { Effect } from '../model/effect.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import type { Abstention, Dependence, Reason, Refusal } from '../model/veto.ts';

/** A sentence and the sentences under it. `label` stands before it: a verdict or a veto code. */
export interface Outline {
  readonly label?: string;
  readonly text: string;
  readonly under?: readonly Outline[];
}

/** A name as it stands in a sentence: a plain word unchanged, anything else in quotation marks, as JSON has it. */
export function quoted(name: string): string {
  return /^[\p{L}\p{N}_.:/*[\]@+=#%~-]+$/u.test(name) ? name : JSON.stringify(name);
}

/**
 * The words for an event of the history, by its number: `event 12` of a trace, or the row of the journal that it stands in. Of a call with an id, that
 * of its intent.
 */
export type PlaceText = (event: number, call?: string | null) => string;

/** The words for an event by its number. */
const eventText: PlaceText = (event) => `event ${event}`;

/**
 * Explains a decision: the verdict first, then the moves, the undos, the refusals with their reasons, and the acts that
 * would unblock it. With the facts of a journal, also the failure and the result of a restore.
 * @param place the words for an event by its number; left out, they are its number.
 * @example
 * import { decide, explain, History } from 'belay-sidecar';
 *
 * const order = { skeleton: 'Order', entity: '7', ordinal: 0 };
 * const history = new History();
 * history.apply({ do: 'enter', in: order, by: null });
 * assert.match(explain(decide(history, { in: order, key: null })).text, /^Order::7::0 goes back to its entry/);
 */
export function explain(decision: Decision, around: Circumstance | null = null, place: PlaceText = eventText): Outline {
  refuseOther('explain', { decision: [decision, DECISION] });
  const { line, verdict, undo } = decision;
  const admitted = verdict === 'restore' || verdict === 'restore_joint';
  const moves = line?.moves.filter((move) => !admitted || move.cause !== null) ?? [];
  const undoing = `Undo before the ${verdict === 'rerun' ? 'rerun' : 'restore'}, in this order`;
  return {
    label: line === null ? verdict : `${verdict} (level ${line.level})`,
    text: headline(decision, place),
    under: [
      ...(around === null ? [] : [failureOutline(around)]),
      ...section(
        admitted ? 'Rolled back with it' : 'The line that the policy does not allow',
        moves.map((move) => moved(move, place)),
      ),
      ...section(
        undoing,
        undo.map((effect) => ({ text: effectName(effect, place) })),
      ),
      ...section('Refused', refused(decision.refusals, place)),
      ...('unblock' in decision ? [unblocking(decision.unblock, place)] : []),
      ...outcome(around?.aftermath ?? null),
    ],
  };
}

function headline(decision: Decision, place: PlaceText): string {
  const failed = decision.failed === null ? 'the failed work' : named(decision.failed);
  switch (decision.verdict) {
    case 'settle':
      return decision.effect.status === 'failed'
        ? `${effectName(decision.effect, place)} did not happen, so the held call of ${failed} is made again under its key and nothing moves.`
        : `the outcome of ${effectName(decision.effect, place)} is known, so the held call of ${failed} is answered and nothing moves.`;
    case 'restore': {
      const { level } = decision.line;
      const alone = level === 0 ? 'No other instance moves.' : 'It takes uncommitted work of others with it.';
      return `${failed} ${goesBack(decision, place)}. ${alone}`;
    }
    case 'restore_joint':
      return `${failed} ${goesBack(decision, place)}, and commitments of others with it, as the policy allows.`;
    case 'rerun':
      return `${failed} cannot be put back; the run may be started over, since nothing that it did stands in the way.`;
    case 'escalate':
      return `${failed} cannot be put back, and the run cannot be started over: a person has to act.`;
  }
}

/** The failure that a decision is about. */
export function failureOutline({ signal, error, state, tool }: Circumstance): Outline {
  const where = state === null ? '' : ` in the state ${quoted(state)}`;
  const what = tool === null ? 'the machine failed' : `${quoted(tool)} failed`;
  return { label: signal, text: `${what}${where}: ${JSON.stringify(error)}` };
}

/** The result of a restore: the work that was done again, and the completed work that stayed. */
function outcome(aftermath: Aftermath | null): Outline[] {
  if (aftermath === null) return [];
  const { replayed, preserved } = aftermath;
  const again = replayed.map(({ instance, tools }) => {
    const what = tools.length === 0 ? 'no tool answered it again' : tools.map(quoted).join(', ');
    return { text: `${named(instance)}: ${what}` };
  });
  const kept = preserved.length === 1 ? '1 completed instance' : `${preserved.length} completed instances`;
  return [
    ...section('Done again after it', again),
    preserved.length === 0
      ? { text: 'No other work was complete by then.' }
      : { text: `Kept as it was: ${kept}`, under: [{ text: preserved.map(named).join(', ') }] },
  ];
}

function goesBack(decision: Extract<Decision, { verdict: 'restore' | 'restore_joint' }>, place: PlaceText): string {
  const failed = instanceName(decision.failed);
  const own = decision.line.moves.find((move) => instanceName(move.instance) === failed);
  // Another input of a run puts back who has read it, and not the work that has begun with it.
  return own === undefined ? 'stays where it is' : `goes back to ${keepName(own.keep, place)}`;
}

function moved(move: Move, place: PlaceText): Outline {
  const to = `${named(move.instance)} to ${keepName(move.keep, place)}`;
  return { text: move.cause === null ? `${to}: it failed.` : `${to}: ${dependenceClause(move.cause, place)}.` };
}

/** Each candidate with the reasons that it adds; a reason against a newer candidate stands against it, too. */
function refused(refusals: readonly Refusal[], place: PlaceText): Outline[] {
  let standing = false;
  return refusals.map((refusal): Outline => {
    if (refusal.candidate === null) return { label: refusal.code, text: reason(refusal, place) };
    const text = `its ${checkpointName(refusal.candidate, place)}`;
    if ('code' in refusal) return { text, under: [{ label: refusal.code, text: reason(refusal, place) }] };
    const under = refusal.adds.map((added) => ({ label: added.code, text: reason(added, place) }));
    const same = !standing ? '' : under.length > 0 ? ': the same, and' : ': the same';
    standing = true;
    return { text: `${text}${same}`, under };
  });
}

/** The sentence of one reason. */
export function reason(veto: Reason | Extract<Refusal, { code: unknown }>, place: PlaceText = eventText): string {
  switch (veto.code) {
    case 'ambiguous_instance':
      return abstained(veto);
    case 'no_stable_checkpoint':
      return `${named(veto.instance)} has no checkpoint that can be used.`;
    case 'checkpoint_stale':
      return `it was certified under another ${veto.changed === 'config' ? 'boundary config' : 'machine'}.`;
    case 'effect_gone':
      return `it lies behind ${veto.call}, whose effect was taken back in the world.`;
    case 'never_still':
      return `what is looked at before the call has changed each time, and after ${veto.spent} recoveries the reviewed policy allows no more.`;
    case 'sandbox_failed':
      return `the sandbox ${quoted(veto.sandbox)} cannot be used: ${veto.reason}.`;
    case 'read_moved':
      return `${quoted(veto.tool)} was looked at again before ${quoted(veto.before)}, and it has changed.`;
    case 'key_expired':
      return `${effectName(veto.effect, place)} may not leave again under its key: its counterparty may have forgotten that key.`;
    case 'recovery_budget_spent':
      if (veto.of === 'throw')
        return 'the step has thrown the same on the same before, and this code would throw it again.';
      return `${veto.of === 'run' ? 'the run' : 'this boundary'} has had ${veto.spent} recoveries, and the reviewed policy allows no more.`;
    case 'replay_escapes_instance':
      return `control could not follow: ${named(veto.instance)}, entered at ${place(veto.step)}, would stand where the machine does not.`;
    case 'unclaimed_effect':
      return `${effectName(veto.effect, place)} stands in the world, and no replay has taken it over.`;
    case 'obligation_owed':
      return `the run owes ${veto.obligation}, which ${quoted(veto.tool)} keeps.`;
    case 'mandate_over':
      return mandateText(veto);
    case 'run_finished':
      return 'the run has ended, and its output was handed over.';
    case 'effect_diverged':
      return `${effectName(veto.effect, place)} is kept, and the replay asks for something else under its key: recorded ${veto.recordedArgs}, now ${veto.askedArgs}.`;
    case 'no_codec':
      return `${quoted(veto.tool)} changes the world, so what it is called with is journaled, and nothing holds ${veto.path === '' ? 'its input' : `its input at ${veto.path}`} (${veto.reason.replaceAll('_', ' ')}).`;
    case 'graph_refused':
      return `the graph cannot be run as it is built: ${veto.reason}`;
    case 'said_to_person':
      return `it would take back work from before the end of turn ${veto.turn} (step ${veto.step}), and a person has read what that turn said.`;
    case 'choice_stands':
      return `it would take back the choice among ${veto.alternatives} (${veto.winner ?? 'none of them'}), and what the losers did is undone.`;
    case 'exit_not_restorable':
      return exitText(veto);
    case 'committed_consumers_present': {
      const consumer = named(veto.dependence.consumer);
      const promise = `its ${checkpointName(veto.committed, place)} is a promise`;
      return `${consumer} rests on what would be undone, and ${promise}: ${dependenceClause(veto.dependence, place)}.`;
    }
    case 'irreversible_effect_policy':
      return `${effectName(veto.effect, place)} is done and cannot be taken back.`;
    case 'effect_outcome_unknown':
      return `whether ${effectName(veto.effect, place)} happened is not known.`;
    case 'compensation_missing':
      return veto.effect.class === 'compensable'
        ? `${effectName(veto.effect, place)} is done, and may not be undone: no undo is registered, or the rollback of its skeleton does not say compensable: undo.`
        : `${effectName(veto.effect, place)} is done, and nothing is registered that undoes it.`;
  }
}

function exitText({ instance, why, behind }: Extract<Refusal, { code: 'exit_not_restorable' }>): string {
  const promise = 'an exit is a promise that the work is over';
  switch (why) {
    case 'behind':
      return `${promise}, and ${behind === undefined ? 'another' : named(behind)} is behind it.`;
    case 'not_over':
      return `${named(instance)} went on behind it.`;
    case 'control_unknown':
      return `${promise}, and only the control of the run tells which instances are behind it.`;
    default:
      return `${promise}, and no policy here lets it be taken up again (rollback.exits).`;
  }
}

function abstained(veto: Extract<Refusal, { code: 'ambiguous_instance' }>): string {
  const instance = veto.instance === null ? '' : named(veto.instance);
  switch (veto.why) {
    case 'fits_nobody':
      return 'the failure lies outside every unit of work.';
    case 'fits_several':
      return 'the failure fits more than one unit of work.';
    case 'never_entered':
      return `no instance ${instance} was ever entered.`;
    case 'never_wrote':
      return `${instance} never wrote ${quoted(String(veto.key))}, so the suspicion names nothing.`;
  }
}

const renames: Record<Abstention, string> = {
  fits_nobody: 'Name the instance that failed.',
  fits_several: 'Name the instance that failed.',
  never_entered: 'Name an instance that was entered.',
  never_wrote: 'Name a key that the instance wrote, or none.',
};

function unblocking(unblock: Unblock, place: PlaceText): Outline {
  if (unblock.acts.length === 0) return { text: 'To go on: start the rerun; nothing else is needed.' };
  return {
    text: `To unblock it (${afterActs(unblock)})`,
    under: unblock.acts.map((act) => ({ text: actSentence(act, place) })),
  };
}

function afterActs({ leadsTo }: Unblock): string {
  if (leadsTo === 'retry') return 'then the step is tried again';
  return leadsTo === 'ask_again' ? 'then ask again' : `then the answer is ${leadsTo}`;
}

/** The sentence of one act. */
export function actSentence(act: Act, place: PlaceText = eventText): string {
  switch (act.act) {
    case 'name_suspect':
      return renames[act.why];
    case 'end_instances':
      return `Let ${act.instances.map(named).join(', ')} end, or name it as what failed, and ask again.`;
    case 'allow_joint':
      return `Let the reviewed policy roll back what ${act.instances.map(named).join(', ')} committed (joint).`;
    case 'allow_exit':
      return `Let the reviewed policy restore the exit of ${named(act.instance)} (rollback.exits): what it did stands.`;
    case 'settle_outcome':
      return `Ask ${counterparty(act)}, with the same key, whether ${effectName(act.effect, place)} happened. If it did not, record it as failed.`;
    case 'undo_by_hand':
      return `Undo ${effectName(act.effect, place)} in the world by hand, and record it as compensated.`;
    case 'look_again':
      return `Find what ${quoted(act.tool)} answered to ${named(act.instance)} wrong, and it is asked anew; or ask again, and it is looked at once more.`;
    case 'start_sandbox':
      return `Have the sandbox ${quoted(act.sandbox)} start, and ask again.`;
    case 'register_codec': {
      const at = act.path === '' ? 'as its input' : `at ${act.path} of its input`;
      return `Pass ${quoted(act.tool)} plain data ${at}, or register a codec for what it is passed; then take the run up again.`;
    }
    case 'fix_and_retry':
      return `Put right the code that threw${act.version === null ? '' : ` (version ${quoted(act.version)})`}, and have the step tried again: nothing goes back.`;
    case 'raise_limit':
      return `Raise the limit of the runtime, ${act.limit}, and have the run go on from where it stands.`;
    case 'change_graph':
      return 'Build the graph in another way; then take the run up again, which goes on from where it stands.';
    case 'correct_in_turn':
      return `Correct it in a new turn, with what was found wrong as its input: what turn ${act.turn} said stands.`;
    case 'cancel_run':
      return 'Let the choice stand, or end the run: belay cancel RUN --undo undoes what it did.';
    case 'settle_obligation':
      return `Have ${quoted(act.tool)} keep ${act.obligation} in another way, and say kept; or say that it is released, or broken.`;
    case 'give_mandate':
      return `Give the run another mandate, and ${quoted(act.tool)} goes on: belay mandate RUN JSON.`;
    case 'register_undo':
      return `Register what undoes ${effectName(act.effect, place)}, and record that it has an undo.`;
  }
}

function counterparty({ ask, effect }: Extract<Act, { act: 'settle_outcome' }>): string {
  if (ask === undefined) return 'the counterparty';
  if (ask.reconciler !== null)
    return `${quoted(ask.reconciler)}, the reconciler of ${quoted(effect.tool ?? 'the tool')}`;
  if (ask.writes.length === 0)
    return effect.tool === undefined ? 'the counterparty' : `the counterparty of ${quoted(effect.tool)}`;
  return `the owner of ${ask.writes.map(quoted).join(' and ')}, which it writes`;
}

function dependenceClause(dependence: Dependence, place: PlaceText): string {
  const producer = named(dependence.producer);
  if (dependence.kind === 'start') return `${producer} started it at ${place(dependence.step)}`;
  if (dependence.kind === 'control')
    return `control goes back past its step at ${place(dependence.step)}, because ${producer} does`;
  const wrote = dependence.wrote === dependence.key ? 'which' : `and ${quoted(dependence.wrote)}, which overlaps it,`;
  return `it read ${quoted(dependence.key)} at ${place(dependence.step)}, ${wrote} ${producer} wrote at ${place(dependence.write)}`;
}

function keepName(keep: Keep, place: PlaceText): string {
  return keep === 'none' ? 'before its start' : `its ${checkpointName(keep, place)}`;
}

function checkpointName(checkpoint: Checkpoint, place: PlaceText): string {
  return `${checkpoint.kind} at ${place(checkpoint.at)}`;
}

/** An effect as it is named in a sentence. */
export function effectName(effect: Effect, place: PlaceText = eventText): string {
  const unnamed = effect.id === null ? 'the effect' : `the effect ${JSON.stringify(effect.id)}`;
  const name = effect.tool === undefined ? unnamed : quoted(effect.tool);
  return `${name} of ${named(effect.instance)} (${effect.class}, ${effect.status}, ${place(effect.at, effect.id)})`;
}

function section(text: string, under: readonly Outline[]): Outline[] {
  return under.length === 0 ? [] : [{ text, under }];
}

function named(id: InstanceId): string {
  return quoted(instanceName(id));
}

/** The members of a decision that are checked before it is explained. */
const DECISION = shape<Pick<Decision, 'verdict' | 'line' | 'undo' | 'refusals'>>('a decision, as decide() answers', {
  verdict: TEXT,
  line: nullable(OBJECT),
  undo: LIST,
  refusals: LIST,
});

function mandateText({ mandate, why, tool }: Extract<Refusal, { code: 'mandate_over' }>): string {
  const waits = `and ${quoted(tool)} leaves under another one.`;
  if (why === 'missing') return `the run was given no mandate, ${waits.replace('another one', 'one')}`;
  return `the mandate ${mandate} ${why === 'revoked' ? 'was withdrawn' : 'is over'}, ${waits}`;
}
