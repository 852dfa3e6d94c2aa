/**
 * What people do at a gate, as a product: classes, answers, fates, complaints, ends, and a death at each append (semantics.md §31). Prints the cases
 * that the world finds wrong.
 *
 *     npm run prove people -- --every 50 --from 3 --seconds 500
 */
import { parseArgs } from 'node:util';
import { cases, deaths } from './handed.ts';
import { faults, play } from './handing.ts';

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
const count = { all: 0, played: 0, died: 0, wrong: 0 };
for (const one of values.alive ? cases() : deaths(30)) {
  count.all += 1;
  if (count.all % every !== from || performance.now() > end) continue;
  count.played += 1;
  const course = await play(one).catch((error: unknown) => error as Error);
  const found = course instanceof Error ? [String(course.stack)] : faults(course, one);
  if (!(course instanceof Error) && course.processes > 0) count.died += 1;
  if (found.length > 0) count.wrong += 1;
  if (found.length > 0) console.log(JSON.stringify(one), found.join(' | '));
}
console.log(`${count.played} of ${count.all} cases played, in ${count.died} a process died, ${count.wrong} are wrong`);
process.exit(count.wrong === 0 ? 0 : 1);
