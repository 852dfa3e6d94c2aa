/** Writes the check of configs against the schema as code into dist/boundaries, beside the schema. */
import { writeFileSync } from 'node:fs';
import standalone from 'ajv/dist/standalone/index.js';
import { compileSchema, schemaCompiler } from './dist/boundaries/page/schema-check.js';

const compiler = schemaCompiler({ source: true });
const check = new URL('dist/boundaries/boundary.check.cjs', import.meta.url);
writeFileSync(check, standalone.default(compiler, compileSchema(compiler)));
