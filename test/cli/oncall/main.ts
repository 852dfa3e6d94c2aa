/** A person on call at length: `npm run prove soak-oncall -- --runs 500 --seed 1`. Ends with 0 where no run was a dead end, else with 1. */
import { Command, InvalidArgumentError } from 'commander';
import { campaign } from './oncall.ts';

function whole(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('a whole number is needed');
  return Number(text);
}

const { runs, seed, path } = new Command('npm run prove soak-oncall --')
  .description('leaves runs as they stand, and has a person do what is printed')
  .option('--runs <n>', 'how many runs', whole, 300)
  .option('--seed <n>', 'what they are drawn from', whole, 1)
  .option('--path <path>', 'one run alone, as a failure names it')
  .parse()
  .opts<{ runs: number; seed: number; path?: string }>();

const began = Date.now();
const { met, failure } = await campaign(runs, seed, path);
for (const [what, count] of Object.entries(met).toSorted()) console.log(`${String(count).padStart(6)}  ${what}`);
console.log(`seed ${seed}: ${runs} runs in ${((Date.now() - began) / 1000).toFixed(1)} s`);
if (failure !== null) console.log(`\nDEAD END: ${failure}`);
process.exit(failure === null ? 0 : 1);
