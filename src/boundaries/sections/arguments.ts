/** Compiles what a tool says of its arguments: their schema, and those that are computed from the others (semantics.md §27). */
import { compileDerivation } from '../../predicates/compile.ts';
import { admit, isTable } from '../../predicates/own.ts';
import type { Derivation } from '../../predicates/predicate.ts';
import type { Computed, Tool } from '../config.ts';
import { compiledText } from '../page/condition.ts';
import { entriesOf, field, type Item, plain, textOf } from '../page/document.ts';
import type { Findings } from '../page/finding.ts';
import { outputSchema } from './output-schema.ts';

/** Compiles `input` and `computed` of a tool. */
export function argumentsIn(item: Item, findings: Findings): Pick<Tool, 'misfits' | 'input' | 'computed'> {
  return { ...inputIn(field(item, 'input'), findings), computed: computedIn(field(item, 'computed'), findings) };
}

function inputIn(item: Item | null, findings: Findings): Pick<Tool, 'misfits' | 'input'> {
  const misfits = () => null;
  if (item === null) return { misfits };
  const input = plain(item);
  const compiled = outputSchema(input);
  if ('refuses' in compiled) return { misfits: (args) => compiled.refuses(args, 'the input'), input };
  const mend = 'Use types, properties, items, enumerations and limits; no references and no patterns.';
  findings.report('bad_input_schema', 'error', item.at, `the input schema is refused: ${compiled.problem}`, mend);
  return { misfits };
}

function computedIn(item: Item | null, findings: Findings): Computed | null {
  if (item === null) return null;
  const derivations = new Map<string, Derivation>();
  for (const [name, { item: of }] of entriesOf(item)) {
    const text = textOf(of);
    const derivation = text === null ? null : compiledText(compileDerivation(text), of, findings);
    if (derivation !== null) derivations.set(name, derivation);
  }
  const names = new Set(entriesOf(item).map(([name]) => name));
  for (const [name, { at }] of entriesOf(item)) {
    const other = [...(derivations.get(name)?.reads ?? [])].find((read) => names.has(read));
    const message = `"${name}" is computed from "${other}", which is computed itself`;
    const mend =
      'Write out in it what the other is computed from: expressions see what the machine gives, and nothing else.';
    if (other !== undefined) findings.report('bad_computed', 'error', at, message, mend);
  }
  if (derivations.size === 0) return null;
  const texts = new Map([...derivations].map(([name, { text }]) => [name, text] as const));
  return { texts, of: (args) => computed(derivations, args) };
}

function computed(derivations: ReadonlyMap<string, Derivation>, args: unknown): ReturnType<Computed['of']> {
  if (!isTable(admit(args))) return { reason: 'the input is no map of arguments' };
  const [given, others] = [{ ...(args as object) }, { ...(args as object) }] as Record<string, unknown>[];
  for (const name of derivations.keys()) delete (others as Record<string, unknown>)[name];
  const values: [string, unknown][] = [];
  for (const [name, derivation] of derivations) {
    const found = derivation.evaluate(others);
    if ('reason' in found) return { reason: `/${name} cannot be computed: ${found.reason}` };
    values.push([name, found.value]);
  }
  return { args: { ...given, ...Object.fromEntries(values) } };
}
