/**
 * The exhaustive comparison as a script, whole, where `npm test` asks about a share: `npm run prove sweep -- 5`, or 6. `npm run prove sweep -- 5 paged` asks each
 * history as it is, and with every beginning of it paged out.
 */
import { askedPaged, everyCut } from './paging.ts';
import { folded, sweep, table } from './sweep.ts';

const [first = '6', second] = process.argv.slice(2);
const length = Number(first);
if (!Number.isInteger(length) || length < 1 || length > 7 || (second !== undefined && second !== 'paged')) {
  console.error(
    'usage: npm run prove sweep -- LENGTH [paged] (a whole number from 1 to 7; 5 takes a minute, 6 some ten minutes, 7 some hours; 5 paged takes ten minutes)',
  );
  process.exit(2);
}
const progress = (writes: string) => (done: number) =>
  console.error(`${writes}: ${done.toLocaleString('en')} histories`);

/** Holds every history against itself with its beginning paged out. @returns what was answered otherwise. */
function sweepPaged(): string[] {
  const different: string[] = [];
  for (const blind of [true, false]) {
    const writes = blind ? 'blind' : 'update';
    let [done, asked, reached] = [0, 0, 0];
    for (const { history, ids } of folded(length, blind, { every: 1, from: 0 })) {
      const result = askedPaged(history, ids, [null], everyCut(history.head));
      [done, asked, reached] = [done + 1, asked + result.asked, reached + result.reached];
      different.push(...result.different);
      if (done % 10_000 === 0) progress(writes)(done);
    }
    const [histories, questions, behind] = [done, asked, reached].map((count) => count.toLocaleString('en'));
    console.log(
      `${writes}: ${histories} histories of ${length} events, ${questions} questions with their beginnings paged out, ${behind} of which reach there`,
    );
  }
  console.log(`answered otherwise than in memory: ${different.length}`);
  return different;
}

function sweepPolicies(): string[] {
  const rows = [true, false].map((blind) => {
    const writes = blind ? 'blind' : 'update';
    return { writes, result: sweep(length, blind, { progress: progress(writes) }) };
  });
  for (const { writes, result } of rows)
    console.log(`${writes}: ${result.histories.toLocaleString('en')} histories of ${length} events`);
  console.log(table(rows));
  return rows.flatMap(({ result }) => result.tallies.line.examples);
}

const mistakes = second === 'paged' ? sweepPaged() : sweepPolicies();
for (const mistake of mistakes.slice(0, 20)) console.log(mistake);
process.exitCode = mistakes.length === 0 ? 0 : 1;
