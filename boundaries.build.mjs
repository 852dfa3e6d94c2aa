/** Writes the check of configs against the schema as code into dist/boundaries, beside the schema. */
import { writeFileSync } from 'node:fs';
import standalone from 'ajv/dist/standalone/index.js';
import { transform } from 'esbuild';
import { compileSchema, schemaCompiler } from './src/boundaries/page/schema-check.ts';

const compiler = schemaCompiler({ source: true });
const check = new URL('dist/boundaries/boundary.check.cjs', import.meta.url);
/** An error without what no reader of it asks for: its place in the schema but for "one of several forms", its limit, and a message that is said in our words. */
const short = (error, path, rest) => {
  const form = /\/oneOf\/\d/.exec(path);
  const said = /keyword:\s*"(?:required|additionalProperties|enum|const|type|oneOf)"/.test(error);
  return `${form ? `schemaPath:"${form[0]}",` : ''}${said ? rest.replace(/,message:.*/s, '};') : rest.replace(/params:\s*\{(?:limit|comparison):[^}]*\},/, '')}`;
};
const written = standalone
  .default(compiler, compileSchema(compiler))
  .replace(/schemaPath:"([^"]*)",(keyword:.*?\};)/gs, short);
const { code } = await transform(written, {
  minify: true,
  treeShaking: true,
  lineLimit: 2000,
});
writeFileSync(check, code);
