/**
 * Tries runs that meet from the command line: `npm run prove release -- --seconds 60 --seed 1`.
 *
 *   --seconds N  how long (30 if left out)
 *   --seed N     the number of the first scenario
 *   --runs N     how many runs meet (2 if left out)
 *   --only N     one scenario, with what it came to
 *   --wide       with deaths, lost replies, persons who free, promises and announcing
 */
import { parseArgs } from 'node:util';
import { drawn } from './draw.ts';
import { endOf, judge } from './judge.ts';
import { play } from './trial.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '2' },
    only: { type: 'string' },
    wide: { type: 'boolean', default: false },
  },
});
const runs = Number(values.runs);

if (values.only !== undefined) {
  const course = await play(drawn(Number(values.only), runs, values.wide));
  console.log(JSON.stringify(course.scenario), judge(course));
  console.log(course.world.done, course.world.values, course.stands, course.released);
  process.exit(0);
}

const end = Date.now() + Number(values.seconds) * 1_000;
const ends = new Map<string, number>();
let [count, wrong, released] = [0, 0, 0];
for (let seed = Number(values.seed); Date.now() < end; seed += 1) {
  const course = await play(drawn(seed, runs, values.wide)).catch((error: Error) => error);
  const why = course instanceof Error ? course.message : judge(course);
  count += 1;
  if (!(course instanceof Error)) {
    released += course.released;
    ends.set(endOf(course), (ends.get(endOf(course)) ?? 0) + 1);
  }
  if (why === null) continue;
  wrong += 1;
  if (wrong <= 10) console.log(`${why}\n  --only ${seed}`);
}
console.log(`${count} scenarios of ${runs} runs, ${wrong} wrong; ${released} releases`);
for (const [name, of] of [...ends].sort(([, a], [, b]) => b - a)) console.log(`  ${of}  ${name}`);
process.exit(wrong === 0 ? 0 : 1);
