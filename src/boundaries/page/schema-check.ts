/**
 * The published JSON Schema as a function. The build writes the function as code, because to compile the schema would
 * take a third of the command's starting time. From the sources, Belay compiles the schema when it first reads a
 * config.
 */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { Ajv, Options, ValidateFunction } from 'ajv';

const OPTIONS: Options = { allErrors: true, strict: true, allowUnionTypes: true, inlineRefs: false };

const require = createRequire(import.meta.url);
/**
 * The folder of the schema: in the sources one above this file; in a build found by its public name, as files are
 * bundled.
 */
const FOLDER = import.meta.url.endsWith('.ts') ? '..' : dirname(require.resolve('belay-sidecar/boundary.schema.json'));
let check: ValidateFunction | null = null;

/** The function that the build wrote; without a build, compiled now. */
export function schemaCheck(): ValidateFunction {
  check ??= written() ?? compileSchema(schemaCompiler());
  return check;
}

/** Makes the compiler of the schema. @param code settings of the code that it makes, for the build. */
export function schemaCompiler(code: Options['code'] = {}): Ajv {
  const compiler = require('ajv') as typeof import('ajv');
  return new compiler.Ajv({ ...OPTIONS, code });
}

/** Compiles the schema. */
export function compileSchema(compiler: Ajv): ValidateFunction {
  // Titles and descriptions are for people.
  const silent = (name: string, value: unknown) =>
    (name === 'description' || name === 'title') && typeof value === 'string' ? undefined : value;
  return compiler.compile(JSON.parse(JSON.stringify(published(), silent)) as object);
}

/** The fields that the schema knows of the object at a place of a config. */
export function fieldsAt(path: readonly string[]): string[] {
  const root = published();
  const named = (at: Part | undefined): Part | undefined =>
    at?.$ref === undefined ? at : named(root.$defs?.[at.$ref.slice('#/$defs/'.length)]);
  let at = named(root);
  for (const segment of path) at = named(at?.properties?.[segment] ?? at?.items ?? at?.additionalProperties);
  return Object.keys(at?.properties ?? {});
}

/** A part of the schema: the members that lead to other parts. */
interface Part {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Part>>;
  readonly properties?: Readonly<Record<string, Part>>;
  readonly items?: Part;
  readonly additionalProperties?: Part;
}

function published(): Part {
  return require(`${FOLDER}/boundary.schema.json`) as Part;
}

function written(): ValidateFunction | null {
  try {
    return require(`${FOLDER}/boundary.check.cjs`) as ValidateFunction;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
