/** Compiles the obligations that the calls of a tool take on (semantics.md OB1). */
import type { EffectClass } from '../../model/effect.ts';
import { compilePredicate } from '../../predicates/compile.ts';
import { KEPT_SCOPE, RELEASED_SCOPE, type Scope } from '../../predicates/lint.ts';
import type { Predicate } from '../../predicates/predicate.ts';
import { suggest } from '../../predicates/suggest.ts';
import type { Obligations, Tool } from '../config.ts';
import { compiledText } from '../page/condition.ts';
import { entriesOf, field, type Item, numberOf, plain, textOf } from '../page/document.ts';
import type { Findings } from '../page/finding.ts';
import { LONGEST_WAIT, parseTime } from '../page/time.ts';

const EACH = /^args(?:\.[A-Za-z_$][\w$]{0,99}){1,16}$/;
const PART = /^[A-Za-z_$][\w$]{0,99}(?:\.[A-Za-z_$][\w$]{0,99}){0,15}$/;

/** Compiles `obligations`; null where the calls of the tool take none on. */
export function obligationsIn(
  name: string,
  effect: EffectClass,
  item: Item | null,
  findings: Findings,
): Obligations | null {
  if (item === null) return null;
  if (effect === 'none')
    refuse(item, `"${name}" does nothing to the world, so that nothing is said by it`, 'Take it out.', findings);
  return {
    each: eachIn(field(item, 'each'), findings),
    due: dueIn(field(item, 'due'), findings),
    keptBy: textOf(field(item, 'kept_by')) ?? '',
    as: conditionIn(field(item, 'as'), KEPT_SCOPE, findings),
    until: conditionIn(field(item, 'until'), RELEASED_SCOPE, findings),
  };
}

function refuse({ at }: Pick<Item, 'at'>, message: string, mend: string | (() => string), findings: Findings): void {
  findings.report('bad_obligations', 'error', at, message, mend);
}

function eachIn(item: Item | null, findings: Findings): Obligations['each'] {
  if (item?.kind === 'list') return plain(item) as unknown[];
  const text = textOf(item) ?? '';
  if (item !== null && !EACH.test(text))
    refuse(
      item,
      `"${text.slice(0, 100)}" names no part of the arguments`,
      'Write where they are: args.promises.',
      findings,
    );
  return text;
}

/** A time alone counts from the call; any other text is the part of an obligation that says when it is due. */
function dueIn(item: Item | null, findings: Findings): Obligations['due'] {
  if (item === null) return null;
  const text = textOf(item);
  const after = numberOf(item) ?? parseTime(text ?? '');
  if (after >= 1 && after <= LONGEST_WAIT) return { after };
  const at = text ?? '';
  if (!PART.test(at))
    refuse(item, `"${at.slice(0, 100)}" is no time, and no part of an obligation`, 'Write 2h, or due.', findings);
  return { at };
}

function conditionIn(item: Item | null, scope: Scope, findings: Findings): Predicate | null {
  const text = textOf(item);
  return item === null || text === null ? null : compiledText(compilePredicate(text, scope), item, findings);
}

/** Reports each `kept_by` that names no tool whose calls act on the world. */
export function checkKeepers(root: Item, tools: ReadonlyMap<string, Pick<Tool, 'effect'>>, findings: Findings): void {
  for (const [, { item }] of entriesOf(field(root, 'tools'))) {
    const keeper = field(field(item, 'obligations'), 'kept_by');
    const name = textOf(keeper);
    if (keeper === null || name === null) continue;
    const effect = tools.get(name)?.effect;
    if (effect === undefined)
      refuse(keeper, `"${name}" is no tool of this config`, () => suggest(name, [...tools.keys()]), findings);
    else if (effect === 'none')
      refuse(keeper, `"${name}" does nothing to the world, and keeps nothing`, 'Name a tool that acts.', findings);
  }
}
