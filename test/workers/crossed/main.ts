/**
 * Draws loops, flows and threads of graphs that workers carry, and all that reaches them, and judges each by the bank: `npm run prove programs`.
 *
 *   --seed S        which ones
 *   --from N        goes on at that number
 *   --cases N       how many, at most; 1,000 if left out
 *   --seconds N     begins no other case after so long
 *   --only N        one, with everything that happened
 *
 * Ends with 0 where no ending is wrong and no run hangs; 1 where any is.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drawnCrossed } from './draw.ts';
import { played } from './drive.ts';
import { crossedKinds } from './programs.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    cases: { type: 'string', default: '1000' },
    seconds: { type: 'string' },
    only: { type: 'string' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'belay-crossed-'));
const kinds = crossedKinds(folder);
const counts = new Map<string, number>();
const count = (what: string, by = 1) => counts.set(what, (counts.get(what) ?? 0) + by);
const seed = Number(values.seed);
const from = Number(values.only ?? values.from);
const end = values.only === undefined ? from + Number(values.cases) : from + 1;
const until = values.seconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + Number(values.seconds) * 1_000;
let bad = 0;
let nth = from;
for (; nth < end && Date.now() < until; nth += 1) {
  const one = drawnCrossed(kinds, seed, nth);
  const { wrong, isHung, isCancelled, isParked, deaths, refused, log } = await played(one, folder);
  count(`runs of a ${one.kind.about}`);
  count('deaths', deaths);
  if (isCancelled) count('cancelled');
  if (isParked) count(`parked, ${one.pay}, ${one.said}`);
  if (isHung) count('hung');
  if (wrong.length > 0) count('wrong');
  for (const why of refused) count(`refused: ${why}`);
  if (isHung || wrong.length > 0) {
    bad += 1;
    console.log(`${nth} ${one.kind.about} ${one.pay} ${one.said}: ${isHung ? 'hung' : wrong.join('; ')}`);
  }
  if (values.only !== undefined) console.log(log.join('\n'));
}
console.log(`seed ${seed}, numbers ${from} to ${nth - 1}: ${bad} wrong or hung`);
for (const [what, times] of [...counts].sort()) console.log(`  ${what}: ${times}`);
rmSync(folder, { recursive: true, force: true });
process.exit(bad === 0 ? 0 : 1);
