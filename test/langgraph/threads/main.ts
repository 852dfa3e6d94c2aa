/**
 * Runs the enumeration of threads from the command line: `npm run prove threads`.
 *
 *   --turns 2|3     all threads of two turns, or three turns, drawn
 *   --share N       one death of a process of N, for two turns; all, if left out
 *   --cases N       how many, for three turns; 2,000 if left out
 *   --seed S        which ones
 *   --seconds N     begins no other case after so long
 *   --acts          turns are revised and retracted, and answers are retracted; nothing is found wrong
 *   --only NAME     one case, by its name, with everything that happened
 *
 * Ends with 0 where no ending is wrong and no thread hangs, 1 where any does.
 */
import { parseArgs } from 'node:util';
import { enumerate, totalsText } from './enumerate.ts';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '2' },
    share: { type: 'string', default: '1' },
    cases: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    acts: { type: 'boolean' },
    seconds: { type: 'string' },
    only: { type: 'string' },
  },
});
const turns = values.turns === '3' ? 3 : 2;
const totals = await enumerate({
  turns,
  share: Number(values.share),
  ...(turns === 3 && { cases: Number(values.cases) }),
  seed: Number(values.seed),
  ...(values.acts === true && { acts: true }),
  ...(values.seconds !== undefined && { until: Number(values.seconds) * 1_000 }),
  ...(values.only !== undefined && { only: values.only }),
  onCase: (_, judged, { world, said, state }) => {
    if (values.only === undefined) return;
    console.log([...world.log, JSON.stringify(said), JSON.stringify(state), JSON.stringify(judged)].join('\n'));
  },
});
console.log(totalsText(totals, 20));
process.exit(totals.told.length === 0 ? 0 : 1);
