/** Property-wise necessity (DART table 30): for each guard, what happens to the cases that turn on it once it is gone. */

import { keysOf, there } from '../../domains/there.ts';
import { GUARDS, type Guard } from '../guards.ts';
import type { JudgedCase, Unguarded } from '../judge.ts';
import type { Paper } from '../paper.ts';
import { beside, only, type Table } from '../workloads/table.ts';

/** True if a case goes wrong without a guard. */
export function isBroken({ mismatches, harmed, dropped }: Unguarded): boolean {
  return mismatches.length > 0 || harmed || dropped.length > 0;
}

/** The cases that break without each guard. */
export function necessityTable(judged: readonly JudgedCase[], paper: Paper): Table {
  const rows = keysOf<Guard>(GUARDS).flatMap((guard) => {
    const all = judged.flatMap((each) =>
      each.unguarded
        .filter((without) => without.guard === guard && isBroken(without))
        .map((without) => ({ each, without })),
    );
    // The plainest first: where the world is harmed, where a promise is gone, where the answer is merely another.
    const weight = ({ without }: (typeof all)[number]) =>
      (without.harmed ? 2 : 0) + (without.dropped.length > 0 ? 1 : 0);
    const worst = [...all].sort((a, b) => weight(b) - weight(a))[0];
    return [
      [
        only(guard),
        only(GUARDS[guard]),
        only(all.length),
        only(all.filter(({ without }) => without.harmed).length),
        only(worst === undefined ? null : `${worst.each.domain}/${worst.each.name}`),
        only(worst === undefined ? null : told(worst.without)),
        beside(null, paper.necessity.rows[guard], 'equal', false),
      ],
    ];
  });
  return {
    id: 'necessity',
    title: 'What each guard is for',
    notes: [
      'Each case that turns on a guard is run under Belay without it, through the declared seam. It breaks where the answer is not that of the case, where the run is let through and does not end as it has to, or where somebody’s promise is gone; harmed counts the second.',
      'Controllable stays as far as open outcomes go: a history refuses a boundary over one by itself, whoever certifies it.',
    ],
    columns: [
      { key: 'guard', title: 'guard' },
      { key: 'without', title: 'without it' },
      { key: 'broken', title: 'cases that break' },
      { key: 'harmed', title: 'harmed' },
      { key: 'case', title: 'for example' },
      { key: 'happens', title: 'what happens' },
      { key: 'paper', title: 'the paper' },
    ],
    rows,
  };
}

function told({ verdict, checkpoint, mismatches, harmed, dropped, difference }: Unguarded): string {
  const { duplicates, missing, unexpected } = difference;
  const world = [
    [duplicates, 'twice'],
    [missing, 'lost'],
    [unexpected, 'wrong'],
  ] as const;
  return [
    `${verdict}${checkpoint === null ? '' : ` to ${checkpoint}`}`,
    ...(harmed ? world.filter(([count]) => count > 0).map(([count, what]) => `${count} rows ${what}`) : []),
    ...(harmed && duplicates + missing + unexpected === 0 ? ['the memory comes to something else'] : []),
    ...(dropped.length > 0 ? [`promises gone: ${dropped.join(', ')}`] : []),
    ...(mismatches.length > 0 && !harmed ? [there(mismatches[0], 'mismatch')] : []),
  ].join('; ');
}
