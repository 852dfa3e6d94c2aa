/** The check of the schema that the build has written, against one that is compiled: both refuse the same, in the same words. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { compileSchema, schemaCompiler } from '../../src/boundaries/page/schema-check.ts';

const CONFIGS = new URL('../../boundaries/', import.meta.url);
const written = createRequire(import.meta.url)('../../dist/boundaries/boundary.check.cjs') as ValidateFunction;
const compiled = compileSchema(schemaCompiler());

/** Values that stand where a config has another one. */
const STRANGE = [null, true, -1, 1.5, '', 'no such word', 'x'.repeat(300), [], ['a', 'a'], {}, { unknown: 1 }];

type Holder = Record<string, unknown>;

/** Every map and every list of a document. */
function holders(value: unknown): Holder[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Holder, ...Object.values(value).flatMap(holders)];
}

/** What the check of a config reads of an error: the sentence is Ajv's where a value is out of its range alone, and says the limit. */
function read({ instancePath, keyword, params = {}, message, schemaPath }: ErrorObject) {
  const worded = ['required', 'additionalProperties', 'enum', 'const', 'type', 'oneOf'].includes(keyword);
  const { limit: _, comparison: __, ...asked } = params;
  return {
    instancePath,
    keyword,
    params: asked,
    form: /\/oneOf\/\d/.test(schemaPath),
    message: worded ? null : message,
  };
}

/** The errors of both for a document. */
function errorsOf(document: unknown): number {
  const [fits, also] = [compiled(document), written(document)];
  const [errors, others] = [compiled.errors?.map(read), written.errors?.map(read)];
  // To ask `expect` of each of many thousand documents would take most of the time.
  if (also !== fits || !isDeepStrictEqual(others, errors)) expect([also, others]).toEqual([fits, errors]);
  return compiled.errors?.length ?? 0;
}

const names = readdirSync(CONFIGS).filter((name) => name.endsWith('.yaml'));

test.each(names)('%s, and what it becomes with another value anywhere', (name) => {
  const document: unknown = parse(readFileSync(new URL(name, CONFIGS), 'utf8'));
  expect(errorsOf(document)).toBe(0);
  let refused = 0;
  for (const holder of holders(document))
    for (const [key, value] of Object.entries(holder)) {
      for (const strange of STRANGE) {
        holder[key] = strange;
        refused += errorsOf(document) > 0 ? 1 : 0;
      }
      holder[key] = value;
      if (Array.isArray(holder)) continue;
      delete holder[key];
      refused += errorsOf(document) > 0 ? 1 : 0;
      holder[key] = value;
    }
  expect(refused).toBeGreaterThan(500);
});
