/** What would be answered instead: after an act that unblocks, with another suspect, under another rule. */
import type { Act, Rules } from '../../src/model/decision.ts';
import type { Effect, EffectStatus } from '../../src/model/effect.ts';
import { type InstanceId, instanceName } from '../../src/model/instance.ts';
import { type Answer, ask } from './ask.ts';

/** A trace and the rules that it is decided by. */
export interface Question {
  readonly text: string;
  readonly rules: Rules;
}

/** One thing that could be otherwise, the question that it makes, and the answer to that. */
export interface WhatIf {
  readonly group: 'Acts that help' | 'Another suspect' | 'Other rules';
  readonly title: string;
  readonly question: Question;
  /** Null if the trace is no longer of the format. */
  readonly answer: Answer | null;
}

/** The other instances that are offered as suspects, at most. */
const SUSPECTS = 12;

type Change = (question: Question, answer: Answer) => Question;

/** Everything that could be otherwise about the `nth` answer of a question, from 0. */
export function whatIfs(question: Question, nth: number): WhatIf[] {
  const answer = ask(question.text, question.rules).answers[nth];
  if (answer === undefined) return [];
  const tried = (group: WhatIf['group'], title: string, change: Change): WhatIf => {
    const changed = change(question, answer);
    return { group, title, question: changed, answer: ask(changed.text, changed.rules).answers[nth] ?? null };
  };
  return [
    ...acts(answer).map(([title, change]) => tried('Acts that help', title, change)),
    ...suspects(answer).map(([title, change]) => tried('Another suspect', title, change)),
    ...otherRules(question.rules).map(([title, rules]) => tried('Other rules', title, ({ text }) => ({ text, rules }))),
  ];
}

function acts({ decision }: Answer): [string, Change][] {
  if (!('unblock' in decision)) return [];
  const single = decision.unblock.acts.flatMap(changesOf);
  const helping = decision.unblock.acts.flatMap((act) => changesOf(act).slice(0, 1));
  if (helping.length < 2 || helping.length < decision.unblock.acts.length) return single;
  const all: Change = (question, answer) =>
    helping.reduce((before, [, change]) => change(before, moved(answer, question, before)), question);
  return [...single, ['all of these acts', all]];
}

/** The answer with its failure further down, by the lines that were put in above it. */
function moved(answer: Answer, from: Question, to: Question): Answer {
  return { ...answer, line: answer.line + to.text.split('\n').length - from.text.split('\n').length };
}

/** The changes that an act can make to a trace, the one that helps first. */
function changesOf(act: Act): [string, Change][] {
  switch (act.act) {
    case 'allow_joint': {
      const names = act.instances.map(instanceName).join(', ');
      return [[`the policy lets the line cross the commitments of ${names}`, allowing(act.instances)]];
    }
    case 'settle_outcome':
      return [
        [`${nameOf(act.effect)} did not happen`, reporting(act.effect, 'failed')],
        [`${nameOf(act.effect)} happened`, reporting(act.effect, 'confirmed')],
      ];
    case 'undo_by_hand':
      return [[`a person undoes ${nameOf(act.effect)}`, reporting(act.effect, 'compensated')]];
    case 'register_undo':
      return [[`${nameOf(act.effect)} has an undo`, reporting(act.effect, act.effect.status, true)]];
    default:
      return [];
  }
}

function nameOf({ id, instance, at }: Effect): string {
  return id === null ? `the effect of ${instanceName(instance)} at event ${at}` : `the effect "${id}"`;
}

function allowing(instances: readonly InstanceId[]): Change {
  return ({ text, rules }) => {
    const before = typeof rules.joint === 'string' ? [] : rules.joint;
    const joint = [...new Set([...before, ...instances.map(({ skeleton }) => skeleton)])];
    return { text, rules: { ...rules, joint: rules.joint === 'all' ? 'all' : joint } };
  };
}

/** An effect with an id is reported again before the failure; without one, its own line says the new status. */
function reporting(effect: Effect, status: EffectStatus, undo = effect.undo): Change {
  return ({ text, rules }, { line, events }) => {
    const lines = text.split('\n');
    if (effect.id !== null) {
      const { skeleton, entity, ordinal } = effect.instance;
      const report = {
        do: 'effect',
        in: [skeleton, entity, ordinal],
        class: effect.class,
        status,
        undo,
        id: effect.id,
      };
      lines.splice(line - 1, 0, JSON.stringify(report));
    } else {
      const at = (events[effect.at - 1] as number) - 1;
      lines[at] = JSON.stringify({ ...JSON.parse(lines[at] as string), status, undo });
    }
    return { text: lines.join('\n'), rules };
  };
}

function suspects({ entered, failure }: Answer): [string, Change][] {
  const failed = failure.in === null ? null : instanceName(failure.in);
  return entered
    .filter((id) => instanceName(id) !== failed)
    .slice(0, SUSPECTS)
    .map((id) => [`${instanceName(id)} fails`, failing(id)]);
}

function failing({ skeleton, entity, ordinal }: InstanceId): Change {
  return ({ text, rules }, { line }) => {
    const lines = text.split('\n');
    lines[line - 1] = JSON.stringify({ do: 'fail', in: [skeleton, entity, ordinal] });
    return { text: lines.join('\n'), rules };
  };
}

function otherRules(rules: Rules): [string, Rules][] {
  const all: [string, Rules][] = [
    ['the policy is line', { policy: 'line', joint: 'none' }],
    ['the policy is line, and commitments of others may be crossed', { policy: 'line', joint: 'all' }],
    ['the policy is static', { policy: 'static', joint: 'none' }],
    ['the policy is static, and commitments of others may be crossed', { policy: 'static', joint: 'all' }],
    ['the policy is dart, the rule of the DART paper', { policy: 'dart', joint: 'none' }],
  ];
  return all.filter(([, other]) => other.policy !== rules.policy || other.joint !== rules.joint);
}
