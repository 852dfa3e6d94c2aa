/**
 * Goes through small runs in sandboxes and what becomes of those (semantics.md §30): `npm run prove sandboxes`.
 *
 *   --part N/M    every Mth scenario, from the Nth on (all if left out)
 *   --deaths N    the process dies at each append of every Nth scenario (none if left out)
 *   --small       the small family instead, with a death at each append, and the runs beside others
 *   --only JSON   one scenario, with what it came to
 */
import { parseArgs } from 'node:util';
import { besides, deaths, type Scenario, scenarios, small } from './scenario.ts';
import { type Course, play } from './trial.ts';

const { values } = parseArgs({
  options: {
    part: { type: 'string', default: '1/1' },
    deaths: { type: 'string', default: '0' },
    small: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});

if (values.only !== undefined) {
  console.log(JSON.stringify(await play(JSON.parse(values.only) as Scenario), null, 1));
  process.exit(0);
}

const counts = new Map<string, number>();
let [played, wrong] = [0, 0];

async function tried(scenario: Scenario): Promise<Course> {
  const course = await play(scenario);
  played += 1;
  const what = course.status === 'parked' ? `parked, ${scenario.class}, ${course.codes.join(' ')}` : course.status;
  counts.set(what, (counts.get(what) ?? 0) + 1);
  if (course.wrong.length === 0) return course;
  wrong += 1;
  if (wrong <= 12) console.log(`${course.wrong.join('; ')}\n  --only '${JSON.stringify(scenario)}'`);
  return course;
}

const [first = 1, parts = 1] = values.part.split('/').map(Number);
const dying = values.small ? 1 : Number(values.deaths);
let nth = 0;
for (const scenario of values.small ? [...small(), ...besides()] : scenarios()) {
  nth += 1;
  if ((nth - first) % parts !== 0) continue;
  const { appends } = await tried(scenario);
  if (dying > 0 && nth % dying === 0 && scenario.beside !== true)
    for (const death of deaths(scenario, appends)) await tried(death);
}
console.log(`${played} runs, ${wrong} wrong; ${JSON.stringify(Object.fromEntries([...counts].sort()))}`);
process.exit(wrong === 0 ? 0 : 1);
