/**
 * Every kill of a commit over rows, a file and mail, with nobody, a row or the file written between: `npm run prove soak-commit`. It ends with 1
 * if anything went wrong.
 */
import { CommitTrials, WRITERS } from './commit-trial.ts';
import { inPairs } from './plan.ts';

const begun = Date.now();
const trials = await new CommitTrials().open();
try {
  const moments = await trials.moments();
  const list = Array.from({ length: moments }, (_, i) => WRITERS.map((writer) => ({ at: i + 1, writer }))).flat();
  const counts = new Map<string, number>();
  let wrong = 0;
  await inPairs(list, async ({ at, writer }) => {
    const trial = await trials.trial(at, writer);
    if (trial.wrong !== null) {
      wrong += 1;
      process.stdout.write(`WRONG ${trial.wrong}\n`);
    }
    const what = `${writer} written, visible at the kill: ${trial.visible || 'nothing'}, then ${trial.end || 'wrong'}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  });
  for (const [what, count] of [...counts].sort()) process.stdout.write(`${String(count).padStart(5)}  ${what}\n`);
  const seconds = Math.round((Date.now() - begun) / 1000);
  process.stdout.write(`${list.length} kills at ${moments} moments, ${wrong} went wrong; ${seconds} s\n`);
  process.exitCode = wrong === 0 ? 0 : 1;
} finally {
  await trials.close();
}
