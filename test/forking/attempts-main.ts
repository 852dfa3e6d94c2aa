/**
 * Tries attempts from the command line: `npm run soak:attempts -- --runs 10000 --seed 1`.
 *
 *   --runs N   the number of scenarios (200 if left out)
 *   --seed N   the number of the first one
 *   --only N   one scenario, with what it came to
 */
import { parseArgs } from 'node:util';
import { drawnAttempts, playAttempts } from './attempts-trial.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});

if (values.only !== undefined) {
  const scenario = drawnAttempts(Number(values.only));
  console.log(JSON.stringify(scenario));
  const { kept, ends, acts, entries, wrong } = await playAttempts(scenario);
  console.log(kept, ends, acts, wrong);
  for (const [run, all] of Object.entries(entries))
    for (const entry of all.slice(all.findIndex((each) => each.do === 'forked')))
      console.log(run, JSON.stringify(entry).slice(0, 200));
  process.exit(0);
}

const [first, runs] = [Number(values.seed), Number(values.runs)];
const ends = new Map<string, number>();
let wrong = 0;
for (let seed = first; seed < first + runs; seed += 1) {
  try {
    const course = await playAttempts(drawnAttempts(seed));
    const end = `kept ${course.ends[course.kept ?? ''] ?? 'none'}`;
    ends.set(end, (ends.get(end) ?? 0) + 1);
    if (course.wrong.length === 0) continue;
    console.log(`${seed}: ${course.wrong.join('; ')}`);
  } catch (error) {
    console.log(`${seed}: ${String(error)}`);
  }
  wrong += 1;
}
console.log(`${runs} groups of attempts, ${wrong} wrong: ${JSON.stringify(Object.fromEntries(ends))}`);
process.exit(wrong === 0 ? 0 : 1);
