/**
 * Goes through small programs, prices that move, and what happens meanwhile (semantics.md §23): `npm run prove revalidate`.
 *
 *   --part N/M    every Mth scenario, from the Nth on (all if left out)
 *   --deaths N    the process dies at each append of every Nth scenario (none if left out)
 *   --only JSON   one scenario, with what it came to
 *   --stale       the same machines without second looks: what those avoid
 */
import { parseArgs } from 'node:util';
import { judge } from './judge.ts';
import { deaths, type Scenario, scenarios } from './scenario.ts';
import { type Course, play } from './trial.ts';

const { values } = parseArgs({
  options: {
    part: { type: 'string', default: '1/1' },
    deaths: { type: 'string', default: '0' },
    only: { type: 'string' },
    stale: { type: 'boolean', default: false },
  },
});

if (values.only !== undefined) {
  const scenario = JSON.parse(values.only) as Scenario;
  const course = await play(scenario);
  console.log(judge(scenario, course), JSON.stringify(course, null, 1));
  process.exit(0);
}

const counts = new Map<string, number>();
const count = (what: string, by = 1) => void counts.set(what, (counts.get(what) ?? 0) + by);
let [played, wrong] = [0, 0];

async function tried(scenario: Scenario): Promise<Course> {
  const course = await play(scenario);
  // A machine that looks once is held to what it could have known.
  const held = values.stale ? { ...scenario, good: scenario.good ?? 30 } : scenario;
  const why = judge(held, course);
  played += 1;
  count(course.status === 'parked' ? `parked, ${scenario.shape}, ${course.codes.join(' ')}` : course.status);
  count('acts sent', course.sent.length);
  count('looks', course.looks.length);
  count('acts on a price of before', course.sent.filter(({ price, truth }) => price !== truth).length);
  if (why === null) return course;
  wrong += 1;
  if (values.stale) count(why.replace(/\d+/g, 'N'));
  else if (wrong <= 12) console.log(`${why}\n  --only '${JSON.stringify(scenario)}'`);
  return course;
}

const [first = 1, parts = 1] = values.part.split('/').map(Number);
const dying = Number(values.deaths);
let nth = 0;
for (const scenario of scenarios(values.stale ? [null] : [0, 30])) {
  nth += 1;
  if ((nth - first) % parts !== 0) continue;
  const { appends } = await tried(scenario);
  if (dying > 0 && nth % dying === 0) for (const death of deaths(scenario, appends)) await tried(death);
}
console.log(`${played} runs, ${wrong} wrong; ${JSON.stringify(Object.fromEntries([...counts].sort()))}`);
process.exit(wrong === 0 || values.stale ? 0 : 1);
