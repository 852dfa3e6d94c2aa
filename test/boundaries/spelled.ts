/** Keys of the schemes whose names have several spellings. */
import fc from 'fast-check';
import { keyTemplate } from '../../src/boundaries/keys/key-template.ts';
import { type Key, overlaps } from '../../src/model/key.ts';
import { facts } from '../predicates/facts.ts';
import { SCOPES } from './aliases.ts';

export const texts = (keys: readonly Key[]) => keys.map(({ text }) => text);
export const fill = (template: string, args: unknown = {}) =>
  texts(keyTemplate(template, SCOPES).fillAll(facts({ args })));

/** The keys of a name that comes as an argument. */
export const named = (scheme: string, text: string) =>
  keyTemplate(`${scheme}:{args.name}`, SCOPES).fillAll(facts({ args: { name: text } }));
export const meet = (left: readonly Key[], right: readonly Key[]) =>
  left.some((a) => right.some((b) => overlaps(a, b)));

export const RUNS = { numRuns: Number(process.env.BELAY_RUNS ?? 300) };

export const pathText = fc
  .array(fc.oneof(fc.constantFrom('', '.', '..', 'a', 'A', 'e\u0301', '\u00e9', '*', '**', '%'), fc.string()), {
    maxLength: 8,
  })
  .map((names) => names.join('/'));
