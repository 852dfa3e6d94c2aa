/** `npm run prove soak-git -- --kills N`: prints the kills, and exits 1 for a fault. */
import { parseArgs } from 'node:util';
import { killRuns } from './git-kills.ts';

const { values } = parseArgs({ options: { kills: { type: 'string', default: '1000' } } });
const counted = await killRuns(Number(values.kills), Math.random);
process.stdout.write(`${JSON.stringify(counted)}\n`);
process.exitCode = counted.wrong.length === 0 ? 0 : 1;
