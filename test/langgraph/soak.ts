/**
 * Runs the toy graphs (line, branch, loop, fan-out, sends, subgraph, interrupt, parallel calls of a `ToolNode`, and those that meet) under every fault
 * (a lost reply, a throw, a timeout, found wrong later), and with a process that dies: `npm run prove soak-graphs`.
 *
 *   --every N    it dies at each Nth append; at every one, if left out
 *   --only NAME  one graph
 *
 * Ends with 0 where each ended with the world and the state of a run without faults, or parked with the reason, and with 1 where any did not.
 */
import { parseArgs } from 'node:util';
import { MEETINGS } from './meetings.ts';
import { type Swept, sweepFaults, sweepKills } from './sweep.ts';
import { TOYS } from './toys.ts';
import { UNIT_TOYS } from './unit-toys.ts';

const { values } = parseArgs({ options: { every: { type: 'string', default: '1' }, only: { type: 'string' } } });
const began = performance.now();
const COLUMNS = ['trials', 'same', 'parked', 'unheard', 'wrong'] as const;
const row = (name: string, of: (column: (typeof COLUMNS)[number]) => string | number) =>
  console.log(name.padEnd(28) + COLUMNS.map((column) => String(of(column)).padStart(9)).join(''));
const countOf = (swept: Swept, column: (typeof COLUMNS)[number]) =>
  column === 'wrong' ? swept.wrong.length : swept[column];

const all: Swept[] = [];
const show = (name: string, swept: Swept) => {
  all.push(swept);
  row(name, (column) => countOf(swept, column));
  for (const { trial, found } of swept.wrong.slice(0, 5))
    console.log('   ', JSON.stringify(trial), JSON.stringify(found));
};

row('graph', (column) => column);
for (const toy of [...TOYS, ...UNIT_TOYS, ...MEETINGS].filter(({ name }) => (values.only ?? name) === name)) {
  show(toy.name, await sweepFaults(toy));
  show(`${toy.name}, and killed`, await sweepKills(toy, Number(values.every)));
}
const sum = (column: (typeof COLUMNS)[number]) => all.reduce((total, swept) => total + countOf(swept, column), 0);
row('all', sum);
const [trials, wrong] = [sum('trials'), sum('wrong')];
console.log(`${trials} trials in ${Math.round((performance.now() - began) / 1000)} s, ${wrong} wrong.`);
process.exit(wrong === 0 ? 0 : 1);
