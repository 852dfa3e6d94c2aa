/**
 * Tries attempts from the command line: `npm run prove soak-attempts -- --runs 10000 --seed 1`.
 *
 *   --runs N   the number of scenarios (200 if left out)
 *   --seed N   the number of the first one
 *   --only N   one scenario, with what it came to; a number, or a scenario as JSON
 *   --choices N/M   in place of drawn ones every Mth group from the Nth on that comes to a choice, with a death at each append and message of it
 */
import { parseArgs } from 'node:util';
import { choices, deathsAt, drawnAttempts } from './attempts-draw.ts';
import type { AttemptsScenario } from './attempts-scenario.ts';
import { type AttemptsCourse, playAttempts } from './attempts-trial.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    choices: { type: 'string' },
  },
});

if (values.only !== undefined) {
  const scenario = values.only.startsWith('{')
    ? (JSON.parse(values.only) as AttemptsScenario)
    : drawnAttempts(Number(values.only));
  console.log(JSON.stringify(scenario));
  const { kept, ends, acts, entries, wrong } = await playAttempts(scenario);
  console.log(kept, ends, acts, wrong);
  for (const [run, all] of Object.entries(entries))
    for (const entry of all.slice(all.findIndex((each) => each.do === 'forked')))
      console.log(run, JSON.stringify(entry).slice(0, 200));
  process.exit(0);
}

const ends = new Map<string, number>();
let [groups, wrong] = [0, 0];

async function tryOne(name: string, scenario: AttemptsScenario): Promise<AttemptsCourse | null> {
  groups += 1;
  try {
    const course = await playAttempts(scenario);
    const end = course.kept === null ? 'all ended by hand' : `kept ${course.ends[course.kept]}`;
    ends.set(end, (ends.get(end) ?? 0) + 1);
    if (course.wrong.length === 0) return course;
    console.log(`${name}: ${course.wrong.join('; ')}`);
    wrong += 1;
    return course;
  } catch (error) {
    console.log(`${name}: ${String(error)}`);
    wrong += 1;
    return null;
  }
}

if (values.choices !== undefined) {
  const [from = 0, every = 1] = values.choices.split('/').map(Number);
  for (const [index, scenario] of choices().entries()) {
    if (index % every !== from) continue;
    const course = await tryOne(JSON.stringify(scenario), scenario);
    const deaths = course === null ? [] : deathsAt(scenario, course);
    for (const each of deaths) await tryOne(JSON.stringify(each), each);
  }
} else {
  const [first, runs] = [Number(values.seed), Number(values.runs)];
  for (let seed = first; seed < first + runs; seed += 1) await tryOne(String(seed), drawnAttempts(seed));
}
console.log(`${groups} groups of attempts, ${wrong} wrong: ${JSON.stringify(Object.fromEntries(ends))}`);
process.exit(wrong === 0 ? 0 : 1);
