/**
 * What a turn that only reads costs a run: `npm run bench selective`. A thousand turns of which 750 read, beside the 250 others alone. Prints rows,
 * bytes, bases and checkpoints of each, and whether the decisions behind them are the same; a missed target is printed as missed.
 */
import { turnsOf } from './selectivity.ts';

const TURNS = 1_000;
const all = await turnsOf(TURNS, { reads: 3, of: 4 });
const without = await turnsOf(TURNS / 4, { reads: 0, of: 1 });
const reads = (TURNS * 3) / 4;
const each = (field: 'rows' | 'bytes') => (all[field] - without[field]) / reads;
const verdict = (met: boolean) => (met ? 'met' : 'MISSED');

for (const [name, { rows, bytes, bases, checkpoints }] of Object.entries({
  [`${TURNS} turns, ${reads} of them read`]: all,
  [`the other ${TURNS / 4} alone`]: without,
}))
  console.log(`${name.padEnd(32)} ${rows} rows, ${bytes} bytes, ${bases} bases, ${checkpoints} checkpoints`);
console.log(
  `a turn that reads: ${each('rows')} rows (1 at most: ${verdict(each('rows') <= 1)}), ${each('bytes').toFixed(1)} bytes (100 at most: ${verdict(each('bytes') <= 100)})`,
);
console.log(
  `bases and checkpoints more: ${all.bases - without.bases}, ${all.checkpoints - without.checkpoints} (0: ${verdict(all.bases === without.bases && all.checkpoints === without.checkpoints)})`,
);
console.log(
  `decisions the same: ${verdict(all.decisions.join() === without.decisions.join())} (${all.decisions.length} complaints)`,
);
