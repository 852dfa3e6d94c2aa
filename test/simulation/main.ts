/** The simulator's command: `npm run prove simulate -- --runs 1000 --seed 1 --shrink`. Ends with 0 iff no run did harm and none hung. */
import { Command, InvalidArgumentError } from 'commander';
import { countedLines } from '../control-counters.ts';
import { runCampaign } from './campaign.ts';
import { FEATURES, type Feature } from './features.ts';
import { NEEDLESS } from './judge.ts';
import { runProcesses } from './processes.ts';
import { shrink } from './shrink.ts';
import type { Failure, Tally } from './tally.ts';
import { scenarioText } from './text.ts';

interface Options {
  readonly runs: number;
  readonly seed: number;
  readonly from: number;
  readonly processes: number;
  readonly show: number;
  readonly only?: readonly Feature[];
  readonly patience: number;
  readonly calm?: true;
  readonly byHand?: true;
  readonly repeats?: true;
  readonly late?: true;
  readonly pauses?: true;
  readonly sharing?: true;
  readonly shrink?: true;
  readonly json?: true;
}

const options = new Command('simulate')
  .description('runs random machines under the sidecar, with faults, against the same machines without them')
  .option('--runs <n>', 'how many runs', whole, 500)
  .option('--seed <n>', 'the seed of all of them', whole, 1)
  .option('--from <n>', 'the number of the first run: with --runs 1, one run alone', whole, 0)
  .option('--only <feature>', `machines with these features only: ${FEATURES.join(', ')}`, features)
  .option('--processes <n>', 'how many more runs in processes that SIGKILL ends', whole, 0)
  .option('--by-hand', 'a person also undoes by hand what nobody has asked for, and tells the run at once or late')
  .option(
    '--repeats',
    'machines also ask again for acts that they have asked for, and the config says that they are one act',
  )
  .option('--pauses', 'a person pauses the run at some call, and has it go on later')
  .option('--late', 'more replies come late, of tools of every class')
  .option('--sharing', 'units in several regions are also one skeleton, about one entity or about several')
  .option('--calm', 'without faults: attaching the sidecar alone must change nothing')
  .option('--show <n>', 'how many failures are printed', whole, 20)
  .option('--shrink', 'cut the failures that are printed down')
  .option('--patience <s>', 'seconds for cutting one failure down', whole, 40)
  .option('--json', 'print one JSON object')
  .parse()
  .opts<Options>();

function whole(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('a whole number is needed');
  return Number(text);
}

function features(text: string, before: readonly Feature[] = []): readonly Feature[] {
  const names = text.split(',').map((name) => {
    const found = FEATURES.find((feature) => feature === name.trim());
    if (found === undefined) throw new InvalidArgumentError(`"${name}" is none of ${FEATURES.join(', ')}`);
    return found;
  });
  return [...before, ...names];
}

function percent(count: number, of: number): string {
  return `${count} (${((100 * count) / Math.max(1, of)).toFixed(1)} %)`;
}

function line(counts: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  return sorted.map(([name, count]) => `${name} ${count}`).join(', ') || 'none';
}

function print(tally: Tally, runs: number, seed: number, ms: number): void {
  const { same, parked, needless } = tally;
  console.log(`seed ${seed}: ${runs} runs in ${(ms / 1000).toFixed(1)} s`);
  console.log(`same    ${percent(same.length, runs)}`);
  console.log(`parked  ${percent(parked.length, runs)}: ${line(tally.codes)}`);
  const which = needless.runs.length === 0 ? '' : ` (runs ${needless.runs.slice(0, 12).join(', ')})`;
  console.log(`        ${needless.runs.length} needless of ${needless.of} looked at${which}: ${NEEDLESS}`);
  console.log(`harm    ${percent(tally.failed('harm'), runs)}: ${line(tally.harms)}`);
  console.log(`hang    ${percent(tally.failed('hang'), runs)}`);
  console.log(`runs with each feature: ${line(tally.features)}`);
  console.log(`runs with each fault: ${line(tally.faults)}`);
  console.log(`late replies by class: ${line(tally.late)}`);
  console.log(`runs with one skeleton in several places: ${tally.shared}`);
  console.log('how often the rules of control were needed:');
  for (const line of countedLines(tally.counters)) console.log(line);
}

function printFailure({ index, result }: Failure, seed: number): void {
  const { verdict, scenario, end } = result;
  console.log(
    `\nrun ${index} of seed ${seed}: ${verdict.is}${verdict.is === 'harm' ? ` (${verdict.harms.join(', ')})` : ''}`,
  );
  console.log(scenarioText(scenario));
  if ('text' in verdict) console.log(`seen: ${verdict.text}`);
  if (options.shrink)
    console.log([...end.told.map((text) => `  ${text}`), ...result.acts.map((act) => `  ${act}`)].join('\n'));
}

/** Cuts failures down, and prints each as soon as it is small. */
async function shrunk(list: readonly Failure[]): Promise<Failure[]> {
  const small: Failure[] = [];
  for (const failure of list) {
    const least = { ...failure, result: await shrink(failure.result, options.patience * 1000) };
    small.push(least);
    if (!options.json) printFailure(least, options.seed);
  }
  return small;
}

const { runs, seed, from, only = null } = options;
const began = Date.now();
const tally = await runCampaign({
  runs,
  seed,
  from,
  only,
  calm: options.calm ?? false,
  byHand: options.byHand ?? false,
  repeats: options.repeats ?? false,
  late: options.late ?? false,
  pauses: options.pauses ?? false,
  sharing: options.sharing ?? false,
});
const kills = await runProcesses(tally, { runs: options.processes, seed, from: from + runs, only });
const ms = Date.now() - began;
const shown = tally.failures.slice(0, options.show);
if (!options.json) print(tally, runs + options.processes, seed, ms);
if (!options.json && kills > 0) console.log(`processes killed: ${kills}`);
const failures = options.shrink ? await shrunk(shown) : shown;
const [harm, hang] = [tally.failed('harm'), tally.failed('hang')];
if (options.json) {
  const told = failures.map(({ index, result }) => ({ index, ...result, text: scenarioText(result.scenario) }));
  const failed = tally.failures.map(({ index }) => index);
  console.log(
    JSON.stringify({ runs, seed, from, only, ms, kills, ...tally, harm, hang, failures: told, failed }, null, 1),
  );
} else if (!options.shrink) for (const failure of failures) printFailure(failure, seed);
process.exit(harm + hang === 0 ? 0 : 1);
