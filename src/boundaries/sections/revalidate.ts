/** Compiles what a tool says of its looks at the world: how long one is good for, and whether a later one settles a call (semantics.md §23). */
import type { EffectClass } from '../../model/effect.ts';
import { compilePredicate } from '../../predicates/compile.ts';
import { LOOKS_SCOPE } from '../../predicates/lint.ts';
import type { Predicate } from '../../predicates/predicate.ts';
import { suggest } from '../../predicates/suggest.ts';
import type { Revalidate, See, Tool } from '../config.ts';
import { compiledText } from '../page/condition.ts';
import { entriesOf, field, type Item, numberOf, textOf } from '../page/document.ts';
import type { Findings, Place } from '../page/finding.ts';
import { LONGEST_WAIT, parseTime } from '../page/time.ts';

/** Compiles `revalidate`: a time alone, or a map. Null where the answers of the tool are snapshots. */
export function revalidateIn(item: Item | null, findings: Findings): Revalidate | null {
  if (item === null) return null;
  const isMap = item.kind === 'map';
  return {
    for: ageIn(isMap ? field(item, 'for') : item, findings),
    same: isMap ? comparisonIn(field(item, 'same'), findings) : null,
    else: textOf(isMap ? field(item, 'else') : null) === 'park' ? 'park' : 'redo',
  };
}

/** Compiles `reconcile: { see }`; null where no look settles a call. */
export function seeIn(item: Item | null, findings: Findings): See | null {
  const tool = textOf(field(item, 'see'));
  const applied = comparisonIn(field(item, 'applied'), findings);
  if (tool === null || applied === null) return null;
  const always = field(item, 'always');
  return { tool, applied, always: always?.kind === 'scalar' && always.value === true };
}

/** An age in milliseconds; unlike a time to wait it may be 0. An age that is none counts as 0, the strictest. */
function ageIn(item: Item | null, findings: Findings): number {
  const number = numberOf(item);
  const text = textOf(item);
  const age = number ?? parseTime(text ?? '');
  if (age >= 0 && age <= LONGEST_WAIT) return age;
  const mend = 'Write milliseconds, or 0s, 500ms, 5s, 2m, 1h, 2d.';
  if (item !== null) findings.report('bad_timeout', 'error', item.at, `"${text?.slice(0, 100)}" is no time`, mend);
  return 0;
}

function comparisonIn(item: Item | null, findings: Findings): Predicate | null {
  const text = textOf(item);
  return item === null || text === null ? null : compiledText(compilePredicate(text, LOOKS_SCOPE), item, findings);
}

/** Reports what revalidating, seeing and the validity of keys cannot be said of. */
export function checkLooks(name: string, effect: EffectClass, item: Item, findings: Findings): void {
  const refuse = (code: 'bad_revalidate' | 'bad_see' | 'bad_key_valid', at: Place, why: string, mend: string) =>
    findings.report(code, 'error', at, `"${name}" ${why}`, mend);
  const [revalidate, decides, buffer] = [field(item, 'revalidate'), field(item, 'decides'), field(item, 'buffer')];
  if (revalidate !== null && effect !== 'none')
    refuse('bad_revalidate', revalidate.at, 'acts on the world: to look again would act again', 'Take it out.');
  else if (revalidate !== null && decides?.kind === 'scalar' && decides.value === true)
    refuse('bad_revalidate', revalidate.at, 'decides: its answers are history, and no looks', 'Take one of both out.');
  const see = field(field(item, 'reconcile'), 'see');
  if (see !== null && effect === 'none') refuse('bad_see', see.at, 'does nothing to the world', 'Take it out.');
  else if (see !== null && buffer !== null)
    refuse('bad_see', see.at, 'is staged: nothing can be seen of it before its commit', 'Take see or buffer out.');
  const valid = field(item, 'key_valid');
  if (valid !== null && buffer !== null)
    refuse('bad_key_valid', valid.at, 'is made visible under the key that it was staged with', 'Take one of both out.');
  if (valid !== null && effect === 'none')
    refuse('bad_key_valid', valid.at, 'does nothing to the world, and has no key', 'Take it out.');
}

/** Reports each `see` that names no tool whose looks are revalidated: nothing would be known of the world before the call. */
export function checkSeen(root: Item, tools: ReadonlyMap<string, Pick<Tool, 'revalidate'>>, findings: Findings): void {
  for (const [, { item }] of entriesOf(field(root, 'tools'))) {
    const see = field(field(item, 'reconcile'), 'see');
    const name = textOf(see);
    if (see === null || name === null || tools.get(name)?.revalidate != null) continue;
    const known = tools.has(name);
    const message = known
      ? `"${name}" is not revalidated: what it saw before the call is not kept`
      : `"${name}" is no tool of this config`;
    const looks = [...tools].flatMap(([other, { revalidate }]) => (revalidate === null ? [] : [other]));
    findings.report('bad_see', 'error', see.at, message, () =>
      known ? `Add revalidate: 0s to ${name}, and have the call read what it answers.` : suggest(name, looks),
    );
  }
}
