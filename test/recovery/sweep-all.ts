/** The exhaustive comparison as a script, for lengths that a test run has no time for: `npm run sweep -- 6`. */
import { sweep, table } from './sweep.ts';

const length = Number(process.argv[2] ?? 6);
if (!Number.isInteger(length) || length < 1 || length > 7) {
  console.error('usage: npm run sweep -- LENGTH (a whole number from 1 to 7; 6 takes some ten minutes, 7 some hours)');
  process.exit(2);
}
const rows = [true, false].map((blind) => {
  const writes = blind ? 'blind' : 'update';
  const result = sweep(length, blind, (done) => console.error(`${writes}: ${done.toLocaleString('en')} histories`));
  return { writes, result };
});
for (const { writes, result } of rows) {
  console.log(`${writes}: ${result.histories.toLocaleString('en')} histories of ${length} events`);
}
console.log(table(rows));
const { unsafeAdmissions, needlessBlocks, notGreatest } = rows
  .map(({ result }) => result.tallies.line)
  .reduce((a, b) => ({
    unsafeAdmissions: a.unsafeAdmissions + b.unsafeAdmissions,
    needlessBlocks: a.needlessBlocks + b.needlessBlocks,
    notGreatest: a.notGreatest + b.notGreatest,
    examples: [...a.examples, ...b.examples],
  }));
process.exitCode = unsafeAdmissions + needlessBlocks + notGreatest === 0 ? 0 : 1;
