/**
 * The published JSON Schema as a function. The build writes the function out as code, because compiling the schema
 * would take a third of the command's starting time. Run from the sources, Belay compiles the schema when it reads a
 * config.
 */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { Ajv, Options, ValidateFunction } from 'ajv';

const OPTIONS: Options = { allErrors: true, verbose: true, strict: true, allowUnionTypes: true };

const require = createRequire(import.meta.url);
/** Where the schema lies: among the sources one folder above this file, in a build by its public name, whatever file this code is in. */
const FOLDER = import.meta.url.endsWith('.ts') ? '..' : dirname(require.resolve('belay-sidecar/boundary.schema.json'));
let check: ValidateFunction | null = null;

/** The function that the build has written, or one that is compiled now. */
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
  return compiler.compile(require(`${FOLDER}/boundary.schema.json`) as object);
}

function written(): ValidateFunction | null {
  try {
    return require(`${FOLDER}/boundary.check.cjs`) as ValidateFunction;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
