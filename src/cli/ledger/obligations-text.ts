import { type Outline, quoted } from '../../recovery/explain.ts';
import type { Obligation } from '../../reports/ledger-obligations.ts';
import { answersTo, quotedText } from '../approvals/approvals.ts';
import { printable } from '../terminal/printable.ts';
import type { Medium } from '../terminal/terminal.ts';
import { command, count, timeText } from '../terminal/wording.ts';
import { block, calledText, ofText, valueText } from './ledger-words.ts';

export function owedText(obligation: Obligation, run: string, file: string, medium: Medium): string {
  const commands = paysWith(obligation, run, file).map((line) => `    ${printable(line)}\n`);
  // A command is never wrapped, so that it can be copied.
  return `${block(owedOutline(obligation), medium)}${commands.join('')}`;
}

/** An obligation, without the commands that pay it. */
export function owedOutline(obligation: Obligation): Outline {
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
    case 'act': {
      const { name, keptBy, says, since, due, overdue, unkept } = obligation;
      const when = due === null ? '' : `, ${overdue ? 'overdue since' : 'due'} ${timeText(due)}`;
      const text = `${name}, to be kept by ${quoted(keptBy)}${when}; taken on by ${calledText(obligation)}, ${timeText(since)}`;
      return { text, under: [{ text: valueText('it says', says) }, ...(unkept === null ? [] : [{ text: unkept }])] };
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
    case 'act':
      return [command('settle', obligation.name, file, '--run', run, '--as', 'kept', '--by', 'NAME')];
    case 'publication':
      return [command('resume', run, file)];
    case 'undo':
    case 'commit':
    case 'claim':
      return [];
  }
}
