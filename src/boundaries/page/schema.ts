/**
 * Checks a document against the published JSON Schema and reports each error in the words of a config, with its place.
 */
import type { ErrorObject } from 'ajv';
import { suggest } from '../../predicates/suggest.ts';
import { type Item, nearest, plain } from './document.ts';
import type { Findings, Place, RefusalCode } from './finding.ts';
import { fieldsAt, schemaCheck } from './schema-check.ts';

/** Reports everything in which a document differs from the schema. */
export function checkSchema(root: Item, findings: Findings): void {
  const validate = schemaCheck();
  if (validate(plain(root))) return;
  for (const error of validate.errors ?? []) {
    // The errors of the single alternatives say less than the fact that no alternative fits. The build leaves every other path out.
    if (/\/oneOf\/\d/.test(error.schemaPath)) continue;
    const path = error.instancePath.split('/').slice(1).map(unescapePointer);
    const { code, at, message, mend } = describe(error, root, path);
    findings.report(code, 'error', at, message, mend);
  }
}

interface Described {
  readonly code: RefusalCode;
  readonly at: Place;
  readonly message: string;
  readonly mend: string | (() => string);
}

function describe(error: ErrorObject, root: Item, path: readonly string[]): Described {
  const { item, at } = nearest(root, path);
  const what = path.length === 0 ? 'the file' : `"${path.at(-1)}"`;
  switch (error.keyword) {
    case 'required': {
      const missing = error.params.missingProperty as string;
      return { code: 'missing_field', at, message: `${what} has no "${missing}"`, mend: `Add "${missing}".` };
    }
    case 'additionalProperties': {
      const name = error.params.additionalProperty as string;
      const place = item.kind === 'map' ? (item.entries.get(name)?.at ?? at) : at;
      return {
        code: 'unknown_field',
        at: place,
        message: `there is no field "${name}" in ${what}`,
        mend: () => suggest(name, fieldsAt(path)),
      };
    }
    case 'enum':
    case 'const': {
      const allowed: unknown[] = error.params.allowedValues ?? [error.params.allowedValue];
      const found = item.kind === 'scalar' ? `"${String(item.value).slice(0, 100)}"` : `a ${item.kind}`;
      const mend = () => suggest(found.slice(1, -1), allowed.map(String));
      return { code: 'not_one_of', at, message: `${found} is not known as ${what}`, mend };
    }
    case 'type': {
      const wanted = [error.params.type].flat().map(wordOf).join(' or ');
      return { code: 'wrong_type', at, message: `${what} is ${kindOf(item)}`, mend: `Write ${wanted}.` };
    }
    case 'oneOf':
      return { code: 'wrong_form', at, message: `${what} has none of its forms`, mend: formsOf(path.at(-1)) };
    default: {
      return {
        code: 'out_of_range',
        at,
        message: `${what} ${error.message ?? 'is out of range'}`,
        mend: 'Write more or less.',
      };
    }
  }
}

const FORMS: Readonly<Record<string, string>> = {
  timeout: 'Write a number of milliseconds, or a text such as 5s.',
  expires: 'Write a number of milliseconds, or a text such as 2d.',
  wait: 'Write a number of milliseconds, or a text such as 5s.',
  backoff: 'Write a number of milliseconds, or a text such as 5s.',
  gate: "Write true, or { expires: 2d, when: 'args.cents > 10000' }.",
  buffer: 'Write true, or the name of a buffer.',
  reconcile:
    "Write the name of a reconciler, { ask: NAME, settles_within: 2m }, or { see: TOOL, applied: 'now.n != then.n' }.",
  revalidate: "Write a time such as 60s, or { for: 60s, same: 'now.cents == then.cents', else: park }.",
  for: 'Write a number of milliseconds, or a text such as 60s.',
  key_valid: 'Write a number of milliseconds, or a text such as 24h.',
  each: 'Write where they are listed: args.promises, or a list of them.',
  due: 'Write a time such as 2h, or the part of an obligation that says when: due.',
  when: "Write CEL as a text, or { guard: 'name@digest' }.",
};

function formsOf(field: string | undefined): string {
  return FORMS[field ?? ''] ?? 'Write a whole number, or where one is: args.cents.';
}

function wordOf(type: string): string {
  const words: Record<string, string> = {
    object: 'a map',
    array: 'a list',
    string: 'a text',
    integer: 'a whole number',
    boolean: 'true or false',
  };
  return words[type] ?? `a ${type}`;
}

function kindOf(item: Item): string {
  if (item.kind !== 'scalar') return item.kind === 'map' ? 'a map' : 'a list';
  if (item.value === null) return 'empty';
  return typeof item.value === 'string' ? 'a text' : `a ${typeof item.value}`;
}

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
