/**
 * The digest of the text of the code that decides where a machine goes: guards, actions, inputs and delays, also of the
 * machines that it invokes by name. Tools are no part of it. The text leaves out every function that the code imports
 * or closes over.
 */
import { createHash } from 'node:crypto';
import type { AnyStateMachine } from 'xstate';
import { kindOf } from './shape.ts';

/** Fields of a machine's config that decide nothing. */
const SILENT: ReadonlySet<string> = new Set(['description', 'meta', 'tags', 'types', 'version']);

/** The digest of the code of a machine, in hex. */
export function codeDigest(machine: object): string {
  const texts: string[] = [];
  collect(machine as AnyStateMachine, texts, new Set());
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16);
}

function collect({ config, implementations }: AnyStateMachine, texts: string[], seen: Set<object>): void {
  const { actors, ...code } = implementations as unknown as Readonly<Record<string, object>>;
  textsOf(config, texts, seen);
  textsOf(code, texts, seen);
  for (const [name, logic] of Object.entries((actors ?? {}) as Readonly<Record<string, never>>)) {
    if (kindOf(logic) !== 'machine' || seen.has(logic)) continue;
    seen.add(logic);
    texts.push(name);
    collect(logic as unknown as AnyStateMachine, texts, seen);
  }
}

/** Collects the texts of a value: what is no function and no plain data says nothing. */
function textsOf(value: unknown, texts: string[], seen: Set<object>): void {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') texts.push(`${value}`);
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return;
  if (seen.has(value)) return;
  seen.add(value);
  if (typeof value === 'function') texts.push(Function.prototype.toString.call(value));
  else if (!Array.isArray(value) && ![Object.prototype, null].includes(Object.getPrototypeOf(value))) return;
  for (const name of Object.keys(value).toSorted()) {
    if (SILENT.has(name)) continue;
    texts.push(name);
    textsOf((value as Readonly<Record<string, unknown>>)[name], texts, seen);
  }
}
