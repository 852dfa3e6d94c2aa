/** The exhaustive comparison as a script, whole, where `npm test` asks about a share: `npm run sweep -- 5`, or 6. */
import { sweep, table } from './sweep.ts';

const length = Number(process.argv[2] ?? 6);
if (!Number.isInteger(length) || length < 1 || length > 7) {
  console.error(
    'usage: npm run sweep -- LENGTH (a whole number from 1 to 7; 5 takes a minute, 6 some ten minutes, 7 some hours)',
  );
  process.exit(2);
}
const rows = [true, false].map((blind) => {
  const writes = blind ? 'blind' : 'update';
  const result = sweep(length, blind, {
    progress: (done) => console.error(`${writes}: ${done.toLocaleString('en')} histories`),
  });
  return { writes, result };
});
for (const { writes, result } of rows) {
  console.log(`${writes}: ${result.histories.toLocaleString('en')} histories of ${length} events`);
}
console.log(table(rows));
const mistakes = rows.flatMap(({ result }) => result.tallies.line.examples);
for (const mistake of mistakes) console.log(mistake);
process.exitCode = mistakes.length === 0 ? 0 : 1;
