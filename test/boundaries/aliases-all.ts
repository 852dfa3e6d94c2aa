/** Decides the pairs of names in a file, `{ cases: [{ name, scope_a, scope_b, label }] }`: `npm run prove aliases -- FILE`. */
import { readFileSync } from 'node:fs';
import { decided, pairsIn, report } from './aliases.ts';

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error(
    'usage: npm run prove aliases -- FILE (JSON: pairs of names, labelled should-conflict or should-not-conflict)',
  );
  process.exit(2);
}
const { text, complete } = report(pairsIn(readFileSync(file, 'utf8')).map(decided));
console.log(text);
process.exitCode = complete ? 0 : 1;
