/**
 * Runs the enumeration of loops from the command line: `npm run prove loops`.
 *
 *   --of two|drawn  all loops of two turns of one act, or larger ones, drawn
 *   --share N       one death of a process of N, for two turns; all, if left out
 *   --cases N       how many, at most; 2,000 drawn ones if left out
 *   --seed S        which ones
 *   --seconds N     begins no other case after so long
 *   --by message    turns are left for the run by another process
 *   --as flow       the programs are flows, one step after the other
 *   --narrow        flows whose tools are said to read nothing
 *   --pauses        a person pauses each drawn run, and has it go on once nothing moves
 *   --acts          turns are revised and retracted, and nothing is found wrong
 *   --ahead         the same, with the later turns left before the act
 *   --only NAME     one case, by its name, with everything that happened
 *
 * Ends with 0 where no ending is wrong, no loop hangs, and none is parked needlessly; 1 where any is.
 */
import { parseArgs } from 'node:util';
import { nameOf } from './cases.ts';
import { enumerate, totalsText } from './enumerate.ts';

const { values } = parseArgs({
  options: {
    of: { type: 'string', default: 'two' },
    share: { type: 'string', default: '1' },
    cases: { type: 'string' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string' },
    by: { type: 'string' },
    as: { type: 'string' },
    narrow: { type: 'boolean' },
    pauses: { type: 'boolean' },
    acts: { type: 'boolean' },
    ahead: { type: 'boolean' },
    only: { type: 'string' },
  },
});
const isDrawn = values.of === 'drawn';
const cases = values.cases ?? (isDrawn ? '2000' : undefined);
const totals = await enumerate({
  of: isDrawn ? 'drawn' : 'two',
  share: Number(values.share),
  ...(cases !== undefined && { cases: Number(cases) }),
  seed: Number(values.seed),
  ...(values.seconds !== undefined && { until: Number(values.seconds) * 1_000 }),
  ...(values.by === 'message' && { by: values.by }),
  ...(values.as === 'flow' && { as: values.as }),
  ...(values.narrow === true && { as: 'flow', narrow: true }),
  ...(values.pauses === true && { pauses: true }),
  ...(values.acts === true && { acts: true }),
  ...(values.ahead === true && { acts: 'ahead', by: 'message' }),
  ...(values.only !== undefined && { only: values.only }),
  onCase: (one, judged, { world, said, state }) => {
    if (values.only !== nameOf(one)) return;
    console.log([...world.log, JSON.stringify(said), JSON.stringify(state), JSON.stringify(judged)].join('\n'));
  },
});
console.log(totalsText(totals, 20));
process.exit(totals.told.length === 0 ? 0 : 1);
