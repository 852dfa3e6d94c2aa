/** An answer in the words of a case, so that the two can be held against each other. */
import { type Decision, instanceName, type Veto, vetoes } from 'belay-sidecar';
import type { Act, Effect } from 'belay-sidecar/decision';
import { keysOf } from '../domains/there.ts';
import type { Expected } from './case.ts';
import type { Measured } from './measure.ts';
import type { Outcome } from './run.ts';

/** The expectation that a case would state for an observation. */
export function shownBy(outcome: Outcome, { preserved, replay }: Pick<Measured, 'preserved' | 'replay'>): Expected {
  const { before, decision } = outcome;
  if (decision === null) throw new Error('the run did not fail');
  const { failed, line, verdict } = decision;
  const name = failed === null ? null : instanceName(failed);
  const own = before.instances.find(({ id }) => instanceName(id) === name);
  const boundaryAt = (at: number) => own?.checkpoints.find((checkpoint) => checkpoint.at === at)?.boundary ?? '';
  const keep = line?.moves.find(({ instance }) => instanceName(instance) === name)?.keep;
  const restored = verdict === 'restore' || verdict === 'restore_joint';
  return {
    verdict,
    instance: name,
    checkpoint: !restored || keep === undefined ? null : keep === 'none' ? 'none' : boundaryAt(keep.at),
    replayed: replay ?? 0,
    preserved: [...preserved].sort(),
    vetoes: [...new Set([...vetoes(decision)].map((veto) => vetoText(veto, boundaryAt)))].sort(),
    acts: actsOf(decision),
  };
}

/** Where a case and what was observed differ. */
export function mismatchesOf(expected: Expected, shown: Expected): readonly string[] {
  return keysOf<keyof Expected>(shown).flatMap((field) => {
    const [wanted, got] = [expected[field], shown[field]].map((value) =>
      JSON.stringify(Array.isArray(value) ? [...value].sort() : value),
    );
    return wanted === got ? [] : [`${field} is ${got}, and not ${wanted}`];
  });
}

function vetoText(veto: Veto, boundaryAt: (at: number) => string): string {
  const where = veto.candidate === null ? [] : [boundaryAt(veto.candidate.at)];
  return [...where, veto.code, ...witnessOf(veto)].join(' ');
}

/** The witness in short: the consumer, or the tool of the effect. */
function witnessOf(veto: Veto): readonly string[] {
  if ('dependence' in veto) return [instanceName(veto.dependence.consumer)];
  return 'effect' in veto ? [toolOf(veto.effect)] : [];
}

function actsOf(decision: Decision): readonly string[] {
  return 'unblock' in decision ? [...new Set(decision.unblock.acts.map(actText))].sort() : [];
}

function actText(act: Act): string {
  switch (act.act) {
    case 'name_suspect':
      return act.act;
    case 'allow_joint':
    case 'end_instances':
      return `${act.act} ${act.instances.map(instanceName).sort().join(' ')}`;
    case 'allow_exit':
      return `${act.act} ${instanceName(act.instance)}`;
    case 'settle_outcome': {
      const asks = act.ask?.reconciler ?? act.ask?.writes.join(' ') ?? '';
      return `${act.act} ${toolOf(act.effect)}${asks === '' ? '' : `, ask ${asks}`}`;
    }
    case 'fix_and_retry':
      return `${act.act} ${act.version ?? ''}`.trim();
    case 'give_mandate':
    case 'change_graph':
    case 'correct_in_turn':
    case 'cancel_run':
      return act.act;
    case 'raise_limit':
      return `${act.act} ${act.limit}`;
    case 'start_sandbox':
      return `${act.act} ${act.sandbox}`;
    case 'settle_obligation':
    case 'look_again':
      return `${act.act} ${act.tool}`;
    case 'register_codec':
      return `${act.act} ${act.tool} ${act.path}`;
    case 'undo_by_hand':
    case 'register_undo':
      return `${act.act} ${toolOf(act.effect)}`;
  }
}

function toolOf({ tool, id }: Effect): string {
  return tool ?? String(id);
}
