/**
 * Runs the enumeration of graphs from the command line: `npm run prove graphs`.
 *
 *   --nodes 1,2,3     graphs with so many nodes; up to 4
 *   --graphs N        one graph of N, told apart by digest; --cases N: one case of N of each
 *   --seed S          which ones, and which tools the graphs have
 *   --seconds N       begins no other graph after so long: the graphs come in an order that the seed draws
 *   --jobs N          in how many processes; as many as there are cores, if left out
 *   --units           units over two and three nodes, in the graphs that run one node at a time
 *   --count           only how many graphs there are
 *   --shape TEXT      one shape; --case ID: one case of it, with everything that happened
 *   --list N          how many cases of a kind are listed
 *   --json            everything as JSON
 *   --help            this text
 *
 * There are 3, 34, 752 and 28,348 graphs of one to four nodes, with some 50 to 200 cases each. A case takes a core about 50 ms: all graphs of one
 * and two nodes take two minutes of a core, those of three nodes an hour and a half, and those of four some four days: of those, try
 * `--nodes 4 --seconds 600` with another seed each time. Progress is told on stderr.
 *
 * With `--units` there are 14 and 544 graphs of two and three nodes, which take a core a quarter of an hour, and 21,866 of four.
 *
 * Ends with 0 where no ending is wrong and no run hangs, 1 where any is.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { idOf } from './cases.ts';
import { enumerate, shapesIn } from './enumerate.ts';
import { reportText } from './report.ts';
import { allShapes } from './shapes.ts';
import { enumerateIn, type Progress } from './shares.ts';
import { groupings } from './units.ts';

/** The time between two lines of progress, in milliseconds. */
const EVERY = 10_000;

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1,2,3' },
    graphs: { type: 'string', default: '1' },
    cases: { type: 'string', default: '1' },
    seed: { type: 'string', default: '0' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    seconds: { type: 'string' },
    units: { type: 'boolean', default: false },
    count: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    shape: { type: 'string' },
    case: { type: 'string' },
    list: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
  },
});
if (values.help) {
  const [, text = ''] = /^\/\*\*\n([\s\S]*?)\n \*\//.exec(readFileSync(fileURLToPath(import.meta.url), 'utf8')) ?? [];
  console.log(text.replaceAll(/^ \* ?/gm, ''));
  process.exit(0);
}
const options = {
  nodes: values.nodes.split(',').map(Number),
  graphs: Number(values.graphs),
  cases: Number(values.cases),
  seed: Number(values.seed),
  units: values.units,
  ...(values.seconds !== undefined && { seconds: Number(values.seconds) }),
  ...(values.shape !== undefined && { shape: values.shape }),
  ...(values.case !== undefined && { id: values.case }),
};

const ways = (nodes: number) => (options.units ? groupings(nodes).length : 1);
const all = shapesIn(options).reduce((sum, { exits }) => sum + ways(exits.length), 0);
if (values.count) {
  console.log(all);
  process.exit(0);
}

const began = performance.now();
let isTold = began;
const tell = ({ graphs, cases, wrong, hang }: Progress) => {
  const now = performance.now();
  if (now - isTold < EVERY) return;
  isTold = now;
  const bad = wrong + hang === 0 ? '' : `${wrong} wrong, ${hang} hang, `;
  console.error(`${graphs} of ${all} graphs, ${cases} cases, ${bad}${Math.round((now - began) / 1000)} s`);
};
const jobs = values.case === undefined ? Math.min(Number(values.jobs), all) : 1;
const result =
  jobs > 1
    ? await enumerateIn(jobs, options, tell)
    : await enumerate({
        ...options,
        onGraph: (_, totals) => tell(totals),
        onCase: (one, verdict, { log }) => {
          if (idOf(one) === values.case) console.log([...log, JSON.stringify(verdict)].join('\n'));
        },
      });
const whole =
  values.shape === undefined && !values.units ? options.nodes.flatMap((many) => [...allShapes(many)]).length : null;
console.log(
  values.json ? JSON.stringify({ ...result, whole }, null, 1) : reportText(result, Number(values.list), whole),
);
process.exit(result.totals.wrong + result.totals.hang === 0 ? 0 : 1);
