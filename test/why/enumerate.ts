/**
 * Enumerates runs with a tool that decides, under the sidecar (semantics.md WH3): `npx tsx test/why/enumerate.ts [--family row|beside|anywhere]
 * [--seconds 60] [--every 1] [--from 0]`. Prints the share that was played, the verdicts, and each scenario that ended wrong.
 */
import { parseArgs } from 'node:util';
import { DECIDING, decidingScenarios, judged } from './deciding-family.ts';

const { values } = parseArgs({
  options: {
    family: { type: 'string', default: 'row' },
    seconds: { type: 'string', default: '60' },
    every: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
  },
});
const programs = DECIDING[values.family];
if (programs === undefined) throw new Error(`no family ${values.family}`);
const all = [...programs()].flatMap((one) => [...decidingScenarios(one)]);
const until = Date.now() + Number(values.seconds) * 1000;
const counts = new Map<string, number>();
const whys = new Map<string, number>();
let [played, last] = [0, -1];
for (let nth = Number(values.from); nth < all.length && Date.now() < until; nth += Number(values.every)) {
  const scenario = all[nth] as (typeof all)[number];
  const { verdict, why } = await judged(scenario).catch((error: Error) => ({
    verdict: `thrown: ${error.message}`,
    why: error.stack ?? '',
  }));
  [played, last] = [played + 1, nth];
  counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  if (verdict === 'refused' || verdict === 'parked') {
    const cause = why.replace(/"[^"]*"|\d+/g, '…');
    whys.set(cause, (whys.get(cause) ?? 0) + 1);
  }
  if (verdict.startsWith('unsafe') || verdict.startsWith('thrown'))
    console.log(nth, verdict, JSON.stringify(scenario), why.slice(0, 1500));
}
console.log(`${values.family}: ${played} of ${all.length}, up to number ${last}`, Object.fromEntries(counts));
for (const [cause, count] of [...whys].sort((a, b) => b[1] - a[1]).slice(0, 12))
  console.log(String(count).padStart(6), cause.slice(0, 200));
