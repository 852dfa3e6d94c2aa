/** Facts for tests: a step of a schedule, of which each test names what it changes. */
import { compilePredicate } from '../../src/predicates/compile.ts';
import type { Answer, Facts } from '../../src/predicates/predicate.ts';

/** A step. */
export function facts(changes: Partial<Facts> = {}): Facts {
  return { state: 'A', action: 'submit', args: {}, entity: 'a', memory: {}, event: { type: 'submit' }, ...changes };
}

/** Asks a predicate that must compile about a memory. */
export function ask(text: string, memory: unknown = {}, changes: Partial<Facts> = {}): Answer {
  const compiled = compilePredicate(text);
  if ('problems' in compiled) throw new Error(`${text}: ${compiled.problems.map(({ message }) => message).join('; ')}`);
  return compiled.ok.ask(facts({ ...changes, memory }));
}
