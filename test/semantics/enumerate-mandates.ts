/**
 * Mandates that are given and withdrawn at every moment, as a product: classes, beginnings, fates, complaints, pauses, ends, and a death at each append
 * (semantics.md §32). Prints the cases that the world finds wrong.
 *
 *     npm run prove mandates -- --every 50 --from 3 --seconds 280
 */
import { parseArgs } from 'node:util';
import { cases, deaths } from './mandate-cases.ts';
import { faults, play } from './mandated.ts';

const { values } = parseArgs({
  options: {
    every: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    seconds: { type: 'string', default: '3600' },
    alive: { type: 'boolean', default: false },
  },
});
const [every, from, end] = [
  Number(values.every),
  Number(values.from),
  performance.now() + 1_000 * Number(values.seconds),
];
const count = { all: 0, played: 0, died: 0, waited: 0, wrong: 0 };
for (const one of values.alive ? cases() : deaths()) {
  count.all += 1;
  if (count.all % every !== from || performance.now() > end) continue;
  count.played += 1;
  const course = await play(one).catch((error: unknown) => error as Error);
  const found = course instanceof Error ? [String(course.stack)] : faults(course, one);
  if (!(course instanceof Error)) {
    if (course.processes > 0) count.died += 1;
    if (course.entries.some((entry) => entry.do === 'mandate' && entry.is === 'wanted')) count.waited += 1;
  }
  if (found.length > 0) count.wrong += 1;
  if (found.length > 0) console.log(JSON.stringify(one), found.join(' | '));
}
console.log(
  `${count.played} of ${count.all} cases played, in ${count.died} a process died, in ${count.waited} something waited, ${count.wrong} are wrong`,
);
process.exit(count.wrong === 0 ? 0 : 1);
