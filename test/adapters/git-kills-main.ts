/**
 * Two and four writers on one checkout, in runs of twelve edits, whose processes are killed at random moments while the user edits, stages and
 * commits. Prints what was counted, and exits 1 for a fault.
 *
 * --kills N  how many processes are killed (1,000)
 * --seed S   the seed of the runs (1)
 * --from K   the group of writers to begin with (0): the same seed and group are the same edits
 * --files F  further files of each repository (0)
 */
import { parseArgs } from 'node:util';
import { killRuns } from './git-kills.ts';

const text = (value: string) => ({ type: 'string', default: value }) as const;
const { values } = parseArgs({ options: { kills: text('1000'), seed: text('1'), from: text('0'), files: text('0') } });
const [kills, seed, from, files] = [values.kills, values.seed, values.from, values.files].map(Number);
const counted = await killRuns({ kills, seed, from, files } as Parameters<typeof killRuns>[0]);
process.stdout.write(`${JSON.stringify(counted, null, 2)}\n`);
process.exitCode = counted.wrong.length === 0 ? 0 : 1;
