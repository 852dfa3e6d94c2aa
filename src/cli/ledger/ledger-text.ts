/** The ledgers of a run in words: each entry a few lines, and the commands that pay what is owed. */
import pc from 'picocolors';
import { type InstanceId, instanceName, ROOT } from '../../model/instance.ts';
import { type Outline, quoted } from '../../recovery/explain.ts';
import type { LedgerDecision } from '../../reports/ledger-decisions.ts';
import type { LedgerEffect } from '../../reports/ledger-effects.ts';
import type { Obligation } from '../../reports/ledger-obligations.ts';
import type { Ledgers } from '../../reports/ledgers.ts';
import { answersTo, quotedText } from '../approvals/approvals.ts';
import { layOut, type Medium, printable } from '../terminal/terminal.ts';
import { command, count, jsonText, shortened, timeText } from '../terminal/wording.ts';

/** Every view, in the order in which they are shown. */
export const VIEWS = ['decisions', 'effects', 'obligations'] as const;

/** The lengths of values and names shown in a text, in characters. */
const VALUE = 300;
const NAME = 100;

const TITLES = { decisions: 'Decisions', effects: 'Effects', obligations: 'Obligations' } as const;
const EMPTY = {
  decisions: 'it has decided nothing',
  effects: 'no call that could change the world',
  obligations: 'it owes nothing',
} as const;

/** One of the ledgers, under its title. */
export function section(
  view: (typeof VIEWS)[number],
  run: string,
  ledgers: Ledgers,
  file: string,
  medium: Medium,
): string {
  const { bold } = pc.createColors(medium.colours);
  const entries = {
    decisions: () => decisionTexts(ledgers.decisions, medium),
    effects: () => [
      ...ledgers.effects.map((effect) => block(effectOutline(effect), medium)),
      ...spentText(ledgers, medium),
    ],
    obligations: () => ledgers.obligations.map((each) => owedText(each, run, file, medium)),
  }[view]();
  return entries.length === 0
    ? `${bold(TITLES[view])}: ${EMPTY[view]}\n`
    : `${bold(TITLES[view])}\n${entries.join('')}`;
}

/** An entry of a section, indented by two more columns. */
function block(outline: Outline, medium: Medium): string {
  const told = layOut(null, outline, { ...medium, columns: medium.columns - 2 }).trimEnd();
  return `  ${told.replaceAll('\n', '\n  ')}\n`;
}

/** The entries, with the day and the config of each where these change. */
function decisionTexts(decisions: readonly LedgerDecision[], medium: Medium): string[] {
  const { dim } = pc.createColors(medium.colours);
  let config: string | null = null;
  let today = '';
  return decisions.map((decision) => {
    const [day = '', hour = ''] = timeText(decision.time).split('T');
    const heading = day === today ? '' : `  ${dim(day)}\n`;
    today = day;
    const under = [...decisionLines(decision)];
    if (decision.is === 'call' && decision.config !== config) {
      config = decision.config;
      under.push(`under the config ${config?.slice(0, 16) ?? 'that no entry names'}, as is what follows`);
    }
    const text = `${hour} ${decisionText(decision)}`;
    return heading + block({ text, under: under.map((line) => ({ text: line })) }, medium);
  });
}

function decisionText(decision: LedgerDecision): string {
  switch (decision.is) {
    case 'call': {
      const holds = { gate: ', once it is approved', buffer: ', unseen until its work commits' };
      const waits = decision.held === null ? '' : holds[decision.held];
      return `calls ${calledText(decision)} (${decision.class})${waits}`;
    }
    case 'answer':
      return answerText(decision);
    case 'refusal':
      return `refuses ${decision.tool === null ? 'a call' : quoted(decision.tool)}${ofText(decision.instance)}`;
    case 'recovery': {
      const { signal, verdict, level, instance, checkpoint, number } = decision;
      const how = level === null || !verdict.startsWith('restore') ? verdict : `${verdict} (level ${level})`;
      const back = checkpoint === null ? '' : `, to its ${checkpoint.kind} at event ${checkpoint.at}`;
      return `answers ${signal}${ofText(instance)} with ${how}${back} (decision ${number})`;
    }
    case 'commit': {
      const { keys, instance, boundary } = decision;
      return `makes ${count(keys.length, 'call')}${ofText(instance)} visible at ${quoted(boundary)}`;
    }
  }
}

function answerText({ by, verdict, status, asked, gate }: Extract<LedgerDecision, { is: 'answer' }>): string {
  const about = asked === null ? 'a question that the run never asked' : calledText(asked);
  const who = by === null ? 'a person' : quotedText(by);
  switch (verdict) {
    case 'refused':
      return `takes no answer of ${who} about ${about}`;
    case 'expired':
      return `hears nothing in time about ${about} (gate ${gate})`;
    case 'approved':
    case 'denied':
    case 'settled':
      return `hears from ${who}: ${about} is ${status === null ? verdict : `settled, ${status}`} (gate ${gate})`;
  }
}

function decisionLines(decision: LedgerDecision): string[] {
  switch (decision.is) {
    case 'call': {
      const relies = decision.relies.map(({ key, by }) => {
        return by.length === 0
          ? quoted(key)
          : `${quoted(key)} (${by.map((id) => quoted(shortened(instanceName(id), NAME))).join(', ')})`;
      });
      return [valueText('with', decision.args), ...(relies.length === 0 ? [] : [`relies on ${relies.join(', ')}`])];
    }
    case 'answer': {
      const { why, asked, verdict, post } = decision;
      const brought = post === null ? [] : [`by message ${post}`];
      const bound = asked === null ? [] : [`for the arguments ${asked.digest.slice(0, 16)} in epoch ${asked.epoch}`];
      const reason =
        why === null || why === '' ? [] : [verdict === 'refused' ? `because ${why}` : `because ${quotedText(why)}`];
      return [...reason, ...(verdict === 'expired' ? [] : [[...brought, ...bound].join(', ')])].filter(
        (line) => line !== '',
      );
    }
    case 'refusal':
      return [`because ${quotedText(decision.why)}`];
    case 'recovery': {
      const { error, codes } = decision;
      return [`it said ${quotedText(error)}`, ...(codes.length === 0 ? [] : [`refused: ${codes.join(', ')}`])];
    }
    case 'commit': {
      const { invariants, id } = decision;
      const held = invariants.length === 0 ? [] : [`${invariants.map(quoted).join(', ')} held`];
      return [[`commit ${id.slice(0, 12)}`, ...held].join(', ')];
    }
  }
}

function effectOutline(effect: LedgerEffect): Outline {
  const { key, status, args, output, error, gate, publication, spent, time } = effect;
  const lines = [
    `key ${key}`,
    `first called for ${timeText(time)}${effect.intents > 1 ? `, ${effect.intents} times in all` : ''}`,
    valueText('with', args),
    ...(output === undefined ? [] : [valueText(status === 'buffered' ? 'staged' : 'answered', output)]),
    ...(error === null ? [] : [`it said ${quotedText(error)}`]),
    ...(gate === null ? [] : [`used the approval ${gate.gate}${gate.by === null ? '' : ` of ${quotedText(gate.by)}`}`]),
    ...(publication === null
      ? []
      : [`${status === 'confirmed' ? 'became' : 'becomes'} visible with the commit ${publication.slice(0, 12)}`]),
    ...undoText(effect),
    ...(Object.keys(spent).length === 0 ? [] : [`took ${amountsText(Object.entries(spent))}`]),
  ];
  return {
    text: `${calledText(effect)}: ${effect.class}, ${statusText(effect)}`,
    under: lines.map((text) => ({ text })),
  };
}

function statusText({ status, undone, held }: LedgerEffect): string {
  const now =
    status === 'buffered' && held === 'gate' ? 'waits at its gate' : status === 'buffered' ? 'held back' : status;
  if (!undone) return status === 'compensated' ? 'compensated: it was undone in the world' : now;
  return `${now}; its place was rolled back${status === 'confirmed' ? ', and no replay has claimed it' : ''}`;
}

function undoText({ class: kind, status, undo, demoted }: LedgerEffect): string[] {
  if (demoted !== null) return [`cannot be undone any more: ${quotedText(demoted)}`];
  if (status !== 'confirmed' || kind === 'idempotent') return [];
  return [undo ? 'can be undone' : 'cannot be undone'];
}

function spentText({ budgets }: Ledgers, medium: Medium): string[] {
  if (budgets.length === 0) return [];
  const spent = budgets.map(({ budget, spent: amount }): [string, number] => [budget, amount]);
  return [block({ text: `Spent in all, of limits that its config sets: ${amountsText(spent)}` }, medium)];
}

function amountsText(amounts: readonly (readonly [string, number])[]): string {
  return amounts.map(([name, amount]) => `${quoted(name)} ${amount.toLocaleString('en')}`).join(', ');
}

function owedText(obligation: Obligation, run: string, file: string, medium: Medium): string {
  const commands = paysWith(obligation, run, file).map((line) => `    ${printable(line)}\n`);
  // A command is never wrapped, so that it can be copied.
  return `${block(owedOutline(obligation), medium)}${commands.join('')}`;
}

function owedOutline(obligation: Obligation): Outline {
  switch (obligation.owes) {
    case 'approval': {
      const { args, since, expires, expired, gate } = obligation;
      const until = expires === null ? '' : `, ${expired ? 'expired' : 'until'} ${timeText(expires)}`;
      const text = `An approval of ${calledText(obligation)}, asked ${timeText(since)}${until} (gate ${gate})`;
      return { text, under: [{ text: valueText('with', args) }] };
    }
    case 'outcome': {
      const { tries, gate } = obligation;
      const person = gate === null ? [] : [{ text: `a person is asked (gate ${gate})` }];
      const asked = tries === 0 ? 'not asked yet' : `asked ${count(tries, 'time')}`;
      return {
        text: `What became of ${calledText(obligation)}, called ${timeText(obligation.since)}`,
        under: [{ text: `${asked}, ${againText(obligation)}` }, ...person],
      };
    }
    case 'recovery': {
      const what = {
        parked: 'waits for a person to act',
        unfinished: 'is not carried out to its end',
        stuck: 'is stuck',
      };
      return { text: `A recovery${ofText(obligation.instance)} (${obligation.verdict}) that ${what[obligation.is]}` };
    }
    case 'undo': {
      const { error } = obligation;
      const failed = error === null ? [] : [{ text: `it was tried, and said ${quotedText(error)}` }];
      return { text: `The undo of ${calledText(obligation)}`, under: failed };
    }
    case 'publication': {
      const { keys, instance, boundary, id } = obligation;
      const text = `${count(keys.length, 'call')}${ofText(instance)} to be made visible, committed at ${quoted(boundary)} (commit ${id.slice(0, 12)})`;
      return { text, under: keys.map((key) => ({ text: key })) };
    }
    case 'commit':
      return {
        text: `The commit that ${calledText(obligation)} is held back for, since ${timeText(obligation.since)}`,
      };
    case 'claim': {
      const text = `A replay that claims ${calledText(obligation)}, which stands though its place was rolled back`;
      return { text, under: [{ text: `key ${obligation.key}` }] };
    }
  }
}

function againText({ next, due }: Extract<Obligation, { owes: 'outcome' }>): string {
  if (next === null) return 'and not asked again by itself';
  return `and ${due ? 'due to be asked again since' : 'asked again from'} ${timeText(next)}${due ? '' : ' on'}`;
}

/** The commands that settle an obligation; none where time or the work itself settles it. */
export function paysWith(obligation: Obligation, run: string, file: string): string[] {
  switch (obligation.owes) {
    case 'approval':
      return obligation.expired
        ? [command('resume', run, file)]
        : answersTo({ gate: obligation.gate, asks: 'approval' }, file);
    case 'outcome': {
      const { gate } = obligation;
      return [command('reconcile', run, file), ...(gate === null ? [] : answersTo({ gate, asks: 'outcome' }, file))];
    }
    case 'recovery':
      return [command(obligation.is === 'parked' ? 'explain' : 'resume', run, file)];
    case 'publication':
      return [command('resume', run, file)];
    case 'undo':
    case 'commit':
    case 'claim':
      return [];
  }
}

/** A call by its tool and its work. */
function calledText({
  tool,
  instance,
}: {
  readonly tool: string | null;
  readonly instance: InstanceId | null;
}): string {
  return `${tool === null ? 'a call' : quoted(tool)}${ofText(instance)}`;
}

function ofText(instance: InstanceId | null): string {
  const name = instance === null ? null : nameOf(instance);
  return name === null ? '' : ` of ${quoted(shortened(name, NAME))}`;
}

function valueText(label: string, value: unknown): string {
  return `${label} ${shortened(jsonText(value), VALUE)}`;
}

/** An instance as it is shown; null for the root instance. */
export function nameOf(instance: InstanceId): string | null {
  return instance.skeleton === ROOT ? null : instanceName(instance);
}
