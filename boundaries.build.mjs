/** Writes the check of configs against the schema as code into dist/boundaries, beside the schema. */
import { writeFileSync } from 'node:fs';
import standalone from 'ajv/dist/standalone/index.js';
import { transform } from 'esbuild';
import { compileSchema, schemaCompiler } from './src/boundaries/page/schema-check.ts';

const compiler = schemaCompiler({ source: true });
const check = new URL('dist/boundaries/boundary.check.cjs', import.meta.url);
const { code } = await transform(standalone.default(compiler, compileSchema(compiler)), {
  minify: true,
  lineLimit: 160,
});
writeFileSync(check, code);
