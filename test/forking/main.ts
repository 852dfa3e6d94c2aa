/**
 * Tries forks from the command line: `npm run prove soak-forks -- --runs 10000 --seed 1`.
 *
 *   --runs N   the number of scenarios (200 if left out)
 *   --seed N   the number of the first one
 *   --only N   one scenario, with what it came to
 */
import { parseArgs } from 'node:util';
import { drawn } from './draw.ts';
import { judge } from './judge.ts';
import { play } from './trial.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});

if (values.only !== undefined) {
  const scenario = drawn(Number(values.only));
  const course = await play(scenario);
  console.log(JSON.stringify(scenario), judge(course, await play(scenario, false)));
  console.log(course.world.acts, course.parent.is, course.parent.context, course.child.is, course.child.context);
  console.log([...course.asked], course.common, course.refused);
  for (const entry of course.child.entries) console.log(JSON.stringify(entry).slice(0, 220));
  process.exit(0);
}

const [first, runs] = [Number(values.seed), Number(values.runs)];
const ends = new Map<string, number>();
let [wrong, asked, moved] = [0, 0, 0];
for (let seed = first; seed < first + runs; seed += 1) {
  const scenario = drawn(seed);
  const course = await play(scenario);
  const why = judge(course, await play(scenario, false));
  ends.set(course.child.is, (ends.get(course.child.is) ?? 0) + 1);
  if (course.asked.size > 0) asked += 1;
  if (course.refused !== null) moved += 1;
  if (why === null) continue;
  wrong += 1;
  if (wrong <= 10) console.log(`${why}\n  --only ${seed}`);
}
console.log(
  `${runs} forks, ${wrong} wrong; ${asked} asked a person on account of the parent, ${moved} were refused at their row and made at the nearest one; ` +
    `the forks ended ${JSON.stringify(Object.fromEntries([...ends].sort()))}`,
);
process.exit(wrong === 0 ? 0 : 1);
