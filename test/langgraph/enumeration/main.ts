/**
 * Runs the enumeration of graphs from the command line: `npm run enumerate:graphs -- --graphs 100 --cases 4`.
 *
 *   --nodes 1,2,3,4   graphs with so many nodes
 *   --graphs N        one graph of N, told apart by digest; --cases N: one case of N of each
 *   --seed S          which ones, and which tools the graphs have
 *   --shape TEXT      one shape; --case ID: one case of it, with everything that happened
 *   --list N          how many cases of a kind are listed
 *   --json            everything as JSON
 *
 * Ends with 0 where no ending is wrong and no run hangs, 1 where any is.
 */
import { parseArgs } from 'node:util';
import { idOf } from './cases.ts';
import { enumerate } from './enumerate.ts';
import { reportText } from './report.ts';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1,2,3,4' },
    graphs: { type: 'string', default: '1' },
    cases: { type: 'string', default: '1' },
    seed: { type: 'string', default: '0' },
    shape: { type: 'string' },
    case: { type: 'string' },
    list: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
  },
});
const result = await enumerate({
  nodes: values.nodes.split(',').map(Number),
  graphs: Number(values.graphs),
  cases: Number(values.cases),
  seed: Number(values.seed),
  ...(values.shape !== undefined && { shape: values.shape }),
  ...(values.case !== undefined && { id: values.case }),
  onCase: (one, verdict, { log }) => {
    if (idOf(one) === values.case) console.log([...log, JSON.stringify(verdict)].join('\n'));
  },
});
console.log(values.json ? JSON.stringify(result, null, 1) : reportText(result, Number(values.list)));
process.exit(result.totals.wrong + result.totals.hang === 0 ? 0 : 1);
