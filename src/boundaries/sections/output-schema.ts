/**
 * The schemas of a tool, of its arguments and of its output: a JSON Schema, of which only those keywords are supported whose cost is the schema's
 * size times the value's. A reference could multiply, a pattern could take for ever, and comparing every member with
 * every other is quadratic.
 */
import { createRequire } from 'node:module';
import type { Ajv } from 'ajv';

/** The most values (keywords, members) of an output schema. */
const MOST = 500;

const VALUES: ReadonlySet<string> = new Set([
  ...['type', 'const', 'enum', 'required', 'title', 'description', '$comment', 'default', 'examples', 'format'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems', 'minProperties', 'maxProperties'],
]);
const SCHEMA: ReadonlySet<string> = new Set([
  'not',
  'if',
  'then',
  'else',
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
]);
const SCHEMAS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf']);

let compiler: Ajv | null = null;

/** The compiler of output schemas, loaded when the first is compiled: most processes need none. */
function loaded(): Ajv {
  const { Ajv } = createRequire(import.meta.url)('ajv') as typeof import('ajv');
  compiler ??= new Ajv({ strict: false, validateFormats: false, logger: false });
  return compiler;
}

/**
 * A compiled schema, as a function that says what is wrong with a value, or null; or the reason why the schema is refused. `whole` names the
 * value as a whole.
 */
type Compiled = { readonly refuses: (value: unknown, whole?: string) => string | null } | { readonly problem: string };

/** The most compiled schemas that are kept. */
const KEPT = 50;

/** The schemas that were compiled last, by their text: a rehearsal compiles a page again for each line that it leaves out. */
const kept = new Map<string, Compiled>();

/** Compiles an output schema. */
export function outputSchema(schema: unknown): Compiled {
  const problem = problemOf(schema);
  if (problem !== null) return { problem };
  const text = JSON.stringify(schema);
  const before = kept.get(text);
  if (before !== undefined) return before;
  const compiled = compile(schema as object | boolean);
  const [oldest] = kept.keys();
  if (kept.size === KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(text, compiled);
  return compiled;
}

function compile(schema: object | boolean): Compiled {
  try {
    const ajv = loaded();
    const validate = ajv.compile(schema);
    ajv.removeSchema(schema as object); // the compiler keeps none
    return {
      refuses: (value, whole = 'the output') => {
        try {
          if (validate(value)) return null;
          const [error] = validate.errors ?? [];
          return `${error?.instancePath || whole} ${error?.message ?? 'is refused'}`;
        } catch {
          return `${whole} cannot be looked at`;
        }
      },
    };
  } catch (error) {
    return { problem: error instanceof Error ? (error.message.split('\n')[0] as string) : 'it is no JSON Schema' };
  }
}

/** The first part of a schema that is not supported, or null. */
function problemOf(schema: unknown): string | null {
  const waiting: unknown[] = [schema];
  let seen = 0;
  while (waiting.length > 0) {
    const next = waiting.pop();
    seen += 1;
    if (typeof next === 'boolean') continue;
    if (typeof next !== 'object' || next === null || Array.isArray(next)) return 'a schema is a map, true or false';
    for (const [keyword, value] of Object.entries(next)) {
      const within = subschemas(keyword, value);
      if (within === null) return `"${keyword.slice(0, 100)}" is not read`;
      waiting.push(...within);
      seen += Array.isArray(value) ? value.length : 1;
    }
    if (seen > MOST) return `it has more than ${MOST} parts`;
  }
  return null;
}

/** The schemas under a keyword; null where the keyword is not supported. */
function subschemas(keyword: string, value: unknown): readonly unknown[] | null {
  if (VALUES.has(keyword)) return [];
  if (SCHEMA.has(keyword)) return [value];
  if (SCHEMAS.has(keyword) && Array.isArray(value)) return value;
  return keyword === 'properties' && typeof value === 'object' && value !== null ? Object.values(value) : null;
}
