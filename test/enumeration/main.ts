/**
 * Runs the enumeration from the command line: `npm run prove machines -- --share 1/40`.
 *
 *   --share N/M       N of M shares, told apart by the digest of a case; all of them if left out
 *   --seed S          the number of the first share
 *   --family F        one family of shapes; --shape TEXT: one shape
 *   --case ID,ID      runs cases by their ids and prints everything about them
 *   --list N          how many cases of a kind are listed
 *   --json, --count, --progress   everything as JSON; only how many cases there are; each id before its case is run
 *   --no-reconcilers  no counterparty can be asked
 *   --rerun           starts runs over where that is the advice
 *   --exits           complaints about finished work, with exits restorable and not, and all other failures with them
 *   --lie             has the config call irreversible tools harmless
 *
 * Ends with 0 where no ending is unsafe and no run hangs, 1 where any is, 2 where there is no such case.
 */
import { parseArgs } from 'node:util';
import { machines } from './assignments.ts';
import { enumerate } from './enumerate.ts';
import { enumerateExits } from './enumerate-exits.ts';
import { casesOf } from './failures.ts';
import { printCase } from './print-case.ts';
import { reportText } from './report.ts';

const { values } = parseArgs({
  options: {
    share: { type: 'string', default: '1/1' },
    seed: { type: 'string', default: '0' },
    family: { type: 'string' },
    shape: { type: 'string' },
    case: { type: 'string' },
    list: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
    'no-reconcilers': { type: 'boolean', default: false },
    rerun: { type: 'boolean', default: false },
    lie: { type: 'boolean', default: false },
    exits: { type: 'boolean', default: false },
    count: { type: 'boolean', default: false },
    progress: { type: 'boolean', default: false },
  },
});
const options = { reconciles: !values['no-reconcilers'], lies: values.lie };
const families = values.family === undefined ? undefined : [values.family];

if (values.case !== undefined) {
  const wanted = new Set(values.case.split(','));
  for (const machine of machines(families))
    for (const one of casesOf(machine)) if (wanted.delete(one.id)) await printCase(one, options, values.rerun);
  for (const id of wanted) console.error(`no case has the id ${id}`);
  process.exit(wanted.size === 0 ? 0 : 2);
}

if (values.count) {
  const shapes = new Map<string, number>();
  for (const machine of machines(families))
    shapes.set(machine.shape, (shapes.get(machine.shape) ?? 0) + [...casesOf(machine)].length);
  for (const [shape, cases] of shapes) console.log(shape.padEnd(40), String(cases).padStart(10));
  console.log('all'.padEnd(40), String([...shapes.values()].reduce((sum, one) => sum + one, 0)).padStart(10));
  process.exit(0);
}

const [part, of] = values.share.split('/').map(Number) as [number, number];
if (values.exits) {
  const drawn = [...machines(families)].filter(({ shape }) => values.shape === undefined || shape === values.shape);
  const { told, ...counts } = await enumerateExits(drawn, { number: Number(values.seed), of });
  console.log([...told.slice(0, Number(values.list)), JSON.stringify(counts), `${told.length} differences`].join('\n'));
  process.exit(told.length === 0 ? 0 : 1);
}
const result = await enumerate({
  ...options,
  reruns: values.rerun,
  // Should a run never return, the last line names it.
  onCase: ({ id }) => values.progress && console.error(id),
  machines: [...machines(families)].filter(({ shape }) => values.shape === undefined || shape === values.shape),
  shares: Array.from({ length: part }, (_, index) => ({ number: Number(values.seed) + index, of })),
});
console.log(values.json ? JSON.stringify(result, null, 1) : reportText(result, Number(values.list)));
process.exit(result.totals.unsafe + result.totals.hang === 0 ? 0 : 1);
