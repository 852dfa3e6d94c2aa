/** Random commands at length: `npm run prove soak-commands -- --runs 5000 --seed 1`. Ends with 0 where every promise was kept, else with 1. */
import { Command, InvalidArgumentError } from 'commander';
import { campaign } from './campaign.ts';

interface Options {
  readonly runs: number;
  readonly seed: number;
  readonly path?: string;
}

function whole(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('a whole number is needed');
  return Number(text);
}

const { runs, seed, path } = new Command('npm run prove soak-commands --')
  .description('gives runs random commands in random order, and judges each by the world')
  .option('--runs <n>', 'how many sequences', whole, 2000)
  .option('--seed <n>', 'what they are drawn from', whole, 1)
  .option('--path <path>', 'one sequence alone, as a failure names it')
  .addHelpText('after', '\nExit code: 0 where every promise was kept, 1 where one was broken.')
  .parse()
  .opts<Options>();

const began = Date.now();
const { tally, failure } = await campaign(runs, seed, path);
for (const [what, count] of Object.entries(tally.counts).toSorted())
  console.log(`${String(count).padStart(7)}  ${what}`);
console.log(`seed ${seed}: ${runs} sequences in ${((Date.now() - began) / 1000).toFixed(1)} s`);
if (failure !== null) console.log(`\nBROKEN: ${failure}`);
process.exit(failure === null ? 0 : 1);
