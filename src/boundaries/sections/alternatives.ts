/** Compiles `alternatives`: the states whose child machines try the same thing, and the choice among them (semantics.md §25). */
import { compilePredicate, compileScore } from '../../predicates/compile.ts';
import type { Alternatives, Skeleton } from '../config.ts';
import { nameIn } from '../keys/names.ts';
import { compiledText } from '../page/condition.ts';
import { entriesOf, field, type Item, textOf } from '../page/document.ts';
import type { Findings, Place } from '../page/finding.ts';
import { LONGEST_WAIT, timeIn } from '../page/time.ts';
import { isWithin } from './skeleton.ts';

/** Compiles all alternatives of a config, and reports their errors to `findings`. */
export function alternativesIn(
  item: Item | null,
  skeletons: ReadonlyMap<string, Skeleton>,
  findings: Findings,
): ReadonlyMap<string, Alternatives> {
  const all = new Map<string, Alternatives>();
  for (const [name, { at, item: own }] of entriesOf(item)) {
    nameIn(name, at, findings);
    const compiled = compileAlternatives(name, own, findings);
    const refuse = (message: string, mend: string) => findings.report('bad_alternatives', 'error', at, message, mend);
    if (compiled.rule === 'best' && field(field(own, 'choose'), 'score') === null)
      refuse(`"${name}" chooses the best, and says no score`, 'Add score: CEL whose value is a number.');
    if (compiled.rule !== 'gate' && compiled.expires !== null)
      refuse(`"${name}" says when a request expires, and asks no person`, 'Take expires out, or write rule: gate.');
    if (compiled.at.includes('/'))
      refuse(
        `"${compiled.at}" is a state of a child machine`,
        'Name a state of the machine itself: branches have no branches.',
      );
    for (const other of all.values())
      if (isWithin(compiled.at, other.at) || isWithin(other.at, compiled.at))
        refuse(`"${name}" and "${other.name}" are in one state`, 'Let one state follow the other.');
    checkApart(compiled, skeletons, at, findings);
    all.set(name, compiled);
  }
  return all;
}

function compileAlternatives(name: string, item: Item, findings: Findings): Alternatives {
  const choose = field(item, 'choose');
  const [when, score] = [field(choose, 'when'), field(choose, 'score')];
  const [condition, number] = [textOf(when), textOf(score)];
  return {
    name,
    at: textOf(field(item, 'at')) ?? '',
    branch: textOf(field(item, 'branch')) ?? '',
    rule: ruleOf(textOf(field(choose, 'rule'))),
    when: when === null || condition === null ? null : compiledText(compilePredicate(condition), when, findings),
    score: score === null || number === null ? null : compiledText(compileScore(number), score, findings),
    deadline: timeIn(field(choose, 'deadline'), findings, LONGEST_WAIT),
    expires: timeIn(field(choose, 'expires'), findings, LONGEST_WAIT),
    losers: textOf(field(item, 'losers')) === 'stand' ? 'stand' : 'owe',
  };
}

function ruleOf(text: string | null): Alternatives['rule'] {
  return text === 'best' || text === 'gate' ? text : 'first';
}

/** Refuses units of work around the branches and in them: the choice is what ends a branch. */
function checkApart(
  { name, at: state, branch }: Alternatives,
  skeletons: ReadonlyMap<string, Skeleton>,
  at: Place,
  findings: Findings,
): void {
  for (const skeleton of skeletons.values()) {
    const inside = skeleton.states.find((path) => path.startsWith(`${branch}/`));
    const around = skeleton.states.find((path) => isWithin(state, path) || isWithin(path, state));
    const met = inside ?? around;
    if (met === undefined) continue;
    const message = `"${met}" of ${skeleton.name} is ${inside === undefined ? 'the state of' : 'in a branch of'} "${name}"`;
    findings.report(
      'bad_alternatives',
      'error',
      at,
      message,
      `Take "${met}" out of ${skeleton.name}: a branch is a unit of its own.`,
    );
  }
}
