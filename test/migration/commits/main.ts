/**
 * Counts over the twenty commits: of all runs that are parked at a wait, how many go over without a person and end as a run without the
 * sidecar that is switched there; the rest by cause.
 *
 *     npm run prove commits -- [--only TEXT] [--map]    with --map, each commit has a reviewed map and the machine before at hand
 */
import { parseArgs } from 'node:util';
import { COMMITS, isRight, type Judged, judged, parkedRuns } from './count.ts';

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, map: { type: 'boolean', default: false } },
});
const all: Judged[] = [];
const runs = await parkedRuns();
for (const commit of COMMITS.filter(({ agent, what }) => `${agent} ${what}`.includes(values.only))) {
  const own: Judged[] = [];
  for (const [of, wait] of runs) if (of === commit) own.push(await judged(commit, wait, values.map));
  all.push(...own);
  console.log(`${commit.agent}: ${commit.what}`);
  console.log(`  ${own.filter(isRight).length} of ${own.length} went over and ended right`);
  for (const { wait, wrong, broken, why } of own)
    if (wrong !== null || broken !== null || why !== null)
      console.log(
        `    ${wait.is} ${wait.at} ${wait.nth}: ${[why, wrong, broken].filter((each) => each !== null).join('; ')}`,
      );
}
const right = all.filter(isRight);
const causes = new Map<string, number>();
for (const { why } of all) if (why !== null) causes.set(why, (causes.get(why) ?? 0) + 1);
console.log(
  `${all.length} parked runs: ${right.length} went over and ended right (${((100 * right.length) / all.length).toFixed(1)} %)`,
);
for (const [why, runs] of causes) console.log(`  ${runs} stayed: ${why}`);
console.log(
  `  ${all.filter(({ wrong }) => wrong !== null).length} ended wrong, ${all.filter(({ broken }) => broken !== null).length} not as planned`,
);
process.exit(all.some(({ wrong, broken }) => wrong !== null || broken !== null) ? 1 : 0);
