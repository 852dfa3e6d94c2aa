/** The ledgers of a run in words: each entry a few lines, and the commands that settle its obligations. */
import pc from 'picocolors';
import { instanceName } from '../../model/instance.ts';
import { type Outline, quoted } from '../../recovery/explain.ts';
import type { LedgerDecision } from '../../reports/ledger-decision.ts';
import { type LedgerEffect, linesOf } from '../../reports/ledger-effects.ts';
import type { Ledgers } from '../../reports/ledgers.ts';
import { quotedText } from '../approvals/approvals.ts';
import type { Medium } from '../terminal/terminal.ts';
import { count, shortened, timeText } from '../terminal/wording.ts';
import { block, calledText, NAME, ofText, valueText } from './ledger-words.ts';
import { owedText } from './obligations-text.ts';

/** Every view, in the order in which they are shown. */
export const VIEWS = ['decisions', 'effects', 'obligations'] as const;

/** The longest list of things that is shown, in characters. */
const THINGS = 400;

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
      ...changedText(ledgers, medium),
      ...spentText(ledgers, medium),
    ],
    obligations: () => ledgers.obligations.map((each) => owedText(each, run, file, medium)),
  }[view]();
  return entries.length === 0
    ? `${bold(TITLES[view])}: ${EMPTY[view]}\n`
    : `${bold(TITLES[view])}\n${entries.join('')}`;
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

/** A decision in one sentence. */
export function decisionText(decision: LedgerDecision): string {
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
      const back = checkpoint === null ? '' : `, to its ${checkpoint.kind}`;
      return `answers ${signal}${ofText(instance)} with ${how}${back} (decision ${number})`;
    }
    case 'commit': {
      const { keys, instance, boundary, undone } = decision;
      const back = undone ? ' (taken back since)' : '';
      return `makes ${count(keys.length, 'call')}${ofText(instance)} visible at ${quoted(boundary)}${back}`;
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

/** The lines under a decision: its arguments, its reasons. */
export function decisionLines(decision: LedgerDecision): string[] {
  switch (decision.is) {
    case 'call': {
      const relies = decision.relies.map(({ key, by }) => {
        return by.length === 0
          ? quoted(key)
          : `${quoted(key)} (${by.map((id) => quoted(shortened(instanceName(id), NAME))).join(', ')})`;
      });
      return [
        valueText('with', decision.args),
        ...becauseText(decision.because),
        ...(relies.length === 0 ? [] : [`relies on ${relies.join(', ')}`]),
        ...lookedTexts(decision.looked),
      ];
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
    case 'commit':
      return commitLines(decision);
  }
}

/** What a commit says, what it wrote outside, and what held for it. */
function commitLines({ invariants, id, message, things }: Extract<LedgerDecision, { is: 'commit' }>): string[] {
  const held = invariants.length === 0 ? [] : [`${invariants.map(quoted).join(', ')} held`];
  return [
    ...(message === null ? [] : [`it says ${quotedText(message)}`]),
    ...(things.length === 0 ? [] : [shortened(`it wrote ${things.map(quoted).join(', ')}`, THINGS)]),
    [`commit ${id.slice(0, 12)}`, ...held].join(', '),
  ];
}

function becauseText(because: Extract<LedgerDecision, { is: 'call' }>['because']): string[] {
  if (because === null) return [];
  return [valueText(`because ${quoted(because.tool)} in row ${because.row} answered`, because.answer)];
}

/** How old the answers were that a call relied on as it left. */
function lookedTexts(looked: Extract<LedgerDecision, { is: 'call' }>['looked'] = []): string[] {
  const texts = looked.map(({ tool, age, again }) => {
    return `${quoted(tool)}, ${Math.round(age / 1_000)} s old${again ? ' (looked at again)' : ''}`;
  });
  return texts.length === 0 ? [] : [`relied on ${texts.join(', ')}`];
}

/** Lines as `git` counts them, behind a text. */
function linesText(lines: ReturnType<typeof linesOf>): string {
  return lines === null ? '' : `, +${lines.added} \u2212${lines.removed}`;
}

/** A call and what is known of it. */
export function effectOutline(effect: LedgerEffect): Outline {
  const { key, status, args, output, error, gate, publication, spent, time } = effect;
  const lines = [
    `key ${key}`,
    `first called for ${timeText(time)}${effect.intents > 1 ? `, ${effect.intents} times in all` : ''}`,
    valueText('with', args),
    ...(effect.instead === null
      ? []
      : [`by ${quotedText(effect.instead.by)}, ${valueText('instead of', effect.instead.args)}`]),
    ...(effect.byHand === null ? [] : [`made by hand by ${quotedText(effect.byHand)}: a person undoes it`]),
    ...(effect.under === null ? [] : [`under the mandate ${quotedText(effect.under)}`]),
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
    text: `${calledText(effect)}: ${effect.class}, ${statusText(effect)}${linesText(linesOf(output))}`,
    under: lines.map((text) => ({ text })),
  };
}

function statusText({ status, undone, held, repeats, left, stands }: LedgerEffect): string {
  if (repeats !== null) return `${status === 'failed' ? 'refused, ' : ''}repeats ${repeats}`;
  const now =
    status === 'buffered' && held === 'gate' ? 'waits at its gate' : status === 'buffered' ? 'held back' : status;
  if (stands !== null && status === 'confirmed') return `${now}; its work was discarded, and it stands: ${stands}`;
  if (left) return `${now}; the run went on without its answer`;
  if (!undone) return status === 'compensated' ? 'compensated: it was undone in the world' : now;
  return `${now}; its place was rolled back${status === 'confirmed' ? ', and no replay has claimed it' : ''}`;
}

function undoText({ class: kind, status, undo, demoted }: LedgerEffect): string[] {
  if (demoted !== null) return [`cannot be undone any more: ${quotedText(demoted)}`];
  if (status !== 'confirmed' || kind === 'idempotent') return [];
  return [undo ? 'can be undone' : 'cannot be undone'];
}

function changedText({ changed }: Ledgers, medium: Medium): string[] {
  if (changed.length === 0) return [];
  const sums = changed.map((each) => `${quoted(each.tool)}${linesText(each)} in ${count(each.calls, 'call')}`);
  return [block({ text: `Lines changed by calls that stand: ${sums.join('; ')}` }, medium)];
}

function spentText({ budgets }: Ledgers, medium: Medium): string[] {
  if (budgets.length === 0) return [];
  const spent = budgets.map(({ budget, spent: amount }): [string, number] => [budget, amount]);
  return [block({ text: `Spent in all, of limits that its config sets: ${amountsText(spent)}` }, medium)];
}

function amountsText(amounts: readonly (readonly [string, number])[]): string {
  return amounts.map(([name, amount]) => `${quoted(name)} ${amount.toLocaleString('en')}`).join(', ');
}
