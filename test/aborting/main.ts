/**
 * Tries aborts from the command line: `npm run prove soak-aborts -- --seconds 120 --seed 7`.
 *
 *   --seconds N   how long it goes on (60 if left out); it goes on with the next case that it draws
 *   --seed N      the number of the first case that is drawn
 *   --all         every case and every scenario, however long that takes
 *   --shape S     one shape; --only JSON: one scenario, with what it came to
 */
import { parseArgs } from 'node:util';
import { judge } from './judge.ts';
import { momentsOf, noneTried, tryMoment } from './run.ts';
import { cases, type Scenario } from './scenario.ts';
import { play } from './trial.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    all: { type: 'boolean', default: false },
    shape: { type: 'string' },
    only: { type: 'string' },
  },
});

if (values.only !== undefined) {
  const scenario = JSON.parse(values.only) as Scenario;
  const course = await play(scenario);
  const { world, ending, standing, before, appends, errors } = course;
  console.log(JSON.stringify({ why: judge(scenario, course), ending, standing, before, appends, errors }, null, 1));
  console.log([...world.acts.values()], world.order, world.forward);
  process.exit(0);
}

const listed = cases().filter(({ shape }) => values.shape === undefined || shape === values.shape);
const tally = noneTried();
const until = Date.now() + Number(values.seconds) * 1_000;
let drawn = Number(values.seed);
/** A number below another one. */
function draw(below: number): number {
  drawn = (Math.imul(drawn, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((drawn / 2 ** 32) * below);
}
if (values.all) for (const of of listed) for (const moment of await momentsOf(of)) await tryMoment(of, moment, tally);
else
  while (Date.now() < until) {
    const of = listed[draw(listed.length)] as (typeof listed)[number];
    const moments = await momentsOf(of);
    await tryMoment(of, moments[draw(moments.length)] as (typeof moments)[number], tally);
  }
for (const { scenario, why } of tally.wrong.slice(0, 10)) console.log(`${why}\n  --only '${JSON.stringify(scenario)}'`);
console.log(`${tally.scenarios} scenarios, ${tally.wrong.length} wrong, ${JSON.stringify(tally.ends)}`);
process.exit(tally.wrong.length === 0 ? 0 : 1);
