/**
 * Holes in the texts of a config (`{entity}`, `{args.slot}`, `{event.day}`): their form, and the values that fill them.
 */
import { KeyError } from '../../model/key.ts';
import { ownPath } from '../../predicates/own.ts';
import type { Facts } from '../../predicates/predicate.ts';

/** A member path. */
export type Hole = readonly [variable: 'args' | 'event' | 'entity', ...names: string[]];
/** A piece of a text with holes. */
export type Part = string | Hole;

const HOLE = /\{([^{}]*)\}/g;
const PATH = /^(?:entity|(?:args|event)(?:\.[A-Za-z_][A-Za-z0-9_]*)*)$/;
const FORBIDDEN = /\.(?:__proto__|prototype|constructor)(?:\.|$)/;

/** Facts that fill no hole. */
export const NO_FACTS: Facts = { state: '', action: '', args: null, entity: null, memory: null, event: null };

/**
 * The text with every hole replaced.
 * @throws KeyError where a hole is no member path, or a brace has no other.
 */
export function withHoles(text: string, replacement: string): string {
  for (const [, path = ''] of text.matchAll(HOLE)) {
    if (PATH.test(path) && !FORBIDDEN.test(path)) continue;
    throw new KeyError(`a hole is {entity}, {args.NAME} or {event.NAME}, and "{${path}}" is neither`);
  }
  const replaced = text.replace(HOLE, replacement);
  if (/[{}]/.test(replaced)) throw new KeyError('a brace is not closed, or not opened');
  return replaced;
}

/** The pieces of a text whose holes are in order. */
export function partsOf(text: string): readonly Part[] {
  return text
    .split(/(\{[^{}]*\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? (part.slice(1, -1).split('.') as unknown as Part) : part));
}

/** The value that fills a hole; null where there is none, or no plain value. Runs no code of the facts. */
export function filling([variable, ...names]: Hole, facts: Facts): string | null {
  const value = ownPath(facts[variable], names);
  const plain =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint';
  return plain ? String(value) : null;
}
