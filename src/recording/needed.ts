/**
 * The keys that a boundary promises or asks about. While such a key has no value, a no of the condition is no answer
 * about the work (semantics.md §4, Closed).
 */
import type { Boundary, KeyTemplate } from '../boundaries/config.ts';
import { keyTemplate } from '../boundaries/keys/key-template.ts';
import { hasValue } from '../model/external-keys.ts';
import type { Key } from '../model/key.ts';
import { readsOf } from '../predicates/reads.ts';
import type { Live } from '../projection/state-types.ts';
import type { StepView } from './step-view.ts';

const needs = new WeakMap<Boundary, readonly KeyTemplate[]>();

/** The keys that a boundary promises or asks about. */
export function needed(boundary: Boundary): readonly KeyTemplate[] {
  const known = needs.get(boundary);
  if (known !== undefined) return known;
  // An index by something that no key can contain, such as a whole event, makes the read wider: nothing can be told
  // about such a read.
  const asked = readsOf(boundary.when.text).filter((text) => !/\{(?:args|event)\}/.test(text));
  const templates = [...boundary.outputs, ...asked.map((text) => keyTemplate(text))];
  needs.set(boundary, templates);
  return templates;
}

/** The same, of an instance. */
export function keysOf(boundary: Boundary, { id }: Live, view: StepView): readonly Key[] {
  const facts = view.factsFor(id);
  return needed(boundary).map((template) => template.fill(facts));
}

/** The keys of the boundary that lie in the context and have no value. */
export function absentOf(boundary: Boundary, live: Live, view: StepView): readonly string[] {
  const keys = keysOf(boundary, live, view);
  return [...new Set(keys.filter((key) => !hasValue(view.seen.context, key)).map(({ text }) => text))];
}

/** The state that the condition of a boundary is asked in. */
export function stateAt({ site }: Boundary): string {
  return 'at' in site ? site.at : site.to;
}
