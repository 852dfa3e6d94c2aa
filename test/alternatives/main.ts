/**
 * Tries alternatives from the command line: `npm run prove alternatives -- --seconds 120 --seed 7`.
 *
 *   --pairs N/M   every Mth case of two branches with one act at most each, from the Nth on: each crash, and each word at each append
 *   --chosen N/M  the same where a person chooses, in each way
 *   --seconds N   how long it goes on (60 if left out); without --pairs, cases of two and three branches with two acts at most each are drawn
 *   --seed N      the number of the first case that is drawn
 *   --only JSON   one scenario, with what it came to
 */
import { parseArgs } from 'node:util';
import { judge } from './judge.ts';
import { noneTried, tryCase } from './run.ts';
import { chosenPairs, drawn, pairs, type Scenario } from './scenario.ts';
import { play } from './trial.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string' },
    chosen: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});

if (values.only !== undefined) {
  const scenario = JSON.parse(values.only) as Scenario;
  const course = await play(scenario);
  const { world, ending, standing, context, appends, errors, waited, refused } = course;
  console.log(
    JSON.stringify(
      { why: judge(scenario, course), ending, standing, context, appends, errors, waited, refused },
      null,
      1,
    ),
  );
  console.log([...world.acts.values()], JSON.stringify(course.runState.choices.saved));
  process.exit(0);
}

let state = Number(values.seed) >>> 0;
/** A number below another one. */
function draw(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

const tally = noneTried();
const end = Date.now() + Number(values.seconds) * 1_000;
let cases = 0;
const share = values.pairs ?? values.chosen;
if (share !== undefined) {
  const [from = 0, every = 1] = share.split('/').map(Number);
  for (const [index, of] of (values.chosen === undefined ? pairs() : chosenPairs()).entries())
    if (index % every === from && Date.now() < end) {
      cases += 1;
      await tryCase(of, tally);
    }
} else
  for (; Date.now() < end; cases += 1) {
    const offset = draw(23);
    await tryCase(drawn(draw), tally, (nth) => nth % 23 === offset);
  }
for (const { scenario, why } of tally.wrong.slice(0, 10)) console.log(`${why}\n  --only '${JSON.stringify(scenario)}'`);
console.log(`${cases} cases, ${tally.scenarios} scenarios, ${tally.wrong.length} wrong, ${JSON.stringify(tally.ends)}`);
process.exit(tally.wrong.length === 0 ? 0 : 1);
